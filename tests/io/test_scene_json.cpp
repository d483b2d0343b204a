#include "core/io/scene_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/scene_json_units.h"

namespace sunder {
namespace {

TEST(Units, ReadIntoSi) {
    const struct {
        const char* text;
        Dimension dimension;
        double value;
    } cases[] = {
        {"5 MPa", kPressure, 5e6},      {"20 mm", kLength, 0.02},
        {"30 deg", kAngle, M_PI / 6},   {"0.5 s", kTime, 0.5},
        {"1.2 g/cm3", kDensity, 1200},  {"1000 kg/m^3", kDensity, 1000},
        {"2 N s/m", kSpringDamping, 2}, {"-9.81 m/s2", kAcceleration, -9.81},
        {"3 N/kg", kAcceleration, 3},   {"1 rpm", kSpin, M_PI / 30},
        {"24 Hz", kFrequency, 24},      {"24 1/s", kFrequency, 24},
        {"1e-3kN", kForce, 1},          {"+4", kLength, 4},
        {"90", kAngle, M_PI / 2},       {"5 min", kTime, 300},
        {"20 %", kPlain, 0.2},          {"7 N/mm2", kPressure, 7e6},
        {"2 rad", kAngle, 2},           {"3 Pa*s", kViscosity, 3},
    };
    // a unit costs a few roundings
    for (const auto& c : cases)
        EXPECT_NEAR(parseQuantity(c.text, c.dimension), c.value, 8e-16 * std::abs(c.value)) << c.text;
}

struct BadScene {
    const char* json;
    std::vector<const char*> message;  ///< parts of what()
    const char* remedy = "";           ///< part of remedy()
};

std::string bodyWith(const std::string& text) {
    return "{\n\"bodies\": [\n{\"source\": {\"box\": {}},\n" + text + "}]}";
}

void expectError(const BadScene& bad, const std::string& json) {
    try {
        parseScene(json, "drop.json");
        ADD_FAILURE() << "accepted: " << json;
    } catch (const Error& e) {
        for (const char* part : bad.message)
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what() << "\nlacks: " << part;
        EXPECT_NE(e.remedy().find(bad.remedy), std::string::npos) << e.remedy() << "\nlacks: " << bad.remedy;
    }
}

TEST(SceneJson, WholeFilesThatAreRefused) {
    const BadScene cases[] = {
        {"", {"drop.json", "line 1", "not JSON"}},
        {"{\"fps\": 24,\n \"bodies\": [}", {"line 2", "not JSON"}, "comma"},
        {"{\"fps\": NaN}", {"line 1", "not JSON"}, "NaN"},
        {"[]", {"an object is expected, not a list"}, "'bodies'"},
        {"{\"bodies\": [{\"source\": {\"file\": \"a.obj\"}}]}",
         {"/bodies/0/source/file", "an object is expected, not a text"},
         "curly brackets, with the key 'path'"},
        {"{\"fps\": 24,\n\n\"fps\": 25}", {"line 3", "'fps' stands twice"}},
        {"{}", {"'bodies' is missing"}},
        {"{\"bodies\": []}", {"no bodies"}, "add at least one"},
        {"{\"bodies\": {}}", {"/bodies", "a list is expected"}, "square brackets"},
        {"{\"bodys\": []}", {"line 1", "/bodys", "no key 'bodys'"}, "did you mean 'bodies'"},
        {"{\"fps\": 0, \"bodies\": []}", {"/fps", "out of range"}, "above 0"},
        {"{\"fps\": \"24 m\", \"bodies\": []}", {"/fps", "a length", "a frequency"}, "24 Hz"},
        {"{\"startFrame\": 10, \"endFrame\": 5, \"bodies\": [{\"source\": {\"box\": {}}}]}",
         {"backwards", "10", "5"},
         "endFrame"},
        {"{\"startFrame\": 1.5, \"bodies\": []}", {"/startFrame", "whole number"}},
        {"{\"seed\": -1, \"bodies\": []}", {"/seed", "at least 0"}},
        {"{\"settings\": {\"substeps\": 0}, \"bodies\": []}",
         {"/settings/substeps", "substeps = 0", "out of range"}},
        {"{\"settings\": {\"substeps\": -4}, \"bodies\": []}", {"/settings/substeps", "out of range"}},
        {"{\"settings\": {\"smallestStep\": -1e-6}, \"bodies\": []}",
         {"/settings/smallestStep", "out of range"},
         "above 0 s"},
        {"{\"settings\": {\"courant\": 1.5}, \"bodies\": []}", {"/settings/courant", "out of range"}},
        {"{\"settings\": {\"integrator\": \"implict\"}, \"bodies\": []}",
         {"'implict' is no integrator"},
         "did you mean 'implicit'"},
        {"{\"settings\": {\"contactResponse\": \"penalty\"}, \"bodies\": []}",
         {"/settings/contactResponse", "'penalty'"},
         "overlap, thesis or nodes"},
        {"{\"settings\": {\"contactResponse\": \"thesis\"}, \"bodies\": [{\"source\": {\"box\": {}}}]}",
         {"contactResponse 'thesis'", "not the gradient"},
         "explicit"},
        {"{\"settings\": {\"gravity\": [0, \"-9.81 m/s\", 0]}, \"bodies\": []}",
         {"/settings/gravity/1", "a speed", "an acceleration"}},
        {"{\"settings\": {\"gravity\": [0, -9.81]}, \"bodies\": []}", {"three numbers"}},
        {"{\"settings\": {\"ground\": {\"normal\": [0, 0, 0]}}, \"bodies\": []}",
         {"/settings/ground", "no length"}},
        {"{\"settings\": {\"oneSolve\": 1}, \"bodies\": []}",
         {"/settings/oneSolve", "true or false is expected, not a number"}},
        {"{\"settings\": {\"contact\": \"no\"}, \"bodies\": []}",
         {"/settings/contact", "true or false is expected, not a text"}},
        {"{\"contactPairs\": [{\"a\": \"ice\"}], \"bodies\": []}", {"/contactPairs/0", "'b' is missing"}},
    };
    for (const BadScene& bad : cases) expectError(bad, bad.json);
}

TEST(SceneJson, BodiesThatAreRefused) {
    const BadScene cases[] = {
        {"\"material\": {\"density\": 0}",
         {"drop.json, line 4", "/bodies/0/material/density", "out of range"},
         "above 0 kg/m3"},
        {"\"material\": {\"density\": -5}", {"/bodies/0/material/density"}},
        {"\"material\": {\n\"youngs\": 0}", {"line 5", "/bodies/0/material/youngs"}, "above 0 Pa"},
        {"\"material\": {\"youngs\": -1e6}", {"youngs"}},
        {"\"material\": {\"youngs\": \"5 kg\"}",
         {"\"5 kg\" is a mass, a modulus or pressure (Pa) is expected"},
         "5 MPa"},
        {"\"material\": {\"youngs\": \"5 MPx\"}", {"'MPx' is not known"}, "did you mean 'MPa'"},
        {"\"material\": {\"youngs\": \"much\"}", {"\"much\" is not a number with a unit"}, "5 MPa"},
        {"\"material\": {\"youngs\": \"nan Pa\"}", {"not finite"}},
        {"\"material\": {\"youngs\": \"inf\"}", {"not finite"}},
        {"\"material\": {\"poisson\": 0.5}",
         {"poisson = 0.5", "out of range"},
         "below 0.5; 0.5 is incompressible"},
        {"\"material\": {\"poisson\": 0.7}", {"poisson = 0.7"}},
        {"\"material\": {\"poisson\": -1}", {"poisson = -1"}},
        {"\"material\": {\"poison\": 0.3}", {"no key 'poison'"}, "did you mean 'poisson'"},
        {"\"material\": {\"law\": \"neo-hookean\"}", {"'neo-hookean' is no law"}, "'neohookean'"},
        {"\"transform\": {\"translate\": [\"5 kg\", 0, 0]}",
         {"/bodies/0/transform/translate/0", "a mass", "a length (m)"},
         "20 mm"},
        {"\"transform\": {\"rotate\": [\"90 m\", 0, 0]}", {"an angle (deg) is expected"}, "30 deg"},
        {"\"transform\": {\"scale\": 0}", {"scale = 0", "out of range"}},
        {"\"velocity\": 3", {"/bodies/0/velocity", "three numbers is expected, not a number"}},
        {"\"pins\": [{}]", {"/bodies/0/pins/0", "'where' is missing"}},
        {"\"pins\": [{\"where\": {}}]", {"one key is expected: group, box, sphere, nearest or all"}},
        {"\"pins\": [{\"where\": {\"spher\": {}}}]",
         {"/bodies/0/pins/0/where/spher"},
         "did you mean 'sphere'"},
        {"\"pins\": [{\"where\": {\"sphere\": {\"center\": [0,0,0]}}}]", {"'radius' is missing"}},
        {"\"pins\": [{\"name\": \"p\", \"where\": {\"all\": {}}, \"motion\": {\"keys\": [{\"time\": 1}, "
         "{\"time\": 0.5}]}}]",
         {"'body1/p'", "order of time"}},
        {"\"pins\": [{\"where\": {\"all\": {}}, \"releaseTime\": -1}]", {"releaseTime = -1"}},
        {"\"targets\": [{\"where\": {\"all\": {}}, \"strength\": \"5 N\"}]",
         {"a force, a spring strength (N/m)"}},
        {"\"name\": 3", {"/bodies/0/name", "a text is expected"}},
        {"\"source\": {\"box\": {}}", {"'source' stands twice"}},
    };
    for (const BadScene& bad : cases) expectError(bad, bodyWith(bad.json));
}

TEST(SceneJson, ContactsThatAreRefused) {
    const BadScene cases[] = {
        {"\"contact\": 0.5", {"/bodies/0/contact", "an object is expected, not a number"}},
        {"\"contact\": {\"frction\": 0.5}", {"no key 'frction'"}, "did you mean 'friction'"},
        {"\"contact\": {\"friction\": -0.1}", {"/bodies/0/contact/friction", "out of range"}, "at least 0"},
        {"\"contact\": {\"friction\": \"2 kg\"}", {"/bodies/0/contact/friction", "a mass"}},
        {"\"contact\": {\"friction\": 0.3, \"dynamicFriction\": 0.4}",
         {"/bodies/0/contact/dynamicFriction", "0.4 is above friction = 0.3"},
         "at most 0.3"},
        {"\"contact\": {\"dynamicFriction\": 0.7}", {"0.7 is above friction = 0.5"}, "raise 'friction'"},
        {"\"contact\": {\"dynamicFriction\": -1}", {"dynamicFriction = -1", "out of range"}},
        {"\"contact\": {\"restitution\": 1.5}", {"restitution = 1.5"}, "from 0 to 1"},
        {"\"contact\": {\"stiffnessScale\": 0}", {"stiffnessScale = 0"}, "above 0"},
        {"\"contact\": {\"self\": \"piece\"}", {"'piece' is no self"}, "did you mean 'pieces'"},
        {"\"contact\": {\"groups\": 3}", {"/bodies/0/contact/groups", "a name is expected, not a number"}, "in quotes"},
        {"\"contact\": {\"groups\": [\"a\", \"\"]}", {"/bodies/0/contact/groups/1", "the name is empty"}},
        {"\"contact\": {\"groups\": \"all\"}", {"'all', which stands for every group"}, "another name"},
        {"\"contact\": {\"groups\": \"debris\", \"collidesWith\": [\"debri\"]}",
         {"body 'body1' collides with the group 'debri'"},
         "did you mean 'debris'"},
    };
    for (const BadScene& bad : cases) expectError(bad, bodyWith(bad.json));
    std::string many;
    for (int g = 0; g < 32; ++g) many += format("%s\"g%d\"", g ? ", " : "", g);
    expectError({"", {"33 contact groups"}, "at most 32"}, bodyWith("\"contact\": {\"groups\": [" + many + "]}"));
}

TEST(SceneJson, ContactPairsThatAreRefused) {
    const BadScene cases[] = {
        {R"({"a": "box", "b": "gelatine"})", {"'gelatine'", "no body, no body's preset and no collider"}, "did you mean 'gelatin'"},
        {R"({"a": "box", "b": "box", "stiffness": 0.5})", {"/contactPairs/0/stiffness"}, "friction"},
        {R"({"a": "box", "b": "box", "restitution": 1.5})", {"/contactPairs/0/restitution"}},
        {R"({"a": "box", "b": "gelatin", "friction": 0.2, "dynamicFriction": 0.3})",
         {"/contactPairs/0/dynamicFriction", "above friction = 0.2"}},
        {R"({"a": "", "b": "box"})", {"/contactPairs/0/a", "empty"}},
    };
    for (const BadScene& bad : cases)
        expectError(bad, std::string("{\"contactPairs\": [") + bad.json +
                             "], \"bodies\": [{\"name\": \"box\", \"source\": {\"box\": {}}, \"material\": \"gelatin\"}]}");
}

TEST(SceneJson, SourcesThatAreRefused) {
    const BadScene cases[] = {
        {"{\"file\": {}}", {"/bodies/0/source/file", "'path' is missing"}},
        {"{\"file\": {\"path\": \"\"}}", {"'path' is empty"}},
        {"{\"box\": {\"cells\": 0}}", {"cells = 0", "out of range"}},
        {"{\"box\": {\"size\": [1, -1, 1]}}", {"/bodies/0/source/box/size/1", "size = -1 m"}},
        {"{\"torus\": {\"tubeRadius\": 0.6}}", {"tube of radius 0.6 m"}, "smaller"},
        {"{\"box\": {}, \"sphere\": {}}", {"one key is expected"}},
        {"\"box\"", {"one key is expected"}},
    };
    for (const BadScene& bad : cases)
        expectError(bad, std::string("{\"bodies\": [{\"source\": ") + bad.json + "}]}");
    expectError(
        {"", {"two bodies have the name 'a'"}},
        R"({"bodies": [{"name": "a", "source": {"box": {}}}, {"name": "a", "source": {"box": {}}}]})");
}

constexpr const char* kFullScene = R"({
  "name": "full", "fps": 25, "startFrame": 1001, "endFrame": 1010, "seed": 18446744073709551615,
  "settings": {"integrator": "newmark", "substeps": 3, "gravity": [0, "-1 m/s2", 0], "ground": {"friction": 0.25}, "contact": false},
  "contactPairs": [{"a": "ball", "b": "rubber", "friction": 0.9, "dynamicFriction": 0.7, "restitution": 0.3}, {"a": "rubber", "b": "rubber"}],
  "bodies": [
    {"name": "ball", "source": {"sphere": {"radius": "20 cm", "cells": 4}},
     "transform": {"translate": [0, "500 mm", 0], "rotate": [0, 90, "0.5 rad"], "scale": 2},
     "material": {"law": "neohookean", "youngs": "50 kPa", "poisson": 0.4, "stiffnessDamping": "1 ms"},
     "contact": {"friction": 0.8, "dynamicFriction": 0.6, "restitution": "25 %", "stiffnessScale": 2, "groups": "toys",
                 "collidesWith": ["toys", "default"], "self": "all"},
     "velocity": [1, 0, 0], "spin": [0, 0, "1 rpm"], "velocityNoise": "1 mm/s", "force": [0, "2 N", 0],
     "pins": [{"name": "top", "where": {"nearest": {"point": [0, 1, 0], "count": 3}}, "releaseTime": "0.25 s",
               "motion": {"smooth": true, "pivot": [0, 1, 0], "keys": [{"time": 0}, {"time": 1, "rotation": [0, 720, 0]}]}}],
     "targets": [{"where": {"group": {"name": "rim"}}, "strength": "50 N/m", "damping": 0.5}]},
    {"source": {"file": {"path": "a.obj"}}, "material": "rubber", "contact": {"friction": 0.3, "collidesWith": []}, "rigid": true}
  ],
  "colliders": [
    {"name": "door", "source": {"plane": {"size": ["2 m", 3]}}, "transform": {"translate": [0, 1, 0]}, "thickness": "2 cm",
     "motion": {"keys": [{"time": 0}, {"time": 1, "rotation": [0, 90, 0]}]}, "visible": false,
     "contact": {"friction": 0.7, "dynamicFriction": 0.6, "groups": "set", "collidesWith": "toys"}},
    {"source": {"frames": {"path": "cloth.####.obj", "first": 1001, "last": 1005}}, "twoSided": true}
  ]
})";

