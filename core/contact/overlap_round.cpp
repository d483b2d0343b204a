#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/assert.h"
#include "core/contact/overlap_shapes.h"

/// A tet and a capsule (or sphere). Inside the shape, g(x) = (R^2 - dist(x, axis)^2) / (2 R) is positive; it
/// is smooth, about the depth near the surface, and moves rigidly with the shape. The tet is cut into n^3
/// small tets of equal volume, the same in barycentric coordinates at all times. In each, g is replaced by a
/// linear function with the values
///
///   h_k = g(x_k) + 4/5 (g(x_c) - mean of g(x_k))        at its corners x_k, x_c its centroid.
///
/// g is concave, so the interpolant of the corners lies below it, by sum_{k<l} lambda_k lambda_l |x_k -
/// x_l|^2 / (2R) where g is that of a sphere; the mean of that over the tet is 4/5 of its value at the
/// centroid. With it the volume has no bias: what is lost where the surface passes the middle of small tets
/// is gained where it passes their corners.
///
/// The part with h > 0 is a polyhedron. Its moments m_k = int lambda_k depend on the four h alone,
///   dm_k/dh_l = int_{h = 0} lambda_k lambda_l / |grad h| dS,
/// all in coordinates of the small tet, where dS / |grad h| is a product of constants. The shares are then
/// functions of the corners x_m of the tet through det and the g of a few points, so their slopes are exact,
/// whatever n is:
///   dV_i/dx_m = grad phi_m V_i + sum_points (dV_i/dg) phi_m(point) grad g(point).
/// g does not change when tet and shape move as one: momentum is kept exactly, too.

namespace sunder {

namespace {
constexpr double kRaise = 0.8;

/// The cut of a tet into n^3, in barycentric coordinates: Kuhn's cut of the cubes of a grid, of which the tet
/// is the part with n >= y0 >= y1 >= y2 >= 0.
struct TetLattice {
    int n;
    std::vector<Vec4> nodes;
    std::vector<std::array<int, 4>> tets;

    explicit TetLattice(int divisions) : n(divisions) {
        for (int cell = 0; cell < n * n * n; ++cell) addCell({cell % n, cell / n % n, cell / (n * n)});
    }

  private:
    using Node = std::array<int, 3>;
    bool holds(const Node& y) const { return n >= y[0] && y[0] >= y[1] && y[1] >= y[2] && y[2] >= 0; }
    int nodeOf(const Node& y) {
        const Vec4 phi = Vec4(n - y[0], y[0] - y[1], y[1] - y[2], y[2]) / n;
        const auto found = std::find(nodes.begin(), nodes.end(), phi);
        if (found != nodes.end()) return static_cast<int>(found - nodes.begin());
        nodes.push_back(phi);
        return static_cast<int>(nodes.size()) - 1;
    }
    void addCell(const Node& low) {
        std::array<int, 3> axis{0, 1, 2};
        do {
            std::array<Node, 4> path;
            path[0] = low;
            for (int k = 0; k < 3; ++k) {
                path[k + 1] = path[k];
                ++path[k + 1][axis[k]];
            }
            if (!std::all_of(path.begin(), path.end(), [&](const Node& y) { return holds(y); })) continue;
            tets.push_back({nodeOf(path[0]), nodeOf(path[1]), nodeOf(path[2]), nodeOf(path[3])});
        } while (std::next_permutation(axis.begin(), axis.end()));
    }
};
constexpr int kMaxNodes = 165;  // of 8 divisions

const TetLattice& latticeOf(int divisions) {
    static const std::array<TetLattice, 4> lattices{TetLattice(1), TetLattice(2), TetLattice(4),
                                                    TetLattice(8)};
    SUNDER_ASSERT(divisions == 1 || divisions == 2 || divisions == 4 || divisions == 8);
    return lattices[divisions >= 8 ? 3 : divisions >= 4 ? 2 : divisions >= 2 ? 1 : 0];
}

/// g and its gradient at points given from the tet's corner 0.
struct DepthField {
    Vec3 first, axis;
    double inverseLengthSq, radius;

