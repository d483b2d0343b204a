#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/fem/forces.h"
#include "tests/sim/sim_fixture.h"

namespace sunder::testing {

/// A measured figure: printed, and kept in the test's record, so that docs/validation.md can quote it.
inline void figure(const std::string& name, double value, const std::string& unit = "") {
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", value);
    std::cout << "    " << name << " = " << text << (unit.empty() ? "" : " " + unit) << std::endl;
    std::string key = name;
    for (char& c : key)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    ::testing::Test::RecordProperty(key, text);
}

inline const char* name(Integrator integrator) {
    constexpr const char* kNames[] = {"explicit", "implicit", "newmark", "rkf45"};
    return kNames[static_cast<int>(integrator)];
}

inline Material elastic(double youngs, double poisson, double density = 1000,
                        ElasticLawId law = ElasticLawId::kCorotated) {
    Material m;
    m.name = "test";
    m.youngs = youngs;
    m.poisson = poisson;
    m.density = density;
    m.law = law;
    return m;
}

/// `count` equal calls of step over `duration` in all, `see(report)` after each; stops at the first failure.
template <class See>
void run(WorldState& world, const StepSettings& settings, double duration, int count, See see) {
    Workspace workspace;
    const double start = world.time;
    for (int k = 0; k < count; ++k) {
        const StepReport report = step(world, duration / count, settings, workspace);
        ASSERT_FALSE(report.failed) << report.message;
        world.time = start + duration * (k + 1) / count;
        see(report);
    }
}

inline void run(WorldState& world, const StepSettings& settings, double duration, int count) {
    run(world, settings, duration, count, [](const StepReport&) {});
}

/// Slope of the straight line of least squares through (x, y).
inline double fittedSlope(const std::vector<double>& x, const std::vector<double>& y) {
    double meanX = 0, meanY = 0, xx = 0, xy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        meanX += x[k] / static_cast<double>(x.size());
        meanY += y[k] / static_cast<double>(x.size());
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
        xx += (x[k] - meanX) * (x[k] - meanX);
        xy += (x[k] - meanX) * (y[k] - meanY);
    }
    return xy / xx;
}

inline Vec3 massCentre(const WorldBody& body) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (std::size_t i = 0; i < body.body->mass.size(); ++i) {
        sum += body.body->mass[i] * body.state->x[i];
        mass += body.body->mass[i];
    }
    return sum / mass;
}

inline double kineticEnergyOf(const WorldState& world) {
    double sum = 0;
    for (const WorldBody& b : world.bodies)
        for (std::size_t i = 0; i < b.body->mass.size(); ++i)
            sum += 0.5 * b.body->mass[i] * b.state->v[i].squaredNorm();
    return sum;
}

inline double elasticEnergyOf(const WorldState& world) {
    double sum = 0;
    for (const WorldBody& b : world.bodies) sum += computeEnergy(b.body->elements, b.state->x).energy;
    return sum;
}

inline double totalMass(const Body& body) {
    double mass = 0;
    for (const double m : body.mass) mass += m;
    return mass;
}

}  // namespace sunder::testing
