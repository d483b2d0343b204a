#include "core/base/error.h"
#include "tests/sim/contact_fixture.h"

/// Forces that a host puts on vertices for a step.
namespace sunder {
namespace {
using namespace testing;

Body pulledBar(bool breaks) {
    Material material = elastic(1e6, 0.2);
    material.stiffnessDamping = 1e-3;
    material.fracture.enabled = breaks;
    material.fracture.stress = 3e4;
    Body body = makeBody(makeBox(3, 1, 1, Vec3(1.2, 0.4, 0.4)), material);
    pinWhere(body, [](const Vec3& p) { return p.x() < 0.1; });
    return body;
}

std::vector<Vec3> endForces(const Body& body) {
    std::vector<Vec3> force(body.mesh.vertexCount(), Vec3(0, 7, 3));
    for (std::size_t i = 0; i < force.size(); ++i)
        if (body.mesh.rest[i].x() > 1.1) force[i] = Vec3(2000, 20.0 * static_cast<double>(i), 0);
    return force;
}

void push(WorldState& world, std::vector<Vec3> force, std::size_t b = 0) { world.bodies[b].push = std::make_shared<const std::vector<Vec3>>(std::move(force)); }

// what is painted on the body and what a host gives anew before every step are the same forces; a step that breaks shares both alike
TEST(Push, IsAPaintedForceToTheBit) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark, Integrator::kRkf45})
        for (const bool breaks : {false, true}) {
            if (breaks && integrator == Integrator::kRkf45) continue;
            Body with = pulledBar(breaks);
            with.force = endForces(with);
            WorldState painted = makeWorld(with), pushed = makeWorld(pulledBar(breaks));
            StepSettings settings;
            settings.integrator = integrator;
            Workspace a, b;
            for (int k = 0; k < 4; ++k) {
                push(pushed, painted.bodies[0].body->force);
                ASSERT_FALSE(step(painted, 0.01, settings, a).failed) << name(integrator);
                ASSERT_FALSE(step(pushed, 0.01, settings, b).failed) << name(integrator);
                EXPECT_EQ(pushed.bodies[0].push, nullptr);
                EXPECT_TRUE(painted.bodies[0].state->x == pushed.bodies[0].state->x) << name(integrator) << " " << k;
                EXPECT_TRUE(painted.bodies[0].state->v == pushed.bodies[0].state->v) << name(integrator) << " " << k;
            }
            EXPECT_EQ(painted.energy.work, pushed.energy.work);
            EXPECT_GT(pushed.energy.work, 1);
            EXPECT_EQ(pushed.bodies[0].body->origin.empty(), !breaks) << name(integrator);
        }
}

TEST(Push, AddsToWhatIsPainted) {
    Body once = pulledBar(false), twice = pulledBar(false);
    once.force = endForces(once);
    twice.force = endForces(twice);
    for (Vec3& f : twice.force) f *= 2;
    WorldState both = makeWorld(once), painted = makeWorld(twice);
    push(both, once.force);
    const StepSettings settings;
    Workspace a, b;
    ASSERT_FALSE(step(both, 0.01, settings, a).failed);
    ASSERT_FALSE(step(painted, 0.01, settings, b).failed);
    EXPECT_TRUE(both.bodies[0].state->x == painted.bodies[0].state->x);
}

TEST(Push, LastsForOneStepAndAFailedOneLeavesIt) {
    WorldState world = makeWorld(pulledBar(false)), free = makeWorld(pulledBar(false));
    push(world, endForces(*world.bodies[0].body));
    StepSettings settings;
    settings.integrator = Integrator::kExplicit;
    settings.smallestStep = 1;  // none is as long as that
    Workspace workspace;
    ASSERT_TRUE(step(world, 0.01, settings, workspace).failed);
    EXPECT_NE(world.bodies[0].push, nullptr);
    world.bodies[0].push = nullptr;
    ASSERT_FALSE(step(world, 0.01, StepSettings(), workspace).failed);
    Workspace other;
    ASSERT_FALSE(step(free, 0.01, StepSettings(), other).failed);
    EXPECT_TRUE(world.bodies[0].state->x == free.bodies[0].state->x);
}

TEST(Push, WakesAndKeepsAwake) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        Material material = elastic(5e6, 0.3);
        material.stiffnessDamping = 2e-3;
        material.massDamping = 4;
        StepSettings settings;
        settings.integrator = integrator;
        WorldState world;
        addBody(world, makeBody(placed(makeBox(1, 1, 1, Vec3(1, 1, 1)), Vec3(0.5, 0, 0.5)), material));
        Body slab = makeBody(placed(makeBox(2, 1, 2, Vec3(2, 0.5, 2)), Vec3(0, -0.5, 0)), material);
        pinWhere(slab, [](const Vec3&) { return true; });
        addBody(world, std::move(slab));
        run(world, settings, 4, 96);
        ASSERT_TRUE(world.bodies[0].state->sleep.asleep) << name(integrator);
        Workspace workspace;
        for (int k = 0; k < 24; ++k) {
            push(world, std::vector<Vec3>(8, Vec3(0, 1, 0)));
            ASSERT_FALSE(step(world, 1.0 / 24, settings, workspace).failed);
            EXPECT_FALSE(world.bodies[0].state->sleep.asleep) << name(integrator) << " " << k;
        }
        run(world, settings, 4, 96);
        EXPECT_TRUE(world.bodies[0].state->sleep.asleep);
    }
}

TEST(Push, WhatMakesNoSenseIsRefused) {
    WorldState world = makeWorld(pulledBar(false));
    Workspace workspace;
    push(world, std::vector<Vec3>(3, Vec3::Zero()));
    EXPECT_THROW(step(world, 0.01, StepSettings(), workspace), Error);
    std::vector<Vec3> wild = endForces(*world.bodies[0].body);
    wild[5].y() = std::nan("");
    push(world, wild);
    EXPECT_THROW(step(world, 0.01, StepSettings(), workspace), Error);
}

}  // namespace
}  // namespace sunder
