#include "core/base/parallel.h"
#include "core/sim/scene_frame.h"
#include "core/sim/scene_shapes.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

namespace {
/// A rigid steel ball of 2 cm at 60 m/s in front of a plate of 2 mm that is much softer, with cells of 5 cm, of which the ball covers a part of one.
WorldState makeShot(double height, double radius = 0.02) {
    WorldState world;
    Material soft = elastic(5e7, 0.3, 1000);
    soft.stiffnessDamping = 1e-5;
    Body plate = makeBody(placed(makeBox(8, 1, 8, Vec3(0.4, 0.002, 0.4)), Vec3(-0.2, 0, -0.2)), soft);
    pinWhere(plate, [](const Vec3& p) { return std::abs(p.x()) > 0.199 || std::abs(p.z()) > 0.199; });
    addBody(world, std::move(plate));
    SphereShape shape;
    shape.radius = radius;
    shape.cells = 4;
    Body ball = makeBody(placed(makeShape(shape), Vec3(0.013, height, 0.007)), elastic(2e11, 0.3, 7800));
    ball.rigid = true;
    addBody(world, std::move(ball));
    setMotion(world, 1, Vec3(0, -60, 0));
    return world;
}

/// How far the lowest vertex of the ball is below the lowest one of the plate's cells around it; 0 if it is not.
double deepestBeyond(const WorldState& world) {
    double lowest = HUGE_VAL;
    for (std::size_t i = 0; i < world.bodies[0].state->x.size(); ++i) {
        const Vec3& p = world.bodies[0].body->mesh.rest[i];
        if (std::abs(p.x() - 0.013) < 0.051 && std::abs(p.z() - 0.007) < 0.051) lowest = std::min(lowest, world.bodies[0].state->x[i].y());
    }
    return std::max(0.0, lowest - lowestVertex(*world.bodies[1].state));
}

StepSettings sideSettings(Integrator integrator, bool keep = true) {
    StepSettings settings;
    settings.integrator = integrator;
    settings.newtonTolerance = 1e-3;
    settings.keepSides = keep;
    return settings;
}
}  // namespace

// In one frame the ball goes 2.5 m; overlap alone holds 80 J of the 470 J that it brings.
TEST(Sides, RigidBallComesBackFromASoftThinPlate) {
    WorldState world = makeShot(0.3);
    int held = 0, newton = 0;
    double beyond = 0;
    run(world, sideSettings(Integrator::kImplicit), 8.0 / 24, 8, [&](const StepReport& r) {
        held = std::max(held, r.held);
        newton += r.newtonIterations;
        beyond = std::max(beyond, deepestBeyond(world));
    });
    figure("deepest below the plate at the end of a frame", beyond, "m");
    figure("lowest vertex of the ball at the end", lowestVertex(*world.bodies[1].state), "m");
    figure("most vertices held at the end of a frame", held);
    figure("Newton iterations", newton);
    EXPECT_EQ(deepestBeyond(world), 0);
    EXPECT_GT(lowestVertex(*world.bodies[1].state), lowestVertex(*world.bodies[0].state));
}

// as many points as the report counts are shown, and by as much as the ball is below the face that it hit
TEST(Sides, FramesShowWhereContactGaveWay) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kExplicit}) {
        WorldState world = makeShot(0.025);
        int most = 0;
        double deepest = 0;
        run(world, sideSettings(integrator), 0.0012, 24, [&](const StepReport& r) {
            const Geometry frame = frameGeometry(world, 1);
            const Attribute* depth = frame.points.find("contactdepth");
            ASSERT_EQ(depth != nullptr, r.held > 0);
            if (!depth) return;
            const auto& values = *depth->as<float>();
            EXPECT_EQ(values.size() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0f)), static_cast<std::size_t>(r.held));
            EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
            most = std::max(most, r.held);
            for (const float d : values) deepest = std::max(deepest, static_cast<double>(d));
        });
        figure(std::string("deepest beyond what is free, ") + name(integrator), deepest, "m");
        EXPECT_GT(most, 0);
        EXPECT_GT(deepest, 1e-4);
        EXPECT_LT(deepest, 0.02) << "the plate is 2 mm thick and goes along";
    }
    WorldState without = makeShot(0.025);
    run(without, sideSettings(Integrator::kExplicit, false), 0.001, 1);
    EXPECT_EQ(frameGeometry(without, 1).points.find("contactdepth"), nullptr);
}

