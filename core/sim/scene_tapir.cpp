#include <algorithm>
#include <cmath>

#include "core/sim/scene_shapes.h"

namespace sunder {

namespace {
/// A capsule whose ends have different radii; lengths are shares of the animal's length.
struct Limb {
    Vec3 a, b;
    double radiusA, radiusB;
    double blend;  ///< how far it melts into what is there already

    double distance(const Vec3& p) const {
        const Vec3 axis = b - a;
        const double t = std::clamp((p - a).dot(axis) / axis.squaredNorm(), 0.0, 1.0);
        return (p - a - t * axis).norm() - (radiusA + t * (radiusB - radiusA));
    }
};

// Right-hand and middle limbs, nose along +z; those off the middle are mirrored. Torso first, for the others
// melt into it.
const Limb kLimbs[] = {
    {{0, 0.40, -0.24}, {0, 0.41, 0.10}, 0.205, 0.175, 0.0},               // torso
    {{0, 0.46, 0.16}, {0, 0.56, 0.27}, 0.135, 0.125, 0.10},               // neck and skull
    {{0, 0.55, 0.27}, {0, 0.47, 0.41}, 0.118, 0.072, 0.06},               // face
    {{0, 0.47, 0.41}, {0, 0.385, 0.485}, 0.070, 0.052, 0.03},             // nose
    {{0, 0.375, 0.49}, {0, 0.365, 0.50}, 0.062, 0.060, 0.02},             // tip of the nose
    {{0.075, 0.64, 0.20}, {0.125, 0.735, 0.175}, 0.048, 0.034, 0.03},     // ears
    {{0.105, 0.30, -0.25}, {0.115, 0.065, -0.28}, 0.100, 0.068, 0.06},    // hind legs
    {{0.095, 0.30, 0.08}, {0.105, 0.065, 0.10}, 0.088, 0.064, 0.06},      // fore legs
    {{0.117, 0.04, -0.265}, {0.117, 0.04, -0.25}, 0.075, 0.070, 0.03},    // hind feet
    {{0.107, 0.04, 0.115}, {0.107, 0.04, 0.13}, 0.071, 0.066, 0.03},      // fore feet
    {{0, 0.47, -0.42}, {0, 0.40, -0.475}, 0.036, 0.028, 0.04},            // tail
    {{0.088, 0.575, 0.345}, {0.090, 0.578, 0.350}, 0.026, 0.026, 0.006},  // eyes
};

/// Union of two distances with a fillet of size k.
double smoothMin(double a, double b, double k) {
    if (k <= 0) return std::min(a, b);
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - h * h * k / 4;
}

double tapirDistance(Vec3 p) {
    p.x() = std::abs(p.x());
    double d = kLimbs[0].distance(p);
    for (std::size_t i = 1; i < std::size(kLimbs); ++i)
        d = smoothMin(d, kLimbs[i].distance(p), kLimbs[i].blend);
    return std::max(d, -p.y());
}

constexpr double kNoseEnd = 0.56, kTailEnd = -0.51;  ///< along z, a little outside

void markGroup(Geometry& geometry, const char* name, const std::function<bool(const Vec3&)>& inside) {
    Group& group = geometry.points.addGroup(name, geometry.pointCount());
    for (std::size_t i = 0; i < geometry.pointCount(); ++i)
        group.members[i] = inside(geometry.positions[i]) ? 1 : 0;
}
}  // namespace

Geometry makeShape(const TapirShape& shape) {
    const Vec3 min(-0.30, -0.06, kTailEnd - 0.05), max(0.30, 0.82, kNoseEnd + 0.05);
    const TriMesh surface = surfaceOf(tapirDistance, min, max, 1.0 / shape.cells);
    Geometry geometry = geometryFromTriMesh(surface);
    markGroup(geometry, "nose", [](const Vec3& p) { return p.z() > 0.45; });
    markGroup(geometry, "feet", [](const Vec3& p) { return p.y() < 0.05; });
    markGroup(geometry, "ears", [](const Vec3& p) { return p.y() > 0.71; });
    markGroup(geometry, "tail", [](const Vec3& p) { return p.z() < -0.46; });
    for (Vec3& p : geometry.positions) p *= shape.length;
    return geometry;
}

}  // namespace sunder
