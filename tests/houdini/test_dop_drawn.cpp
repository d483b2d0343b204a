// Constraint geometry on objects: it acts, its animation is the way of what it holds, and all of it survives
// what a DOP network does to data.
#include <GA/GA_Handle.h>
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/scene_json.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"
#include "core/sim/world_parts.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

// powers of two throughout: floats and doubles of all places are the same, and so are those of a motion that
// knows the whole way
constexpr double kFps = 32;
constexpr int kStart = 1001, kFrames = 9;
const Vec3 kWay(0, 1.0 / 64, 1.0 / 128);  // m a frame

/// One of two blocks in a column, 0 on top; gaps are 1/128 m.
Geometry block(int number) {
    Geometry g = geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.25, 0.25, 0.25)), {});
    Group& held = g.points.addGroup("held", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) held.members[i] = g.positions[i].y() > 0.24 ? 1 : 0;
    for (Vec3& p : g.positions) p.y() += 1 - (0.25 + 1.0 / 128) * number;
    return g;
}

void setNumber(Geometry& g, const char* name, double value) {
    g.points.add<float>(name, g.pointCount()).assign(g.pointCount(), static_cast<float>(value));
}
void setText(Geometry& g, const char* name, const std::string& value) {
    g.points.add<std::string>(name, g.pointCount()).assign(g.pointCount(), value);
}

struct Options {
    const char* integrator = "explicit";
    bool isSoft = false;
    bool moves = true;
    double releaseForce = 0;  ///< N; 0: never
    double glue = 0;          ///< strength of a line of glue between the blocks, Pa; 0: none
};

/// Points on the top of the upper block, after a number of frames from the start; behind them the ends of a
/// line of glue, which are nowhere near what they name.
Geometry drawn(const Options& o, int frame) {
    Geometry g;
    for (const Vec3& p : block(0).positions)
        if (p.y() > 1.24) g.positions.push_back(p + (o.moves ? frame : 0) * kWay);
    const std::size_t end = g.pointCount();
    if (o.glue > 0) {
        g.positions.resize(end + 2, Vec3::Zero());
        const std::array<std::int32_t, 2> line = {static_cast<std::int32_t>(end),
                                                  static_cast<std::int32_t>(end) + 1};
        g.addPrimitive(PrimitiveKind::kCurve, Span<const std::int32_t>(line.data(), 2));
        g.primitives.add<std::string>("constraint_type", 1) = {"glue"};
        g.primitives.add<float>("strength", 1) = {static_cast<float>(o.glue)};
        g.primitives.add<float>("distance", 1) = {1.0f / 64};
        setText(g, "name", "");
        auto& names = *g.points.find("name")->as<std::string>();
        names[end] = "upper";
        names[end + 1] = "lower";
    }
    setText(g, "constraint_type", o.isSoft ? "target" : "pin");
    if (o.isSoft) setNumber(g, "strength", 2048);
    if (o.isSoft) setNumber(g, "damping", 4);
    if (o.releaseForce > 0) setNumber(g, "releaseForce", o.releaseForce);
    return g;
}

Geometry load(const std::string& path, Monitor*) {
    return throughFile(block(path.find("upper") != std::string::npos ? 0 : 1));
}

