// Objects as an artist wires them: made by cooked SOPs, moving as they come, with blasts and substeps of the network.
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/io/material_text.h"
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

DopNetwork oneObject(const GU_Detail& detail) {
    operators();
    DopNetwork net;
    net.addObject("thing", detail);
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.set("Solver", "integrator", int64{0});
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    return net;
}
Geometry block() { return geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.3, 0.3, 0.3)), {}); }
std::string shown(const DopNetwork& net, int frame, int object = 0) { return bytesOf(readDetail(net.geometry(frame, object))); }

/// A cube whose halves fly apart, as a surface: what it has painted goes through the nodes to the tets.
Geometry tornCube() {
    Geometry g = cubeSurface();
    auto& v = g.points.add<float>("v", g.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < g.pointCount(); ++i) v[3 * i] = g.positions[i].x() > 0 ? 4.0f : -4.0f;
    return g;
}
/// A sheet across it, off its middle.
Geometry sheet() {
    Geometry g;
    for (const double y : {-2.0, 2.0})
        for (const double z : {-2.0, 2.0}) g.positions.emplace_back(0.18, y, z);
    const std::vector<std::int32_t> quad = {0, 1, 3, 2};
    g.addPrimitive(PrimitiveKind::kPolygon, quad);
    return g;
}

/// Nodes that make a solid that breaks along a guide.
struct Wired {
    Network net;
    SOP_Node *solid, *guide;

    Wired() {
        SOP_Node* tets = net.node("sunder::tetrahedralize::1.0", {net.geometry(tornCube())});
        net.set(tets, "method", 2);
        net.set(tets, "cellSize", 0.34);
        solid = net.node("sunder::material::1.0", {tets});
        net.set(solid, "youngs", 1e6);
        net.set(solid, "stiffnessDamping", 1e-3);
        net.set(solid, "fracture_enabled", 1);
        net.set(solid, "fracture_stress", 4e4);
        net.set(solid, "massdensity", 2);
        guide = net.node("sunder::guide::1.0", {net.geometry(sheet())});
        net.set(guide, "name", std::string("seam"));
        net.set(guide, "strength", 0.3);
        net.set(guide, "width", 0.2);
    }
    Network::Cooked cook(SOP_Node* node) {
        Network::Cooked cooked = net.cook(node);
        EXPECT_FALSE(cooked.failed()) << cooked.all();
        return cooked;
    }
};

/// Frames of a scene whose files are what nodes have made, saved and read again.
std::vector<std::string> sceneFrames(const Geometry& solid, const Geometry& guide, bool guided, int frames) {
    Scene scene = parseScene(R"({"fps": 240, "startFrame": 1, "settings": {"integrator": "explicit"}, "bodies": [{"name": "thing", "source": {"file": {"path": "solid"}}}]})");
    SceneBody& body = scene.bodies[0];
    if (guided) {
        SceneGuide& seam = body.guides.emplace_back();
        seam.name = "seam";
        seam.strength = 0.3;
        seam.width = 0.2;
        seam.shape = FileSource{"guide"};
    }
    const auto read = [&](const std::string& path, Monitor*) { return throughFile(path.substr(path.find_last_of('/') + 1) == "solid" ? solid : guide); };
    WorldState world = buildWorld(scene, {read, materialFromText});
    startBooks(world);
    Workspace workspace;
    std::vector<std::string> all;
    for (std::int64_t f = 1; f <= frames; ++f) {
        if (f > 1) {
            EXPECT_FALSE(step(world, scene.timeOf(f) - scene.timeOf(f - 1), scene.settings, workspace).failed);
            world.time = scene.timeOf(f);
        }
        all.push_back(bytesOf(throughFile(bodyFrames(world, f)[0])));
    }
    return all;
}
}  // namespace

