#include "core/sim/collider.h"

#include "core/base/parallel.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

/// Surfaces of triangles that bodies rest on, are pushed by and cannot pass.
namespace sunder {

using namespace testing;

namespace {
const Integrator kColliderIntegrators[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark};

/// An open sheet of cells x cells squares at y = height(x, z), 2 m wide.
template <class Height>
ColliderSurface sheetSurface(int cells, Height height) {
    ColliderSurface s;
    for (int i = 0; i <= cells; ++i)
        for (int j = 0; j <= cells; ++j) {
            const double x = 2.0 * i / cells - 1, z = 2.0 * j / cells - 1;
            s.positions.push_back(Vec3(x, height(x, z), z));
        }
    for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
            const int a = i * (cells + 1) + j, b = a + cells + 1;
            s.triangles.push_back({a, a + 1, b});
            s.triangles.push_back({a + 1, b + 1, b});
        }
    return s;
}
ColliderSurface flatSheet(int cells, double y = 0) {
    return sheetSurface(cells, [&](double, double) { return y; });
}

Collider makeCollider(ColliderSurface surface, const Motion& motion = {}) {
    Collider c;
    c.name = "led";
    c.motion = motion;
    c.keys.push_back({0, std::move(surface)});
    return c;
}

Material softMaterial() {
    Material soft = elastic(1e6, 0.3, 1000);
    soft.stiffnessDamping = 2e-3;
    return soft;
}

/// A soft box of 0.4 m a side, from `corner`.
void addBox(WorldState& world, const Vec3& corner, const Material& material = softMaterial()) {
    addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(0.4, 0.4, 0.4)), corner), material));
}

double lowestOf(const WorldBody& b) {
    double low = HUGE_VAL;
    for (const Vec3& p : b.state->x) low = std::min(low, p.y());
    return low;
}
double highestOf(const WorldBody& b) {
    double high = -HUGE_VAL;
    for (const Vec3& p : b.state->x) high = std::max(high, p.y());
    return high;
}
double fastestOf(const WorldBody& b) {
    double fastest = 0;
    for (const Vec3& v : b.state->v) fastest = std::max(fastest, v.norm());
    return fastest;
}

Motion straight(const Vec3& way, double start, double end) {
    Motion m;
    m.keys = {{start, Vec3::Zero(), Vec3::Zero()}, {end, way, Vec3::Zero()}};
    return m;
}

/// One triangle cut in two, and one without area between these and their neighbour; triangles that use a vertex twice; and one that is there twice.
ColliderSurface withDegenerates(ColliderSurface s, std::size_t cut) {
    const Tri whole = s.triangles[cut];
    const auto middle = static_cast<std::int32_t>(s.positions.size());
    s.positions.push_back(0.5 * (s.positions[static_cast<std::size_t>(whole[0])] + s.positions[static_cast<std::size_t>(whole[1])]));
    s.triangles[cut] = {whole[0], middle, whole[2]};
    s.triangles.push_back({middle, whole[1], whole[2]});
    s.triangles.push_back({whole[0], whole[1], middle});
    s.triangles.push_back({0, 0, 1});
    s.triangles.push_back({middle, middle, middle});
    s.triangles.push_back(s.triangles[0]);
    return s;
}
}  // namespace

// Dropped from 5 cm. Of an open sheet both sides collide, half its thickness off it.
TEST(ColliderRest, SoftBoxRests) {
    const struct {
        const char* name;
        ColliderSurface surface;
        bool upsideDown;
    } cases[] = {{"closed box", boxSurface(Vec3(-1, -0.5, -1), Vec3(1, 0, 1)), false},
                 {"open sheet from above", flatSheet(4), false},
                 {"open sheet from below", flatSheet(4), true},
                 {"box with degenerate triangles", withDegenerates(boxSurface(Vec3(-1, -0.5, -1), Vec3(1, 0, 1)), 7), false},
                 {"sheet with degenerate triangles", withDegenerates(flatSheet(4), 9), false}};
    for (const auto& c : cases)
        for (const Integrator integrator : kColliderIntegrators) {
            WorldState world;
            addBox(world, Vec3(-0.23, c.upsideDown ? -0.45 : 0.05, -0.17));
            world.colliders.push_back(buildCollider(makeCollider(c.surface)));
            StepSettings settings;
            settings.sleepSpeed = 0;  // it shall rest by itself
            settings.integrator = integrator;
            if (c.upsideDown) settings.gravity *= -1;
            run(world, settings, 1, 24);
            const Vec3 middle = massCentre(world.bodies[0]);
            double moved = 0;
            run(world, settings, 1, 24, [&](const StepReport&) { moved = std::max(moved, (massCentre(world.bodies[0]) - middle).norm()); });
            const double gap = c.upsideDown ? -highestOf(world.bodies[0]) : lowestOf(world.bodies[0]);
            const std::string what = std::string(c.name) + ", " + name(integrator);
            figure("gap, " + what, gap, "m");
            figure("moves in the second second, " + what, moved, "m");
            const ColliderSlab& slab = world.colliders[0]->stretches[0].slab;
            const double off = slab.report.closedParts == slab.report.parts ? 0 : 0.5 * slab.thickness;
            EXPECT_LT(moved, 1e-3) << what;
            EXPECT_NEAR(gap, off, 0.01) << what;  // its weight presses it together by rho g h^2 / 2 E = 0.8 mm
        }
}

