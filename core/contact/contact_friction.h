#pragma once

#include "core/contact/contact_forces.h"

namespace sunder {

/// A touching vertex as friction sees it.
struct FrictionGrip {
    Vec2 friction;             ///< coefficients at rest and sliding
    double stiffness, damper;  ///< along the surface, N/m and N s/m
    double normal;             ///< force, N
    Vec3 up;                   ///< its direction, a unit vector
    Vec3 velocity;             ///< against what it touches, m/s
};
struct FrictionPull {
    Vec3 force;     ///< N, on the vertex's own body
    double stored;  ///< in the spring, J
    double power;   ///< taken from the bodies, W
};
/// Friction of a vertex; draws its spring, which `slide` is the way of, and lets it slip beyond mu times the normal force.
FrictionPull updateFriction(const FrictionGrip& grip, const ContactStep& step, Vec3& slide);

}  // namespace sunder
