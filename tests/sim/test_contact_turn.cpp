#include "tests/sim/slope_fixture.h"

/// What lies on a turntable. The springs of friction are drawn in directions of the world and do not turn
/// with what they hold on to.
namespace sunder {

using namespace testing;

namespace {
constexpr double kRadius = 0.6, kMu = 0.5;  // m, of the block's middle

struct Turntable {
    Integrator integrator;
    bool collider;
    double spin;  ///< 1/s
};

/// Turns evenly from the start.
Motion turning(const Turntable& t, double duration) {
    Motion motion;
    motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {duration, Vec3::Zero(), Vec3(0, t.spin * duration, 0)}};
    return motion;
}

/// The block turns along from the start.
WorldState makeTurntable(const Turntable& t, double duration) {
    WorldState world;
    Body block = makeBody(placed(makeBox(2, 1, 2, Vec3(0.3, 0.15, 0.3)), Vec3(kRadius - 0.15, 0, -0.15)),
                          stiffMaterial());
    block.contact.friction = block.contact.dynamicFriction = kMu;
    addBody(world, std::move(block));
    setMotion(world, 0, t.spin * Vec3::UnitY().cross(Vec3(kRadius, 0, 0)), t.spin * Vec3::UnitY());
    if (t.collider) {
        Collider table;
        table.name = "table";
        table.contact.friction = table.contact.dynamicFriction = kMu;
        table.motion = turning(t, duration);
        table.keys = {{0, boxSurface(Vec3(-1, -0.2, -1), Vec3(1, 0, 1))}};
        world.colliders.push_back(buildCollider(std::move(table)));
        return world;
    }
    Body table = makeBody(placed(makeBox(4, 1, 4, Vec3(2, 0.2, 2)), Vec3(-1, -0.2, -1)), stiffMaterial());
    pinWhere(
        table, [](const Vec3&) { return true; }, turning(t, duration));
    table.contact.friction = table.contact.dynamicFriction = kMu;
    addBody(world, std::move(table));
    return world;
}

/// The middle of the block as the table sees it.
Vec3 onTable(const WorldState& world, double angle) {
    return Mat3(Eigen::AngleAxisd(-angle, Vec3::UnitY())) * massCentre(world.bodies[0]);
}
}  // namespace

namespace {
/// How far the block moves while its weight is tilted as far as the table's turning pulls: how far friction's
/// springs are drawn by it, and a little more, as the block bends.
double wayOfPull(const Turntable& t) {
    WorldState world = makeTurntable({t.integrator, t.collider, 0}, 1);
    StepSettings settings;
    settings.integrator = t.integrator;
    settings.sleepSpeed = 0;
    run(world, settings, 0.3, 30);
    const Vec3 start = massCentre(world.bodies[0]);
    for (int k = 1; k <= 20; ++k) {
        settings.gravity.x() = t.spin * t.spin * kRadius * k / 20;
        run(world, settings, 0.02, 2);
    }
    run(world, settings, 0.3, 30);
    return massCentre(world.bodies[0]).x() - start.x();
}
}  // namespace

// Springs drawn by s that stay in the world's directions while the table turns by d angle pull aside by s d
// angle, and the block follows: in a turn it creeps by 2 pi s, by what its springs are drawn and no more. It
// does not slip: that would be millimetres.
TEST(ContactTurn, BlockCreepsByWhatItsSpringsAreDrawn) {
    for (const bool collider : {false, true})
        for (const Integrator integrator :
             {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
            const Turntable t{integrator, collider, 2};
            const int steps = 120;  // of half a turn
            const double half = M_PI / t.spin, settling = half / 2;
            WorldState world = makeTurntable(t, settling + half);
            const std::string what =
                std::string(name(integrator)) + (collider ? ", collider" : ", held body");
            StepSettings settings;
            settings.integrator = integrator;
            settings.sleepSpeed = 0;
            run(world, settings, settling, steps / 2);
            const Vec3 start = onTable(world, t.spin * world.time);
            run(world, settings, half, steps);
            const double creep = 2 * (onTable(world, t.spin * world.time) - start).norm(),
                         drawn = wayOfPull(t);
            figure("creep in a turn, " + what, creep, "m");
            figure("over 2 pi times the way of the same pull, " + what, creep / (2 * M_PI * drawn));
            EXPECT_LT(creep, 2 * M_PI * drawn) << what;
            EXPECT_LT(creep, 1e-3) << what;
        }
}

}  // namespace sunder
