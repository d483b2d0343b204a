#include <GA/GA_Handle.h>
#include <gtest/gtest.h>
#include <standin/dop.h>

#include "core/io/scene_json.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/scene_build.h"
#include "core/sim/scene_frame.h"
#include "core/sim/stepper.h"
#include "core/sim/world_parts.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;
using standin::ParmOperation;

/// A bar that is torn in two by what pulls at its ends, and a block that falls on a floor beside it.
Geometry bar() {
    TetMesh mesh = testing::makeBox(6, 2, 2, Vec3(1.2, 0.4, 0.4));
    testing::jitter(mesh, 0.2, 5);
    Geometry g = geometryFromTetMesh(mesh, {});
    Group& held = g.points.addGroup("held", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) held.members[i] = g.positions[i].x() < 0.15 ? 1 : 0;
    auto& force = g.points.add<float>("force", g.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < g.pointCount(); ++i) force[3 * i] = g.positions[i].x() > 1.05 ? 900.0f : 0.0f;
    return g;
}
Geometry block() {
    Geometry g = geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.3, 0.3, 0.3)), {});
    for (Vec3& p : g.positions) p += Vec3(0, 1, 2);
    return g;
}
Geometry floorPlane() {
    Geometry g;
    for (const double x : {-5.0, 5.0})
        for (const double z : {-5.0, 5.0}) g.positions.emplace_back(x, 0.97, z);
    const std::vector<std::int32_t> quad = {0, 1, 3, 2};
    g.addPrimitive(PrimitiveKind::kPolygon, quad);
    return g;
}

constexpr const char* kScene = R"({
  "startFrame": 1001, "endFrame": 1006, "seed": 3,
  "settings": {"integrator": "explicit", "gravity": [0, -9.81, 0]},
  "colliders": [{"name": "floor", "source": {"file": {"path": "floor"}}, "visible": false}],
  "bodies": [
    {"name": "bar", "source": {"file": {"path": "bar"}}, "material": {"youngs": 1e6, "density": 1000, "stiffnessDamping": 1e-3, "fracture": {"stress": 3e4}},
     "pins": [{"name": "held", "where": {"group": {"name": "held"}}}]},
    {"name": "block", "source": {"file": {"path": "block"}}, "material": {"youngs": 1e6, "density": 1000, "stiffnessDamping": 1e-3, "fracture": {"stress": 3e4}}}
  ]})";

Geometry load(const std::string& path, Monitor*) {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    return throughFile(name == "bar" ? bar() : name == "block" ? block() : floorPlane());
}

/// Frames as `sunder simulate` makes them of a scene file, body by body.
std::vector<std::vector<std::string>> commandLineFrames(int frames) {
    const Scene scene = parseScene(kScene);
    WorldState world = buildWorld(scene, load);
    startBooks(world);
    Workspace workspace;
    std::vector<std::vector<std::string>> all;
    for (int f = 0; f < frames; ++f) {
        if (f > 0) {
            const std::int64_t frame = scene.startFrame + f;
            const StepReport report = step(world, scene.timeOf(frame) - scene.timeOf(frame - 1), scene.settings, workspace);
            EXPECT_FALSE(report.failed) << report.message;
            world.time = scene.timeOf(frame);
        }
        std::vector<std::string>& bodies = all.emplace_back();
        for (const Geometry& g : bodyFrames(world, scene.startFrame + f)) bodies.push_back(bytesOf(throughFile(g)));
    }
    return all;
}

constexpr int kStart = 1001, kFrames = 6;

DopNetwork makeNetwork() {
    operators();  // registers the data, too
    DopNetwork net(24, kStart);
    net.addObject("bar", *makeDetail(bar()).gdp());
    net.addObject("block", *makeDetail(block()).gdp());
    net.addCollider("floor", *makeDetail(floorPlane()).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(0, "SIM_SunderConstraint", "SunderConstraint");
    net.set("Solver", "startFrame", int64{kStart});
    net.set("Solver", "seed", int64{3});
    net.set("Solver", "integrator", int64{0});
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "density", 1000.0);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    net.set("SunderMaterial", "fracture_enabled", true);
    net.set("SunderMaterial", "fracture_stress", 3e4);
    net.set("SunderConstraint", "group", std::string("held"));
    return net;
}
std::string shown(const DopNetwork& net, int frame, int object) { return bytesOf(readDetail(net.geometry(frame, object))); }
void expectSame(const DopNetwork& a, const DopNetwork& b, int first, int last) {
    for (int f = first; f <= last; ++f)
        for (const int object : {0, 1}) EXPECT_EQ(shown(a, f, object), shown(b, f, object)) << f << " " << object;
}
}  // namespace

