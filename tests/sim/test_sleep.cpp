#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

namespace {
/// Three boxes on a slab, one on top of another and one apart.
WorldState makeBoxes() {
    Material material = elastic(5e6, 0.3, 1000);
    material.stiffnessDamping = 2e-3;
    material.massDamping = 4;  // they come to rest soon
    WorldState world;
    Body slab = makeBody(placed(makeBox(4, 1, 2, Vec3(4, 0.5, 2)), Vec3(-1.2, -0.5, -1)), material);
    pinWhere(slab, [](const Vec3&) { return true; });
    addBody(world, std::move(slab));
    for (const Vec3& at : {Vec3(-0.5, 0, -0.5), Vec3(-0.45, 1, -0.45), Vec3(1.2, 0, -0.5)}) addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(1, 1, 1)), at), material));
    return world;
}

/// After 4 s, all asleep.
WorldState makeSleepers(const StepSettings& settings) {
    WorldState world = makeBoxes();
    run(world, settings, 4, 96);
    for (std::size_t b = 1; b < 4; ++b) EXPECT_TRUE(world.bodies[b].state->sleep.asleep) << name(settings.integrator) << ", body " << b;
    return world;
}

bool asleep(const WorldState& world, std::size_t b) { return world.bodies[b].state->sleep.asleep; }
}  // namespace

TEST(Sleep, BodiesAtRestFallAsleepAndStayWhereTheyAre) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        WorldState world = makeBoxes();
        StepSettings settings;
        settings.integrator = integrator;
        double last = 0;
        run(world, settings, 4, 96, [&](const StepReport&) {
            for (std::size_t b = 1; b < 4; ++b)
                if (!asleep(world, b)) last = world.time;
        });
        figure(std::string("all asleep after, ") + name(integrator), last, "s");
        for (std::size_t b = 1; b < 4; ++b) EXPECT_TRUE(asleep(world, b)) << name(integrator) << ", body " << b;
        EXPECT_FALSE(asleep(world, 0)) << "what is held has no need to sleep";
        const WorldState before = world;
        const double energy = world.energy.mechanical(), balance = world.energy.numerical;
        int newton = 0;
        run(world, settings, 1, 24, [&](const StepReport& r) { newton += r.newtonIterations; });
        EXPECT_EQ(newton, 0);
        for (std::size_t b = 0; b < 4; ++b) EXPECT_TRUE(world.bodies[b].state->x == before.bodies[b].state->x);
        EXPECT_NEAR(world.energy.mechanical(), energy, 1e-12 * std::abs(energy));
        EXPECT_NEAR(world.energy.numerical, balance, 1e-9 * std::abs(energy));
    }
}

TEST(Sleep, WhatIsHitWakesAndTheRestSleepsOn) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        StepSettings settings;
        settings.integrator = integrator;
        WorldState world = makeSleepers(settings);
        setMotion(world, 2, Vec3(0.5, 0, 0), Vec3::Zero());  // a host pushes the upper box
        bool lowerWoke = false, thirdWoke = false;
        run(world, settings, 0.25, 6, [&](const StepReport&) {
            lowerWoke |= !asleep(world, 1);
            thirdWoke |= !asleep(world, 3);
        });
        EXPECT_TRUE(lowerWoke) << name(integrator);
        EXPECT_FALSE(thirdWoke) << name(integrator);
        EXPECT_GT(massCentre(world.bodies[2]).x(), 0.05 + 0.01) << name(integrator);
    }
}

TEST(Sleep, WhatHasLostItsSupportFalls) {
    // at 12 m/s it is still there when the next frame begins, at 30 m/s it is gone
    for (const double speed : {12.0, 30.0, 60.0})
        for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
            StepSettings settings;
            settings.integrator = integrator;
            WorldState world = makeSleepers(settings);
            setMotion(world, 1, Vec3(-speed, 0, 0), Vec3::Zero());  // the lower box is knocked away
            run(world, settings, 1.5, 36);
            EXPECT_LT(massCentre(world.bodies[2]).y(), 0.9) << name(integrator) << ", " << speed << " m/s";
        }
}

TEST(Sleep, AnotherGravityWakesAll) {
    StepSettings settings;
    WorldState world = makeSleepers(settings);
    settings.gravity = Vec3(0, 9.81, 0);
    run(world, settings, 0.5, 12);
    for (std::size_t b = 1; b < 4; ++b) EXPECT_GT(massCentre(world.bodies[b]).y(), 1.1) << "body " << b;
}

TEST(Sleep, SupportThatGoesAfterASnapshotWakes) {
    const StepSettings settings;
    WorldState world = makeSleepers(settings);
    const PieceName lower{1, 0, static_cast<std::int32_t>(world.bodies[1].body->mesh.vertexCount())};
    ASSERT_EQ(world.bodies[2].state->sleep.pieces.size(), 1u);
    EXPECT_EQ(world.bodies[2].state->sleep.pieces[0].touched, std::vector<PieceName>{lower});
    WorldState again = loadSnapshot(saveSnapshot(world));
    for (WorldState* w : {&world, &again}) {
        setMotion(*w, 1, Vec3(-30, 0, 0), Vec3::Zero());
        run(*w, settings, 0.5, 12);
        EXPECT_FALSE(asleep(*w, 2));
    }
    EXPECT_TRUE(again.bodies[2].state->x == world.bodies[2].state->x);
}

TEST(Sleep, SurvivesASnapshot) {
    WorldState world = makeBoxes();
    StepSettings settings;
    run(world, settings, 1, 24);
    WorldState resumed = loadSnapshot(saveSnapshot(world));
    run(world, settings, 2, 48);
    run(resumed, settings, 2, 48);
    EXPECT_TRUE(asleep(world, 3));
    EXPECT_EQ(saveSnapshot(world), saveSnapshot(resumed));
}

TEST(Sleep, CanBeTurnedOff) {
    WorldState world = makeBoxes();
    StepSettings settings;
    settings.sleepSpeed = 0;
    run(world, settings, 3, 72);
    for (std::size_t b = 1; b < 4; ++b) EXPECT_FALSE(asleep(world, b));
}

}  // namespace sunder