/// The same constraints as a scene has them: one for each point, with the keys of its whole way.
Scene sceneOf(const Options& o) {
    Scene scene = parseScene(format(
        R"({"fps": %g, "startFrame": %d, "endFrame": %d, "settings": {"integrator": "%s", "linearSolver": "cg-ic"},
        "bodies": [{"name": "upper", "source": {"file": {"path": "upper"}}, "material": {"youngs": 1e6, "stiffnessDamping": 1e-3}},
                   {"name": "lower", "source": {"file": {"path": "lower"}}, "material": {"youngs": 1e6, "stiffnessDamping": 1e-3}}]})",
        kFps, kStart, kStart + kFrames, o.integrator));
    Motion way;
    for (int f = -1; o.moves && f <= kFrames + 1; ++f) way.keys.push_back({f / kFps, f * kWay, Vec3::Zero()});
    Options pointsAlone = o;
    pointsAlone.glue = 0;
    const double releaseForce = o.releaseForce > 0 ? o.releaseForce : 1e300;
    for (const Vec3& p : drawn(pointsAlone, 0).positions) {
        const NearestRegion where{p, 1};
        if (o.isSoft)
            scene.bodies[0].targets.push_back({"", where, way, 2048, 4, 1e300, releaseForce});
        else
            scene.bodies[0].pins.push_back({"", where, way, 1e300, releaseForce, 1e300});
    }
    if (o.glue > 0) scene.glue.push_back({"glue", "upper", "lower", 1.0 / 64, o.glue, 1});
    return scene;
}

std::vector<std::vector<std::string>> sceneFrames(const Options& o) {
    const Scene scene = sceneOf(o);
    WorldState world = buildWorld(scene, load);
    startBooks(world);
    Workspace workspace;
    std::vector<std::vector<std::string>> all;
    for (int f = 0; f < kFrames; ++f) {
        const std::int64_t frame = kStart + f;
        if (f > 0) {
            const StepReport report =
                step(world, scene.timeOf(frame) - scene.timeOf(frame - 1), scene.settings, workspace);
            EXPECT_FALSE(report.failed) << report.message;
            world.time = scene.timeOf(frame);
        }
        auto& bodies = all.emplace_back();
        for (const Geometry& g : bodyFrames(world, frame)) bodies.push_back(bytesOf(throughFile(g)));
    }
    return all;
}

using Draw = std::function<Geometry(double frame)>;  // from the start

DopNetwork makeNetwork(const char* integrator, const Draw& draw, int holder = 0) {
    operators();
    DopNetwork net(kFps, kStart);
    net.addObject("upper", *makeDetail(block(0)).gdp());
    net.addObject("lower", *makeDetail(block(1)).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(holder, "SIM_GeometryCopy", "ConstraintGeometry");
    net.set("Solver", "startFrame", int64{kStart});
    net.set("Solver", "fps", kFps);
    net.set("Solver", "integrator", int64{std::string(integrator) == "explicit" ? 0 : 1});
    net.set("Solver", "linearSolver", int64{2});  // the same bits whatever the plugin factors with
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    net.draw = [draw](double frame, int, const std::string&, GU_Detail& d) {
        d.replaceWith(*makeDetail(draw(frame - kStart)).gdp());
    };
    return net;
}
DopNetwork makeNetwork(const Options& o) {
    return makeNetwork(o.integrator, [o](double frame) { return drawn(o, static_cast<int>(frame)); });
}

std::string shown(const DopNetwork& net, int frame, int object) {
    return bytesOf(readDetail(net.geometry(frame, object)));
}
void expectFrames(const DopNetwork& net, const std::vector<std::vector<std::string>>& expected,
                  int first = 0) {
    for (int f = first; f < kFrames; ++f)
        for (const int object : {0, 1})
            EXPECT_TRUE(shown(net, kStart + f, object) ==
                        expected[static_cast<std::size_t>(f)][static_cast<std::size_t>(object)])
                << f << " " << object;
}
std::vector<std::vector<std::string>> framesOf(const DopNetwork& net) {
    std::vector<std::vector<std::string>> all;
    for (int f = 0; f < kFrames; ++f) all.push_back({shown(net, kStart + f, 0), shown(net, kStart + f, 1)});
    return all;
}
constexpr int kLast = kStart + kFrames - 1;
double meanHeight(const DopNetwork& net, int frame, int object) {
    double sum = 0;
    const GU_Detail& d = net.geometry(frame, object);
    for (const GA_Offset o : d.getPointRange()) sum += d.getPos3(o).y();
    return sum / static_cast<double>(d.getNumPoints());
}
double risen(const DopNetwork& net, int object) {
    return meanHeight(net, kLast, object) - meanHeight(net, kStart, object);
}
constexpr double kFreeFall = 0.5 * 9.81 * (kFrames - 1) * (kFrames - 1) / (kFps * kFps);  // 0.307 m
}  // namespace