TEST(HoudiniDops, FramesAreThoseOfTheCommandLineBitForBit) {
    DopNetwork net = makeNetwork();
    ASSERT_TRUE(net.play(kStart + kFrames - 1)) << trouble(net);
    const auto expected = commandLineFrames(kFrames);
    for (int f = 0; f < kFrames; ++f)
        for (const int object : {0, 1}) EXPECT_EQ(shown(net, kStart + f, object), expected[static_cast<std::size_t>(f)][static_cast<std::size_t>(object)]) << f << " " << object;
    // something broke and something moved, or there would be little to compare
    EXPECT_GT(net.geometry(kStart + kFrames - 1, 0).getNumPrimitives(), static_cast<GA_Size>(bar().primitiveCount()));
    EXPECT_GT(net.memory(kStart + 1), 1000);
}

TEST(HoudiniDops, ScrubbingReloadingAndSavingChangeNothing) {
    DopNetwork played = makeNetwork();
    ASSERT_TRUE(played.play(kStart + kFrames - 1)) << trouble(played);
    DopNetwork scrubbed = makeNetwork();
    ASSERT_TRUE(scrubbed.play(kStart + 4));
    scrubbed.scrub(kStart + 2);
    ASSERT_TRUE(scrubbed.play(kStart + kFrames - 1));
    expectSame(scrubbed, played, kStart, kStart + kFrames - 1);
    DopNetwork reloading = makeNetwork();
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kStart + kFrames - 1)) << trouble(reloading);
    expectSame(reloading, played, kStart, kStart + kFrames - 1);
    DopNetwork resumed = makeNetwork();
    ASSERT_TRUE(resumed.load(kStart + 3, played.save(kStart + 3)));
    ASSERT_TRUE(resumed.play(kStart + kFrames - 1)) << trouble(resumed);
    expectSame(resumed, played, kStart + 3, kStart + kFrames - 1);
    std::string cut = played.save(kStart + 3);
    cut.resize(cut.size() / 2);
    EXPECT_FALSE(resumed.load(kStart + 3, cut));
}

TEST(HoudiniDops, KeyedMaterialsCountUnderSetAlwaysAlone) {
    DopNetwork plain = makeNetwork(), always = makeNetwork(), initial = makeNetwork();
    always.set("SunderMaterial", "youngs", 2e6, ParmOperation::kSetAlways, kStart + 3);
    initial.set("SunderMaterial", "youngs", 2e6, ParmOperation::kSetInitial, kStart + 3);
    for (DopNetwork* net : {&plain, &always, &initial}) ASSERT_TRUE(net->play(kStart + 4)) << trouble(*net);
    expectSame(initial, plain, kStart, kStart + 4);
    expectSame(always, plain, kStart, kStart + 2);
    EXPECT_NE(shown(always, kStart + 3, 0), shown(plain, kStart + 3, 0));
}

TEST(HoudiniDops, EditsBetweenStepsWin) {
    DopNetwork net = makeNetwork();
    net.edit = [](int frame, int object, GU_Detail& d) {
        if (frame != kStart + 1 || object != 1) return;
        for (const GA_Offset o : d.getPointRange()) {
            UT_Vector3 p = d.getPos3(o);
            p[0] += 1;
            d.setPos3(o, p);
        }
        d.getP()->bumpDataId();
    };
    ASSERT_TRUE(net.play(kStart + 2)) << trouble(net);
    double middle = 0;
    for (const GA_Offset o : net.geometry(kStart + 2, 1).getPointRange()) middle += net.geometry(kStart + 2, 1).getPos3(o).x();
    EXPECT_NEAR(middle / 27, 1.15, 0.01);
    net.scrub(kStart);
    net.edit = [](int, int object, GU_Detail& d) {
        if (object != 1) return;
        d.destroyPrimitives(GA_Range({d.primitiveOffset(GA_Index(0))}));
        d.bumpAllDataIds();
    };
    EXPECT_FALSE(net.play(kStart + 2));
    EXPECT_TRUE(net.says("have been changed between two steps. Move points")) << trouble(net);
}

