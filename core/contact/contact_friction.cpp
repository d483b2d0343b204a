#include "core/contact/contact_friction.h"

namespace sunder {

FrictionPull updateFriction(const FrictionGrip& grip, const ContactStep& step, Vec3& slide) {
    const auto along = [&](const Vec3& a) { return Vec3(a - grip.up.dot(a) * grip.up); };
    const Vec3 speed = along(grip.velocity);
    slide = along(slide) + step.dt * speed;
    const bool slips = speed.norm() > step.slipSpeed;
    const double most = grip.friction[slips ? 1 : 0] * grip.normal;
    Vec3 force = -grip.stiffness * slide - grip.damper * speed;
    const double size = force.norm();
    if (size > most) {
        force *= most / size;
        slide = -force / grip.stiffness;
    }
    return {force, 0.5 * grip.stiffness * slide.squaredNorm(), -force.dot(speed)};
}

}  // namespace sunder