TEST(SceneJson, EveryValueArrives) {
    const Scene scene = parseScene(kFullScene, "full.json", "/models");
    EXPECT_EQ(scene.startFrame, 1001);
    EXPECT_EQ(scene.endFrame, 1010);
    EXPECT_DOUBLE_EQ(scene.timeOf(1002), 0.04);
    EXPECT_EQ(scene.seed, UINT64_MAX);
    EXPECT_EQ(scene.settings.integrator, Integrator::kNewmark);
    EXPECT_TRUE(scene.settings.ground.enabled) << "writing the ground switches it on";
    EXPECT_EQ(scene.settings.gravity, Vec3(0, -1, 0));
    ASSERT_EQ(scene.bodies.size(), 2u);
    const SceneBody& ball = scene.bodies[0];
    EXPECT_DOUBLE_EQ(std::get<SphereShape>(ball.source).radius, 0.2);
    EXPECT_EQ(ball.transform.scale, Vec3::Constant(2));
    EXPECT_DOUBLE_EQ(ball.transform.rotate.y(), M_PI / 2);
    EXPECT_DOUBLE_EQ(ball.transform.rotate.z(), 0.5);
    EXPECT_EQ(ball.material.law, ElasticLawId::kNeoHookean);
    EXPECT_DOUBLE_EQ(ball.material.youngs, 5e4);
    EXPECT_DOUBLE_EQ(ball.material.stiffnessDamping, 1e-3);
    ASSERT_EQ(ball.pins.size(), 1u);
    EXPECT_EQ(std::get<NearestRegion>(ball.pins[0].where).count, 3);
    EXPECT_DOUBLE_EQ(ball.pins[0].motion.keys[1].rotation.y(), 4 * M_PI);
    EXPECT_TRUE(ball.pins[0].motion.smooth);
    EXPECT_EQ(std::get<GroupRegion>(ball.targets[0].where).name, "rim");
    EXPECT_EQ(scene.bodies[1].name, "body2");
    EXPECT_EQ(scene.folder, "/models");
}

