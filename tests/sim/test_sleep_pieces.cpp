#include "core/base/parallel.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

namespace {
constexpr Integrator kSteps[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark};

Material calming() {
    Material m = elastic(5e6, 0.3, 1000);
    m.stiffnessDamping = 2e-3;
    m.massDamping = 4;  // it comes to rest soon
    return m;
}

void append(TetMesh& mesh, const TetMesh& more) {
    const auto first = static_cast<std::int32_t>(mesh.vertexCount());
    mesh.rest.insert(mesh.rest.end(), more.rest.begin(), more.rest.end());
    for (Tet t : more.tets) {
        for (std::int32_t& v : t) v += first;
        mesh.tets.push_back(t);
    }
}

constexpr std::size_t kVertices = 8;  // of a box

enum Box : std::size_t { kLower, kUpper, kApart, kFlier };

/// Body 0 is a slab; body 1 four boxes in one mesh: one on top of another, one apart, and one that is thrown up and is in the air for four seconds.
WorldState makePieces() {
    WorldState world;
    Body slab = makeBody(placed(makeBox(4, 1, 2, Vec3(4, 0.5, 2)), Vec3(-1.2, -0.5, -1)), calming());
    pinWhere(slab, [](const Vec3&) { return true; });
    addBody(world, std::move(slab));
    TetMesh mesh;
    for (const Vec3& at : {Vec3(-0.5, 0, -0.5), Vec3(-0.45, 1, -0.45), Vec3(1.2, 0, -0.5), Vec3(8, 5, 0)}) append(mesh, placed(makeBox(1, 1, 1, Vec3(1, 1, 1)), at));
    Body boxes = makeBody(std::move(mesh), calming());
    boxes.contact.self = SelfContact::kBetweenPieces;
    addBody(world, std::move(boxes));
    return world;
}

void throwBox(WorldState& world, Box box, const Vec3& velocity) {
    editState(
        world, [&](BodyState& s) { std::fill_n(s.v.begin() + static_cast<std::ptrdiff_t>(kVertices * box), kVertices, velocity); }, 1);
}

bool asleep(const WorldState& world, Box box) {
    const SleepState& sleep = world.bodies[1].state->sleep;
    return sleep.asleep || sleep.isStill(kVertices * box);
}

Vec3 centre(const WorldState& world, Box box) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < kVertices; ++i) sum += world.bodies[1].state->x[kVertices * box + i];
    return sum / static_cast<double>(kVertices);
}

std::vector<Vec3> places(const WorldState& world, Box box) {
    const auto first = world.bodies[1].state->x.begin() + static_cast<std::ptrdiff_t>(kVertices * box);
    return {first, first + kVertices};
}

StepSettings settingsOf(Integrator integrator) {
    StepSettings settings;
    settings.integrator = integrator;
    return settings;
}

/// After 4 s, with all but the one in the air asleep.
WorldState makeSleepers(const StepSettings& settings) {
    WorldState world = makePieces();
    run(world, settings, 1, 24);
    throwBox(world, kFlier, Vec3(0, 200, 0));
    run(world, settings, 3, 72);
    for (const Box box : {kLower, kUpper, kApart}) EXPECT_TRUE(asleep(world, box)) << name(settings.integrator) << ", box " << box;
    EXPECT_FALSE(asleep(world, kFlier)) << name(settings.integrator);
    EXPECT_FALSE(world.bodies[1].state->sleep.asleep);
    return world;
}
}  // namespace

TEST(SleepPieces, FallAsleepWhileAnotherOfTheirBodyFlies) {
    for (const Integrator integrator : kSteps) {
        const StepSettings settings = settingsOf(integrator);
        WorldState world = makeSleepers(settings);
        const WorldState before = world;
        const double energy = world.energy.mechanical();
        run(world, settings, 0.25, 6);
        for (const Box box : {kLower, kUpper, kApart}) EXPECT_TRUE(places(world, box) == places(before, box)) << name(integrator) << ", box " << box;
        EXPECT_GT((centre(world, kFlier) - centre(before, kFlier)).norm(), 0.1) << name(integrator);
        // what is awake still obeys: no energy comes from what is held
        const EnergyBooks& e = world.energy;
        EXPECT_LE(e.mechanical() + e.lost() - e.work, energy + before.energy.lost() - before.energy.work + 1e-6 * std::abs(energy)) << name(integrator);
    }
}

