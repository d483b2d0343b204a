#include "core/contact/overlap_polyhedron.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/assert.h"
#include "core/contact/overlap_wide.h"

/// Clipping by signs (Powell and Abel 2015, "r3d", of the same idea as Sugihara's topology-oriented
/// clipping): a vertex is in or out; every edge from an inner to an outer vertex gets a new vertex; the new
/// vertices are joined along the faces that they lie on; the outer vertices are dropped. Whatever the signs
/// are, three edges leave every vertex of the result and every edge has a face on each side. So coplanar
/// faces, shared corners and slivers need no special case: where rounding decides a sign, the volume at stake
/// is of the size of rounding.

namespace sunder {

namespace {
// A tet whose determinant is below this part of the product of three edges is flat: its heights are no longer
// told apart from the rounding of coordinates some hundred sizes away from the origin.
constexpr double kFlat = 1e-13;

constexpr int kTurnLeft[4] = {1, 2, 0, 3}, kTurnRight[4] = {2, 0, 1, 3};
int leftOf(int h) { return (h & ~3) | kTurnLeft[h & 3]; }
int rightOf(int h) { return (h & ~3) | kTurnRight[h & 3]; }

constexpr std::uint8_t kTetTwin[16] = {6, 14, 10, 0, 9, 12, 0, 0, 13, 4, 2, 0, 5, 8, 1, 0};
constexpr std::uint8_t kTetFace[16] = {2, 1, 3, 0, 0, 2, 3, 0, 0, 3, 1, 0, 0, 1, 2, 0};

void join(OverlapPolyhedron& p, int h, int g) {
    p.twin[h] = static_cast<std::uint8_t>(g);
    p.twin[g] = static_cast<std::uint8_t>(h);
}

/// Puts a new vertex on half-edge h, which leads from an inner vertex (value > 0) to an outer one (<= 0).
int addVertex(OverlapPolyhedron& p, int h, double inner, double outer, int name) {
    const int v = p.count++, n = 4 * v;
    const double t = inner / (inner - outer);  // in [0, 1]; what is zero at both ends stays zero
    p.phi[v] = (1 - t) * p.phi[h >> 2] + t * p.phi[p.twin[h] >> 2];
    p.face[n] = p.face[rightOf(h)];
    p.face[n + 1] = static_cast<std::uint8_t>(name);
    p.face[n + 2] = p.face[h];
    join(p, h, n);
    return v;
}

/// Joins every new vertex to the one that ends the same face's cut: backwards around the face on the left of
/// the edge that it lies on, over inner vertices alone.
void closeCut(OverlapPolyhedron& p, int firstNew) {
    for (int v = firstNew; v < p.count; ++v) {
        int h = p.twin[4 * v];
        do h = p.twin[leftOf(h)];
        while ((h >> 2) < firstNew);
        join(p, 4 * v + 2, (h & ~3) + 1);
    }
}

void moveVertex(OverlapPolyhedron& p, int from, int to) {
    p.phi[to] = p.phi[from];
    for (int k = 0; k < 3; ++k) {
        p.face[4 * to + k] = p.face[4 * from + k];
        join(p, 4 * to + k, p.twin[4 * from + k]);
    }
}
}  // namespace

OverlapTet makeOverlapTet(const std::array<Vec3, 4>& x) {
    OverlapTet t;
    t.origin = x[0];
    const Vec3 e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
    const Vec3 n1 = e2.cross(e3), n2 = e3.cross(e1), n3 = e1.cross(e2);
    // the face opposite corner 0 has its own product: minus the sum of the others is poor where it is small
    const Vec3 n0 = (e3 - e1).cross(e2 - e1);
    t.edge << Vec3::Zero().transpose(), e1.transpose(), e2.transpose(), e3.transpose();
    t.normal << n0.transpose(), n1.transpose(), n2.transpose(), n3.transpose();
    t.det = e1.dot(n1);
    const double l1 = e1.squaredNorm(), l2 = e2.squaredNorm(), l3 = e3.squaredNorm();
    t.size = std::sqrt(std::max({l1, l2, l3}));
    const double flat = kFlat * std::sqrt(l1 * l2 * l3);
    if (!(t.det > flat)) t.det = 0;
    return t;
}

void resetToTet(OverlapPolyhedron& p) {
    p.count = 4;
    for (int i = 0; i < 4; ++i) p.phi[i] = Vec4::Unit(i);
    std::copy(kTetTwin, kTetTwin + 16, p.twin.begin());
    std::copy(kTetFace, kTetFace + 16, p.face.begin());
}

namespace {
/// Cuts by values[v] of the vertices; added(v) and moved(from, to) tell of vertices.
template <class Added, class Moved>
void cutByValues(OverlapPolyhedron& p, const std::array<double, OverlapPolyhedron::kCapacity>& s, int name, Added added, Moved moved) {
    constexpr int kCapacity = OverlapPolyhedron::kCapacity;
    const int old = p.count;
    int outside = 0;
    for (int v = 0; v < old; ++v) outside += !(s[v] > 0);
    if (outside == 0) return;
    // 3 times the smaller side bounds the crossed edges. A convex polyhedron comes nowhere near the capacity;
    // one that does is as thin as rounding, so that a cut less changes nothing that could be measured.
    if (outside == old || old + 3 * std::min(outside, old - outside) > kCapacity) {
        if (outside == old) p.count = 0;
        return;
    }
    for (int v = 0; v < old; ++v) {
        if (!(s[v] > 0)) continue;
        for (int h = 4 * v; h < 4 * v + 3; ++h) {
            const int w = p.target(h);
            if (!(s[w] > 0)) added(addVertex(p, h, s[v], s[w], name));
        }
    }
    closeCut(p, old);
    for (int v = old - 1; v >= 0; --v) {
        if (s[v] > 0) continue;
        if (v == --p.count) continue;
        moveVertex(p, p.count, v);
        moved(p.count, v);
    }
}

/// The sum of phi_i times row i, in the order of Vec4::dot.
Vec4 heightsAt(const Vec4& phi, const std::array<Vec4, 4>& rows) { return (phi[0] * rows[0] + phi[2] * rows[2]) + (phi[1] * rows[1] + phi[3] * rows[3]); }

/// Those that leave some of the tet outside; the ones with most of its corners first, as they leave the least for the others to cut.
struct CutOrder {
    int count = 0;
    std::array<int, 4> order;