TEST(SceneJson, EveryValueOfPlasticityArrives) {
    const Scene scene = parseScene(R"({"bodies": [
        {"source": {"box": {}}, "material": {"law": "green", "plasticity": {"law": "additive", "yield": 0.001, "limit": 0.486}}},
        {"source": {"box": {}}, "material": {"law": "green", "plasticity": {"law": "creep", "yieldStress": "2 MPa", "creep": "3 1/s"}}},
        {"source": {"box": {}}, "material": {"plasticity": {"law": "multiplicative", "yieldStress": 5, "flowRate": 7, "hardening": -0.1}}}]})");
    const Plasticity &a = scene.bodies[0].material.plasticity, &c = scene.bodies[1].material.plasticity, &m = scene.bodies[2].material.plasticity;
    EXPECT_EQ(a.law, PlasticLawId::kAdditive);
    EXPECT_EQ(a.yield, 0.001);
    EXPECT_EQ(a.limit, 0.486);
    EXPECT_EQ(c.law, PlasticLawId::kCreep);
    EXPECT_EQ(c.yieldStress, 2e6);
    EXPECT_EQ(c.creep, 3);
    EXPECT_EQ(m.law, PlasticLawId::kMultiplicative);
    EXPECT_EQ(m.flowRate, 7);
    EXPECT_EQ(m.hardening, -0.1);
    EXPECT_EQ(Plasticity().law, PlasticLawId::kNone);
}