    DepthField(const OverlapTet& a, const Capsule& shape)
        : first(shape.first - a.origin), axis(shape.second - shape.first), radius(shape.radius) {
        const double lengthSq = axis.squaredNorm();
        inverseLengthSq = lengthSq > 0 ? 1 / lengthSq : 0;
    }
    Vec3 fromAxis(const Vec3& x) const {
        const double t = std::clamp((x - first).dot(axis) * inverseLengthSq, 0.0, 1.0);
        return x - first - t * axis;
    }
    double value(const Vec3& x) const { return (radius * radius - fromAxis(x).squaredNorm()) / (2 * radius); }
    Vec3 gradient(const Vec3& x) const { return fromAxis(x) / -radius; }
};

/// True if a ball around the tet stays clear of the shape.
bool isClear(const OverlapTet& a, const DepthField& field) {
    const Vec3 centre = 0.25 * a.edge.colwise().sum().transpose();
    const double reach =
        std::sqrt((a.edge.rowwise() - centre.transpose()).rowwise().squaredNorm().maxCoeff());
    // a plane raised by 4/5 of the deficit passes its corners by less than that: deficits are below reach^2 /
    // 2R
    return field.fromAxis(centre).norm() > field.radius + reach + reach * reach / (2 * field.radius);
}

/// The part {h > 0} of a small tet of determinant 1, in its own barycentric coordinates.
struct Part {
    Vec4 moments = Vec4::Constant(1.0 / 24);  ///< integrals of the four coordinates
    int cutCorners = 0;  ///< 3 or 4, in order around the cut; 0: all of the small tet is inside
    std::array<Vec4, 4> cut;
};

Vec4 crossing(const Vec4& h, int inner, int outer) {
    const double t = h[inner] / (h[inner] - h[outer]);
    return (1 - t) * Vec4::Unit(inner) + t * Vec4::Unit(outer);
}

Vec4 momentsOfTet(const Vec4& a, const Vec4& b, const Vec4& c, const Vec4& d) {
    const Vec3 u = (b - a).tail<3>(), v = (c - a).tail<3>(), w = (d - a).tail<3>();
    return std::abs(u.dot(v.cross(w))) / 24 * (a + b + c + d);
}

/// `lone` has the one sign and the other three corners the other.
Part cutCorner(const Vec4& h, int lone) {
    Part part;
    part.cutCorners = 3;
    for (int k = 0; k < 3; ++k) part.cut[k] = crossing(h, lone, (lone + 1 + k) & 3);
    const Vec4 corner = momentsOfTet(Vec4::Unit(lone), part.cut[0], part.cut[1], part.cut[2]);
    part.moments = h[lone] > 0 ? corner : Vec4(part.moments - corner);
    return part;
}

/// Two corners on either side: the part inside is a prism.
Part cutBetween(const Vec4& h, const std::array<int, 2>& in, const std::array<int, 2>& out) {
    Part part;
    part.cutCorners = 4;
    part.cut = {crossing(h, in[0], out[0]), crossing(h, in[0], out[1]), crossing(h, in[1], out[1]),
                crossing(h, in[1], out[0])};
    const Vec4 a = Vec4::Unit(in[0]), b = Vec4::Unit(in[1]);
    const auto& c = part.cut;
    part.moments = momentsOfTet(a, c[0], c[1], b) + momentsOfTet(c[0], c[1], b, c[3]) +
                   momentsOfTet(c[1], b, c[3], c[2]);
    return part;
}

/// For an h of which at least one value is positive.
Part partInside(const Vec4& h) {
    std::array<int, 4> order;  // inner corners from the front, outer ones from the back
    int inside = 0, outside = 0;
    for (int k = 0; k < 4; ++k) {
        if (h[k] > 0)
            order[inside++] = k;
        else
            order[3 - outside++] = k;
    }
    if (outside == 0) return {};
    if (inside == 2) return cutBetween(h, {order[0], order[1]}, {order[2], order[3]});
    return cutCorner(h, inside == 1 ? order[0] : order[3]);
}

/// d(moment k)/d(h_l).
Mat4 momentSlopes(const Part& part, const Vec4& h) {
    const Vec3 gradient = (h.tail<3>().array() - h[0]).matrix();
    const double scale = 1 / (24 * gradient.norm());
    Mat4 slopes = Mat4::Zero();
    for (int k = 2; k < part.cutCorners; ++k) {
        const Vec4 &a = part.cut[0], &b = part.cut[k - 1], &c = part.cut[k], sum = a + b + c;
        const double weight = scale * Vec3((b - a).tail<3>()).cross(Vec3((c - a).tail<3>())).norm();
        slopes +=
            weight * ((sum + a) * a.transpose() + (sum + b) * b.transpose() + (sum + c) * c.transpose());
    }
    return slopes;
}

/// Calls work(tet of the lattice, h, its part inside, centroid) for the small tets that have one.
template <class Work>
void forEachPart(const OverlapTet& a, const DepthField& field, const TetLattice& lattice, Work&& work) {
    std::array<Vec3, kMaxNodes> x;
    std::array<double, kMaxNodes> g;
    for (std::size_t k = 0; k < lattice.nodes.size(); ++k) {
        x[k] = a.edge.transpose() * lattice.nodes[k];
        g[k] = field.value(x[k]);
    }
    for (const auto& t : lattice.tets) {
        Vec4 h(g[t[0]], g[t[1]], g[t[2]], g[t[3]]);
        const Vec3 centroid = 0.25 * (x[t[0]] + x[t[1]] + x[t[2]] + x[t[3]]);
        h.array() += kRaise * (field.value(centroid) - h.mean());
        if (h.maxCoeff() > 0) work(t, h, partInside(h), centroid);
    }
}

Mat4 cornersOf(const TetLattice& lattice, const std::array<int, 4>& t) {
    Mat4 corners;  // column k: barycentric coordinates of corner k of the small tet
    for (int k = 0; k < 4; ++k) corners.col(k) = lattice.nodes[t[k]];
    return corners;
}
bool overlapsNothing(const OverlapTet& a, const DepthField& field) {
    return !(a.det > 0) || isClear(a, field);
}

/// Slopes of `Rows` linear combinations of the shares.
template <int Rows>
std::array<TetVectors, Rows> combinedSlopes(const OverlapTet& a, const Capsule& shape,
                                            const TetLattice& lattice,
                                            const Eigen::Matrix<double, Rows, 4>& combine) {
    using Values = Eigen::Matrix<double, Rows, 1>;
    std::array<TetVectors, Rows> slopes;
    slopes.fill(TetVectors::Zero());
    const DepthField field(a, shape);
    if (overlapsNothing(a, field)) return slopes;
    std::array<Values, kMaxNodes> byG;  // dV/dg at the nodes
    std::fill(byG.begin(), byG.begin() + static_cast<std::ptrdiff_t>(lattice.nodes.size()), Values::Zero());
    const auto addPoint = [&](const Values& byValue, const Vec4& phi, const Vec3& x) {
        const TetVectors move = field.gradient(x) * phi.transpose();
        for (int r = 0; r < Rows; ++r) slopes[r] += byValue[r] * move;
    };
    Values volume = Values::Zero();
    forEachPart(a, field, lattice, [&](const auto& t, const Vec4& h, const Part& part, const Vec3& centroid) {
        const Mat4 corners = cornersOf(lattice, t);
        const Eigen::Matrix<double, Rows, 4> atCorners = combine * corners;
        volume += atCorners * part.moments;
        if (part.cutCorners == 0) return;
        const Eigen::Matrix<double, Rows, 4> byH = atCorners * momentSlopes(part, h);
        const Values raised = kRaise * byH.rowwise().sum();
        for (int k = 0; k < 4; ++k) byG[t[k]] += byH.col(k) - 0.25 * raised;
        addPoint(raised, corners.rowwise().mean(), centroid);
    });
    for (std::size_t k = 0; k < lattice.nodes.size(); ++k) {
        if (!byG[k].isZero(0)) addPoint(byG[k], lattice.nodes[k], a.edge.transpose() * lattice.nodes[k]);
    }
    const double part = 1.0 / (lattice.n * lattice.n * lattice.n);
    for (int r = 0; r < Rows; ++r) slopes[r] = part * (a.det * slopes[r] + volume[r] * a.normal.transpose());
    return slopes;
}
}  // namespace

TetShares computeTetShares(const OverlapTet& a, const Capsule& shape, const RoundOptions& options) {
    TetShares s;
    const DepthField field(a, shape);
    if (overlapsNothing(a, field)) return s;
    const TetLattice& lattice = latticeOf(options.divisions);
    forEachPart(a, field, lattice, [&](const auto& t, const Vec4&, const Part& part, const Vec3&) {
        s.shares += cornersOf(lattice, t) * part.moments;
    });
    s.shares *= a.det / (lattice.n * lattice.n * lattice.n);
    s.volume = s.shares.sum();
    return s;
}

TetVectors computeTetForces(const OverlapTet& a, const Capsule& shape, const Vec4& pressure,
                            const RoundOptions& options) {
    return -combinedSlopes<1>(a, shape, latticeOf(options.divisions), pressure.transpose())[0];
}

void computeTetSlopes(const OverlapTet& a, const Capsule& shape, TetSlopes& slopes,
                      const RoundOptions& options) {
    slopes = combinedSlopes<4>(a, shape, latticeOf(options.divisions), Mat4::Identity());
}

}  // namespace sunder
