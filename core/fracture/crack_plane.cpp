#include "core/fracture/crack_plane.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "core/base/random.h"
#include "core/math/decompose.h"

namespace sunder {

namespace {
constexpr double kForced = 1e6;    // ratio of what breaks by force: before all that stress breaks
constexpr double kPulls = 1e-6;    // of the toughness: less has no direction worth following
constexpr double kTurn = 6.283185307179586;

Separation along(const NodeTension& tension, const Vec3& normal, double scale) {
    Separation s;
    s.normal = normal;
    double area = 1;
    if (tension.perArea) {
        area = 0;
        for (const Vec3& a : tension.areas) area += 0.5 * std::abs(a.dot(normal));
    }
    const double pull = normal.dot(tension.tensor * normal);
    s.toughness = scale * tension.toughness * area;
    s.excess = pull - s.toughness;
    s.ratio = s.toughness > 0 ? pull / s.toughness : 0;
    return s;
}

/// The direction of a weak surface in the present shape: normals go with F^-T, lines with F.
Vec3 presentLead(const NodeTension& tension, const WeakNode& weak) {
    const Vec3 lead = weak.lead.normalized();
    const Vec3 moved = weak.line ? Vec3(tension.F * lead) : Vec3(tension.F.inverse().transpose() * lead);
    return moved.allFinite() && moved.norm() > 0 ? Vec3(moved.normalized()) : lead;
}

/// `normal` turned by the weight of the lead: to a surface's normal, or out of a line's direction.
Vec3 turned(const NodeTension& tension, const WeakNode& weak, const Vec3& normal) {
    const double weight = weak.lead.norm();
    const Vec3 lead = presentLead(tension, weak);
    const double along = normal.dot(lead);
    const Vec3 sum = weak.line ? Vec3(normal - weight * along * lead) : Vec3((1 - weight) * normal + (along < 0 ? -weight : weight) * lead);
    return sum.norm() > 1e-6 ? Vec3(sum.normalized()) : normal;
}

Vec3 randomNormal(std::uint64_t key) {
    const double z = randomRange(-1, 1, key, 0), angle = kTurn * randomUnit(key, 1), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
}
}  // namespace

Separation choosePlane(const NodeTension& tension, const WeakNode& weak) {
    const Eigen3 e = symmetricEigen3(tension.tensor);
    const Vec3 own = e.vectors.col(0);
    const double weight = weak.lead.norm();
    // the eigenvalue as it is: the quadratic form has it to rounding only
    Separation s = along(tension, own, weak.scale + weight * (1 - weak.scale));
    s.excess = e.values[0] - s.toughness;
    s.ratio = s.toughness > 0 ? e.values[0] / s.toughness : 0;
    if (!(weight > 0)) return s;
    const Separation led = along(tension, turned(tension, weak, own), weak.scale);
    return led.ratio > s.ratio ? led : s;
}

Separation forceOpen(const NodeTension& tension, const WeakNode& weak, std::uint64_t key) {
    Separation s = choosePlane(tension, weak);
    const bool pulls = s.ratio > kPulls;
    if (weak.lead.norm() > 0 && !weak.line)
        s.normal = turned(tension, weak, pulls ? s.normal : presentLead(tension, weak));
    else if (!pulls)
        s.normal = randomNormal(key);
    s.excess = std::max(s.excess, 0.0);
    s.ratio = kForced + std::max(s.ratio, 0.0);
    return s;
}

}  // namespace sunder