TEST(HoudiniDops, VelocitiesThatAnArtistGivesCount) {
    const auto make = [] {
        operators();
        DopNetwork net;
        net.addObject("block", *makeDetail(block()).gdp());
        net.attach(-1, "SIM_SunderSolver", "Solver");
        return net;
    };
    DopNetwork plain = make(), net = make();
    net.edit = [](int frame, int, GU_Detail& d) {
        if (frame != 2) return;
        GA_RWHandleF v(d.findAttribute(GA_ATTRIB_POINT, "v"));
        for (const GA_Offset o : d.getPointRange()) v.set(o, 0, 2.4f);
        d.bumpAllDataIds();
    };
    for (DopNetwork* n : {&plain, &net}) ASSERT_TRUE(n->play(3)) << trouble(*n);
    const Geometry before = readDetail(plain.geometry(3, 0)), after = readDetail(net.geometry(3, 0));
    for (std::size_t i = 0; i < before.pointCount(); ++i) EXPECT_NEAR(after.positions[i].x() - before.positions[i].x(), 2.4 / 24, 1e-5) << i;
}

TEST(HoudiniDops, StatesOfAnotherVersionOrMakeAreRefused) {
    DopNetwork net = makeNetwork();
    ASSERT_TRUE(net.play(kStart + 1));
    const std::string saved = net.save(kStart + 1);
    const std::size_t mark = saved.find("SNDRPRT");
    ASSERT_NE(mark, std::string::npos);
    for (const std::size_t at : {mark, mark + 7}) {
        std::string wrong = saved;
        wrong[at] = '?';
        EXPECT_FALSE(net.load(kStart + 1, wrong)) << at;
    }
    EXPECT_TRUE(net.load(kStart + 1, saved));
}

TEST(HoudiniDops, AnInterruptedStepLeavesNoFalseFrame) {
    DopNetwork net = makeNetwork(), undisturbed = makeNetwork();
    ASSERT_TRUE(undisturbed.play(kStart + 2));
    ASSERT_TRUE(net.play(kStart + 1));
    for (const long at : {0L, 1L, 3L, 7L}) {
        standin::interruptAfter(at);
        EXPECT_FALSE(net.play(kStart + 2)) << at;
        EXPECT_TRUE(net.says("interrupted")) << at;
        EXPECT_FALSE(net.has(kStart + 2));
    }
    standin::interruptAfter(-1);
    ASSERT_TRUE(net.play(kStart + 2)) << trouble(net);
    expectSame(net, undisturbed, kStart, kStart + 2);
}

/// Plays to a frame with memory that gives out, later in each try. How many tries failed: the stand-in sees to it that they left all objects as they were.
int triesThatFail(DopNetwork& net, int frame, long stride) {
    int failed = 0;
    for (long left = 0; !net.has(frame) && left < 1000; left += stride) {
        standin::outOfMemoryAfter(left);
        const bool played = net.play(frame);
        standin::outOfMemoryAfter(-1);
        EXPECT_TRUE(played || net.says("not enough memory")) << trouble(net);
        failed += played ? 0 : 1;
    }
    return failed;
}
TEST(HoudiniDops, AStepThatFailsAtTheSecondObjectLeavesTheFirstAsItWas) {
    constexpr int kBreaks = kStart + 3;
    DopNetwork net = makeNetwork(), undisturbed = makeNetwork();
    ASSERT_TRUE(undisturbed.play(kBreaks + 1));
    EXPECT_GT(triesThatFail(net, kStart, 1), 20) << "two objects with all their attributes";
    ASSERT_TRUE(net.play(kBreaks - 1));
    EXPECT_GE(triesThatFail(net, kBreaks, 4), 3) << "what has broken is written as a whole";
    ASSERT_TRUE(net.play(kBreaks + 1));
    expectSame(net, undisturbed, kStart, kBreaks + 1);
    // nor are values enough for attributes that an artist has made something else
    DopNetwork edited = makeNetwork();
    edited.edit = [](int, int, GU_Detail& d) {
        d.addTuple(GA_STORE_REAL64, GA_ATTRIB_POINT, "accel", 1);
        d.bumpAllDataIds();
    };
    ASSERT_TRUE(edited.play(kStart));
    EXPECT_GE(triesThatFail(edited, kStart + 1, 6), 5);
}

