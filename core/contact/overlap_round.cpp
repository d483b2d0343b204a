#include <Eigen/Geometry>
#include <algorithm>
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

/// The moments of {h > 0} in a small tet of determinant 1, and their slopes.
Vec4 momentsOf(const OverlapPolyhedron& p) {
    std::array<double, OverlapPolyhedron::kCapacity> weights;
    integrationWeights(p, 1, weights);
    Vec4 moments = Vec4::Zero();
    for (int v = 0; v < p.count; ++v) moments += weights[v] * p.phi[v];
    return moments;
}
Mat4 momentSlopes(const OverlapPolyhedron& p, const Vec4& h) {
    Mat4 slopes = Mat4::Zero();
    const Vec3 gradient = (h.tail<3>().array() - h[0]).matrix();
    const double scale = -1 / (24 * gradient.squaredNorm());
    forEachFan(p, [&](int f, int v, int w, int face) {
        if (face < 4) return;
        const Vec3 s = (p.phi[v] - p.phi[f]).tail<3>(), t = (p.phi[w] - p.phi[f]).tail<3>();
        const double c = scale * s.cross(t).dot(gradient);
        const Vec4 sum = p.phi[f] + p.phi[v] + p.phi[w];
        slopes += c * ((sum + p.phi[f]) * p.phi[f].transpose() + (sum + p.phi[v]) * p.phi[v].transpose() +
                       (sum + p.phi[w]) * p.phi[w].transpose());
    });
    return slopes;
}

/// Calls work(tet of the lattice, h, polyhedron) for the small tets that have a part inside; the polyhedron
/// is empty where all of the small tet is inside.
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
        const double deficit = field.value(centroid) - h.mean();
        h.array() += kRaise * deficit;
        if (!(h.maxCoeff() > 0)) continue;
        OverlapPolyhedron p;
        if (!(h.minCoeff() > 0)) {
            resetToTet(p);
            cutPolyhedron(p, h, 4);
        }
        work(t, h, p);
    }
}

/// Adds sum_points (dV/dg) phi_m(point) grad g(point) to the columns m, `byH` = dV/dh of one small tet.
void addSlopes(const OverlapTet& a, const DepthField& field, const TetLattice& lattice,
               const std::array<int, 4>& t, const Vec4& byH, TetVectors& slopes) {
    const double total = byH.sum();
    Vec4 middle = Vec4::Zero();
    for (int k = 0; k < 4; ++k) {
        const Vec4& phi = lattice.nodes[t[k]];
        const double byG = byH[k] - 0.25 * kRaise * total;
        slopes += (byG * field.gradient(a.edge.transpose() * phi)) * phi.transpose();
        middle += 0.25 * phi;
    }
    slopes += (kRaise * total * field.gradient(a.edge.transpose() * middle)) * middle.transpose();
}

Mat4 cornersOf(const TetLattice& lattice, const std::array<int, 4>& t) {
    Mat4 corners;  // column k: barycentric coordinates of corner k of the small tet
    for (int k = 0; k < 4; ++k) corners.col(k) = lattice.nodes[t[k]];
    return corners;
}
bool overlapsNothing(const OverlapTet& a, const DepthField& field) {
    return !(a.det > 0) || isClear(a, field);
}
}  // namespace

TetShares computeTetShares(const OverlapTet& a, const Capsule& shape, const RoundOptions& options) {
    TetShares s;
    const DepthField field(a, shape);
    if (overlapsNothing(a, field)) return s;
    const TetLattice& lattice = latticeOf(options.divisions);
    forEachPart(a, field, lattice, [&](const auto& t, const Vec4&, const OverlapPolyhedron& p) {
        const Vec4 moments = p.empty() ? Vec4::Constant(1.0 / 24) : momentsOf(p);
        s.shares += cornersOf(lattice, t) * moments;
    });
    s.shares *= a.det / (lattice.n * lattice.n * lattice.n);
    s.volume = s.shares.sum();
    return s;
}

TetVectors computeTetForces(const OverlapTet& a, const Capsule& shape, const Vec4& pressure,
                            const RoundOptions& options) {
    TetVectors byX = TetVectors::Zero();
    const DepthField field(a, shape);
    if (overlapsNothing(a, field)) return byX;
    const TetLattice& lattice = latticeOf(options.divisions);
    Vec4 shares = Vec4::Zero();
    forEachPart(a, field, lattice, [&](const auto& t, const Vec4& h, const OverlapPolyhedron& p) {
        const Mat4 corners = cornersOf(lattice, t);
        shares += corners * (p.empty() ? Vec4::Constant(1.0 / 24) : momentsOf(p));
        if (p.empty()) return;
        const Vec4 byH = momentSlopes(p, h) * (corners.transpose() * pressure);
        addSlopes(a, field, lattice, t, byH, byX);
    });
    const double part = 1.0 / (lattice.n * lattice.n * lattice.n);
    return -part * (a.det * byX + pressure.dot(shares) * a.normal.transpose());
}

void computeTetSlopes(const OverlapTet& a, const Capsule& shape, TetSlopes& slopes,
                      const RoundOptions& options) {
    for (TetVectors& s : slopes) s.setZero();
    const DepthField field(a, shape);
    if (overlapsNothing(a, field)) return;
    const TetLattice& lattice = latticeOf(options.divisions);
    Vec4 shares = Vec4::Zero();
    forEachPart(a, field, lattice, [&](const auto& t, const Vec4& h, const OverlapPolyhedron& p) {
        const Mat4 corners = cornersOf(lattice, t);
        shares += corners * (p.empty() ? Vec4::Constant(1.0 / 24) : momentsOf(p));
        if (p.empty()) return;
        const Mat4 byH = corners * momentSlopes(p, h);  // row i: dV_i/dh
        for (int i = 0; i < 4; ++i) addSlopes(a, field, lattice, t, byH.row(i).transpose(), slopes[i]);
    });
    const double part = 1.0 / (lattice.n * lattice.n * lattice.n);
    for (int i = 0; i < 4; ++i) slopes[i] = part * (a.det * slopes[i] + shares[i] * a.normal.transpose());
}

}  // namespace sunder
