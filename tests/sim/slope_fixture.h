#pragma once

#include "tests/sim/contact_fixture.h"

/// Bodies on a slope that falls towards +x: gravity is tilted, the slope lies level.
namespace sunder::testing {

/// Gravity as on a slope that falls towards +x.
inline StepSettings slopeSettings(Integrator integrator, double angle) {
    StepSettings settings;
    settings.sleepSpeed = 0;  // it shall rest by itself
    settings.integrator = integrator;
    settings.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    return settings;
}

/// Tilts from level to `angle` over a second, slowly enough that nothing rocks.
inline void tilt(WorldState& world, Integrator integrator, double angle) {
    for (int k = 1; k <= 25; ++k) run(world, slopeSettings(integrator, angle * k / 25), 0.04, 4);
}

inline double speedOf(const WorldBody& body) {
    double sum = 0;
    for (std::size_t i = 0; i < body.body->mass.size(); ++i) sum += body.body->mass[i] * body.state->v[i].x();
    return sum / totalMass(*body.body);
}

struct Slope {
    double mu, steepness;  ///< tan(angle) = steepness mu
    Integrator integrator;

    double angle() const { return std::atan(mu * steepness); }
    /// Of what slides, m/s2.
    double acceleration() const { return 9.81 * (std::sin(angle()) - mu * std::cos(angle())); }
};

/// Below a steepness of 1 the body stays where it is for a second, above it goes.
inline void expectSticksOrSlides(WorldState& world, std::size_t body, const Slope& slope, const std::string& what) {
    run(world, slopeSettings(slope.integrator, 0), 0.3, 30);
    tilt(world, slope.integrator, slope.angle());
    const double start = massCentre(world.bodies[body]).x();
    run(world, slopeSettings(slope.integrator, slope.angle()), 1, 100);
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