TEST(SceneJson, EveryValueOfContactArrives) {
    const Scene scene = parseScene(kFullScene);
    EXPECT_FALSE(scene.settings.contact);
    const SceneContact &ball = scene.bodies[0].contact, &other = scene.bodies[1].contact;
    EXPECT_EQ(ball.surface.friction, 0.8);
    EXPECT_EQ(ball.surface.dynamicFriction, 0.6);
    EXPECT_EQ(ball.surface.restitution, 0.25);
    EXPECT_EQ(ball.surface.stiffnessScale, 2);
    EXPECT_EQ(ball.surface.self, SelfContact::kAll);
    EXPECT_EQ(ball.groups, std::vector<std::string>{"toys"});
    EXPECT_EQ(ball.collidesWith, (std::vector<std::string>{"toys", "default"}));
    EXPECT_EQ(other.surface.dynamicFriction, 0.3) << "that of friction, unless written";
    EXPECT_EQ(other.groups, std::vector<std::string>{"default"});
    EXPECT_TRUE(other.collidesWith.empty());
    ASSERT_EQ(scene.settings.contactPairs.size(), 2u);
    EXPECT_EQ(scene.settings.contactPairs[0], (ContactPair{"ball", "rubber", 0.9, 0.7, 0.3}));
    EXPECT_EQ(scene.settings.contactPairs[1], (ContactPair{"rubber", "rubber", 0.5, 0.5}));
}

