#include "core/contact/overlap_shapes.h"

#include <Eigen/Geometry>
#include <limits>

/// With a shape K that moves rigidly, overlap_slopes.cpp's derivation leaves
///
///   dV_i/dx_m = grad phi_m V_i - int_{K's surface inside the tet} phi_i phi_m n dS.
///
/// Moving tet and shape together changes nothing, and neither does turning them: so the force on the shape is
/// minus the sum of the forces on the corners, and its torque about any point minus the sum of theirs. That
/// is exact, not a model, and needs no integral of its own.

namespace sunder {

namespace {
// As between tets: heights that rounding cannot tell from zero are zero.
constexpr double kSnapHeight = 8 * std::numeric_limits<double>::epsilon();

/// Heights of the corners above the outer side of a plane through `point`, `outward` of unit length.
Vec4 depthsBelow(const OverlapTet& a, const Vec3& point, const Vec3& outward) {
    const Vec3 shift = a.origin - point;
    Mat43 x = a.edge;
    x.rowwise() += shift.transpose();
    const Vec4 depth = -(x * outward);
    const double unsure = kSnapHeight * x.cwiseAbs().maxCoeff();
    return (depth.array().abs() <= unsure).select(0.0, depth);
}

/// Calls work(f, v, w, area vector / 12) for the triangles of the cut faces.
template <class Work>
void forEachCutFan(const OverlapPolyhedron& p, const OverlapTet& a, Work&& work) {
    forEachFan(p, [&](int f, int v, int w, int face) {
        if (face < 4) return;
        const Vec3 s = a.edge.transpose() * (p.phi[v] - p.phi[f]),
                   t = a.edge.transpose() * (p.phi[w] - p.phi[f]);
        work(f, v, w, Vec3(s.cross(t) * (1.0 / 24)));
    });
}
}  // namespace

bool clipTet(const OverlapTet& a, const HalfSpace& plane, OverlapPolyhedron& p) {
    p.count = 0;
    if (!(a.det > 0)) return false;
    // the point of the plane that is nearest to the tet keeps the digits of a tet far from the origin
    const Vec3 point = a.origin + (plane.offset - plane.normal.dot(a.origin)) * plane.normal;
    const Vec4 depths = depthsBelow(a, point, plane.normal);
    if (!(depths.maxCoeff() > 0)) return false;
    resetToTet(p);
    cutPolyhedron(p, depths, 4);
    return !p.empty();
}

bool clipTet(const OverlapTet& a, const SolidBox& box, OverlapPolyhedron& p) {
    p.count = 0;
    if (!(a.det > 0)) return false;
    std::array<Vec4, 6> depths;
    for (int k = 0; k < 6; ++k) {
        const Vec3 outward = (k < 3 ? 1 : -1) * box.axes.col(k % 3);
        depths[k] = depthsBelow(a, box.centre + box.halfSize[k % 3] * outward, outward);
        if (!(depths[k].maxCoeff() > 0)) return false;
    }
    resetToTet(p);
    for (int k = 0; k < 6 && !p.empty(); ++k) cutPolyhedron(p, depths[k], 4 + k);
    return !p.empty();
}

TetShares computeTetShares(const OverlapPolyhedron& p, const OverlapTet& a) {
    TetShares s;
    if (p.empty()) return s;
    std::array<double, OverlapPolyhedron::kCapacity> weights;
    s.volume = integrationWeights(p, a.det, weights);
    for (int v = 0; v < p.count; ++v) s.shares += weights[v] * p.phi[v];
    s.shares *= a.det;
    return s;
}

TetVectors computeTetForces(const OverlapPolyhedron& p, const OverlapTet& a, const Vec4& pressure) {
    TetVectors force = TetVectors::Zero();
    if (p.empty()) return force;
    force -= (pressure.dot(computeTetShares(p, a).shares) / a.det) * a.normal.transpose();
    forEachCutFan(p, a, [&](int f, int v, int w, const Vec3& area) {
        const double pf = pressure.dot(p.phi[f]), pv = pressure.dot(p.phi[v]), pw = pressure.dot(p.phi[w]);
        const double sum = pf + pv + pw;
        const Vec4 weights = (sum + pf) * p.phi[f] + (sum + pv) * p.phi[v] + (sum + pw) * p.phi[w];
        force += area * weights.transpose();
    });
    return force;
}

void computeTetSlopes(const OverlapPolyhedron& p, const OverlapTet& a, TetSlopes& slopes) {
    const TetShares s = computeTetShares(p, a);
    for (int i = 0; i < 4; ++i) {
        if (p.empty())
            slopes[i].setZero();
        else
            slopes[i] = (s.shares[i] / a.det) * a.normal.transpose();
    }
    if (p.empty()) return;
    forEachCutFan(p, a, [&](int f, int v, int w, const Vec3& area) {
        const Vec4 sum = p.phi[f] + p.phi[v] + p.phi[w];
        const Mat4 products = (sum + p.phi[f]) * p.phi[f].transpose() +
                              (sum + p.phi[v]) * p.phi[v].transpose() +
                              (sum + p.phi[w]) * p.phi[w].transpose();
        for (int i = 0; i < 4; ++i) slopes[i] -= area * products.row(i);
    });
}

Wrench reactionOf(const OverlapTet& a, const TetVectors& forces, const Vec3& about) {
    Wrench w{-forces.rowwise().sum(), Vec3::Zero()};
    const Vec3 shift = a.origin - about;
    for (int m = 0; m < 4; ++m) w.torque -= (a.edge.row(m).transpose() + shift).cross(forces.col(m));
    return w;
}

OverlapMeasure computeMeasure(const OverlapTet& a, const TetShares& s, const TetVectors& unitForces) {
    constexpr double kBalanced = 1e-12;  // a tet inside the shape is pushed from nowhere
    OverlapMeasure m;
    if (!(s.volume > 0)) return m;
    m.volume = s.volume;
    m.centre = a.origin + a.edge.transpose() * (s.shares / s.volume);
    const Vec3 push = -unitForces.rowwise().sum();
    if (push.norm() > kBalanced * unitForces.norm()) m.direction = push.normalized();
    return m;
}

}  // namespace sunder
