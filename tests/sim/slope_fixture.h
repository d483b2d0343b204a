#pragma once

#include "tests/sim/contact_fixture.h"

/// Bodies on a slope that falls towards +x: gravity is tilted, the slope lies level.
namespace sunder::testing {

/// Gravity as on a slope that falls towards +x.
inline StepSettings slopeSettings(Integrator integrator, double angle, ContactResponse response = ContactResponse::kOverlap) {
    StepSettings settings;
    settings.sleepSpeed = 0;  // it shall rest by itself
    settings.integrator = integrator;
    settings.contactResponse = response;
    settings.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    return settings;
}

/// Tilts from level to `angle` over a second, slowly enough that nothing rocks.
inline void tilt(WorldState& world, Integrator integrator, double angle, ContactResponse response = ContactResponse::kOverlap) {
    for (int k = 1; k <= 25; ++k) run(world, slopeSettings(integrator, angle * k / 25, response), 0.04, 4);
}

/// A slab whose lower side is held, top at y = 0.
inline Body makeSlab(double length, double friction, const Material& material, int cells = 8) {
    Body slab = makeBody(placed(makeBox(cells, 1, 2, Vec3(length, 0.5, 2)), Vec3(-0.3 * length, -0.5, -1)), material);
    pinWhere(slab, [](const Vec3& p) { return p.y() < -0.49; });
    slab.contact.friction = slab.contact.dynamicFriction = friction;
    return slab;
}

inline Material stiffMaterial() {
    Material material = elastic(5e6, 0.3, 1000);
    material.stiffnessDamping = 5e-4;
    return material;
}

inline WorldState makeBlockOnSlab(double mu, double height = 0) {
    WorldState world;
    addBody(world, makeSlab(12, mu, stiffMaterial(), 12));
    Body block = makeBody(placed(makeBox(3, 2, 3, Vec3(0.6, 0.3, 0.5)), Vec3(-2, height, -0.2)), stiffMaterial());
    block.contact.friction = block.contact.dynamicFriction = mu;
    addBody(world, std::move(block));
    return world;
}

inline double speedOf(const WorldBody& body) {
    double sum = 0;
    for (std::size_t i = 0; i < body.body->mass.size(); ++i) sum += body.body->mass[i] * body.state->v[i].x();
    return sum / totalMass(*body.body);
}

struct Slope {
    double mu, steepness;  ///< tan(angle) = steepness mu
    Integrator integrator;
    ContactResponse response = ContactResponse::kOverlap;

    double angle() const { return std::atan(mu * steepness); }
    /// Of what slides, m/s2.
    double acceleration() const { return 9.81 * (std::sin(angle()) - mu * std::cos(angle())); }
};

/// Below a steepness of 1 the body stays where it is for a second, above it goes.
inline void expectSticksOrSlides(WorldState& world, std::size_t body, const Slope& slope, const std::string& what) {
    run(world, slopeSettings(slope.integrator, 0, slope.response), 0.3, 30);
    tilt(world, slope.integrator, slope.angle(), slope.response);
    const double start = massCentre(world.bodies[body]).x();
    run(world, slopeSettings(slope.integrator, slope.angle(), slope.response), 1, 100);
    const double way = massCentre(world.bodies[body]).x() - start;
    const std::string where = what + ", tan(angle) " + std::to_string(slope.steepness) + " mu";
    figure("way in 1 s, " + where, way, "m");
    if (slope.steepness < 1)
        EXPECT_LT(std::abs(way), 1e-3) << where;
    else
        EXPECT_GT(way, 0.9 * 0.5 * slope.acceleration()) << where;
}

/// v t + (g sin - mu g cos) t^2 / 2.
inline void expectSlidesFarEnough(WorldState& world, std::size_t body, const Slope& slope, const std::string& what) {
    const double time = 1;
    run(world, slopeSettings(slope.integrator, 0), 0.3, 30);
    run(world, slopeSettings(slope.integrator, slope.angle()), 0.4, 40);
    const double start = massCentre(world.bodies[body]).x(), speed = speedOf(world.bodies[body]);
    run(world, slopeSettings(slope.integrator, slope.angle()), time, 100);
    const double way = massCentre(world.bodies[body]).x() - start, expected = speed * time + 0.5 * slope.acceleration() * time * time;
    figure("way over theory, " + what, way / expected);
    EXPECT_NEAR(way / expected, 1, 0.03) << what;
}

/// A ball: v t + 5/7 g sin t^2 / 2.
inline void expectRolls(WorldState& world, std::size_t body, Integrator integrator, const std::string& what) {
    const double angle = 0.2, time = 0.6;
    run(world, slopeSettings(integrator, 0), 0.3, 60);
    const StepSettings settings = slopeSettings(integrator, angle);
    run(world, settings, 0.1, 20);
    const double start = massCentre(world.bodies[body]).x(), speed = speedOf(world.bodies[body]);
    run(world, settings, time, 120);
    const double way = massCentre(world.bodies[body]).x() - start;
    const double expected = speed * time + 0.5 * 5.0 / 7 * 9.81 * std::sin(angle) * time * time;
    figure("way over v t + 5/7 g sin(angle) t^2 / 2, " + what, way / expected);
    EXPECT_NEAR(way / expected, 1, 0.05) << what;
}

}  // namespace sunder::testing
