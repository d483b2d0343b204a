#include "core/sim/constraint_track.h"

#include <cstring>

#include "core/sim/release.h"
#include "core/sim/snapshot.h"
#include "core/sim/world_parts.h"
#include "tests/sim/drawn_fixture.h"

/// Constraints that go with the points that they were drawn as, step by step.
namespace sunder {
namespace {
using namespace testing;

constexpr double kFps = 32;  // and ways of whole 64ths of a metre: then nothing is rounded, and a motion that
                             // knows all keys has the same bits
constexpr int kFrames = 12;
constexpr Integrator kAll[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark,
                               Integrator::kRkf45};
const Vec3 kStep(1.0 / 64, 1.0 / 32, 0);  // of the points in a frame

Material damped() {
    Material m = elastic(2e5, 0.3, 1000);
    m.stiffnessDamping = 1e-3;
    return m;
}
Body bar() { return makeBody(makeBox(4, 2, 2, Vec3(1, 0.5, 0.5)), damped()); }
bool isEnd(const Vec3& p) { return p.x() < 1e-9; }

/// Points of the left end of the bar, after some frames.
Geometry endPoints(int frame, const char* type = "pin") {
    Geometry g;
    for (const Vec3& p : bar().mesh.rest)
        if (isEnd(p)) g.positions.push_back(p + frame * kStep);
    setPoints(g, "constraint_type", type);
    return g;
}

/// A motion that knows the way of the points, also before the start and behind the end.
Motion wholeWay() {
    Motion motion;
    for (int f = -1; f <= kFrames + 1; ++f) motion.keys.push_back({f / kFps, f * kStep, Vec3::Zero()});
    return motion;
}

/// The bar with a pin or target by hand.
WorldState barByHand(bool isSoft) {
    Body body = bar();
    pinWhere(body, isEnd, wholeWay());
    if (isSoft) {
        SoftTarget target;
        const HardTarget pin = body.constraints.hard[0];
        target.vertices = pin.vertices;
        target.anchor = pin.anchor;
        target.motion = pin.motion;
        target.strength = 2000;
        target.damping = 5;
        body.constraints = {{}, {target}};
    }
    WorldState world;
    addBody(world, std::move(body));
    return world;
}
Geometry drawnAt(int frame, bool isSoft) {
    Geometry g = endPoints(frame, isSoft ? "target" : "pin");
    setPoints(g, "strength", 2000);
    setPoints(g, "damping", 5);
    return g;
}
WorldState freeBar() {
    WorldState world;
    addBody(world, bar());
    return world;
}
StepSettings falling(Integrator integrator) {
    StepSettings settings = spaceSettings(integrator);
    settings.gravity = Vec3(0, -9.81, 0);
    return settings;
}
void expectSame(const WorldState& a, const WorldState& b, const std::string& where) {
    EXPECT_EQ(a.bodies[0].state->x, b.bodies[0].state->x) << where;
    EXPECT_EQ(a.bodies[0].state->v, b.bodies[0].state->v) << where;
    EXPECT_EQ(a.bodies[0].state->a, b.bodies[0].state->a) << where;
    EXPECT_EQ(a.energy.target, b.energy.target) << where;
}

TEST(ConstraintTrack, FollowsItsPointsAsAMotionThatKnowsTheWay) {
    for (const bool isSoft : {false, true})
        for (const Integrator integrator : kAll) {
            WorldState drawn = freeBar(), known = barByHand(isSoft);
            DrawnRun host(drawn, drawnAt(0, isSoft), kFps);
            const auto body = drawn.bodies[0].body;
            for (int f = 1; f <= kFrames; ++f) {
                host.to(drawnAt(f, isSoft), falling(integrator));
                run(known, falling(integrator), 1 / kFps, 1);
                expectSame(
                    drawn, known,
                    std::string(name(integrator)) + (isSoft ? " target " : " pin ") + std::to_string(f));
                EXPECT_EQ(drawn.bodies[0].body, body) << "frames share the body";
            }
            EXPECT_GT(massCentre(drawn.bodies[0]).x(), 0.5 + 0.04) << "it was led along";
        }
}

TEST(ConstraintTrack, PointsThatStandStillAreConstraintsWithoutAMotion) {
    for (const int stopped : {0, 3}) {
        WorldState drawn = freeBar();
        DrawnRun host(drawn, endPoints(0), kFps);
        for (int f = 1; f <= 6; ++f) host.to(endPoints(std::min(f, stopped)), falling(Integrator::kImplicit));
        const std::vector<HardTarget>& pins = drawn.bodies[0].body->constraints.hard;
        ASSERT_EQ(pins.size(), 9u);
        for (const HardTarget& pin : pins) {
            EXPECT_TRUE(pin.motion.keys.empty());
            const auto v = static_cast<std::size_t>(pin.vertices[0]);
            EXPECT_EQ(drawn.bodies[0].state->x[v], pin.anchor[0] + stopped * kStep);
            EXPECT_EQ(drawn.bodies[0].state->v[v], Vec3(Vec3::Zero()));
        }
        EXPECT_EQ(host.track().last == host.track().start, stopped == 0);
    }
}

TEST(ConstraintTrack, TheSpeedIsThatOfTheStepWhateverComesBehind) {
    const auto place = [](int f) { return std::vector<Vec3>{Vec3(0, f * f / 100.0, 0)}; };
    WorldState drawn = freeBar();
    DrawnRun host(drawn, drawnPoints(place(0)), 24);
    for (int f = 1; f <= 5; ++f) {
        host.to(drawnPoints(place(f)), spaceSettings(Integrator::kExplicit));
        const auto v = static_cast<std::size_t>(drawn.bodies[0].body->constraints.hard[0].vertices[0]);
        EXPECT_NEAR(drawn.bodies[0].state->x[v].y(), f * f / 100.0, 1e-12);
        EXPECT_NEAR(drawn.bodies[0].state->v[v].y(), (2 * f - 1) * 0.24, 1e-6);
    }
}

TEST(ConstraintTrack, ActiveLetsGoAndHoldsAgainWhereThingsAre) {
    for (const bool isSoft : {false, true})
        for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
            const auto at = [&](int frame, double active) {
                Geometry g = drawnAt(frame, isSoft);
                setPoints(g, "strength", 1e5);
                setPoints(g, "active", active);
                return g;
            };
            WorldState world = freeBar();
            const StepSettings settings = falling(integrator);
            const auto height = [&] { return massCentre(world.bodies[0]).y(); };
            DrawnRun host(world, at(0, 0), kFps);
            const double start = height();
            host.to(at(0, 0), settings);
            EXPECT_FALSE(host.switched);
            EXPECT_LT(height(), start - 0.3 * 9.81 / kFps / kFps) << "not active from the start: it falls";
            host.to(at(0, 1), settings);
            EXPECT_TRUE(host.switched);
            for (int f = 0; f < 20; ++f) host.to(at(0, 1), settings);
            EXPECT_FALSE(host.switched);
            const Body& body = *world.bodies[0].body;
            if (!isSoft)
                for (const HardTarget& pin : body.constraints.hard) {
                    EXPECT_LT(pin.anchor[0].y(),
                              body.mesh.rest[static_cast<std::size_t>(pin.vertices[0])].y() - 1e-3)
                        << "held where it was, not drawn back";
                    EXPECT_EQ(world.bodies[0].state->x[static_cast<std::size_t>(pin.vertices[0])],
                              pin.anchor[0]);
                }
            const double held = height();
            EXPECT_GT(held, start - 0.35) << "free it would be 2.2 m down";
            host.to(at(0, 0), settings);
            EXPECT_TRUE(host.switched);
            for (int f = 0; f < 10; ++f) host.to(at(0, 0), settings);
            EXPECT_LT(height(), held - 0.2) << name(integrator) << isSoft;
        }
}

TEST(ConstraintTrack, SwitchedOnBehindAWayItGoesOnFromThere) {
    WorldState world = freeBar();
    Geometry off = endPoints(0);
    setPoints(off, "active", 0);
    DrawnRun host(world, off, kFps);
    off.positions = endPoints(4).positions;
    host.to(off, spaceSettings(Integrator::kImplicit));
    host.to(endPoints(6), spaceSettings(Integrator::kImplicit));
    const HardTarget& pin = world.bodies[0].body->constraints.hard[0];
    const Vec3 rest = world.bodies[0].body->mesh.rest[static_cast<std::size_t>(pin.vertices[0])];
    EXPECT_NEAR(
        (world.bodies[0].state->x[static_cast<std::size_t>(pin.vertices[0])] - rest - 2 * kStep).norm(), 0,
        1e-9)
        << "the way since it holds";
}

TEST(ConstraintTrack, WhatIsSwitchedOnHoldsWhatHadBeenLetGo) {
    for (const bool isSoft : {false, true}) {
        WorldState world = freeBar();
        LedConstraints led({bindConstraints(world, 0, drawnAt(0, isSoft))});
        static constexpr std::uint8_t kBoth = kReleasedPin | kReleasedTarget;
        editState(world, [](BodyState& s) {
            s.released.assign(s.x.size(), kBoth);
            s.a.assign(s.x.size(), Vec3(1, 2, 3));
        });
        std::vector<Geometry> shown = {drawnAt(0, isSoft)};
        EXPECT_FALSE(led.lead(world, {shown, 0, 1}));
        EXPECT_EQ(world.bodies[0].state->a[0], Vec3(1, 2, 3));
        setPoints(shown[0], "active", 0);
        EXPECT_TRUE(led.lead(world, {shown, 1, 2}));
        EXPECT_EQ(world.bodies[0].state->a[0], Vec3(Vec3::Zero())) << "found anew without what pulled";
        EXPECT_EQ(world.bodies[0].state->released[0], kBoth);
        setPoints(shown[0], "active", 1);
        EXPECT_TRUE(led.lead(world, {shown, 2, 3}));
        const Body& body = *world.bodies[0].body;
        for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v)
            EXPECT_EQ(world.bodies[0].state->released[v], !isEnd(body.mesh.rest[v]) ? kBoth
                                                          : isSoft                  ? kReleasedPin
                                                                                    : kReleasedTarget);
    }
}

