#include <gtest/gtest.h>

#include <cmath>

#include "core/base/parallel.h"
#include "tests/sim/sim_fixture.h"

namespace sunder {

using namespace testing;

namespace {
constexpr Integrator kAll[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark, Integrator::kRkf45};

Material softMaterial(ElasticLawId law) {
    Material m;
    m.law = law;
    m.youngs = 1e5;
    m.poisson = 0.3;
    m.density = 1000;
    return m;
}

void run(WorldState& world, const StepSettings& settings, double duration, int steps) {
    Workspace workspace;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = step(world, duration / steps, settings, workspace);
        ASSERT_FALSE(report.failed) << report.message;
    }
}
}  // namespace

TEST(Integrators, FreeFallFollowsTheParabola) {
    for (const Integrator integrator : kAll)
        for (const ElasticLaw& law : elasticLaws()) {
            WorldState world = makeWorld(makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), softMaterial(law.id)));
            StepSettings settings;
            settings.integrator = integrator;
            run(world, settings, 0.5, 12);
            const Vec3 moved = world.bodies[0].state->x[3] - world.bodies[0].body->mesh.rest[3];
            // backward Euler falls g dt^2 n (n + 1) / 2; the others are exact on a parabola
            const double dt = 0.5 / 12, exact = integrator == Integrator::kImplicit ? -9.81 * dt * dt * 12 * 13 / 2 : -9.81 * 0.125;
            EXPECT_NEAR(moved.y(), exact, 1e-6) << static_cast<int>(integrator) << law.name;
            EXPECT_NEAR(moved.x(), 0, 1e-7);
        }
}

TEST(Integrators, ABoxOnASpringOfItselfRingsAtTheSameFrequencyInAll) {
    // stretched by 1 percent and let go: all integrators must agree on the motion
    std::vector<double> ends;
    for (const Integrator integrator : kAll) {
        WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), softMaterial(ElasticLawId::kGreen)));
        editState(world, [](BodyState& s) { for (Vec3& x : s.x) x.x() *= 1.01; });
        StepSettings settings = spaceSettings(integrator);
        settings.courant = 0.2;
        settings.errorTolerance = 1e-9;
        settings.newtonTolerance = 1e-8;
        run(world, settings, 0.05, integrator == Integrator::kImplicit ? 2000 : 400);
        double width = 0;
        for (const Vec3& x : world.bodies[0].state->x) width = std::max(width, x.x());
        ends.push_back(width);
    }
    for (const double e : ends) EXPECT_NEAR(e, ends[3], 2e-4);  // of an amplitude of 0.01
    EXPECT_NEAR(ends[0], ends[3], 5e-6);
    EXPECT_NEAR(ends[2], ends[3], 5e-6);
}

TEST(Integrators, AFailedStepLeavesTheWorldUntouched) {
    WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), softMaterial(ElasticLawId::kNeoHookean)));
    editState(world, [](BodyState& s) { for (Vec3& x : s.x) x.x() *= 1.5; });
    StepSettings settings;
    settings.newtonIterations = 1;
    settings.stepHalvings = 0;
    settings.newtonTolerance = 1e-12;
    const auto state = world.bodies[0].state;
    Workspace workspace;
    const StepReport report = step(world, 1.0 / 24, settings, workspace);
    EXPECT_TRUE(report.failed);
    EXPECT_NE(report.message.find("substeps"), std::string::npos) << report.message;
    EXPECT_EQ(world.bodies[0].state, state);
    EXPECT_EQ(world.time, 0);
}

TEST(Integrators, CancellingLeavesTheWorldUntouched) {
    struct Impatient : Monitor {
        int polls = 0;
        bool cancelled() override { return ++polls > 3; }
    };
    for (const Integrator integrator : kAll) {
        WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), softMaterial(ElasticLawId::kCorotated)));
        editState(world, [](BodyState& s) { for (Vec3& x : s.x) x.x() *= 1.2; });
        const auto state = world.bodies[0].state;
        Workspace workspace;
        Impatient impatient;
        StepSettings settings = spaceSettings(integrator);
        settings.substeps = 10;
        EXPECT_THROW(step(world, 10, settings, workspace, &impatient), Cancelled);
        EXPECT_EQ(world.bodies[0].state, state);
        EXPECT_EQ(world.time, 0);
    }
}

TEST(Integrators, SameBytesForAnyThreadCountAndWithoutTheWorkspace) {
    for (const Integrator integrator : kAll) {
        std::vector<std::vector<Vec3>> ends;
        for (const int threads : {1, 2, 7, 0})
            for (const bool keep : {true, false}) {
                setThreadCount(threads);
                Body body = makeBody(makeBox(6, 6, 6, Vec3(1, 1, 1)), softMaterial(ElasticLawId::kCorotated));
                body.materials[0].stiffnessDamping = 1e-3;
                pinWhere(body, [](const Vec3& p) { return p.x() == 0; });
                WorldState world = makeWorld(std::move(body));
                StepSettings settings;
                settings.integrator = integrator;
                settings.ground.enabled = true;
                settings.ground.point.y() = -0.01;
                Workspace workspace;
                for (int k = 0; k < 3; ++k) {
                    if (!keep) workspace = Workspace();
                    ASSERT_FALSE(step(world, 1.0 / 60, settings, workspace).failed);
                }
                ends.push_back(world.bodies[0].state->x);
            }
        for (const auto& e : ends) EXPECT_EQ(e, ends[0]);
    }
}

}  // namespace sunder
