// Colliders that move, bend and change their topology: what a network shows step by step has to give the frames of a scene that knows all of it from the start.
#include <gtest/gtest.h>

#include <cmath>

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

constexpr int kStart = 1001, kFrames = 9;

Geometry block(double x) {
    Geometry g = geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.25, 0.25, 0.25)), {});
    for (Vec3& p : g.positions) p += Vec3(x, 0, 0);
    return g;
}
/// A box of n x n cells a side, from `low` on.
Geometry crate(const Vec3& low, const Vec3& size, int n) {
    const TetMesh mesh = testing::makeBox(n, n, n, size);
    Geometry g = geometryFromTetMesh(mesh, {});
    for (Vec3& p : g.positions) p += low;
    return g;
}
/// It starts to push at the third frame, faster and faster, leans forward, is cut finer in the sixth and stands still from the eighth on.
Geometry paddle(int frame) {
    const int k = std::min(frame - kStart, kFrames - 2);
    Geometry g = crate(Vec3(-0.25 - 1.0 / 64, 0, -0.125), Vec3(0.25, 0.5, 0.5), k < 5 ? 1 : 2);
    const double way = k < 2 ? 0 : (k - 1) * (k - 1) / 128.0, lean = k < 2 ? 0 : (k - 1) / 32.0;
    for (Vec3& p : g.positions) p.x() += way + lean * p.y();
    return g;
}
Geometry pavement() { return crate(Vec3(-4, -0.5 - 1.0 / 64, -4), Vec3(8, 0.5, 8), 1); }

std::string sceneText(const char* settings) {
    return format(R"({"startFrame": %d, "endFrame": %d, "settings": %s,
        "colliders": [{"name": "paddle", "source": {"frames": {"path": "paddle.####", "first": %d, "last": %d}}, "visible": false, "contact": {"friction": 0.3}},
                      {"name": "pavement", "source": {"file": {"path": "pavement"}}, "visible": false}],
        "bodies": [{"name": "near", "source": {"file": {"path": "near"}}, "material": {"youngs": 1e6, "stiffnessDamping": 1e-3}},
                   {"name": "far", "source": {"file": {"path": "far"}}, "material": {"youngs": 1e6, "stiffnessDamping": 1e-3}}]})",
                  kStart, kStart + kFrames, settings, kStart, kStart + kFrames);
}

Geometry load(const std::string& path, Monitor*) {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    if (name == "near") return throughFile(block(0));
    if (name == "far") return throughFile(block(0.5));
    if (name == "pavement") return throughFile(pavement());
    return throughFile(paddle(std::stoi(name.substr(name.find('.') + 1))));
}

std::vector<std::vector<std::string>> sceneFrames(const char* settings, std::vector<std::string>* warnings = nullptr) {
    const Scene scene = parseScene(sceneText(settings));
    WorldState world = buildWorld(scene, load);
    startBooks(world);
    Workspace workspace;
    std::vector<std::vector<std::string>> all;
    for (int f = 0; f < kFrames; ++f) {
        const std::int64_t frame = kStart + f;
        if (f > 0) {
            const StepReport report = step(world, scene.timeOf(frame) - scene.timeOf(frame - 1), scene.settings, workspace);
            EXPECT_FALSE(report.failed) << report.message;
            world.time = scene.timeOf(frame);
            if (warnings) warnings->insert(warnings->end(), report.warnings.begin(), report.warnings.end());
        }
        auto& bodies = all.emplace_back();
        for (const Geometry& g : bodyFrames(world, frame)) bodies.push_back(bytesOf(throughFile(g)));
    }
    return all;
}

void makeScene(DopNetwork& net) {
    net.addObject("near", *makeDetail(block(0)).gdp());
    net.addObject("far", *makeDetail(block(0.5)).gdp());
    net.addCollider("paddle", *makeDetail(paddle(kStart)).gdp());
    net.addCollider("pavement", *makeDetail(pavement()).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(2, "SIM_SunderCollider", "SunderCollider");
    net.set("Solver", "startFrame", int64{kStart});
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    net.set("SunderCollider", "contact_friction", 0.3);
    net.set("SunderCollider", "contact_dynamicFriction", 0.3);
    net.show = [](double frame, int object, GU_Detail& d) {
        if (object == 2) d.replaceWith(*makeDetail(paddle(static_cast<int>(std::lround(frame)))).gdp());
    };
}
DopNetwork makeNetwork(bool isExplicit) {
    operators();
    DopNetwork net(24, kStart);
    makeScene(net);
    net.set("Solver", "integrator", int64{isExplicit ? 0 : 1});
    return net;
}
const char* settingsOf(bool isExplicit) { return isExplicit ? R"({"integrator": "explicit"})" : R"({"integrator": "implicit"})"; }

std::string shown(const DopNetwork& net, int frame, int object) { return bytesOf(readDetail(net.geometry(frame, object))); }
void expectFrames(const DopNetwork& net, const std::vector<std::vector<std::string>>& expected, int first = 0) {
    for (int f = first; f < kFrames; ++f)
        for (const int object : {0, 1})
            EXPECT_EQ(shown(net, kStart + f, object) == expected[static_cast<std::size_t>(f)][static_cast<std::size_t>(object)], true) << f << " " << object;
}
double lowestX(const GU_Detail& d) {
    double x = 1e300;
    for (const GA_Offset o : d.getPointRange()) x = std::min(x, static_cast<double>(d.getPos3(o).x()));
    return x;
}
}  // namespace