// sums of steps are off by a rounding here and there, which the frames of a scene would not have
TEST(HoudiniDops, TheTimeOfAFrameIsNoRunningSum) {
    constexpr int kSubsteps = 5, kLast = 20;
    operators();
    DopNetwork net;
    net.substeps = kSubsteps;
    net.addObject("block", *makeDetail(block()).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.set("Solver", "integrator", int64{0});
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    double sum = 0;
    bool drifts = false;
    for (int f = 2; f <= kLast; ++f) {
        const double exact = static_cast<double>((f - 1) * kSubsteps) / (24.0 * kSubsteps);
        EXPECT_EQ(readDetail(net.geometry(f, 0)).detail.find("time")->number(0), exact) << f;
        for (int s = 0; s < kSubsteps; ++s) sum += 1 / (24.0 * kSubsteps);
        drifts |= sum != exact;
    }
    EXPECT_TRUE(drifts) << "a sum would do as well";
}

TEST(HoudiniDops, GeometryOfASopIsReplacedAndStaysAsItIs) {
    DopNetwork copies = makeNetwork(), sops = makeNetwork();
    sops.showsSops = true;
    for (DopNetwork* net : {&copies, &sops}) ASSERT_TRUE(net->play(kStart + kFrames - 1)) << trouble(*net);
    expectSame(sops, copies, kStart, kStart + kFrames - 1);
    sops.scrub(kStart);
    ASSERT_TRUE(sops.play(kStart + kFrames - 1)) << trouble(sops);
    expectSame(sops, copies, kStart, kStart + kFrames - 1);
    // a SOP that shows a frame has all that frames have already, so that values alone are written
    DopNetwork again[2];
    for (const bool shows : {false, true}) {
        DopNetwork& net = again[shows ? 1 : 0];
        net.showsSops = shows;
        net.addObject("block", copies.geometry(kStart, 1));
        net.attach(-1, "SIM_SunderSolver", "Solver");
        ASSERT_TRUE(net.play(2)) << trouble(net);
    }
    for (const int f : {1, 2}) EXPECT_EQ(shown(again[1], f, 0), shown(again[0], f, 0)) << f;
}

TEST(HoudiniDops, WrongInputsFailWithARemedy) {
    operators();
    const auto fails = [](const Geometry& geometry, const char* part, const std::function<void(DopNetwork&)>& change = nullptr) {
        DopNetwork net;
        net.addObject("thing", *makeDetail(geometry).gdp());
        net.attach(-1, "SIM_SunderSolver", "Solver");
        net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
        if (change) change(net);
        EXPECT_FALSE(net.play(2)) << part;
        EXPECT_TRUE(net.says(part)) << part << " / " << trouble(net);
    };
    fails(Geometry(), "no tets");
    fails(cubeSurface(), "Fill its surface");
    Geometry wrong = block();
    wrong.points.add<std::string>("stiffness", wrong.pointCount());
    fails(wrong, "is a string");
    fails(block(), "'courant' is 2", [](DopNetwork& net) { net.set("Solver", "courant", 2.0); });
    fails(block(), "carries no material", [](DopNetwork& net) { net.set("SunderMaterial", "materialFromGeometry", true); });
    fails(block(), "nosuch", [](DopNetwork& net) {
        net.attach(0, "SIM_SunderConstraint", "SunderConstraint");
        net.set("SunderConstraint", "group", std::string("nosuch"));
    });
    fails(block(), "blast", [](DopNetwork& net) { net.attach(0, "SIM_SunderBlast", "SunderBlast"); });
    DopNetwork net;  // a collider without polygons is harmless
    net.addObject("thing", *makeDetail(block()).gdp());
    net.addCollider("nothing", *makeDetail(Geometry()).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    EXPECT_TRUE(net.play(1));
    EXPECT_TRUE(net.says("left out")) << trouble(net);
}

}  // namespace sunder::test
