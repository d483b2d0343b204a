#include "core/sim/scene_shapes.h"
#include "tests/sim/slope_fixture.h"

/// Balls that roll: how their speed grows, not how far they get.
namespace sunder {

using namespace testing;

namespace {
struct RollingBall {
    bool rigid;
    int cells;           ///< across
    double restitution;  ///< of ball and slope
    Integrator integrator;
};

/// A rigid ball lies on a slab that is held everywhere, a soft one on a soft one.
WorldState makeBallOnSlope(const RollingBall& b) {
    const Material material = elastic(b.rigid ? 1e7 : 4e6, 0.3, 1000);
    WorldState world;
    Body slab = makeSlab(6, 0.8, material, 6);
    if (b.rigid) pinWhere(slab, [](const Vec3&) { return true; });
    slab.contact.restitution = b.restitution;
    addBody(world, std::move(slab));
    SphereShape shape;
    shape.radius = 0.3;
    shape.cells = b.cells;
    Body ball = makeBody(placed(makeShape(shape), Vec3(-1, 0.2995, 0.1)), material);
    ball.rigid = b.rigid;
    ball.contact.friction = ball.contact.dynamicFriction = 0.8;
    ball.contact.restitution = b.restitution;
    addBody(world, std::move(ball));
    return world;
}

/// Slope of the straight line of least squares through the speed of the centre, over 5/7 g sin(angle).
double accelerationOf(const RollingBall& b) {
    const double angle = 0.4;
    WorldState world = makeBallOnSlope(b);
    run(world, slopeSettings(b.integrator, 0), 0.1, 20);
    run(world, slopeSettings(b.integrator, angle), 0.1, 20);
    std::vector<double> time, speed;
    run(world, slopeSettings(b.integrator, angle), 0.5, 100, [&](const StepReport&) {
        time.push_back(world.time);
        speed.push_back(speedOf(world.bodies[1]));
    });
    return fittedSlope(time, speed) / (5.0 / 7 * 9.81 * std::sin(angle));
}
}  // namespace

// Facets of a tenth of the ball's size. With a restitution of 0 the dampers of contact are critical, and what
// comes to lie on the slope and leaves it again works on them: the harder the ball, the more they resist its
// rolling. So what the formula knows nothing of is left out where the ball is rigid, and halved where it is
// soft.
TEST(ContactRoll, BallGainsSpeedAsItShould) {
    for (const bool rigid : {false, true})
        for (const Integrator integrator :
             {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
            const double share = accelerationOf({rigid, 12, rigid ? 1.0 : 0.5, integrator});
            const std::string what = std::string(rigid ? "rigid, " : "soft, ") + name(integrator);
            figure("acceleration over 5/7 g sin(angle), " + what, share);
            EXPECT_NEAR(share, 1, 0.05) << what;
        }
}

// What the dampers take of a rigid ball's, by restitution.
TEST(ContactRoll, DampersResistRolling) {
    double last = 0;
    for (const double restitution : {0.0, 0.5, 1.0}) {
        const double share = accelerationOf({true, 12, restitution, Integrator::kNewmark});
        figure("acceleration over 5/7 g sin(angle), rigid, restitution " +
                   std::to_string(restitution).substr(0, 3),
               share);
        EXPECT_GT(share, last);
        EXPECT_LT(share, 1.05);
        last = share;
    }
}

}  // namespace sunder