TEST(HoudiniDopDrawn, AnimatedPinsAndTargetsAreThoseOfAScene) {
    for (const char* integrator : {"explicit", "implicit"})
        for (const bool isSoft : {false, true})
            for (const bool moves : {false, true}) {
                Options o;
                o.integrator = integrator;
                o.isSoft = isSoft;
                o.moves = moves;
                DopNetwork net = makeNetwork(o);
                ASSERT_TRUE(net.play(kLast)) << trouble(net);
                expectFrames(net, sceneFrames(o));
                EXPECT_GT(risen(net, 0), moves ? 0.03 : -0.1 * kFreeFall) << integrator << isSoft;
                EXPECT_LT(risen(net, 1), -0.9 * kFreeFall) << "nothing holds the lower one";
            }
}

TEST(HoudiniDopDrawn, WhatIsDrawnLetsGoAsInAScene) {
    for (const char* integrator : {"explicit", "implicit"})
        for (const bool isSoft : {false, true}) {
            Options o;
            o.integrator = integrator;
            o.isSoft = isSoft;
            o.moves = false;
            o.releaseForce = 3;
            DopNetwork net = makeNetwork(o);
            ASSERT_TRUE(net.play(kLast)) << trouble(net);
            expectFrames(net, sceneFrames(o));
            EXPECT_LT(risen(net, 0), -0.3 * kFreeFall) << integrator << isSoft;
        }
}

TEST(HoudiniDopDrawn, ALineOfGlueIsThatOfAScene) {
    for (const char* integrator : {"explicit", "implicit"})
        for (const double strength : {1048576.0, 1024.0}) {
            Options o;
            o.integrator = integrator;
            o.glue = strength;
            DopNetwork net = makeNetwork(o);
            ASSERT_TRUE(net.play(kLast)) << trouble(net);
            expectFrames(net, sceneFrames(o));
            if (strength > 1e4)
                EXPECT_GT(risen(net, 1), 0.02) << integrator;
            else
                EXPECT_LT(risen(net, 1), -0.5 * kFreeFall) << integrator;
        }
}

TEST(HoudiniDopDrawn, ScrubbingReloadingSavingAndThreadsChangeNothing) {
    for (const char* integrator : {"explicit", "implicit"}) {
        Options o;
        o.integrator = integrator;
        o.glue = 4096;  // it lets go on the way
        const auto expected = sceneFrames(o);
        DopNetwork scrubbed = makeNetwork(o), reloading = makeNetwork(o);
        ASSERT_TRUE(scrubbed.play(kStart + 6));
        scrubbed.scrub(kStart + 2);
        ASSERT_TRUE(scrubbed.play(kLast));
        expectFrames(scrubbed, expected);
        reloading.reloadEveryStep = true;
        ASSERT_TRUE(reloading.play(kLast)) << trouble(reloading);
        expectFrames(reloading, expected);
        for (int at = 1; at + 1 < kFrames; ++at) {
            DopNetwork resumed = makeNetwork(o);
            ASSERT_TRUE(resumed.load(kStart + at, scrubbed.save(kStart + at)));
            ASSERT_TRUE(resumed.play(kLast)) << trouble(resumed);
            expectFrames(resumed, expected, at);
        }
        const int before = threadCount();
        for (const int threads : {1, 2, 7}) {
            setThreadCount(threads);
            standin::setThreads(threads);
            DopNetwork net = makeNetwork(o);
            EXPECT_TRUE(net.play(kLast));
            expectFrames(net, expected);
        }
        setThreadCount(before);
        standin::setThreads(3);
    }
}