TEST(HoudiniDopWired, CookedNodesGiveTheFramesOfASceneOfTheirFiles) {
    constexpr int kFrames = 5;
    Wired wired;
    const Network::Cooked solid = wired.cook(wired.solid), guide = wired.cook(wired.guide);
    operators();
    DopNetwork net(240, 1);
    net.addObject("thing", *solid.detail.gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attachGeometry(0, "GuideGeometry", *guide.detail.gdp());
    net.set("Solver", "integrator", int64{0});
    net.set("Solver", "fps", 240.0);
    net.set("SunderMaterial", "materialFromGeometry", true);
    ASSERT_TRUE(net.play(kFrames)) << trouble(net);
    const std::vector<std::string> expected = sceneFrames(solid.geometry, guide.geometry, true, kFrames);
    for (int f = 1; f <= kFrames; ++f) EXPECT_TRUE(shown(net, f) == expected[static_cast<std::size_t>(f - 1)]) << f;
    EXPECT_GT(net.geometry(kFrames, 0).getNumPrimitives(), net.geometry(1, 0).getNumPrimitives()) << "it breaks";
    EXPECT_NE(sceneFrames(solid.geometry, guide.geometry, false, kFrames).back(), expected.back()) << "the guide leads it";
}

TEST(HoudiniDopWired, SubstepsOfTheNetworkAreFramesOfAFinerScene) {
    const char* text = R"({"fps": %d, "startFrame": 1, "endFrame": 50, "settings": {"integrator": "implicit", "substeps": %d, "ground": {"friction": 0.4}},
        "bodies": [{"name": "a", "source": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}, "transform": {"translate": [0, 0.055, 0]}, "spin": [0, 90, 20], "material": {"youngs": "1 MPa"}},
                   {"name": "b", "source": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}, "transform": {"translate": [0.03, 0.16, 0]}, "material": {"youngs": "1 MPa"}}]})";
    const GeometryScene coarse(parseScene(format(text, 24, 1))), fine(parseScene(format(text, 96, 1))), inScene(parseScene(format(text, 24, 4)));
    constexpr int kFrames = 4;
    DopNetwork substepped = coarse.network(), finer = fine.network();
    substepped.substeps = 4;
    ASSERT_TRUE(substepped.play(kFrames)) << trouble(substepped);
    ASSERT_TRUE(finer.play(1 + 4 * (kFrames - 1))) << trouble(finer);
    const auto withoutNumber = [](const DopNetwork& net, int frame, int object) {
        Geometry g = readDetail(net.geometry(frame, object));
        g.detail.erase("frame");
        return bytesOf(g);
    };
    const auto sceneFrames = fine.frames(1 + 4 * (kFrames - 1));
    for (int f = 1; f <= kFrames; ++f)
        for (const int object : {0, 1}) {
            const int same = 1 + 4 * (f - 1);
            EXPECT_TRUE(withoutNumber(substepped, f, object) == withoutNumber(finer, same, object)) << f << " " << object;
            EXPECT_TRUE(shown(finer, same, object) == sceneFrames[static_cast<std::size_t>(same - 1)][static_cast<std::size_t>(object)]) << f << " " << object;
            EXPECT_EQ(readDetail(substepped.geometry(f, object)).detail.find("frame")->number(0), f);
        }
    // substeps of the solver are the same steps but for what is done once a frame
    DopNetwork solver = inScene.network();
    ASSERT_TRUE(solver.play(kFrames));
    double apart = 0, moved = 0;
    const Geometry a = readDetail(solver.geometry(kFrames, 0)), b = readDetail(substepped.geometry(kFrames, 0)), start = readDetail(solver.geometry(1, 0));
    for (std::size_t i = 0; i < a.pointCount(); ++i) {
        apart = std::max(apart, (a.positions[i] - b.positions[i]).norm());
        moved = std::max(moved, (a.positions[i] - start.positions[i]).norm());
    }
    EXPECT_GT(moved, 0.005);
    EXPECT_LT(apart, 1e-3 * moved);
}