TEST(SceneJson, EveryValueOfCollidersArrives) {
    const Scene scene = parseScene(kFullScene);
    EXPECT_TRUE(scene.bodies[1].rigid);
    EXPECT_FALSE(scene.bodies[0].rigid);
    ASSERT_EQ(scene.colliders.size(), 2u);
    const SceneCollider &door = scene.colliders[0], &cloth = scene.colliders[1];
    EXPECT_EQ(std::get<PlaneShape>(door.source).size, Vec2(2, 3));
    EXPECT_EQ(door.transform.translate, Vec3(0, 1, 0));
    EXPECT_DOUBLE_EQ(door.thickness, 0.02);
    EXPECT_DOUBLE_EQ(door.motion.keys.at(1).rotation.y(), M_PI / 2);
    EXPECT_FALSE(door.visible);
    EXPECT_FALSE(door.twoSided);
    EXPECT_EQ(door.contact.surface.friction, 0.7);
    EXPECT_EQ(door.contact.surface.dynamicFriction, 0.6);
    EXPECT_EQ(door.contact.groups, std::vector<std::string>{"set"});
    EXPECT_EQ(door.contact.collidesWith, std::vector<std::string>{"toys"});
    EXPECT_EQ(cloth.name, "collider2");
    EXPECT_TRUE(cloth.twoSided);
    EXPECT_EQ(std::get<FramesSource>(cloth.source).path, "cloth.####.obj");
    EXPECT_EQ(std::get<FramesSource>(cloth.source).first, 1001);
    EXPECT_EQ(std::get<FramesSource>(cloth.source).last, 1005);
    EXPECT_EQ(parseScene(R"({"settings": {"contactTolerance": 0.05}, "bodies": [{"source": {"box": {}}}]})").settings.contactTolerance, 0.05);
}

