// Pins, targets and glue between objects, and how they let go: frames have to be those of a scene.
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

constexpr int kFrames = 8;
constexpr double kWeightStress = 2453;  // Pa, of the lower block on what holds it

/// One of three blocks in a column, 0 on top; the top of the first is the group `held`, and points of its right side are `drawn`.
Geometry block(int number) {
    TetMesh mesh = testing::makeBox(2, 2, 2, Vec3(0.25, 0.25, 0.25));
    Geometry g = geometryFromTetMesh(mesh, {});
    Group& held = g.points.addGroup("held", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) held.members[i] = g.positions[i].y() > 0.24 ? 1 : 0;
    Group& drawn = g.points.addGroup("drawn", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) drawn.members[i] = g.positions[i].x() > 0.24 ? 1 : 0;
    for (Vec3& p : g.positions) p.y() += 1 - 0.25 * number;
    return g;
}

struct Hanging {
    const char* integrator = "explicit";
    double strength = 1e7;             ///< of the glue, Pa
    double releaseTime = 1e300, releaseForce = 1e300;  ///< of the pin
    bool soft = false;                 ///< a target in place of the pin
};

std::string sceneText(const Hanging& h) {
    const std::string release = format(R"("releaseTime": %.17g, "releaseForce": %.17g)", h.releaseTime, h.releaseForce);
    const std::string held = h.soft ? format(R"("targets": [{"name": "drawn", "where": {"group": {"name": "drawn"}}, "strength": 2000, "damping": 5, %s}])", release.c_str())
                                    : format(R"("pins": [{"name": "held", "where": {"group": {"name": "held"}}, %s}])", release.c_str());
    return format(R"({"startFrame": 1, "endFrame": %d, "settings": {"integrator": "%s", "linearSolver": "cg-ic"},
        "glue": [{"name": "upper to lower", "a": "upper", "b": "lower", "distance": 0.01, "strength": %.17g}],
        "bodies": [{"name": "upper", "source": {"file": {"path": "upper"}}, "material": {"youngs": 1e6, "stiffnessDamping": 1e-3}, %s},
                   {"name": "lower", "source": {"file": {"path": "lower"}}, "material": {"youngs": 1e6, "stiffnessDamping": 1e-3}}]})",
                  kFrames, h.integrator, h.strength, held.c_str());
}

Geometry load(const std::string& path, Monitor*) { return throughFile(block(path.find("upper") != std::string::npos ? 0 : 1)); }

std::vector<std::vector<std::string>> sceneFrames(const Hanging& h) {
    const Scene scene = parseScene(sceneText(h));
    WorldState world = buildWorld(scene, load);
    EXPECT_FALSE(world.glue.empty());
    startBooks(world);
    Workspace workspace;
    std::vector<std::vector<std::string>> all;
    for (std::int64_t f = 1; f <= kFrames; ++f) {
        if (f > 1) {
            const StepReport report = step(world, scene.timeOf(f) - scene.timeOf(f - 1), scene.settings, workspace);
            EXPECT_FALSE(report.failed) << report.message;
            world.time = scene.timeOf(f);
        }
        auto& bodies = all.emplace_back();
        for (const Geometry& g : bodyFrames(world, f)) bodies.push_back(bytesOf(throughFile(g)));
    }
    return all;
}

DopNetwork makeNetwork(const Hanging& h) {
    operators();
    DopNetwork net;
    net.addObject("upper", *makeDetail(block(0)).gdp());
    net.addObject("lower", *makeDetail(block(1)).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(0, "SIM_SunderConstraint", "SunderConstraint");
    net.attach(0, "SIM_SunderConstraint", "SunderConstraint1");
    net.set("Solver", "integrator", int64{std::string(h.integrator) == "explicit" ? 0 : 1});
    net.set("Solver", "linearSolver", int64{2});  // the same bits whatever the plugin factors with
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    net.set("SunderConstraint", "type", int64{2});
    net.set("SunderConstraint", "glue_b", std::string("lower"));
    net.set("SunderConstraint", "glue_distance", 0.01);
    net.set("SunderConstraint", "glue_strength", h.strength);
    net.set("SunderConstraint1", "group", std::string(h.soft ? "drawn" : "held"));
    net.set("SunderConstraint1", "type", int64{h.soft ? 1 : 0});
    net.set("SunderConstraint1", "strength", 2000.0);
    net.set("SunderConstraint1", "damping", 5.0);
    net.set("SunderConstraint1", "releaseTime", h.releaseTime);
    net.set("SunderConstraint1", "releaseForce", h.releaseForce);
    return net;
}

std::string shown(const DopNetwork& net, int frame, int object) { return bytesOf(readDetail(net.geometry(frame, object))); }
void expectFrames(const DopNetwork& net, const std::vector<std::vector<std::string>>& expected, int first = 1) {
    for (int f = first; f <= kFrames; ++f)
        for (const int object : {0, 1})
            EXPECT_TRUE(shown(net, f, object) == expected[static_cast<std::size_t>(f - 1)][static_cast<std::size_t>(object)]) << f << " " << object;
}
double meanHeight(const DopNetwork& net, int frame, int object) {
    double sum = 0;
    const GU_Detail& d = net.geometry(frame, object);
    for (const GA_Offset o : d.getPointRange()) sum += d.getPos3(o).y();
    return sum / static_cast<double>(d.getNumPoints());
}
/// How far an object has come down.
double fallen(const DopNetwork& net, int object) { return meanHeight(net, 1, object) - meanHeight(net, kFrames, object); }
constexpr double kFreeFall = 0.5 * 9.81 * (kFrames - 1) * (kFrames - 1) / (24.0 * 24.0);  // 0.417 m
}  // namespace

