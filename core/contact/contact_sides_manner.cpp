#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/contact/contact_sides.h"

/// How what is held is damped and rubs: by the pair table and the masses, as other contact.
namespace sunder {

namespace {
constexpr double kMostLever = 3;  // coordinate in the tet behind a face, above which friction has too long a lever

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Of a vertex, kg, as its spring and critical damping 2 sqrt(k m) have it.
double massOf(const ContactShape& s, std::int32_t v) {
    const double k = s.stiffness[at(v)], c = s.criticalDamping[at(v)];
    return k > 0 ? c * c / (4 * k) : HUGE_VAL;
}

/// Barycentric coordinates of p; false if the tet has no volume to speak of.
bool findCoordinates(const Vec3& p, const Tet& tet, Span<const Vec3> y, Vec4& weights) {
    const Vec3 &a = y[at(tet[0])], u = y[at(tet[1])] - a, v = y[at(tet[2])] - a, w = y[at(tet[3])] - a, way = p - a;
    const double volume = u.cross(v).dot(w);
    const double inverse = 1 / volume;
    weights[1] = way.cross(v).dot(w) * inverse;
    weights[2] = u.cross(way).dot(w) * inverse;
    weights[3] = u.cross(v).dot(way) * inverse;
    weights[0] = 1 - weights[1] - weights[2] - weights[3];
    return weights.allFinite() && weights.cwiseAbs().maxCoeff() <= kMostLever;
}
}  // namespace

double ContactSides::dampingRatio(std::int32_t body, std::int32_t other) const {
    const ContactShape &own = shape(body), &behind = shape(other);
    const Vec2 ratio = body <= other ? dampingBetween(own, behind, other) : Vec2(dampingBetween(behind, own, body).reverse());
    const double ownSoft = softness(own.modulus, behind.modulus), otherSoft = softness(behind.modulus, own.modulus);
    return 0.5 * (ownSoft * ownSoft * ratio[0] + otherSoft * otherSoft * ratio[1]);
}

double ContactSides::movedMass(const ContactEntry& entry, const Tri& corners) const {
    double inverse = 1 / massOf(shape(entry.body), entry.vertex);
    for (const std::int32_t v : corners) inverse += 1 / (9 * massOf(shape(entry.other), v));
    return inverse > 0 ? 1 / inverse : 0;
}

SideHold ContactSides::describe(std::size_t entry, const Foot& foot, Places x) const {
    const ContactEntry& e = entries_[entry];
    SideHold hold{e.body, e.vertex, e.other, foot.corners, foot.weights, foot.normal, foot.depth - e.free, {e.stiffness, e.reach}};
    hold.spring.critical = 2 * dampingRatio(e.body, e.other) * std::sqrt(e.stiffness * movedMass(e, foot.corners));
    hold.free = e.free;
    hold.entry = entry;
    addFriction(hold, foot.code, x);
    return hold;
}

void ContactSides::addFriction(SideHold& hold, std::int32_t code, Places x) const {
    const ContactEntry& e = entries_[hold.entry];
    const ContactShape &own = shape(e.body), &behind = shape(e.other);
    const ElementCorners& corners = behind.corners[at(code / 4)];
    std::copy(corners.begin(), corners.end(), hold.tet.begin());
    if (!findCoordinates(place(e, x), hold.tet, x[at(e.other)], hold.inTet)) {
        hold.inTet.setZero();
        return;
    }
    const double painted = own.frictionScale.empty() ? 1 : own.frictionScale[at(e.vertex)];
    const double scale = std::sqrt(std::max(0.0, painted * paintedFriction(behind, hold.tet, hold.inTet)));
    hold.friction = scale * (e.body <= e.other ? frictionBetween(own, behind, e.other) : frictionBetween(behind, own, e.body));
    hold.slide = e.slide - hold.normal.dot(e.slide) * hold.normal;
}

void ContactSides::dropSlides() {
    for (std::size_t k = 0; k < entries_.size(); ++k) setSlide(k, Vec3::Zero(), 0);
}

double deepeningSpeed(const SideHold& h, Places v) {
    Vec3 relative = v[at(h.body)][at(h.vertex)];
    for (int k = 0; k < 3; ++k) relative -= h.weights[k] * v[at(h.other)][at(h.corners[at(k)])];
    return -h.normal.dot(relative);
}

double excessAt(const SideHold& h, Places x, Places v, double* speed) {
    const Span<const Vec3> y = x[at(h.other)];
    const Vec3 &p = x[at(h.body)][at(h.vertex)], &a = y[at(h.corners[0])];
    const Vec3 u = y[at(h.corners[1])] - a, w = y[at(h.corners[2])] - a, way = p - a, normal = u.cross(w);
    const double square = normal.squaredNorm();
    if (!(square > 0)) return -1;
    if (speed) {
        SideHold then = h;
        then.normal = normal / std::sqrt(square);
        const double wu = way.cross(w).dot(normal) / square, ww = u.cross(way).dot(normal) / square;
        then.weights = Vec3(1 - wu - ww, wu, ww);
        *speed = deepeningSpeed(then, v);
    }
    return -normal.dot(way) / std::sqrt(square) - h.free;
}

Vec3 slidingVelocity(const SideHold& h, Places v) {
    Vec3 relative = v[at(h.body)][at(h.vertex)];
    for (int k = 0; k < 4; ++k) relative -= h.inTet[k] * v[at(h.other)][at(h.tet[at(k)])];
    return relative;
}

}  // namespace sunder