// Without sides the ball is through after a millisecond. With them the plate takes it along, and its energy is in the books.
TEST(Sides, RigidBallComesBackInExplicitSteps) {
    for (const bool keep : {false, true}) {
        WorldState world = makeShot(0.025);
        int held = 0;
        double largest = 0;
        run(world, sideSettings(Integrator::kExplicit, keep), keep ? 0.0012 : 0.001, 6, [&](const StepReport& r) {
            held = std::max(held, r.held);
            largest = std::max(largest, std::abs(r.energy.numerical));
        });
        const std::string what = keep ? "sides kept" : "not kept";
        figure("below the plate, " + what, deepestBeyond(world), "m");
        figure("most vertices held, " + what, held);
        figure("not in the books, " + what, largest, "J");
        if (keep) {
            EXPECT_EQ(deepestBeyond(world), 0);
            EXPECT_LT(largest, 1e-3 * 470);
        } else {
            EXPECT_GT(deepestBeyond(world), 0.02);
        }
    }
}

// What was brought to the far side by hand, and was seen on the way, comes back; if sides are not kept it stays there.
TEST(Sides, WhatIsOnTheFarSideComesBack) {
    for (const bool keep : {true, false}) {
        WorldState world = makeShot(0.01, 0.003);
        setMotion(world, 1, Vec3::Zero());
        StepSettings settings = sideSettings(Integrator::kImplicit, keep);
        settings.gravity.setZero();
        const auto shift = [&](double way) {
            editState(world, [&](BodyState& s) {
                for (Vec3& p : s.x) p.y() += way;
            }, 1);
        };
        run(world, settings, 1e-7, 1);
        shift(0.002 - lowestVertex(*world.bodies[1].state));
        for (int k = 0; k < 28; ++k) {
            shift(-0.0003);
            run(world, settings, 1e-7, 1);
            for (std::size_t body = 0; body < 2; ++body) setMotion(world, body, Vec3::Zero());
        }
        ASSERT_GT(deepestBeyond(world), 0.006);
        run(world, settings, 0.01, 10);
        EXPECT_EQ(deepestBeyond(world) == 0, keep);
    }
}

// A ball of 1 g, 2 mm beyond the plate: the 100 J in its springs would throw it out within microseconds. In newmark's steps of a millisecond it is back all the same.
TEST(Sides, NewmarkBringsBackWhatIsHeldStiffly) {
    WorldState world = makeShot(0.01, 0.003);
    for (WorldBody& b : world.bodies) {
        Body bounces = *b.body;
        bounces.contact.restitution = 1;
        b.body = buildBody(std::move(bounces));
    }
    setMotion(world, 1, Vec3::Zero());
    StepSettings settings = sideSettings(Integrator::kImplicit);
    settings.gravity.setZero();
    run(world, settings, 1e-7, 1);
    for (int k = 0; k < 13; ++k) {
        const double way = k == 0 ? 0.0017 - lowestVertex(*world.bodies[1].state) : -0.0003;
        editState(world, [&](BodyState& s) {
            for (Vec3& p : s.x) p.y() += way;
        }, 1);
        run(world, settings, 1e-7, 1);
        for (std::size_t body = 0; body < 2; ++body) setMotion(world, body, Vec3::Zero());
    }
    ASSERT_GT(deepestBeyond(world), 0.0018);
    settings.integrator = Integrator::kNewmark;
    run(world, settings, 0.005, 5, [&](const StepReport& r) { EXPECT_LT(r.energy.kinetic + r.energy.contact, 110); });
    EXPECT_EQ(deepestBeyond(world), 0);
    EXPECT_GT(lowestVertex(*world.bodies[1].state), lowestVertex(*world.bodies[0].state));
}