/// Strain of a bar that is drawn away from its left end when the pins there first let go.
double strainAtRelease(bool isDrawn) {
    constexpr double kSpeed = 0.2, kYoungs = 1e6;
    Material m = elastic(kYoungs, 0.0, 1000);
    m.stiffnessDamping = 2e-3;
    Body body = makeBody(makeBox(8, 2, 2, Vec3(4, 1, 1)), m);
    Motion away;
    away.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {4, Vec3(4 * kSpeed, 0, 0), Vec3::Zero()}};
    Geometry g;
    for (const Vec3& p : body.mesh.rest)
        if (isEnd(p)) g.positions.push_back(p);
    setPoints(g, "releaseStress", 5e4);
    pinWhere(
        body, [](const Vec3& p) { return p.x() > 4 - 1e-9; }, away);
    if (!isDrawn) {
        pinWhere(body, isEnd);
        body.constraints.hard[1].releaseStress = 5e4;
    }
    WorldState world;
    addBody(world, std::move(body));
    if (isDrawn) bindConstraints(world, 0, g);
    Workspace workspace;
    while (world.time < 3) {
        const StepReport report = step(world, 1.0 / 96, spaceSettings(Integrator::kImplicit), workspace);
        EXPECT_FALSE(report.failed) << report.message;
        if (report.failed || report.released > 0) break;
    }
    return kSpeed * world.time / 4;
}
TEST(ConstraintTrack, PinsOfOneNameLetGoAtTheStressOfTheirCommonArea) {
    EXPECT_EQ(strainAtRelease(true), strainAtRelease(false));
}