// A wall comes up to speed within half a second, meets a box at 0.8 m/s and pushes it along a floor. What it puts in is what is gained
// and lost.
TEST(ColliderMotion, PushesABoxAlong) {
    for (const Integrator integrator : kColliderIntegrators) {
        WorldState world;
        addBox(world, Vec3(0.05, 0, -0.2));
        Body built = *world.bodies[0].body;
        built.contact.friction = built.contact.dynamicFriction = 0.2;
        world.bodies.clear();
        addBody(world, std::move(built));
        Collider floor = makeCollider(boxSurface(Vec3(-2, -0.5, -1), Vec3(4, 0, 1)));
        Motion motion = straight(Vec3(1.5, 0, 0), 0.2, 1.2);
        motion.smooth = true;
        Collider wall = makeCollider(boxSurface(Vec3(-0.5, -0.1, -0.5), Vec3(0, 1, 0.5)), motion);
        for (Collider* c : {&floor, &wall}) world.colliders.push_back(buildCollider(std::move(*c)));
        StepSettings settings;
        settings.integrator = integrator;
        double speed = 0;
        run(world, settings, 0.2, 20);
        const EnergyBooks start = world.energy;
        run(world, settings, 0.5, 50);
        for (std::size_t i = 0; i < world.bodies[0].body->mass.size(); ++i)
            speed += world.bodies[0].body->mass[i] * world.bodies[0].state->v[i].x() / totalMass(*world.bodies[0].body);
        const EnergyBooks& e = world.energy;
        const double work = e.work - start.work;
        const double gained = e.mechanical() - start.mechanical() + e.damped - start.damped + e.friction - start.friction;
        const std::string what = name(integrator);
        const double ledSpeed = world.colliders[1]->motion.velocity(Vec3::Zero(), world.time).x();
        figure("speed over the wall's, " + what, speed / ledSpeed);
        figure("work, " + what, work, "J");
        figure("gained and lost over work, " + what, gained / work);
        EXPECT_NEAR(speed / ledSpeed, 1, 0.05) << what;
        if (integrator == Integrator::kExplicit) {
            EXPECT_NEAR(gained / work, 1, 0.01) << what;
        }
    }
}

TEST(ColliderMotion, DeformingSheetLiftsABox) {
    for (const Integrator integrator : kColliderIntegrators) {
        WorldState world;
        addBox(world, Vec3(-0.2, 0.02, -0.2));
        Collider sheet = makeCollider(flatSheet(8));
        sheet.keys.push_back({0.25, flatSheet(8)});
        sheet.keys.push_back({1.25, sheetSurface(8, [](double x, double z) { return 0.5 * std::exp(-0.5 * (x * x + z * z)); })});
        world.colliders.push_back(buildCollider(std::move(sheet)));
        StepSettings settings;
        settings.sleepSpeed = 0;  // it shall rest by itself
        settings.integrator = integrator;
        run(world, settings, 2, 48);
        const double height = lowestOf(world.bodies[0]);
        const std::string what = name(integrator);
        figure("lowest vertex after the lift, " + what, height, "m");
        figure("speed, " + what, fastestOf(world.bodies[0]), "m/s");
        EXPECT_GT(height, 0.46) << what;
        EXPECT_LT(height, 0.55) << what;
        EXPECT_LT(fastestOf(world.bodies[0]), 0.5) << what;  // the sheet's speed before it stopped
    }
}

// At 1 s, and in the middle of a frame, the sheet has other triangles.
TEST(ColliderMotion, TopologyChangesUnderABoxAtRest) {
    for (const double when : {1.0, 1.01})
        for (const Integrator integrator : kColliderIntegrators) {
            WorldState world;
            addBox(world, Vec3(-0.2, 0.02, -0.2));
            Collider sheet = makeCollider(flatSheet(4));
            sheet.keys[0].surface.thickness = 0.05;
            sheet.keys.push_back({when, flatSheet(7)});
            sheet.keys[1].surface.thickness = 0.05;
            world.colliders.push_back(buildCollider(std::move(sheet)));
            StepSettings settings;
            settings.sleepSpeed = 0;  // it shall rest by itself
            settings.integrator = integrator;
            run(world, settings, 1, 24);
            const Vec3 middle = massCentre(world.bodies[0]);
            double moved = 0, fastest = 0;
            run(world, settings, 0.5, 12, [&](const StepReport&) {
                moved = std::max(moved, (massCentre(world.bodies[0]) - middle).norm());
                fastest = std::max(fastest, fastestOf(world.bodies[0]));
            });
            const std::string what = std::string(name(integrator)) + ", at " + std::to_string(when) + " s";
            figure("moves, " + what, moved, "m");
            figure("peak speed, " + what, fastest, "m/s");
            EXPECT_LT(moved, 2e-3) << what;
            EXPECT_LT(fastest, 0.1) << what;
        }
}

