#include "core/sim/scene_shapes.h"
#include "tests/sim/slope_fixture.h"

/// Blocks that rest, slide and stack, and balls that roll, on other bodies.
namespace sunder {

using namespace testing;

namespace {
const Integrator kContactIntegrators[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark};
}  // namespace

// tan(angle) = mu decides, within 2 percent on either side.
TEST(ContactRest, BlockOnASlopeSticksOrSlides) {
    const double mu = 0.5;
    for (const Integrator integrator : kContactIntegrators)
        for (const double steepness : {0.98, 1.02}) {
            WorldState world = makeBlockOnSlab(mu);
            expectSticksOrSlides(world, 1, {mu, steepness, integrator}, name(integrator));
        }
}

// What slides goes v t + (g sin - mu g cos) t^2 / 2.
TEST(ContactRest, BlockSlidesAsFarAsItShould) {
    const double mu = 0.3;
    for (const Integrator integrator : kContactIntegrators) {
        WorldState world = makeBlockOnSlab(mu);
        expectSlidesFarEnough(world, 1, {mu, 1.5, integrator}, name(integrator));
    }
}

TEST(ContactRest, TenBlocksStand) {
    for (const Integrator integrator : {Integrator::kImplicit}) {
        // a column of 10 m that is softer than 2e7 Pa buckles under its own weight
        Material material = elastic(1e9, 0.3, 1000);
        material.stiffnessDamping = 1e-3;
        WorldState world;
        addBody(world, makeSlab(4, 0.5, material, 4));
        for (int k = 0; k < 10; ++k)
            addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(1, 1, 1)), Vec3(0.02 * (k % 3) - 0.3, k, 0.015 * (k % 2) - 0.5)), material));
        StepSettings settings;
        settings.sleepSpeed = 0;  // it shall rest by itself
        settings.integrator = integrator;
        int newton = 0;
        const auto look = [&](const StepReport& r) { newton += r.newtonIterations; };
        run(world, settings, 2, 48, look);  // settles under its own weight
        std::vector<std::vector<Vec3>> start;
        for (const WorldBody& b : world.bodies) start.push_back(b.state->x);
        run(world, settings, 10, 240, look);
        double drift = 0;
        for (std::size_t b = 0; b < start.size(); ++b)
            for (std::size_t i = 0; i < start[b].size(); ++i) drift = std::max(drift, (world.bodies[b].state->x[i] - start[b][i]).norm());
        figure(std::string("drift of any vertex in 10 s, ") + name(integrator), drift, "m");
        figure("Newton iterations a step", newton / 288.0);
        EXPECT_LT(drift, 1e-3) << name(integrator);
    }
}

TEST(ContactRest, BallRollsDownASlope) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kNewmark}) {
        Material material = elastic(1e7, 0.3, 1000);
        WorldState world;
        Body slab = makeSlab(6, 0.8, material, 6);
        addBody(world, std::move(slab));
        SphereShape shape;
        shape.radius = 0.3;
        shape.cells = 8;
        Body ball = makeBody(placed(makeShape(shape), Vec3(-1, 0.2995, 0.1)), material);
        ball.contact.friction = ball.contact.dynamicFriction = 0.8;
        addBody(world, std::move(ball));
        expectRolls(world, 1, integrator, name(integrator));
    }
}

}  // namespace sunder