namespace {
/// Held, let go from the third frame on by `active`, and held again from the sixth.
Geometry switched(double frame) {
    Options o;
    Geometry g = drawn(o, static_cast<int>(frame));
    setNumber(g, "active", frame < 3 || frame >= 6 ? 1 : 0);
    return g;
}
}  // namespace

TEST(HoudiniDopDrawn, ActiveLetsGoAndHoldsAgain) {
    for (const char* integrator : {"explicit", "implicit"}) {
        DopNetwork net = makeNetwork(integrator, switched), reloading = makeNetwork(integrator, switched);
        ASSERT_TRUE(net.play(kLast)) << trouble(net);
        EXPECT_GT(meanHeight(net, kStart + 2, 0), meanHeight(net, kStart, 0) + 0.01);
        const auto top = [&](int f) { return readDetail(net.geometry(kStart + f, 0)).positions.back().y(); };
        EXPECT_DOUBLE_EQ(top(2) - top(0), 2.0 / 64);
        EXPECT_LT(top(5) - top(4), 0) << "it falls";
        EXPECT_DOUBLE_EQ(static_cast<float>(top(8) - top(7)), 1.0f / 64)
            << "and is led again, from where it was";
        EXPECT_LT(top(8) - top(0), 8.0 / 64);
        reloading.reloadEveryStep = true;
        ASSERT_TRUE(reloading.play(kLast)) << trouble(reloading);
        expectFrames(reloading, framesOf(net));
        DopNetwork resumed = makeNetwork(integrator, switched);
        ASSERT_TRUE(resumed.load(kStart + 4, net.save(kStart + 4)));
        ASSERT_TRUE(resumed.play(kLast)) << trouble(resumed);
        expectFrames(resumed, framesOf(net), 4);
    }
}

TEST(HoudiniDopDrawn, ABodyThatBreaksStaysOnItsPoints) {
    const auto brittle = [] {
        Options o;
        DopNetwork net = makeNetwork("explicit", [o](double frame) {
            return drawn(o, static_cast<int>(4 * frame));
        });  // 2 m/s at once
        net.set("SunderMaterial", "fracture_enabled", true);
        net.set("SunderMaterial", "fracture_stress", 5e3);
        return net;
    };
    DopNetwork net = brittle(), reloading = brittle();
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    EXPECT_GT(net.geometry(kLast, 0).getNumPoints(), net.geometry(kStart, 0).getNumPoints())
        << "it has broken";
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kLast)) << trouble(reloading);
    expectFrames(reloading, framesOf(net));
    const Geometry first = readDetail(net.geometry(kStart, 0)), last = readDetail(net.geometry(kLast, 0));
    for (std::size_t i = 0; i < first.pointCount(); ++i)
        EXPECT_TRUE(first.positions[i].y() < 1.24 ||
                    last.positions[i] == first.positions[i] + 4 * (kFrames - 1) * kWay)
            << i;
}

TEST(HoudiniDopDrawn, SubstepsOfTheNetworkFollowToo) {
    Options o;
    DopNetwork net = makeNetwork("implicit", [o](double frame) {
        Geometry g = drawn(o, 0);
        for (std::size_t i = 0; i < g.pointCount(); ++i) g.positions[i] += frame * kWay;
        return g;
    });
    net.substeps = 4;
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    EXPECT_EQ(readDetail(net.geometry(kLast, 0)).positions.back(),
              block(0).positions.back() + (kFrames - 1) * kWay);
}

TEST(HoudiniDopDrawn, AnObjectThatAppearsLateBringsItsPins) {
    const auto make = [](bool glued) {
        Options o;
        o.glue = glued ? 1e6 : 0;
        return makeNetwork("explicit", [o](double frame) { return drawn(o, static_cast<int>(frame) - 3); });
    };
    DopNetwork net = make(false), reloading = make(false), glued = make(true);
    for (DopNetwork* n : {&net, &reloading, &glued}) n->appear(0, kStart + 3);
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    EXPECT_EQ(readDetail(net.geometry(kLast, 0)).positions.back(),
              block(0).positions.back() + (kFrames - 1 - 3) * kWay);
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kLast)) << trouble(reloading);
    for (int f = 3; f < kFrames; ++f)
        EXPECT_TRUE(shown(reloading, kStart + f, 0) == shown(net, kStart + f, 0)) << f;
    EXPECT_FALSE(glued.play(kLast));
    EXPECT_TRUE(glued.has(kStart + 2));
    EXPECT_FALSE(glued.has(kStart + 3));
    EXPECT_TRUE(glued.says("is drawn on what appears late. Create it in the same frame")) << trouble(glued);
}