TEST(ConstraintTrack, PinsOfOtherNamesHaveTheirOwnArea) {
    const auto isOther = [](const Vec3& p) { return p.x() > 1 - 1e-9 && p.y() > 0.24; };
    const auto forces = [&](bool isDrawn) {
        Body body = bar();
        Geometry g;
        auto& names = g.points.add<std::string>("constraint_name", 0);
        for (const Vec3& p : body.mesh.rest)
            if (isEnd(p) || isOther(p)) {
                g.positions.push_back(p);
                names.push_back(isEnd(p) ? "end" : "other");
            }
        setPoints(g, "releaseStress", 1000);
        if (!isDrawn) {
            pinWhere(body, isEnd);
            pinWhere(body, isOther);
            body.constraints.hard[1].name = "other";
            for (HardTarget& pin : body.constraints.hard) pin.releaseStress = 1000;
        }
        WorldState world;
        addBody(world, std::move(body));
        if (isDrawn) bindConstraints(world, 0, g);
        return computeReleaseForces(*world.bodies[0].body);
    };
    const std::vector<double> drawn = forces(true);
    EXPECT_EQ(drawn, forces(false));
    Body alone = bar();
    pinWhere(alone, isOther);
    alone.constraints.hard[0].releaseStress = 1000;
    const std::vector<double> expected = computeReleaseForces(*buildBody(alone));
    for (std::size_t v = 0; v < drawn.size(); ++v)
        EXPECT_TRUE(!isOther(alone.mesh.rest[v]) || drawn[v] == expected[v]) << v;
    EXPECT_NEAR(*std::min_element(drawn.begin(), drawn.end()), 1000 * 0.25 * 0.25 / 6, 1e-9);  // at a corner
}