TEST(SleepPieces, AllOfABodySleepsWhenItsLastPieceDoes) {
    const StepSettings settings;
    WorldState world = makeSleepers(settings);
    editState(
        world,
        [&](BodyState& s) {  // the flier is set down on the one that lies apart
            for (std::size_t i = kVertices * kFlier; i < kVertices * (kFlier + 1); ++i) {
                s.x[i] = world.bodies[1].body->mesh.rest[i] + Vec3(1.25, 1.01, -0.45) - Vec3(8, 5, 0);
                s.v[i].setZero();
            }
        },
        1);
    int apartWoke = 0, lowerWoke = 0;
    run(world, settings, 3, 72, [&](const StepReport&) {
        apartWoke += !asleep(world, kApart);
        lowerWoke += !asleep(world, kLower);
    });
    EXPECT_GT(apartWoke, 0);
    EXPECT_EQ(lowerWoke, 0);
    EXPECT_TRUE(world.bodies[1].state->sleep.asleep);
    int newton = 0;
    run(world, settings, 0.5, 12, [&](const StepReport& r) { newton += r.newtonIterations; });
    EXPECT_EQ(newton, 0);
    throwBox(world, kUpper, Vec3(1, 2, 0));
    run(world, settings, 1.0 / 24, 1);
    EXPECT_FALSE(world.bodies[1].state->sleep.asleep);
    EXPECT_FALSE(asleep(world, kUpper));
    EXPECT_TRUE(asleep(world, kApart)) << "one that wakes leaves the others alone";
}

TEST(SleepPieces, WhatIsHitWakesAndTheRestSleepsOn) {
    for (const Integrator integrator : kSteps) {
        const StepSettings settings = settingsOf(integrator);
        WorldState world = makeSleepers(settings);
        throwBox(world, kUpper, Vec3(0.5, 0, 0));
        bool lowerWoke = false, apartWoke = false;
        run(world, settings, 0.25, 6, [&](const StepReport&) {
            lowerWoke |= !asleep(world, kLower);
            apartWoke |= !asleep(world, kApart);
        });
        EXPECT_TRUE(lowerWoke) << name(integrator);
        EXPECT_FALSE(apartWoke) << name(integrator);
        EXPECT_GT(centre(world, kUpper).x(), 0.05 + 0.01) << name(integrator);
    }
}

TEST(SleepPieces, WhatHasLostItsSupportFalls) {
    for (const double speed : {12.0, 60.0})
        for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
            const StepSettings settings = settingsOf(integrator);
            WorldState world = makeSleepers(settings);
            throwBox(world, kLower, Vec3(-speed, 0, 0));
            run(world, settings, 1, 24);
            EXPECT_LT(centre(world, kUpper).y(), 0.9) << name(integrator) << ", " << speed << " m/s";
        }
}

TEST(SleepPieces, ABodyThatLiesOnOneOfThemFallsWithIt) {
    StepSettings settings;
    WorldState world = makePieces();
    addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(0.8, 0.8, 0.8)), Vec3(1.3, 1, -0.4)), calming()));
    run(world, settings, 1, 24);
    throwBox(world, kFlier, Vec3(0, 200, 0));
    run(world, settings, 3, 72);
    ASSERT_TRUE(world.bodies[2].state->sleep.asleep);
    const std::vector<PieceName> below = {{1, kVertices * kApart, kVertices}};
    EXPECT_EQ(world.bodies[2].state->sleep.pieces[0].touched, below);
    throwBox(world, kApart, Vec3(0, 0, 60));
    run(world, settings, 1, 24);
    EXPECT_LT(massCentre(world.bodies[2]).y(), 1.0);
    EXPECT_TRUE(asleep(world, kLower));
}

TEST(SleepPieces, AnotherGravityWakesAll) {
    StepSettings settings;
    WorldState world = makeSleepers(settings);
    settings.gravity = Vec3(0, 9.81, 0);
    run(world, settings, 0.5, 12);
    for (const Box box : {kLower, kUpper, kApart}) EXPECT_GT(centre(world, box).y(), 1.1) << "box " << box;
}

TEST(SleepPieces, OnTheGround) {
    for (const Integrator integrator : kSteps) {
        StepSettings settings = settingsOf(integrator);
        settings.ground.enabled = true;
        WorldState world = makePieces();
        world.bodies.erase(world.bodies.begin());
        world.bodies.push_back(world.bodies[0]);  // the helpers above look at body 1
        editState(world, [](BodyState& s) { for (Vec3& x : s.x) x.x() += 100; }, 0);
        run(world, settings, 3, 72);
        for (const Box box : {kLower, kUpper, kApart}) EXPECT_TRUE(asleep(world, box)) << name(integrator) << ", box " << box;
    }
}

TEST(SleepPieces, SameBytesForAnyThreadCountAndAfterAResume) {
    const int threads = threadCount();
    for (const Integrator integrator : kSteps) {
        const StepSettings settings = settingsOf(integrator);
        std::vector<std::vector<std::uint8_t>> bytes;
        for (const int count : {1, 2, 7}) {
            setThreadCount(count);
            WorldState world = makeSleepers(settings);
            if (count == 7) world = loadSnapshot(saveSnapshot(world));
            throwBox(world, kLower, Vec3(-5, 0, 0));
            run(world, settings, 0.5, 12);
            bytes.push_back(saveSnapshot(world));
        }
        EXPECT_TRUE(bytes[0] == bytes[1]) << name(integrator);
        EXPECT_TRUE(bytes[0] == bytes[2]) << name(integrator);
    }
    setThreadCount(threads);
}