    explicit CutOrder(const Mat4& heights) {
        std::array<int, 4> outside;
        for (int k = 0; k < 4; ++k) outside[static_cast<std::size_t>(k)] = static_cast<int>((heights.col(k).array() <= 0).count());
        for (int most = 4; most > 0; --most)
            for (int k = 0; k < 4; ++k)
                if (outside[static_cast<std::size_t>(k)] == most) order[static_cast<std::size_t>(count++)] = k;
    }
};
}  // namespace

void cutPolyhedron(OverlapPolyhedron& p, const Vec4& values, int name) {
    std::array<double, OverlapPolyhedron::kCapacity> s;
    for (int v = 0; v < p.count; ++v) s[v] = p.phi[v].dot(values);
    cutByValues(
        p, s, name, [](int) {}, [](int, int) {});
}

void cutByHeights(OverlapPolyhedron& p, const Mat4& heights) {
    const std::array<Vec4, 4> rows{heights.row(0), heights.row(1), heights.row(2), heights.row(3)};
    for (int v = 0; v < p.count; ++v) p.psi[v] = rows[static_cast<std::size_t>(v)];
    std::array<double, OverlapPolyhedron::kCapacity> s;
    const CutOrder cuts(heights);
    for (int c = 0; c < cuts.count && !p.empty(); ++c) {
        const int k = cuts.order[static_cast<std::size_t>(c)];
        for (int v = 0; v < p.count; ++v) s[v] = p.psi[v][k];
        cutByValues(
            p, s, 4 + k, [&](int v) { p.psi[v] = heightsAt(p.phi[v], rows); }, [&](int from, int to) { p.psi[to] = p.psi[from]; });
    }
}

double integrationWeights(const OverlapPolyhedron& p, double det,
                          std::array<double, OverlapPolyhedron::kCapacity>& weights) {
    std::fill(weights.begin(), weights.begin() + p.count, 0.0);
    double sum = 0;
    forEachFan(p, [&](int f, int v, int w, int) {
        if (f == 0) return;  // vertex 0 is the apex of all tets of the fan
        const Vec3 a = (p.phi[f] - p.phi[0]).tail<3>(), b = (p.phi[v] - p.phi[0]).tail<3>(),
                   c = (p.phi[w] - p.phi[0]).tail<3>();
        const double part = a.dot(b.cross(c)) * (1.0 / 24);
        if (!(part > 0)) return;  // of the size of rounding
        sum += part;
        weights[0] += part;
        weights[f] += part;
        weights[v] += part;
        weights[w] += part;
    });
    return 4 * det * sum;
}

}  // namespace sunder
