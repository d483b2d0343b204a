#include "tests/sim/physics_fixture.h"

/// Held and released vertices.
namespace sunder {

using namespace testing;

namespace {
constexpr Integrator kAll[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark,
                               Integrator::kRkf45};

Motion straight(const Vec3& velocity, double until) {
    Motion motion;
    motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {until, velocity * until, Vec3::Zero()}};
    return motion;
}

Motion swing() {
    Motion motion;
    motion.smooth = true;
    motion.pivot = Vec3(0, 1, 0);
    motion.keys = {{0.1, Vec3::Zero(), Vec3::Zero()},
                   {0.5, Vec3(0.1, 0, 0), Vec3(0, 0, 0.7)},
                   {0.8, Vec3(0, 0.2, 0), Vec3(0.3, 0, 0)}};
    return motion;
}
}  // namespace

TEST(Targets, HeldVerticesFollowTheirMotionExactly) {
    for (const Integrator integrator : kAll) {
        Body body = makeBody(makeBox(3, 2, 2, Vec3(1, 0.5, 0.5)), elastic(1e5, 0.3));
        pinWhere(
            body, [](const Vec3& p) { return p.x() == 0; }, swing());
        WorldState world = makeWorld(std::move(body));
        StepSettings settings;
        settings.integrator = integrator;
        run(world, settings, 1, 25, [&](const StepReport&) {
            const HardTarget& pin = world.bodies[0].body->constraints.hard[0];
            for (std::size_t k = 0; k < pin.vertices.size(); ++k) {
                const auto i = static_cast<std::size_t>(pin.vertices[k]);
                EXPECT_LT((world.bodies[0].state->x[i] - pin.motion.apply(pin.anchor[k], world.time)).norm(),
                          1e-12)
                    << name(integrator);
            }
        });
        for (const std::int32_t i : world.bodies[0].body->constraints.hard[0].vertices)
            EXPECT_LT(world.bodies[0].state->v[static_cast<std::size_t>(i)].norm(), 1e-9)
                << name(integrator);  // the motion has ended
    }
}

// Let go at 0.312 s, which is no multiple of the step: the fall begins just then. Backward Euler falls g h /
// 2 a second too much in each step of length h.
TEST(Targets, PinsLetGoWhenTheyShould) {
    for (const Integrator integrator : kAll) {
        Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e5, 0.3));
        pinWhere(body, [](const Vec3&) { return true; });
        body.constraints.hard[0].releaseTime = 0.312;
        WorldState world = makeWorld(std::move(body));
        StepSettings settings;
        settings.integrator = integrator;
        settings.newtonTolerance = 1e-9;
        run(world, settings, 1, 25);
        const double fallen = -massCentre(world.bodies[0]).y() + 0.5, exact = 0.5 * 9.81 * 0.688 * 0.688;
        EXPECT_NEAR(fallen, exact, integrator == Integrator::kImplicit ? 0.5 * 9.81 * 0.04 * 0.688 : 1e-6)
            << name(integrator);
        EXPECT_GE(fallen, exact - 1e-6) << name(integrator);
    }
}

TEST(Targets, ThrownBodiesFlyOnWithTheSpeedOfTheirMotion) {
    for (const Integrator integrator : kAll) {
        Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e5, 0.3));
        pinWhere(
            body, [](const Vec3&) { return true; }, straight(Vec3(1, 2, 0), 10));
        body.constraints.hard[0].releaseTime = 0.5;
        WorldState world = makeWorld(std::move(body));
        run(world, spaceSettings(integrator), 1, 24);
        EXPECT_LT((massCentre(world.bodies[0]) - Vec3(1.5, 2.5, 0.5)).norm(), 1e-7) << name(integrator);
        const Vec3 velocity = momenta(world).linear / totalMass(*world.bodies[0].body);
        EXPECT_LT((velocity - Vec3(1, 2, 0)).norm(), 1e-7) << name(integrator);
    }
}

// A motion that starts with a jump in speed: the pinned face of a free bar follows it and nothing rings on in
// the pins themselves.
TEST(Targets, NewmarkPinsDoNotSwingAboutTheirMotion) {
    Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e5, 0.3));
    pinWhere(
        body, [](const Vec3& p) { return p.x() == 0; }, straight(Vec3(1, 0, 0), 10));
    WorldState world = makeWorld(std::move(body));
    run(world, spaceSettings(Integrator::kNewmark), 1, 50, [&](const StepReport&) {
        for (const std::int32_t i : world.bodies[0].body->constraints.hard[0].vertices)
            EXPECT_LT((world.bodies[0].state->v[static_cast<std::size_t>(i)] - Vec3(1, 0, 0)).norm(), 1e-8);
    });
}

// A stretched soft target lets go: its spring's energy leaves through `work`, and the body flies off as it
// was.
TEST(Targets, SoftTargetsTakeTheirEnergyWithThem) {
    for (const Integrator integrator : kAll) {
        Body body = makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), elastic(1e6, 0.3));
        SoftTarget target;
        target.name = "spring";
        target.strength = 500;
        target.releaseTime = 0.333;
        for (std::size_t i = 0; i < 8; ++i) {
            target.vertices.push_back(static_cast<std::int32_t>(i));
            target.anchor.push_back(body.mesh.rest[i] + Vec3(1, 0, 0));
        }
        body.constraints.soft.push_back(target);
        WorldState world = makeWorld(std::move(body));
        run(world, spaceSettings(integrator), 1, 50);
        // x'' = -omega^2 (x - 1), omega^2 = 8 * 500 / 1000; then straight on
        const double omega = 2, phase = omega * 0.333;
        const double exact = 1 - std::cos(phase) + omega * std::sin(phase) * (1 - 0.333);
        EXPECT_NEAR(massCentre(world.bodies[0]).x() - 0.5, exact,
                    integrator == Integrator::kImplicit ? 0.05 : 2e-3)
            << name(integrator);
        EXPECT_EQ(world.energy.target, 0) << name(integrator);
        const double stored = 0.5 * 8 * 500 * std::cos(phase) * std::cos(phase), start = 0.5 * 8 * 500;
        EXPECT_NEAR(-world.energy.work, stored, 0.02 * start) << name(integrator);
        EXPECT_LT(std::abs(world.energy.numerical),
                  (integrator == Integrator::kImplicit ? 0.05 : 2e-3) * start)
            << name(integrator);
    }
}

}  // namespace sunder
