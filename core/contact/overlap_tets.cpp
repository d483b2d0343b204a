#include <Eigen/Geometry>
#include <limits>

#include "core/contact/overlap_wide.h"

namespace sunder {

namespace {
/// Heights are det times barycentric functions. What rounding leaves unsure of one: a few units of (longest
/// edge)^2 * distance.
double unsureHeight(const OverlapTet& b, const OverlapTet& a, const Vec3& shift) {
    constexpr double kSnap = 4 * std::numeric_limits<double>::epsilon();
    return kSnap * b.size * b.size * (shift.cwiseAbs().maxCoeff() + a.size + b.size);
}

/// Column j: det * psi_j of b at the four corners of a. Every function is taken from a corner of its own
/// face, so that it is exact to rounding near that face, wherever the tets are. What rounding cannot tell
/// from zero is zero: then of two coincident faces b's is the one that P has, in all pairs, and what
/// neighbours contribute along faces that meshes happen to share cancels.
Mat4 heightsAbove(const OverlapTet& b, const OverlapTet& a) {
    const Vec3 shift = a.origin - b.origin;
    Mat43 x = a.edge;
    x.rowwise() += shift.transpose();
    Mat4 s;
    for (int j = 1; j < 4; ++j)
        s.col(j) = x.col(0) * b.normal(j, 0) + x.col(1) * b.normal(j, 1) + x.col(2) * b.normal(j, 2);
    x.rowwise() -= b.edge.row(1);
    s.col(0) = x.col(0) * b.normal(0, 0) + x.col(1) * b.normal(0, 1) + x.col(2) * b.normal(0, 2);
    return (s.array().abs() <= unsureHeight(b, a, shift)).select(0.0, s);
}

/// One lane a face of b: no corner of a is above one of them.
bool hasOuterFace(const OverlapTet& b, const OverlapTet& a) {
    const Vec3 shift = a.origin - b.origin;
    const auto along = [&](double x, double y, double z) -> Vec4 {
        return b.normal.col(0) * x + b.normal.col(1) * y + b.normal.col(2) * z;
    };
    Vec4 highest = Vec4::Zero();  // corner 0, from itself
    for (int i = 1; i < 4; ++i) highest = highest.cwiseMax(along(a.edge(i, 0), a.edge(i, 1), a.edge(i, 2)));
    highest += along(shift.x(), shift.y(), shift.z());
    highest[0] += b.det;  // face 0 does not pass through corner 0
    return !(highest.array() > unsureHeight(b, a, shift)).all();
}

/// Barycentric coordinates of b at a vertex, from the heights there. Faces that it lies on give exact zeros; the others are kept from
/// rounding below zero and are made to sum up to one.
Vec4 otherCoordinates(const OverlapPolyhedron& p, int v) {
    Vec4 psi = p.psi[v].cwiseMax(0.0);
    for (int k = 0; k < 3; ++k) {
        const int f = p.face[4 * v + k];
        if (f >= 4) psi[f - 4] = 0;
    }
    const double sum = psi.sum();
    return sum > 0 ? Vec4(psi / sum) : Vec4::Constant(0.25);
}
}  // namespace

bool separated(const OverlapTet& a, const OverlapTet& b) {
    return !(a.det > 0 && b.det > 0) || hasOuterFace(b, a) || hasOuterFace(a, b);
}

bool clipTets(const OverlapTet& a, const OverlapTet& b, OverlapPolyhedron& p) {
    p.count = 0;
    if (!(a.det > 0 && b.det > 0)) return false;
    const Mat4 heights = heightsAbove(b, a);
    resetToTet(p);
    cutByHeights(p, heights);
    for (int v = 0; v < p.count; ++v) p.psi[v] = otherCoordinates(p, v);
    return !p.empty();
}

OverlapShares computeShares(const OverlapPolyhedron& p, const OverlapTet& a) {
    OverlapShares shares;
    if (p.empty()) return shares;
    std::array<double, OverlapPolyhedron::kCapacity> weights;
    shares.volume = integrationWeights(p, a.det, weights);
    for (int v = 0; v < p.count; ++v) {
        shares.a += weights[v] * p.phi[v];
        shares.b += weights[v] * p.psi[v];
    }
    shares.a *= a.det;
    shares.b *= a.det;
    return shares;
}

OverlapMeasure computeMeasure(const OverlapPolyhedron& p, const OverlapTet& a) {
    // A closed part of a's surface has a sum of normals that is zero but for rounding.
    constexpr double kClosed = 1e-12;
    OverlapMeasure m;
    if (p.empty()) return m;
    std::array<double, OverlapPolyhedron::kCapacity> weights;
    m.volume = integrationWeights(p, a.det, weights);
    Vec4 moment = Vec4::Zero();
    for (int v = 0; v < p.count; ++v) moment += weights[v] * p.phi[v];
    const double sum = moment.sum();
    m.centre = a.origin + a.edge.transpose() * (sum > 0 ? Vec4(moment / sum) : p.phi[0]);
    Vec3 normal = Vec3::Zero();
    double area = 0;
    forEachFan(p, [&](int f, int v, int w, int face) {
        if (face >= 4) return;
        const Vec3 u = a.edge.transpose() * (p.phi[v] - p.phi[f]),
                   t = a.edge.transpose() * (p.phi[w] - p.phi[f]);
        const Vec3 n = u.cross(t);
        normal += n;
        area += n.norm();
    });
    if (normal.norm() > kClosed * area) m.direction = normal.normalized();
    return m;
}

}  // namespace sunder