TEST(SceneJson, CollidersThatAreRefused) {
    const BadScene cases[] = {
        {R"({})", {"/colliders/0", "'source' is missing"}},
        {R"({"source": {"plain": {}}})", {"/colliders/0/source/plain"}, "did you mean 'plane'"},
        {R"({"source": {"plane": {"size": [1, 2, 3]}}})", {"/colliders/0/source/plane/size", "two numbers"}, "[4, 2]"},
        {R"({"source": {"plane": {"size": [1, 0]}}})", {"/colliders/0/source/plane/size/1", "out of range"}},
        {R"({"source": {"torus": {"tubeRadius": 0.6}}, "name": "ring"})", {"torus 'ring'"}, "smaller"},
        {R"({"source": {"plane": {}}, "name": "box"})", {"'box' of a collider is that of a body"}, "its own name"},
        {R"({"source": {"plane": {}}, "name": "a"}, {"source": {"plane": {}}, "name": "a"})", {"'a' of a collider"}},
        {R"({"source": {"plane": {}}, "thickness": -1})", {"/colliders/0/thickness", "out of range"}},
        {R"({"source": {"plane": {}}, "material": "rubber"})", {"/colliders/0/material", "no 'material' here"}, "no mass"},
        {R"({"source": {"plane": {}}, "velocity": [1, 0, 0]})", {"/colliders/0/velocity"}, "`motion`"},
        {R"({"source": {"plane": {}}, "contact": {"restitution": 1}})", {"/colliders/0/contact/restitution"}, "contact of a body"},
        {R"({"source": {"plane": {}}, "contact": {"stiffnessScale": 2}})", {"stiffnessScale"}, "does not yield"},
        {R"({"source": {"plane": {}}, "contact": {"self": "all"}})", {"self"}, "do not meet themselves"},
        {R"({"source": {"plane": {}}, "contact": {"frction": 1}})", {"no key 'frction'"}, "did you mean 'friction'"},
        {R"({"source": {"plane": {}}, "contact": {"collidesWith": "toys"}, "name": "c"})", {"collider 'c' collides with the group 'toys'"}},
        {R"({"source": {"plane": {}}, "name": "c", "motion": {"keys": [{"time": 1}, {"time": 0}]}})", {"'c'", "order of time"}},
        {R"({"source": {"frames": {"path": "a.####.obj"}}})", {"/colliders/0/source/frames", "'first' is missing"}},
        {R"({"source": {"frames": {"path": "a.obj", "first": 1, "last": 2}}, "name": "c"})", {"collider 'c'", "no place for the number"}, "####"},
        {R"({"source": {"frames": {"path": "a.#.obj", "first": 5, "last": 2}}, "name": "c"})", {"run backwards, from 5 to 2"}},
    };
    for (const BadScene& bad : cases)
        expectError(bad, std::string("{\"bodies\": [{\"name\": \"box\", \"source\": {\"box\": {}}}],\n\"colliders\": [") + bad.json + "]}");
    expectError({"", {"'floor' and 'floor', which are colliders"}, "name a body"},
                R"({"bodies": [{"source": {"box": {}}}], "colliders": [{"name": "floor", "source": {"plane": {}}}],
                    "contactPairs": [{"a": "floor", "b": "floor"}]})");
    expectError({"", {"is rigid, and rkf45"}, "implicit"},
                R"({"settings": {"integrator": "rkf45"}, "bodies": [{"source": {"box": {}}, "rigid": true}]})");
}

TEST(SceneJson, ContactResponseArrives) {
    const auto parse = [](const char* response) {
        return parseScene(format(R"({"settings": {"integrator": "explicit", "contactResponse": "%s"}, "bodies": [{"source": {"box": {}}}]})", response), "scene", "")
            .settings.contactResponse;
    };
    EXPECT_EQ(parse("overlap"), ContactResponse::kOverlap);
    EXPECT_EQ(parse("thesis"), ContactResponse::kThesis);
    EXPECT_EQ(parse("nodes"), ContactResponse::kNodes);
    EXPECT_EQ(parseScene(R"({"bodies": [{"source": {"box": {}}}]})", "scene", "").settings.contactResponse, ContactResponse::kOverlap);
}

TEST(SceneJson, FilesOfFramesArePartOfTheIdentity) {
    const std::string folder = ::testing::TempDir();
    const auto write = [&](int frame, const char* text) { std::ofstream(folder + format("/frames.%02d.obj", frame)) << text; };
    const Scene scene = parseScene(R"({"bodies": [{"source": {"box": {}}}],
        "colliders": [{"source": {"frames": {"path": "frames.##.obj", "first": 1, "last": 2}}}]})", "scene", folder);
    write(1, "v 0 0 0");
    write(2, "v 0 0 1");
    const std::uint64_t before = sceneIdentity(scene);
    EXPECT_EQ(sceneIdentity(scene), before);
    write(2, "v 0 0 2");
    EXPECT_NE(sceneIdentity(scene), before);
}