TEST(HoudiniDopDrawn, ConstraintsThatAreDrawnLaterHoldFromThenOn) {
    // where the top is by then, in free fall
    const auto fell = [](double frame) {
        Geometry g = frame < 4 ? Geometry() : drawn(Options(), static_cast<int>(frame) - 4);
        for (Vec3& p : g.positions) p.y() -= 0.5 * 9.81 * 16 / (kFps * kFps);
        return g;
    };
    DopNetwork net = makeNetwork("explicit", fell), reloading = makeNetwork("explicit", fell);
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    const auto top = [&](int f) { return readDetail(net.geometry(kStart + f, 0)).positions.back().y(); };
    EXPECT_LT(top(4) - top(3), -0.02);
    EXPECT_NEAR(top(8) - top(7), 1.0 / 64, 1e-6);
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kLast)) << trouble(reloading);
    expectFrames(reloading, framesOf(net));
}

// Both make the body anew between two steps.
TEST(HoudiniDopDrawn, PaintAndMaterialsThatChangeLeaveThemThere) {
    const auto make = [](bool edits) {
        DopNetwork net = makeNetwork(Options());
        if (!edits) return net;
        net.set("SunderMaterial", "youngs", 4e6, standin::ParmOperation::kSetAlways, kStart + 3);
        net.edit = [](int frame, int object, GU_Detail& d) {
            if (frame != kStart + 4 || object != 0) return;
            GA_RWHandleF stiffness(d.addTuple(GA_STORE_REAL32, GA_ATTRIB_POINT, "stiffness", 1));
            for (const GA_Offset o : d.getPointRange()) stiffness.set(o, 2);
            d.bumpAllDataIds();
        };
        return net;
    };
    DopNetwork net = make(true), plain = make(false), reloading = make(true);
    ASSERT_TRUE(net.play(kLast) && plain.play(kLast)) << trouble(net);
    EXPECT_FALSE(shown(net, kLast, 0) == shown(plain, kLast, 0));
    const Geometry start = block(0), end = readDetail(net.geometry(kLast, 0));
    for (std::size_t i = 0; i < start.pointCount(); ++i)
        EXPECT_TRUE(start.positions[i].y() < 1.24 ||
                    end.positions[i] == start.positions[i] + (kFrames - 1) * kWay)
            << i;
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kLast)) << trouble(reloading);
    expectFrames(reloading, framesOf(net));
}

TEST(HoudiniDopDrawn, FramesShareTheBodyThatIsLed) {
    Options still, moving;
    still.moves = false;
    DopNetwork a = makeNetwork(still), b = makeNetwork(moving);
    ASSERT_TRUE(a.play(kLast) && b.play(kLast));
    EXPECT_LT(b.memory(kLast), a.memory(kLast) + 2048) << "the points alone, and no body of its own";
}

TEST(HoudiniDopDrawn, EachObjectHasItsOwn) {
    operators();
    DopNetwork net = makeNetwork(
        "implicit", [](double) { return Geometry(); }, -1);
    net.draw = [](double frame, int object, const std::string&, GU_Detail& d) {
        Geometry g;
        for (const Vec3& p : block(object).positions)
            g.positions.push_back(p + (frame - kStart) * (object == 0 ? 1 : -1) * kWay);
        d.replaceWith(*makeDetail(g).gdp());
    };
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    for (const int object : {0, 1}) {
        const Geometry start = block(object), end = readDetail(net.geometry(kLast, object));
        for (std::size_t i = 0; i < start.pointCount(); ++i)
            EXPECT_EQ(end.positions[i], start.positions[i] + (kFrames - 1) * (object == 0 ? 1 : -1) * kWay);
    }
}