TEST(ConstraintTrack, OtherConstraintsThanThoseThatWereBoundAreRefused) {
    const auto expect = [](const std::function<void(Geometry&)>& change) {
        WorldState world = freeBar();
        LedConstraints led({bindConstraints(world, 0, endPoints(0))});
        std::vector<Geometry> shown = {endPoints(1)};
        change(shown[0]);
        const std::string complaint = complaintOf([&] { led.lead(world, {shown, 0, 1 / kFps}); });
        EXPECT_NE(complaint.find("no longer has the constraints that it started with. keep its points"),
                  std::string::npos)
            << complaint;
    };
    expect([](Geometry& g) { g = Geometry(); });
    expect([](Geometry& g) {
        g.positions.push_back(Vec3::Zero());
        setPoints(g, "constraint_type", "pin");
    });
    expect([](Geometry& g) { (*g.points.find("constraint_type")->as<std::string>())[2] = "target"; });
    expect([](Geometry& g) { addLine(g, {3, 2}); });  // another order
    expect([](Geometry& g) {                          // a line of glue: no other target, but other points
        g.positions.resize(11, Vec3::Zero());
        setPoints(g, "constraint_type", "pin");
        addLine(g, {9, 10});
        setText(g.primitives, 1, "constraint_type", "glue");
    });
}

TEST(ConstraintTrack, APointThatMovesWakesItsBody) {
    WorldState world = freeBar();
    LedConstraints led({bindConstraints(world, 0, endPoints(0))});
    editState(world, [](BodyState& s) { s.sleep.asleep = true; });
    const std::vector<Geometry> still = {endPoints(0)}, moved = {endPoints(1)};
    led.lead(world, {still, 0, 1});
    EXPECT_TRUE(world.bodies[0].state->sleep.asleep);
    led.lead(world, {moved, 1, 2});
    EXPECT_FALSE(world.bodies[0].state->sleep.asleep);
}

TEST(ConstraintTrack, WaysGoOutOfABodyThatHasChangedToo) {
    WorldState world = freeBar();
    LedConstraints led({bindConstraints(world, 0, endPoints(0))});
    const std::vector<Geometry> moved = {endPoints(1)};
    led.lead(world, {moved, 0, 1});
    ASSERT_EQ(world.bodies[0].body->constraints.hard[0].motion.keys.size(), 4u);
    world.bodies[0].body = std::make_shared<const Body>(*world.bodies[0].body);  // as a crack would
    const auto broken = world.bodies[0].body;
    led.settle(world);
    EXPECT_NE(world.bodies[0].body, broken);
    for (const HardTarget& pin : world.bodies[0].body->constraints.hard) EXPECT_TRUE(pin.motion.keys.empty());
}

// ---- what is saved

std::vector<ConstraintTrack> movedTracks(WorldState& world) {
    Geometry g = endPoints(0);
    (*g.points.find("constraint_type")->as<std::string>())[4] = "target";
    LedConstraints led({bindConstraints(world, 0, g)});
    std::vector<Geometry> moved = {g};
    moved[0].positions[2].x() += 0.5;
    led.lead(world, {moved, 0, 1});
    led.settle(world);
    return led.tracks();
}
std::vector<std::uint8_t> bytesOf(const std::vector<ConstraintTrack>& tracks) {
    ByteWriter io;
    transferTracks(io, tracks);
    return io.take();
}
std::vector<ConstraintTrack> fromBytes(Span<const std::uint8_t> bytes) {
    ByteReader io(bytes);
    std::vector<ConstraintTrack> tracks;
    transferTracks(io, tracks);
    return tracks;
}