TEST(SceneJson, ContactIsPartOfTheIdentity) {
    const auto identityWith = [](const char* contact) {
        return sceneIdentity(parseScene(format(R"({"bodies": [{"source": {"box": {}}, "contact": {%s}}]})", contact)));
    };
    const std::uint64_t plain = identityWith("");
    EXPECT_EQ(identityWith(R"("friction": 0.5, "self": "pieces", "groups": ["default"], "collidesWith": ["all"])"), plain);
    for (const char* other : {R"("friction": 0.6)", R"("dynamicFriction": 0.4)", R"("restitution": 0.1)", R"("stiffnessScale": 2)",
                              R"("groups": "a")", R"("collidesWith": [])", R"("self": "none")"})
        EXPECT_NE(identityWith(other), plain) << other;
}

TEST(SceneJson, SpelledOutSceneReadsBackAsItself) {
    const std::string once = sceneToJson(parseScene(kFullScene));
    for (const char* key : {"\"contact\": false", "contactPairs", "dynamicFriction", "collidesWith", "\"self\": \"pieces\""})
        EXPECT_NE(once.find(key), std::string::npos) << key;
    EXPECT_NE(once.find("newtonTolerance"), std::string::npos) << "defaults are written too";
    EXPECT_EQ(sceneToJson(parseScene(once)), once);
}