TEST(Sides, SameBytesForAnyThreadsAndAfterAResume) {
    std::vector<std::vector<std::uint8_t>> bytes;
    const int threads = threadCount();
    const StepSettings settings = sideSettings(Integrator::kImplicit);
    std::size_t entries = 0;
    for (const int count : {1, 2, 7}) {
        setThreadCount(count);
        WorldState world = makeShot(0.3);
        run(world, settings, 1.0 / 24, 1);
        entries = world.bodies[1].state->contact.entries.size();
        if (count == 7) world = loadSnapshot(saveSnapshot(world));
        run(world, settings, 1.0 / 24, 1);
        bytes.push_back(saveSnapshot(world));
    }
    setThreadCount(threads);
    EXPECT_GT(entries, 0u);
    EXPECT_TRUE(bytes[0] == bytes[1]);
    EXPECT_TRUE(bytes[0] == bytes[2]);
}

// As long as nothing is deep, the setting changes no bit of where things are.
TEST(Sides, ShallowContactIsTheSameToTheBit) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kExplicit}) {
        std::vector<Vec3> x[2];
        for (const bool keep : {true, false}) {
            WorldState world;
            addBody(world, makeBody(makeBox(3, 2, 3, Vec3(0.3, 0.2, 0.3)), elastic(1e6, 0.3)));
            addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(0.1, 0.1, 0.1)), Vec3(0.11, 0.2002, 0.09), turnZ(0.02)), elastic(1e6, 0.3)));
            setMotion(world, 1, Vec3(0.1, -0.3, 0));
            StepSettings settings = sideSettings(integrator, keep);
            settings.ground.enabled = true;
            std::size_t entries = 0;
            run(world, settings, 0.1, 3, [&](const StepReport& r) {
                EXPECT_EQ(r.held, 0);
                entries += world.bodies[1].state->contact.entries.size() + world.bodies[0].state->contact.entries.size();
            });
            EXPECT_EQ(entries > 0, keep);
            x[keep ? 0 : 1] = world.bodies[1].state->x;
        }
        EXPECT_TRUE(x[0] == x[1]) << name(integrator);
    }
}

// A led bar of 4 cm is pressed 8 cm into a block of 60 kPa with cells of 3.3 cm: the surface below it stays within a cell.
TEST(Sides, NarrowBarTakesTheSurfaceOfASoftBlockAlong) {
    constexpr double press = 0.08, cell = 0.2 / 6;
    WorldState world;
    Body block = makeBody(makeBox(9, 6, 2, Vec3(0.3, 0.2, 0.0667)), elastic(6e4, 0.3, 1000));
    block.materials[0].stiffnessDamping = 1e-3;
    pinWhere(block, [](const Vec3& p) { return p.y() < 1e-9; });
    addBody(world, std::move(block));
    Body bar = makeBody(placed(makeBox(2, 3, 3, Vec3(0.04, 0.2, 0.08)), Vec3(0.131, 0.201, -0.0066)), elastic(2e11, 0.3, 7800));
    Motion motion;
    motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {0.5, Vec3(0, -0.001 - press, 0), Vec3::Zero()}};
    pinWhere(bar, [](const Vec3&) { return true; }, motion);
    addBody(world, std::move(bar));
    StepSettings settings = sideSettings(Integrator::kImplicit);
    settings.gravity.setZero();
    int held = 0;
    run(world, settings, 0.625, 15, [&](const StepReport& r) { held = std::max(held, r.held); });
    double top = 0;
    for (std::size_t i = 0; i < world.bodies[0].state->x.size(); ++i) {
        const Vec3& p = world.bodies[0].body->mesh.rest[i];
        if (p.y() > 0.199 && std::abs(p.x() - 0.15) < 0.02 && std::abs(p.z() - 0.0333) < 0.02) top = std::max(top, world.bodies[0].state->x[i].y());
    }
    figure("dent under the bar", 0.2 - top, "m");
    figure("most vertices held", held);
    EXPECT_GT(held, 0);
    EXPECT_GT(0.2 - top, press - cell);
}

}  // namespace sunder