TEST(HoudiniDopConstraints, GlueHoldsAndLetsGoAsInAScene) {
    for (const char* integrator : {"explicit", "implicit"})
        for (const bool strong : {true, false}) {
            Hanging h;
            h.integrator = integrator;
            h.strength = strong ? 100 * kWeightStress : 0.5 * kWeightStress;
            DopNetwork net = makeNetwork(h);
            ASSERT_TRUE(net.play(kFrames)) << trouble(net);
            expectFrames(net, sceneFrames(h));
            if (strong)
                EXPECT_LT(fallen(net, 1), 0.1 * kFreeFall) << integrator;
            else
                EXPECT_GT(fallen(net, 1), 0.7 * kFreeFall) << integrator;
            EXPECT_LT(fallen(net, 0), 0.1 * kFreeFall) << integrator;
        }
}

TEST(HoudiniDopConstraints, PinsAndTargetsLetGoAsInAScene) {
    for (const char* integrator : {"explicit", "implicit"})
        for (const bool soft : {false, true})
            for (const bool byForce : {false, true}) {
                Hanging h;
                h.integrator = integrator;
                h.soft = soft;
                (byForce ? h.releaseForce : h.releaseTime) = byForce ? 3 : 2.5 / 24;
                DopNetwork net = makeNetwork(h);
                ASSERT_TRUE(net.play(kFrames)) << trouble(net);
                expectFrames(net, sceneFrames(h));
                EXPECT_GT(fallen(net, 0), 0.3 * kFreeFall) << integrator << soft << byForce;
            }
}

TEST(HoudiniDopConstraints, ScrubbingReloadingSavingAndThreadsChangeNothing) {
    Hanging h;
    h.strength = 1.5 * kWeightStress;  // it lets go on the way
    const auto expected = sceneFrames(h);
    DopNetwork scrubbed = makeNetwork(h), reloading = makeNetwork(h);
    ASSERT_TRUE(scrubbed.play(6));
    scrubbed.scrub(2);
    ASSERT_TRUE(scrubbed.play(kFrames));
    expectFrames(scrubbed, expected);
    EXPECT_GT(fallen(scrubbed, 1), 0.2 * kFreeFall);
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(kFrames)) << trouble(reloading);
    expectFrames(reloading, expected);
    for (int at = 2; at < kFrames; ++at) {
        DopNetwork resumed = makeNetwork(h);
        ASSERT_TRUE(resumed.load(at, scrubbed.save(at)));
        ASSERT_TRUE(resumed.play(kFrames)) << trouble(resumed);
        expectFrames(resumed, expected, at);
    }
    const int before = threadCount();
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        standin::setThreads(threads);
        DopNetwork net = makeNetwork(h);
        EXPECT_TRUE(net.play(kFrames));
        expectFrames(net, expected);
    }
    setThreadCount(before);
    standin::setThreads(3);
}

TEST(HoudiniDopConstraints, GlueOfNothingIsAnErrorWithARemedy) {
    const auto fails = [](const char* part, const char* option, const DopNetwork::Option& value) {
        DopNetwork net = makeNetwork({});
        net.set("SunderConstraint", option, value);
        EXPECT_FALSE(net.play(1)) << part;
        EXPECT_TRUE(net.says(part)) << part << " / " << trouble(net);
        EXPECT_FALSE(net.has(1));
    };
    fails("glue names no other object. Name the object", "glue_b", std::string());
    fails("nosuch", "glue_b", std::string("nosuch"));
    fails("twice", "glue_b", std::string("upper"));
    fails("glue_strength", "glue_strength", -1.0);
}

}  // namespace sunder::test
