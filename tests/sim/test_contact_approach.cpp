#include "core/sim/scene_shapes.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

namespace {
constexpr double kThickness = 0.01, kRadius = 0.02, kSpeed = 300;

/// A sheet of gelatin, held at its rim, in which sound is slower than 2 m/s, and a rigid ball above it.
WorldState makeShot(double ballSpeed, double sheetSpeed, bool held) {
    WorldState world;
    Material gelatin = elastic(3e3, 0.3, 1000), steel = elastic(2e11, 0.3, 7800);
    Body sheet = makeBody(placed(makeBox(8, 1, 8, Vec3(0.2, kThickness, 0.2)), Vec3(-0.1, 0, -0.1)), gelatin);
    if (held) pinWhere(sheet, [](const Vec3& p) { return std::abs(p.x()) > 0.099 || std::abs(p.z()) > 0.099; });
    addBody(world, std::move(sheet));
    SphereShape shape;
    shape.radius = kRadius;
    shape.cells = 4;
    Body ball = makeBody(placed(makeShape(shape), Vec3(0.003, 0.045, 0.002)), steel);
    ball.rigid = true;
    addBody(world, std::move(ball));
    if (!held) setMotion(world, 0, Vec3(0, sheetSpeed, 0));
    setMotion(world, 1, Vec3(0, ballSpeed, 0));
    return world;
}

StepSettings explicitSettings() {
    StepSettings settings;
    settings.integrator = Integrator::kExplicit;
    settings.gravity = Vec3::Zero();
    return settings;
}
}  // namespace

// In the first stable step of the gelatin the ball would go from above it to below it.
TEST(ContactApproach, WhatIsFasterThanSoundIsSeenByExplicitSteps) {
    WorldState world = makeShot(-kSpeed, 0, true), calm = makeShot(0, 0, true);
    double stable = 0, contact = 0;
    run(calm, explicitSettings(), 0.001, 1, [&](const StepReport& r) { stable = r.largestStep; });
    ASSERT_GT(stable * kSpeed, 0.045 + kRadius) << "the shot is too slow to show anything";
    double longest = 0;
    run(world, explicitSettings(), 1e-4, 1, [&](const StepReport& r) { longest = r.largestStep; });
    run(world, explicitSettings(), 1e-3, 20, [&](const StepReport& r) { contact = std::max(contact, r.energy.contact); });
    figure("way of the ball in a stable step of the sheet", stable * kSpeed, "m");
    figure("way of the ball in its step, over the thickness", longest * kSpeed / kThickness);
    figure("speed lost", 1 + world.bodies[1].state->v[0].y() / kSpeed);
    EXPECT_LE(longest * kSpeed, 0.5 * kThickness * 1.01);
    EXPECT_GT(contact, 0);
    EXPECT_GT(world.bodies[1].state->v[0].y(), -kSpeed * (1 - 1e-9)) << "the sheet has done nothing to the ball";
}

TEST(ContactApproach, WhatFliesTogetherTakesItsStableSteps) {
    WorldState together = makeShot(-kSpeed, -kSpeed, false), still = makeShot(0, 0, false);
    double longest = 0, stable = 0;
    run(together, explicitSettings(), 0.004, 2, [&](const StepReport& r) { longest = std::max(longest, r.largestStep); });
    run(still, explicitSettings(), 0.004, 2, [&](const StepReport& r) { stable = std::max(stable, r.largestStep); });
    EXPECT_NEAR(longest, stable, 1e-6 * stable);
}

// What leads away from the sheet, or misses it, does not matter to it.
TEST(ContactApproach, WhatMeetsNothingTakesItsStableSteps) {
    WorldState world = makeShot(kSpeed, 0, true), calm = makeShot(0, 0, true);
    setMotion(world, 1, Vec3(0, kSpeed, 0));
    editState(
        world,
        [](BodyState& s) {
            for (Vec3& x : s.x) x.y() += 20;
        },
        1);
    double longest = 0, stable = 0;
    run(world, explicitSettings(), 0.004, 2, [&](const StepReport& r) { longest = std::max(longest, r.largestStep); });
    run(calm, explicitSettings(), 0.004, 2, [&](const StepReport& r) { stable = std::max(stable, r.largestStep); });
    EXPECT_EQ(longest, stable);
}

}  // namespace sunder