namespace {
struct Swept {
    double box = 0, led = 0;  ///< how far the back of the box and the front of what is led end
    int steps = 0;
    std::vector<std::string> warnings;
};

enum class Led { kBox, kSheet, kHeldBody };

/// What is led starts at rest, 5 cm behind a box, sets out in the middle of a frame, and goes `way` within 1/24 s.
Swept sweep(Led led, double way, Integrator integrator, double youngs = 1e6, int substeps = 1) {
    WorldState world;
    addBox(world, Vec3(0, -0.2, -0.2), elastic(youngs, 0.3, 1000));
    const Motion motion = straight(Vec3(way, 0, 0), 1.4 / 24, 2.4 / 24);
    if (led == Led::kHeldBody) {
        Body wall = makeBody(placed(makeBox(1, 2, 2, Vec3(0.3, 1, 1)), Vec3(-0.35, -0.5, -0.5)), softMaterial());
        pinWhere(wall, [](const Vec3&) { return true; }, motion);
        addBody(world, std::move(wall));
    } else {
        ColliderSurface surface = boxSurface(Vec3(-0.35, -0.5, -0.5), Vec3(-0.05, 0.5, 0.5));
        if (led == Led::kSheet) {
            surface = flatSheet(4);
            for (Vec3& p : surface.positions) p = Vec3(-0.1, 0.5 * p.x(), 0.5 * p.z());
        }
        world.colliders.push_back(buildCollider(makeCollider(surface, motion)));
    }
    Swept swept;
    StepSettings settings = spaceSettings(integrator);
    settings.substeps = substeps;
    run(world, settings, 5.0 / 24, 5, [&](const StepReport& r) {
        swept.steps = std::max(swept.steps, r.steps);
        swept.warnings.insert(swept.warnings.end(), r.warnings.begin(), r.warnings.end());
    });
    swept.led = (led == Led::kSheet ? -0.1 : -0.05) + way;
    swept.box = HUGE_VAL;
    for (const Vec3& p : world.bodies[0].state->x) swept.box = std::min(swept.box, p.x());
    return swept;
}
}  // namespace

// One step a frame: what is led goes two and a half lengths of the box in it, which it has to push along.
TEST(ColliderMotion, DoesNotPassThroughWithinAFrame) {
    constexpr const char* kLed[] = {"box", "sheet", "held body"};
    for (const Led led : {Led::kBox, Led::kSheet, Led::kHeldBody})
        for (const Integrator integrator : kColliderIntegrators) {
            // a layer 14 mm thick can push with a tenth of the modulus at most, so at speeds of a tenth of that of sound; and it needs more
            // substeps, as a warning says
            const Swept swept = led == Led::kSheet ? sweep(led, 1, integrator, 1e8, 3) : sweep(led, 1, integrator);
            const std::string what = std::string(kLed[static_cast<int>(led)]) + ", " + name(integrator);
            figure("how far the box is ahead, " + what, swept.box - swept.led, "m");
            figure("most steps in a frame, " + what, swept.steps);
            for (const std::string& w : swept.warnings) std::cout << "    " << w << std::endl;
            EXPECT_GT(swept.box, swept.led - 0.02) << what;
        }
}

TEST(ColliderMotion, WarnsWhereTheWayIsTooLong) {
    for (const Led led : {Led::kBox, Led::kHeldBody}) {
        const Swept swept = sweep(led, 60, Integrator::kImplicit);
        ASSERT_FALSE(swept.warnings.empty());
        std::cout << "    " << swept.warnings[0] << std::endl;
        EXPECT_NE(swept.warnings[0].find(led == Led::kBox ? "'led'" : "'body1'"), std::string::npos);
        EXPECT_NE(swept.warnings[0].find("substeps"), std::string::npos);
        EXPECT_GE(swept.steps, 64);
    }
}

