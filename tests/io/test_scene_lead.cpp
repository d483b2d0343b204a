#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"
#include "core/io/scene_json.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"

/// What leads cracks, from the text of a scene to the world that is stepped.
namespace sunder {
namespace {

constexpr const char* kBreaks = R"("material": {"youngs": "1 MPa", "fracture": {"stress": "100 kPa"}})";

std::string sceneWith(const std::string& ofBody, const std::string& ofScene = "") {
    return R"({"seed": 5, )" + ofScene + R"("settings": {"gravity": [0, 0, 0]}, "bodies": [{"name": "wall", "source": {"box": {"size": [2, 1, 0.4], "cells": [8, 4, 2]}}, )" + kBreaks +
           (ofBody.empty() ? "" : ", " + ofBody) + "}]}";
}

/// A sheet of two triangles across x = 0, and a line along x at the top.
Geometry drawnGuide() {
    Geometry g;
    g.positions = {Vec3(0, -1, -1), Vec3(0, 1, -1), Vec3(0, 1, 1), Vec3(0, -1, 1), Vec3(-1, 0.5, 0), Vec3(1, 0.5, 0)};
    g.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{0, 1, 2, 3});
    g.addPrimitive(PrimitiveKind::kCurve, std::vector<std::int32_t>{4, 5});
    return g;
}

struct Warnings : Monitor {
    std::vector<std::string> list;
    void warn(const std::string& text) override { list.push_back(text); }
};

WorldState worldOf(const std::string& json, Monitor* monitor = nullptr) {
    return buildWorld(parseScene(json, "lead.json"), [](const std::string&, Monitor*) { return drawnGuide(); }, monitor);
}

void expectRefused(const std::string& json, const std::string& part, const std::string& remedy) {
    try {
        worldOf(json);
        ADD_FAILURE() << "accepted: " << json;
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what() << "\nlacks: " << part;
        EXPECT_NE(e.remedy().find(remedy), std::string::npos) << e.remedy() << "\nlacks: " << remedy;
    }
}

std::size_t weakVertices(const WorldState& world) {
    std::size_t count = 0;
    for (const WeakNode& node : world.bodies[0].body->lead.weak) count += node.scale < 1;
    return count;
}

TEST(SceneLead, EveryKindOfGuideIsRead) {
    const char* shapes[] = {
        R"({"file": {"path": "drawn.obj"}})",
        R"({"plane": {"point": [0.1, 0, 0], "normal": [1, 0.5, 0]}})",
        R"({"sphere": {"center": [0, 0, 0], "radius": "40 cm"}})",
        R"({"curve": {"points": [[-1, -0.5, 0.2], [0, 0, "20 cm"], [1, 0.5, 0.2]], "sweep": [0, 0, 1]}})",
        R"({"grain": {"axis": [1, 0, 0], "size": 0.5, "length": 1.5}})",
        R"({"brick": {"size": [0.8, 0.5, 0], "mortar": "1 cm"}})",
        R"({"radial": {"center": [0, 0, 0], "rays": 5, "ring": 0.6}})",
        R"({"voronoi": {"size": "80 cm"}})",
    };
    for (const char* shape : shapes) {
        const std::string json = sceneWith(std::string(R"("guides": [{"name": "g", "shape": )") + shape + R"(, "strength": 0.3, "follow": 0.5}])");
        const Scene scene = parseScene(json, "lead.json"), again = parseScene(sceneToJson(scene), "again.json");
        EXPECT_EQ(sceneToJson(scene), sceneToJson(again)) << shape;
        const WorldState world = worldOf(json);
        EXPECT_GT(weakVertices(world), 5u) << shape;
        EXPECT_LT(weakVertices(world), world.bodies[0].body->mesh.vertexCount()) << shape;
        for (const WeakNode& node : world.bodies[0].body->lead.weak) EXPECT_TRUE(node.scale == 1 || (node.scale == 0.3 && std::abs(node.lead.norm() - 0.5) < 1e-9)) << shape;
    }
}

TEST(SceneLead, GuidesAreRefusedWithAReason) {
    expectRefused(sceneWith(R"("guides": [{"name": "far", "shape": {"plane": {"point": [5, 0, 0], "normal": [1, 0, 0]}}}])"), "guide 'far' lies outside the body", "(-1, -0.5, -0.2)");
    expectRefused(sceneWith(R"("guides": [{"shape": {"plane": {}}, "strength": 0}])"), "/bodies/0/guides/0/strength", "above 0");
    expectRefused(sceneWith(R"("guides": [{"shape": {"plane": {}}, "strength": 2}])"), "out of range", "fracturethreshold");
    expectRefused(sceneWith(R"("guides": [{"shape": {"plane": {"normal": [0, 0, 0]}}}])"), "normal that is zero", "docs/scene.md");
    expectRefused(sceneWith(R"("guides": [{"shape": {"curve": {"points": [[0, 0, 0]]}}}])"), "fewer than two points", "docs/scene.md");
    expectRefused(sceneWith(R"("guides": [{"shape": {"curve": {"points": [[0, 0]]}}}])"), "/points/0", "[0, 1, 0]");
    expectRefused(sceneWith(R"("guides": [{"shape": {"plane": {}}, "parts": true}])"), "no cells to make them of", "grain, brick");
    expectRefused(sceneWith(R"("guides": [{"shape": {"voronoi": {}}, "transform": {"scale": 2}}])"), "scales a pattern", "size");
    expectRefused(sceneWith(R"("guides": [{"shape": {"plane": {}}, "strenght": 1}])"), "strenght", "did you mean 'strength'");
    expectRefused(R"({"bodies": [{"source": {"box": {}}, "material": {"fracture": {"stress": 0}}}]})", "/stress", "above 0");
    expectRefused(R"({"bodies": [{"source": {"box": {}}, "material": {"fracture": {"energy": -3}}}]})", "/energy", "above 0");
}

TEST(SceneLead, WarnsOfWhatDoesNothing) {
    Warnings fine, solid;
    worldOf(sceneWith(R"("guides": [{"name": "dust", "shape": {"voronoi": {"size": "10 cm"}}}])"), &fine);
    ASSERT_EQ(fine.list.size(), 1u);
    EXPECT_NE(fine.list[0].find("the pattern 'dust' makes"), std::string::npos) << fine.list[0];
    worldOf(R"({"bodies": [{"source": {"box": {}}, "guides": [{"shape": {"plane": {}}}]}]})", &solid);
    ASSERT_EQ(solid.list.size(), 1u);
    EXPECT_NE(solid.list[0].find("does not break"), std::string::npos);
}

TEST(SceneLead, PatternsGoByTheSeedOfTheScene) {
    const std::string json = sceneWith(R"("guides": [{"shape": {"voronoi": {"size": 0.7}}}])");
    const auto scales = [&](std::uint64_t seed) {
        Scene scene = parseScene(json, "lead.json");
        scene.seed = seed;
        std::vector<double> list;
        const WorldState world = buildWorld(scene, nullptr);
        for (const WeakNode& node : world.bodies[0].body->lead.weak) list.push_back(node.scale);
        return list;
    };
    EXPECT_EQ(scales(5), scales(5));
    EXPECT_NE(scales(5), scales(6));
}

/// One seed draws everything: shapes, too.
TEST(SceneLead, ShapesGoByTheSeedOfTheSceneAndTheirOwn) {
    const auto rest = [](std::uint64_t sceneSeed, std::uint64_t own) {
        Scene scene = parseScene(R"({"bodies": [{"source": {"box": {"jitter": 0.2}}}]})", "lead.json");
        scene.seed = sceneSeed;
        std::get<BoxShape>(scene.bodies[0].source).seed = own;
        return buildWorld(scene, nullptr).bodies[0].body->mesh.rest;
    };
    EXPECT_EQ(rest(3, 1), rest(3, 1));
    EXPECT_NE(rest(3, 1), rest(4, 1));
    EXPECT_NE(rest(3, 1), rest(3, 2));
}

TEST(SceneLead, CellsOfAPatternBecomeParts) {
    const WorldState world = worldOf(sceneWith(R"("guides": [{"shape": {"brick": {"size": [1, 0.5, 0], "mortar": 0}}, "parts": true}])"));
    const Body& body = *world.bodies[0].body;
    ASSERT_EQ(body.lead.part.size(), body.mesh.tetCount());
    EXPECT_NE(body.attributes.tets.find("fracturepart"), nullptr);
    std::set<std::int32_t> numbers(body.lead.part.begin(), body.lead.part.end());
    EXPECT_EQ(numbers.size(), 5u) << "two bricks in the upper course of a wall 2 m long; the lower one is shifted and has one and two halves";
}

TEST(SceneLead, PartsOnPointsAreRefused) {
    const auto load = [](const std::string&, Monitor*) {
        Geometry g;
        g.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
        g.addPrimitive(PrimitiveKind::kTet, std::vector<std::int32_t>{0, 1, 2, 3});
        g.points.add<std::int32_t>("fracturepart", 4);
        return g;
    };
    const Scene scene = parseScene(R"({"bodies": [{"source": {"file": {"path": "a.bgeo"}}, "material": {"fracture": {}}}]})", "lead.json");
    try {
        buildWorld(scene, load);
        ADD_FAILURE();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("'fracturepart'"), std::string::npos) << e.what();
        EXPECT_NE(e.remedy().find("primitives"), std::string::npos) << e.remedy();
    }
}