// a charge beside a block, against the scene with the same
TEST(HoudiniDopWired, BlastsPushAsInAScene) {
    const char* text = R"({"fps": 240, "startFrame": 1, "endFrame": 50, "settings": {"integrator": "%s", "gravity": [0, 0, 0]}%s,
        "bodies": [{"name": "a", "source": {"box": {"size": [0.3, 0.3, 0.3], "cells": [2, 2, 2]}}, "material": {"youngs": "1 MPa", "stiffnessDamping": 1e-3}},
                   {"name": "b", "source": {"box": {"size": [0.3, 0.3, 0.3], "cells": [2, 2, 2]}}, "transform": {"translate": [0, 2, 0]}, "material": {"youngs": "1 MPa", "stiffnessDamping": 1e-3}}]})";
    constexpr int kFrames = 5;
    for (const char* integrator : {"explicit", "implicit"}) {
        const GeometryScene without(parseScene(format(text, integrator, ""))),
            with(parseScene(format(text, integrator, R"(, "blasts": [{"center": [-1, 0, 0], "charge": 0.01, "time": 0.005}, {"center": [2, 1, 0], "charge": 0.002}])")));
        DopNetwork net = without.network();
        net.attach(-1, "SIM_SunderBlast", "SunderBlast");  // one that all objects have is one
        net.attach(1, "SIM_SunderBlast", "SunderBlast1");
        net.set("SunderBlast", "center", UT_Vector3D(-1, 0, 0));
        net.set("SunderBlast", "charge", 0.01);
        net.set("SunderBlast", "time", 0.005);
        net.set("SunderBlast1", "center", UT_Vector3D(2, 1, 0));
        net.set("SunderBlast1", "charge", 0.002);
        ASSERT_TRUE(net.play(kFrames)) << trouble(net);
        const auto expected = with.frames(kFrames);
        for (int f = 1; f <= kFrames; ++f)
            for (const int object : {0, 1}) EXPECT_TRUE(shown(net, f, object) == expected[static_cast<std::size_t>(f - 1)][static_cast<std::size_t>(object)]) << integrator << f << " " << object;
        const Geometry last = readDetail(net.geometry(kFrames, 0));
        double speed = 0;
        for (std::size_t i = 0; i < last.pointCount(); ++i) speed += last.points.find("v")->number(i, 0) / static_cast<double>(last.pointCount());
        EXPECT_GT(speed, 0.03) << "away from the nearer one";
    }
}

TEST(HoudiniDopWired, PointsStartWithTheVelocityThatTheyBring) {
    Geometry moving = block();
    auto& v = moving.points.add<float>("v", moving.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < moving.pointCount(); ++i) v[3 * i] = 1.5f;
    DopNetwork brought = oneObject(*makeDetail(moving).gdp()), typed = oneObject(*makeDetail(block()).gdp());
    typed.set("SunderMaterial", "velocity", UT_Vector3D(1.5, 0, 0));
    for (DopNetwork* net : {&brought, &typed}) ASSERT_TRUE(net->play(4)) << trouble(*net);
    for (int f = 1; f <= 4; ++f) EXPECT_EQ(shown(brought, f), shown(typed, f)) << f;
    // what has been simulated and is wired to an object again moves on
    DopNetwork again = oneObject(typed.geometry(4, 0));
    ASSERT_TRUE(again.play(2)) << trouble(again);
    const Geometry last = readDetail(typed.geometry(4, 0)), first = readDetail(again.geometry(1, 0));
    EXPECT_EQ(last.points.find("v")->values, first.points.find("v")->values);
    EXPECT_GT(readDetail(again.geometry(2, 0)).positions[0].x(), last.positions[0].x() + 1.4 / 24);
    v[4] = std::numeric_limits<float>::infinity();
    DopNetwork wild = oneObject(*makeDetail(moving).gdp());
    EXPECT_FALSE(wild.play(1));
    EXPECT_TRUE(wild.says("'v' is not a number at point 1 of its tets. Make it")) << trouble(wild);
}

}  // namespace sunder::test