// A layer 14 mm thick does not stop a soft body at three quarters of its speed of sound, but does not let it pass in silence: one warning, that says who and what to do. (Explicit
// steps let it pass, too, and say nothing.)
TEST(ColliderMotion, WarnsOfAThinSheetThatIsTooFast) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kNewmark}) {
        const Swept swept = sweep(Led::kSheet, 1, integrator);
        const std::string what = name(integrator);
        figure("how far the box is behind, " + what, swept.led - swept.box, "m");
        EXPECT_GT(swept.led - swept.box, 0.4) << what;  // as long as the box is: it passed
        std::vector<std::string> ofSheet;  // others may tell what passing it does to the box
        for (const std::string& warning : swept.warnings) {
            std::cout << "    " << warning << std::endl;
            if (warning.find("'led'") != std::string::npos) ofSheet.push_back(warning);
        }
        ASSERT_EQ(ofSheet.size(), 1u) << what;
        EXPECT_EQ(ofSheet[0].find("'led' is led 0.6 m within 0.0417 s"), 0u) << what;
        EXPECT_NE(ofSheet[0].find("may pass through bodies; use 2 substeps"), std::string::npos) << what;
    }
}

// A blade of 2 m turns by half a turn within a frame and ends where it began: a box in its way is swept along.
TEST(ColliderMotion, TurningBladeDoesNotPass) {
    WorldState world;
    addBox(world, Vec3(-0.2, 0.6, -0.2), elastic(1e8, 0.3, 1000));
    Motion motion;
    motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1.0 / 24, Vec3::Zero(), Vec3(0, 0, M_PI)}};
    world.colliders.push_back(buildCollider(makeCollider(boxSurface(Vec3(-1, -0.1, -0.5), Vec3(1, 0.1, 0.5)), motion)));
    Workspace workspace;
    const StepReport r = step(world, 1.0 / 24, spaceSettings(Integrator::kImplicit), workspace);
    ASSERT_FALSE(r.failed) << r.message;
    figure("steps", r.steps);
    figure("speed of the box", fastestOf(world.bodies[0]), "m/s");
    for (const std::string& w : r.warnings) std::cout << "    " << w << std::endl;
    EXPECT_GT(r.steps, 16);
    EXPECT_GT(fastestOf(world.bodies[0]), 10);  // the tip goes at 75 m/s
}

// Nothing near, or nothing that moves: as many steps as asked for.
TEST(ColliderMotion, IsNotSplitWhereNothingIsNear) {
    WorldState world;
    addBox(world, Vec3(0, 10, 0));
    world.colliders.push_back(buildCollider(makeCollider(flatSheet(4), straight(Vec3(3, 0, 0), 0, 1.0 / 24))));
    Workspace workspace;
    EXPECT_EQ(step(world, 1.0 / 24, StepSettings(), workspace).steps, 1);
}

TEST(ColliderMotion, SplitsTheSameWayWithAnotherWorkspace) {
    std::vector<std::vector<std::uint8_t>> bytes;
    for (const int threads : {1, 2}) {
        setThreadCount(threads);
        WorldState world;
        addBox(world, Vec3(0, -0.2, -0.2));
        world.colliders.push_back(buildCollider(makeCollider(boxSurface(Vec3(-0.35, -0.5, -0.5), Vec3(-0.05, 0.5, 0.5)), straight(Vec3(1, 0, 0), 0.06, 0.1))));
        Workspace kept;
        for (int k = 0; k < 4; ++k) {
            Workspace fresh;
            ASSERT_FALSE(step(world, 1.0 / 24, spaceSettings(Integrator::kImplicit), threads == 1 ? kept : fresh).failed);
        }
        world.colliders.clear();
        bytes.push_back(saveSnapshot(world));
    }
    setThreadCount(0);
    EXPECT_EQ(bytes[0], bytes[1]);
}

// The sheet under a box that has fallen asleep is gone but for a corner.
TEST(ColliderMotion, BoxFallsWhenTheSheetIsGone) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        WorldState world;
        addBox(world, Vec3(-0.2, 0.02, -0.2));
        Collider sheet = makeCollider(flatSheet(4));
        sheet.keys[0].surface.thickness = 0.05;
        ColliderSurface corner;
        corner.positions = {Vec3(5, 0, 5), Vec3(6, 0, 5), Vec3(5, 0, 6)};
        corner.triangles = {{0, 2, 1}};
        corner.thickness = 0.05;
        sheet.keys.push_back({3, corner});
        world.colliders.push_back(buildCollider(std::move(sheet)));
        StepSettings settings;
        settings.integrator = integrator;
        settings.sleepSpeed = 0.02;
        run(world, settings, 3, 72);
        EXPECT_TRUE(world.bodies[0].state->sleep.asleep) << name(integrator);
        run(world, settings, 0.5, 12);
        EXPECT_FALSE(world.bodies[0].state->sleep.asleep) << name(integrator);
        EXPECT_LT(massCentre(world.bodies[0]).y(), -0.5) << name(integrator);
    }
}

}  // namespace sunder