TEST(SceneJson, IdentityIgnoresOnlyTheEnd) {
    const std::string base = R"({"endFrame": 5, "bodies": [{"source": {"box": {}}}]})";
    const std::string longer = R"({"endFrame": 500, "bodies": [{"source": {"box": {"cells": 4}}}]})";
    const std::string other = R"({"endFrame": 5, "bodies": [{"source": {"box": {"cells": 5}}}]})";
    EXPECT_EQ(sceneIdentity(parseScene(base)), sceneIdentity(parseScene(longer)));
    EXPECT_NE(sceneIdentity(parseScene(base)), sceneIdentity(parseScene(other)));
}

std::string documentation() {
    std::ifstream file(SUNDER_DOCS_DIR "/scene.md");
    EXPECT_TRUE(file) << "docs/scene.md is missing";
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(SceneJson, DocumentationIsMadeFromTheReadersTable) {
    EXPECT_NE(documentation().find(sceneReference()), std::string::npos)
        << "docs/scene.md is out of date; put the output of `sunder schema` in place of its reference";
}

TEST(SceneJson, ExampleOfTheDocumentationIsAScene) {
    const std::string text = documentation();
    const std::size_t first = text.find("```json\n") + 8;
    const Scene scene = parseScene(text.substr(first, text.find("```", first) - first));
    EXPECT_EQ(scene.bodies.size(), 2u);
    EXPECT_EQ(scene.bodies[0].material.youngs, 2e5);
    EXPECT_EQ(scene.bodies[1].material.name, "gelatin");
}

}  // namespace
}  // namespace sunder