/// A plate drops onto a block and breaks. Its shards come to rest one after the other.
TEST(SleepPieces, ShardsOfABrokenBodyDo) {
    Material material = calming();
    material.massDamping = 3;
    material.stiffnessDamping = 5e-4;
    material.fracture.enabled = true;
    material.fracture.stress = 2e4;
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        StepSettings settings = settingsOf(integrator);
        settings.ground.enabled = true;
        WorldState world;
        addBody(world, makeBody(placed(makeBox(8, 1, 3, Vec3(2, 0.2, 0.8)), Vec3(-1, 0.8, -0.4)), material));
        Body block = makeBody(placed(makeBox(1, 1, 1, Vec3(0.3, 0.3, 1)), Vec3(-0.15, 0, -0.5)), calming());
        pinWhere(block, [](const Vec3&) { return true; });
        addBody(world, std::move(block));
        std::size_t together = 0, awakeBeside = 0;
        std::vector<Vec3> before;
        std::vector<std::uint8_t> still;
        double moved = 0;
        run(world, settings, 2, 48, [&](const StepReport&) {
            const BodyState& s = *world.bodies[0].state;
            for (std::size_t i = 0; i < still.size(); ++i)
                if (still[i] && s.sleep.isStill(i)) moved = std::max(moved, (s.x[i] - before[i]).norm());
            const auto count = static_cast<std::size_t>(std::count(s.sleep.still.begin(), s.sleep.still.end(), 1));
            together = std::max(together, count);
            if (count > 0 && count < s.x.size()) ++awakeBeside;
            still = s.sleep.still;
            before = s.x;
        });
        EXPECT_GT(world.bodies[0].body->origin.size(), 0u) << "nothing broke";
        EXPECT_GT(together, 0u) << name(integrator);
        EXPECT_GT(awakeBeside, 0u) << name(integrator) << ": they all fell asleep at once";
        EXPECT_EQ(moved, 0) << name(integrator);
        figure(std::string("frames with some asleep and some awake, ") + name(integrator), static_cast<double>(awakeBeside));
        WorldState resumed = loadSnapshot(saveSnapshot(world));
        run(world, settings, 0.25, 6);
        run(resumed, settings, 0.25, 6);
        EXPECT_TRUE(saveSnapshot(world) == saveSnapshot(resumed)) << name(integrator);
    }
}

/// A bar is drawn apart until it breaks, high above a box of the same body that lies on the ground.
TEST(SleepPieces, SleepOnWhileAnotherOfTheirBodyBreaks) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        StepSettings settings = settingsOf(integrator);
        settings.ground.enabled = true;
        settings.gravity = Vec3(0, -1, 0);
        Material material = elastic(1e6, 0.0, 1000);
        material.stiffnessDamping = 2e-3;
        material.massDamping = 4;
        material.fracture.enabled = true;
        material.fracture.stress = 5e4;
        TetMesh mesh = placed(makeBox(1, 1, 1, Vec3(1, 1, 1)), Vec3(0, -1e-4, 0));
        const std::size_t box = mesh.vertexCount();
        append(mesh, placed(makeBox(4, 1, 1, Vec3(4, 1, 1)), Vec3(0, 5, 0)));
        Body body = makeBody(std::move(mesh), material);
        body.contact.self = SelfContact::kBetweenPieces;
        HardTarget left{"left", {}, {}, {}, 1e300}, right{"right", {}, {}, {}, 1e300};
        for (std::size_t v = box; v < body.mesh.vertexCount(); ++v) {
            HardTarget* target = body.mesh.rest[v].x() < 1e-9 ? &left : body.mesh.rest[v].x() > 4 - 1e-9 ? &right : nullptr;
            if (!target) continue;
            target->vertices.push_back(static_cast<std::int32_t>(v));
            target->anchor.push_back(body.mesh.rest[v]);
        }
        right.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {4, Vec3(0.6, 0, 0), Vec3::Zero()}};
        body.constraints.hard = {left, right};
        WorldState world;
        addBody(world, std::move(body));
        double slept = HUGE_VAL, broke = HUGE_VAL;
        std::vector<Vec3> where;
        run(world, settings, 2, 48, [&](const StepReport& report) {
            const BodyState& s = *world.bodies[0].state;
            if (slept == HUGE_VAL && s.sleep.isStill(0)) {
                slept = world.time;
                where.assign(s.x.begin(), s.x.begin() + static_cast<std::ptrdiff_t>(box));
            }
            if (broke == HUGE_VAL && report.broken.cuts > 0) broke = world.time;
        });
        EXPECT_LT(slept, broke) << name(integrator);
        ASSERT_LT(broke, HUGE_VAL) << name(integrator);
        const BodyState& s = *world.bodies[0].state;
        ASSERT_EQ(s.sleep.still.size(), s.x.size());
        EXPECT_EQ(std::count(s.sleep.still.begin(), s.sleep.still.end(), 1), static_cast<std::ptrdiff_t>(box)) << name(integrator) << ": what targets move stays awake";
        EXPECT_TRUE(std::equal(where.begin(), where.end(), s.x.begin())) << name(integrator);
        WorldState resumed = loadSnapshot(saveSnapshot(world));
        run(world, settings, 0.25, 6);
        run(resumed, settings, 0.25, 6);
        EXPECT_TRUE(saveSnapshot(world) == saveSnapshot(resumed)) << name(integrator);
    }
}

}  // namespace sunder