TEST(HoudiniDopDrawn, WhatMakesNoSenseIsAnErrorWithARemedy) {
    const auto fails = [](const char* part, const std::function<void(Geometry&)>& spoil) {
        const auto draw = [&](double frame) {
            Options o;
            Geometry g = drawn(o, static_cast<int>(frame));
            spoil(g);
            return g;
        };
        DopNetwork net = makeNetwork("implicit", draw);
        EXPECT_FALSE(net.play(kStart)) << part;
        EXPECT_TRUE(net.says(part)) << part << " / " << trouble(net);
        EXPECT_FALSE(net.has(kStart));
        // and right while it runs: that step fails alone
        bool spoilt = false;
        DopNetwork later = makeNetwork("implicit", [&](double frame) {
            Options o;
            Geometry g = drawn(o, static_cast<int>(frame));
            if (spoilt) spoil(g);
            return g;
        });
        ASSERT_TRUE(later.play(kStart + 1));
        const std::string before = shown(later, kStart + 1, 0);
        spoilt = true;
        later.play(kStart + 2);  // what is bound once may be anywhere later: some of these are no errors then
        EXPECT_TRUE(shown(later, kStart + 1, 0) == before);
        later.scrub(kStart + 1);
        spoilt = false;
        EXPECT_TRUE(later.play(kStart + 3)) << trouble(later);
    };
    fails(
        "object 'upper': point 0 of the constraint geometry has the constraint_type 'pins'. Did you mean "
        "'pin'?",
        [](Geometry& g) { setText(g, "constraint_type", "pins"); });
    fails(
        "object 'upper': the attribute 'constraint_type' of the constraint geometry is not one string. Make "
        "it a string",
        [](Geometry& g) { setNumber(g, "constraint_type", 1); });
    fails("object 'upper': point 0 of the constraint geometry holds nothing: the nearest point of 'upper' is",
          [](Geometry& g) {
              for (Vec3& p : g.positions) p.x() += 3;
          });
    fails("no point group or attribute 'hold'. Did you mean 'held'?",
          [](Geometry& g) { setText(g, "group", "hold"); });
    fails("glue, point 0 of the constraint geometry, has one end. Draw a line of two points",
          [](Geometry& g) { setText(g, "constraint_type", "glue"); });
    fails("'releaseForce' of point 0 of the constraint geometry is -1. Give a value above 0",
          [](Geometry& g) { setNumber(g, "releaseForce", -1); });
}

TEST(HoudiniDopDrawn, ConstraintsThatChangeWhileItRunsAreAnErrorWithARemedy) {
    for (const int kind : {0, 1, 2}) {
        DopNetwork net = makeNetwork("implicit", [kind](double frame) {
            Options o;
            Geometry g = drawn(o, static_cast<int>(frame));
            if (frame < 3) return g;
            if (kind == 0) return Geometry();
            if (kind == 1) {
                g.positions.push_back(Vec3::Zero());
                setText(g, "constraint_type", "pin");
                return g;
            }
            setText(g, "constraint_type", "target");
            return g;
        });
        EXPECT_FALSE(net.play(kLast));
        EXPECT_TRUE(net.has(kStart + 2) && !net.has(kStart + 3));
        EXPECT_TRUE(
            net.says("no longer has the constraints that it started with. Keep its points, primitives and "
                     "types while it runs"))
            << trouble(net);
    }
}

TEST(HoudiniDopDrawn, GeometryWithoutPointsHoldsNothing) {
    DopNetwork net = makeNetwork("explicit", [](double) { return Geometry(); });
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    EXPECT_LT(risen(net, 0), -0.9 * kFreeFall);
}

}  // namespace sunder::test