TEST(SceneLead, BreaksAndZonesAreRead) {
    const std::string json = sceneWith(
        R"("breaks": [{"where": {"sphere": {"center": [0, 0, 0], "radius": 0.3}}, "time": "0.5 s"}])",
        R"("activeZones": [{"name": "z", "bodies": "wall", "where": {"sphere": {"center": [0, 0, 0], "radius": 1}}, "start": 0.2, "end": 0.9,
            "motion": {"keys": [{"time": 0}, {"time": 1, "translation": [1, 0, 0]}]}}, {"where": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}}], )");
    const Scene scene = parseScene(json, "lead.json");
    ASSERT_EQ(scene.settings.fracture.zones.size(), 2u);
    EXPECT_EQ(scene.settings.fracture.zones[0].end, 0.9);
    EXPECT_EQ(sceneToJson(scene), sceneToJson(parseScene(sceneToJson(scene), "again.json")));
    const WorldState world = worldOf(json);
    int due = 0;
    for (std::size_t v = 0; v < world.bodies[0].body->mesh.vertexCount(); ++v) due += world.bodies[0].body->lead.isDue(v, 0.6);
    EXPECT_GT(due, 0);
    expectRefused(sceneWith("", R"("activeZones": [{"bodies": "wal", "where": {"sphere": {"center": [0, 0, 0], "radius": 1}}}], )"), "'wal', which is no body", "did you mean 'wall'");
    expectRefused(sceneWith("", R"("activeZones": [{"where": {"collider": {"name": "hand"}}}], )"), "'hand', which is no collider", "collider");
    expectRefused(sceneWith("", R"("activeZones": [{"start": 2, "end": 1, "where": {"sphere": {"center": [0, 0, 0], "radius": 1}}}], )"), "ends before it starts", "later");
    expectRefused(sceneWith(R"("breaks": [{"where": {"all": {}}, "time": 0}])"), "/time", "above 0");
}