TEST(ConstraintTrack, SurvivesItsBytesAndThoseOfTheParts) {
    WorldState world = freeBar();
    const std::vector<ConstraintTrack> tracks = movedTracks(world);
    const std::vector<ConstraintTrack> back = fromBytes(bytesOf(tracks));
    EXPECT_EQ(bytesOf(back), bytesOf(tracks));
    EXPECT_EQ(*back[0].last, *tracks[0].last);
    EXPECT_NE(*back[0].last, *back[0].start);
    EXPECT_EQ(back[0].softPoint, std::vector<std::int32_t>{4});
    std::vector<ConstraintTrack> still = tracks;
    still[0].last = still[0].start;
    const auto again = fromBytes(bytesOf(still));
    EXPECT_EQ(again[0].last, again[0].start) << "shared as it was";
    EXPECT_GT(memoryOf(tracks), memoryOf(std::vector<ConstraintTrack>()) + 9 * sizeof(Vec3));

    WorldPart clock;
    WorldCommon common;
    common.constraints = tracks;
    clock.common = std::make_shared<const WorldCommon>(common);
    const std::vector<WorldPart> parts = takeApart(world, clock);
    const WorldPart loaded = loadPart(savePart(parts[0]));
    ASSERT_TRUE(loaded.common);
    EXPECT_EQ(bytesOf(loaded.common->constraints), bytesOf(tracks));
    EXPECT_EQ(saveSnapshot(putTogether({&loaded})), saveSnapshot(world));
    common.constraints[0].body = 1;
    clock.common = std::make_shared<const WorldCommon>(common);
    const std::vector<WorldPart> wild = takeApart(world, clock);
    EXPECT_THROW(putTogether({&wild[0]}), Error);
}

/// What was saved before constraints could be drawn has no list of them at the end of what is common.
TEST(ConstraintTrack, PartsOfTheVersionBeforeHaveNone) {
    const WorldState world = freeBar();
    std::vector<std::uint8_t> bytes = savePart(takeApart(world, WorldPart())[0]);
    constexpr std::size_t kSizeAt = 40, kList = sizeof(std::uint64_t);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + kSizeAt, sizeof size);
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(kSizeAt + sizeof size + size);
    bytes.erase(end - static_cast<std::ptrdiff_t>(kList), end);
    size -= kList;
    std::memcpy(bytes.data() + kSizeAt, &size, sizeof size);
    EXPECT_THROW(loadPart(bytes), Error);
    bytes[7] = '3';
    const WorldPart part = loadPart(bytes);
    EXPECT_TRUE(part.common->constraints.empty());
    EXPECT_EQ(part.common->appeared, std::vector<std::int32_t>{1});
}

TEST(ConstraintTrack, DamagedOnesAreRefused) {
    WorldState world = freeBar();
    const std::vector<ConstraintTrack> tracks = movedTracks(world);
    const std::vector<std::uint8_t> bytes = bytesOf(tracks);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW(fromBytes(Span<const std::uint8_t>(bytes).subspan(0, size)), Error) << size;
    const auto spoilt = [&](const std::function<void(ConstraintTrack&)>& spoil) {
        std::vector<ConstraintTrack> wrong = tracks;
        spoil(wrong[0]);
        return wrong;
    };
    EXPECT_THROW(fromBytes(bytesOf(spoilt([](ConstraintTrack& t) { t.hardPoint[0] = 9; }))), Error);
    EXPECT_THROW(fromBytes(bytesOf(spoilt([](ConstraintTrack& t) { t.softPoint[0] = -1; }))), Error);
    EXPECT_THROW(fromBytes(bytesOf(spoilt(
                     [](ConstraintTrack& t) { t.last = std::make_shared<const std::vector<Vec3>>(3); }))),
                 Error);
    EXPECT_NO_THROW(checkTracks(tracks, world));
    EXPECT_THROW(checkTracks(spoilt([](ConstraintTrack& t) { t.body = 1; }), world), Error);
    EXPECT_THROW(checkTracks(spoilt([](ConstraintTrack& t) { t.firstHard = 1; }), world), Error);
    EXPECT_THROW(checkTracks(spoilt([](ConstraintTrack& t) { t.firstSoft = -1; }), world), Error);
}

}  // namespace
}  // namespace sunder
