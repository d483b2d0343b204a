#include "tests/sim/slope_fixture.h"

/// Friction at rest holds more than friction that slides.
namespace sunder {

using namespace testing;

namespace {
constexpr double kAtRest = 0.6, kSliding = 0.3, kSteepness = 0.4;  // of the slope: between the two

/// A flat block, so that it presses about as hard with either end: by 1 +- 3 tan(angle) height / length = 1
/// +- 0.2 of the mean. Vertices slip one by one: the upper end holds 0.4 / 0.8 = 0.5 of what presses there,
/// less than mu at rest, but twice as high a block would slide down this slope.
WorldState makeFlatBlock() {
    WorldState world;
    Body slab = makeSlab(4, kAtRest, stiffMaterial(), 4);
    slab.contact.dynamicFriction = kSliding;
    addBody(world, std::move(slab));
    Body block =
        makeBody(placed(makeBox(3, 1, 3, Vec3(0.6, 0.1, 0.5)), Vec3(-0.9, 0, -0.25)), stiffMaterial());
    block.contact.friction = kAtRest;
    block.contact.dynamicFriction = kSliding;
    addBody(world, std::move(block));
    return world;
}

/// Pushes the block down the slope for a time, with an acceleration.
void push(WorldState& world, const StepSettings& settings, double acceleration, double duration, int count) {
    std::vector<Vec3> force;
    for (const double m : world.bodies[1].body->mass) force.push_back(m * acceleration * Vec3::UnitX());
    Workspace workspace;
    for (int k = 0; k < count; ++k) {
        world.bodies[1].push = std::make_shared<const std::vector<Vec3>>(force);
        ASSERT_FALSE(step(world, duration / count, settings, workspace).failed);
    }
}

double placeOf(const WorldState& world) { return massCentre(world.bodies[1]).x(); }
}  // namespace

// Pushed by a fifth of what holds it beyond its weight it stays, with 8 percent more than that it goes; and
// goes on, since mu while it slides is below the slope's.
TEST(ContactSlip, BlockSticksUntilItIsPushedAndThenSlides) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        const double angle = std::atan(kSteepness),
                     held = 9.81 * (kAtRest * std::cos(angle) - std::sin(angle)),
                     falls = 9.81 * (std::sin(angle) - kSliding * std::cos(angle));
        const StepSettings settings = slopeSettings(integrator, angle);
        const std::string what = name(integrator);
        WorldState world = makeFlatBlock();
        run(world, slopeSettings(integrator, 0), 0.2, 20);
        tilt(world, integrator, angle);
        double start = placeOf(world);
        run(world, settings, 0.3, 30);
        for (int k = 1; k <= 4; ++k)
            push(world, settings, 0.05 * k * held, 0.05, 5);  // not at a blow, or it rocks
        figure("way at rest and pushed a little, " + what, placeOf(world) - start, "m");
        EXPECT_LT(std::abs(placeOf(world) - start), 1e-4) << what;
        push(world, settings, 1.08 * held, 0.2, 20);
        EXPECT_GT(placeOf(world) - start, 1e-3) << what;

        const double time = 0.5, speed = speedOf(world.bodies[1]);
        start = placeOf(world);
        run(world, settings, time, 50);
        const double way = placeOf(world) - start, gained = speedOf(world.bodies[1]) - speed;
        figure("way over v t + g (sin - mu cos) t^2 / 2 with mu of sliding, " + what,
               way / (speed * time + 0.5 * falls * time * time));
        figure("acceleration over g (sin - mu cos), " + what, gained / (falls * time));
        EXPECT_NEAR(way / (speed * time + 0.5 * falls * time * time), 1, 0.03) << what;
        EXPECT_NEAR(gained / (falls * time), 1, 0.03) << what;
    }
}

}  // namespace sunder
