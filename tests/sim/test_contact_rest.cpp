#include "core/sim/scene_shapes.h"
#include "tests/sim/contact_fixture.h"

/// Blocks that rest, slide and stack, and balls that roll, on other bodies.
namespace sunder {

using namespace testing;

namespace {
/// A slab whose lower side is held, top at y = 0.
Body makeSlab(double length, double friction, const Material& material, int cells = 8) {
    Body slab = makeBody(placed(makeBox(cells, 1, 2, Vec3(length, 0.5, 2)), Vec3(-0.3 * length, -0.5, -1)), material);
    pinWhere(slab, [](const Vec3& p) { return p.y() < -0.49; });
    slab.contact.friction = slab.contact.dynamicFriction = friction;
    return slab;
}

/// Gravity as on a slope that falls towards +x.
StepSettings slopeSettings(Integrator integrator, double angle) {
    StepSettings settings;
    settings.sleepSpeed = 0;  // it shall rest by itself
    settings.integrator = integrator;
    settings.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    return settings;
}

const Integrator kContactIntegrators[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark};
}  // namespace

namespace {
/// Tilts from level to `angle` over a second, slowly enough that nothing rocks.
void tilt(WorldState& world, Integrator integrator, double angle) {
    for (int k = 1; k <= 25; ++k) run(world, slopeSettings(integrator, angle * k / 25), 0.04, 4);
}

double speedOf(const WorldBody& body) {
    double sum = 0;
    for (std::size_t i = 0; i < body.body->mass.size(); ++i) sum += body.body->mass[i] * body.state->v[i].x();
    return sum / totalMass(*body.body);
}

WorldState makeBlockOnSlab(double mu) {
    Material material = elastic(5e6, 0.3, 1000);
    material.stiffnessDamping = 5e-4;
    WorldState world;
    addBody(world, makeSlab(12, mu, material, 12));
    Body block = makeBody(placed(makeBox(3, 2, 3, Vec3(0.6, 0.3, 0.5)), Vec3(-2, 0, -0.2)), material);
    block.contact.friction = block.contact.dynamicFriction = mu;
    addBody(world, std::move(block));
    return world;
}
}  // namespace

// tan(angle) = mu decides, within 2 percent on either side.
TEST(ContactRest, BlockOnASlopeSticksOrSlides) {
    const double mu = 0.5;
    for (const Integrator integrator : kContactIntegrators)
        for (const double steepness : {0.98, 1.02}) {
            WorldState world = makeBlockOnSlab(mu);
            const double angle = std::atan(mu * steepness);
            run(world, slopeSettings(integrator, 0), 0.3, 30);
            tilt(world, integrator, angle);
            const double start = massCentre(world.bodies[1]).x();
            run(world, slopeSettings(integrator, angle), 1, 100);
            const double way = massCentre(world.bodies[1]).x() - start, expected = 0.5 * 9.81 * (std::sin(angle) - mu * std::cos(angle));
            const std::string what = std::string(name(integrator)) + ", tan(angle) " + std::to_string(steepness) + " mu";
            figure("way in 1 s, " + what, way, "m");
            if (steepness < 1)
                EXPECT_LT(std::abs(way), 1e-3) << what;
            else
                EXPECT_GT(way, 0.9 * expected) << what;
        }
}

// What slides goes v t + (g sin - mu g cos) t^2 / 2.
TEST(ContactRest, BlockSlidesAsFarAsItShould) {
    const double mu = 0.3, angle = std::atan(1.5 * mu), time = 1;
    for (const Integrator integrator : kContactIntegrators) {
        WorldState world = makeBlockOnSlab(mu);
        run(world, slopeSettings(integrator, 0), 0.3, 30);
        run(world, slopeSettings(integrator, angle), 0.4, 40);
        const double start = massCentre(world.bodies[1]).x(), speed = speedOf(world.bodies[1]);
        run(world, slopeSettings(integrator, angle), time, 100);
        const double way = massCentre(world.bodies[1]).x() - start;
        const double expected = speed * time + 0.5 * 9.81 * (std::sin(angle) - mu * std::cos(angle)) * time * time;
        figure(std::string("way over theory, ") + name(integrator), way / expected);
        EXPECT_NEAR(way / expected, 1, 0.03) << name(integrator);
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
        std::vector<Vec3> start;
        for (const WorldBody& b : world.bodies) start.push_back(massCentre(b));
        run(world, settings, 10, 240, look);
        double drift = 0;
        for (std::size_t b = 0; b < start.size(); ++b) drift = std::max(drift, (massCentre(world.bodies[b]) - start[b]).norm());
        figure(std::string("drift in 10 s, ") + name(integrator), drift, "m");
        figure("Newton iterations a step", newton / 288.0);
        EXPECT_LT(drift, 1e-3);
    }
}

TEST(ContactRest, BallRollsDownASlope) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kNewmark}) {
        const double angle = 0.2, time = 0.6;
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
        run(world, slopeSettings(integrator, 0), 0.3, 60);
        const StepSettings settings = slopeSettings(integrator, angle);
        run(world, settings, 0.1, 20);
        const double start = massCentre(world.bodies[1]).x(), speed = speedOf(world.bodies[1]);
        run(world, settings, time, 120);
        const double way = massCentre(world.bodies[1]).x() - start;
        const double expected = speed * time + 0.5 * 5.0 / 7 * 9.81 * std::sin(angle) * time * time;
        figure(std::string("way over v t + 5/7 g sin(angle) t^2 / 2, ") + name(integrator), way / expected);
        EXPECT_NEAR(way / expected, 1, 0.05) << name(integrator);
    }
}

}  // namespace sunder