TEST(SceneLead, GlueAndReleasesAreRead) {
    const std::string two = R"({"glue": [{"a": "left", "b": "right", "strength": "2 kPa", "distance": "5 mm"}], "bodies": [
        {"name": "left", "source": {"box": {}}, "pins": [{"where": {"all": {}}, "releaseStress": "1 kPa", "releaseForce": "2 N"}]},
        {"name": "right", "source": {"box": {}}, "transform": {"translate": [1.001, 0, 0]}, "targets": [{"where": {"all": {}}, "releaseForce": "3 N"}]}]})";
    const Scene scene = parseScene(two, "lead.json");
    EXPECT_EQ(sceneToJson(scene), sceneToJson(parseScene(sceneToJson(scene), "again.json")));
    const WorldState world = worldOf(two);
    EXPECT_EQ(world.glue.size(), 25u);
    EXPECT_EQ(world.glue[0].strength, 2000);
    EXPECT_EQ(world.bodies[0].body->constraints.hard[0].releaseStress, 1000);
    EXPECT_EQ(world.bodies[0].body->constraints.hard[0].releaseForce, 2);
    EXPECT_EQ(world.bodies[1].body->constraints.soft[0].releaseForce, 3);
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string text = two;
        return text.replace(text.find(from), from.size(), to);
    };
    expectRefused(replaced("\"5 mm\"", "\"0.5 mm\""), "holds nothing", "distance");
    expectRefused(replaced("\"b\": \"right\"", "\"b\": \"rigth\""), "'rigth', which is no body", "did you mean 'right'");
    expectRefused(replaced("\"2 kPa\"", "0"), "/glue/0/strength", "above 0");
    expectRefused(replaced("{\"glue\"", "{\"settings\": {\"integrator\": \"rkf45\"}, \"glue\""), "takes no glue", "implicit");
}

}  // namespace
}  // namespace sunder