TEST(HoudiniDopColliders, MovingBendingAndChangingOnesAreThoseOfAScene) {
    for (const bool isExplicit : {true, false}) {
        DopNetwork net = makeNetwork(isExplicit);
        ASSERT_TRUE(net.play(kStart + 4)) << trouble(net);
        EXPECT_FALSE(net.says("topology"));
        ASSERT_TRUE(net.play(kStart + 5)) << trouble(net);
        EXPECT_TRUE(net.says("collider 'paddle' has another topology")) << trouble(net);
        ASSERT_TRUE(net.play(kStart + 6)) << trouble(net);
        EXPECT_FALSE(net.says("topology"));  // once is enough
        ASSERT_TRUE(net.play(kStart + kFrames - 1)) << trouble(net);
        expectFrames(net, sceneFrames(settingsOf(isExplicit)));
        EXPECT_GT(lowestX(net.geometry(kStart + kFrames - 1, 0)), 0.1);  // it was pushed
    }
}

TEST(HoudiniDopColliders, ScrubbingReloadingAndSavingChangeNothing) {
    const auto expected = sceneFrames(settingsOf(true));
    DopNetwork scrubbed = makeNetwork(true);
    ASSERT_TRUE(scrubbed.play(kStart + 6));
    for (const int back : {5, 2}) {
        scrubbed.scrub(kStart + back);
        ASSERT_TRUE(scrubbed.play(kStart + 6));
    }
    ASSERT_TRUE(scrubbed.play(kStart + kFrames - 1));
    expectFrames(scrubbed, expected);
    DopNetwork reloading = makeNetwork(true);
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kStart + kFrames - 1)) << trouble(reloading);
    expectFrames(reloading, expected);
    for (const int at : {4, 5, 6}) {  // before, in and behind the change of topology
        DopNetwork resumed = makeNetwork(true);
        ASSERT_TRUE(resumed.load(kStart + at, scrubbed.save(kStart + at)));
        ASSERT_TRUE(resumed.play(kStart + kFrames - 1)) << trouble(resumed);
        expectFrames(resumed, expected, at);
    }
}

TEST(HoudiniDopColliders, SameBytesForAnyNumberOfThreads) {
    const auto expected = sceneFrames(settingsOf(false));
    const int before = threadCount();
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        standin::setThreads(threads);
        DopNetwork net = makeNetwork(false);
        EXPECT_TRUE(net.play(kStart + kFrames - 1)) << trouble(net);
        expectFrames(net, expected);
    }
    setThreadCount(before);
    standin::setThreads(3);
}

TEST(HoudiniDopColliders, AnInterruptedStepForgetsNothing) {
    DopNetwork net = makeNetwork(true);
    ASSERT_TRUE(net.play(kStart + 3));
    for (const long at : {0L, 2L, 5L}) {
        standin::interruptAfter(at);
        EXPECT_FALSE(net.play(kStart + 4)) << at;
    }
    standin::interruptAfter(-1);
    ASSERT_TRUE(net.play(kStart + kFrames - 1)) << trouble(net);
    expectFrames(net, sceneFrames(settingsOf(true)));
}

// A grid that an object's Position has turned and lifted, as a Ground Plane has it, goes down step by step: the block on it follows. Quarter turns and dyadic ways leave the floats exact.
TEST(HoudiniDopColliders, GeometryStandsWhereItsObjectDoes) {
    operators();
    const auto grid = [](bool placed, double height) {  // across z, and turned about x across y, facing up
        Geometry g;
        for (const double x : {-2.0, 2.0})
            for (const double u : {-2.0, 2.0}) g.positions.push_back(placed ? Vec3(x, height, u) : Vec3(x, -u, 0));
        g.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{0, 1, 3, 2});
        return g;
    };
    const auto height = [](double frame) { return -1.0 / 16 - (frame - 1) * (frame - 1) / 256; };
    const auto make = [&](bool byObject) {
        DopNetwork net;
        net.addObject("block", *makeDetail(block(0)).gdp());
        net.addCollider("plane", *makeDetail(grid(!byObject, height(1))).gdp());
        net.attach(-1, "SIM_SunderSolver", "Solver");
        net.set("Solver", "substeps", int64{4});
        if (byObject)
            net.stand = [&](double frame, int, UT_DMatrix4& m) {  // (x, y, 0) -> (x, height, -y)
                m = UT_DMatrix4(1);
                m(1, 1) = m(2, 2) = 0;
                m(1, 2) = -1;
                m(2, 1) = 1;
                m(3, 1) = height(frame);
            };
        else
            net.show = [&](double frame, int, GU_Detail& d) { d.replaceWith(*makeDetail(grid(true, height(frame))).gdp()); };
        return net;
    };
    DopNetwork placed = make(false), standing = make(true);
    ASSERT_TRUE(placed.play(8)) << trouble(placed);
    ASSERT_TRUE(standing.play(8)) << trouble(standing);
    for (int f = 1; f <= 8; ++f) EXPECT_EQ(shown(standing, f, 0), shown(placed, f, 0)) << f;
    double lowest = 1e300;
    const GU_Detail& d = standing.geometry(8, 0);
    for (const GA_Offset o : d.getPointRange()) lowest = std::min(lowest, static_cast<double>(d.getPos3(o).y()));
    EXPECT_NEAR(lowest, height(8), 0.05);  // on the layer that stands for the grid; free it would have come 0.42 m down, 0.17 m below that
}

}  // namespace sunder::test
