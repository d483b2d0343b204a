// Bodies whose geometry names the materials of their tets.
#include "core/sim/material_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/renew_body.h"
#include "core/sim/scene_build.h"
#include "core/sim/scene_frame.h"
#include "core/sim/snapshot.h"
#include "core/sim/stepper.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using testing::merged;
using testing::withText;

/// Everything about them differs: law, plasticity, damping, how they break.
const std::map<std::string, Material>& known() {
    static const std::map<std::string, Material> materials = [] {
        Material soft, hard, clay;
        soft.name = "soft";
        soft.youngs = 2e5;
        soft.density = 800;
        soft.stiffnessDamping = 2e-3;
        soft.massDamping = 0.5;
        hard.name = "hard";
        hard.youngs = 4e6;
        hard.density = 2500;
        hard.law = ElasticLawId::kNeoHookean;
        hard.fracture.enabled = true;
        hard.fracture.stress = 3e4;
        clay.name = "clay";
        clay.youngs = 1e6;
        clay.density = 1500;
        clay.law = ElasticLawId::kGreen;
        clay.plasticity.law = PlasticLawId::kMultiplicative;
        clay.plasticity.yieldStress = 5e3;
        return std::map<std::string, Material>{{"soft", soft}, {"hard", hard}, {"clay", clay}};
    }();
    return materials;
}
Material readKnown(const std::string& text, const std::string& owner) {
    const auto place = known().find(text);
    if (place == known().end()) throw Error(owner + ": there is no material '" + text + "'", "use another");
    return place->second;
}
GeometryLoader loading(Geometry geometry) {
    return {[geometry](const std::string&, Monitor*) { return geometry; }, readKnown};
}

struct WarningList : Monitor {
    std::vector<std::string> warnings;
    void warn(const std::string& text) override { warnings.push_back(text); }
};

/// A block of tets at `x`, as a model whose tets are of a material; of none if that is empty. It is drawn apart lengthwise.
Geometry block(double x, const std::string& material) {
    TetMesh mesh = testing::makeBox(3, 1, 1, Vec3(0.6, 0.2, 0.2));
    Geometry g = geometryFromTetMesh(mesh, {});
    auto& v = g.points.add<float>("v", g.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < g.pointCount(); ++i) {
        v[3 * i] = static_cast<float>(4 * (g.positions[i].x() - 0.3));
        g.positions[i].x() += x;
    }
    return material.empty() ? g : withText(std::move(g), kMaterialAttribute, material);
}

Scene sceneOfSolids() {
    Scene scene;
    scene.fps = 240;
    scene.settings.gravity = Vec3(0, -9.81, 0);
    scene.settings.integrator = Integrator::kExplicit;
    scene.bodies.resize(1);
    scene.bodies[0].name = "solids";
    scene.bodies[0].source = FileSource{"model"};
    scene.bodies[0].material.name = "own";
    scene.bodies[0].material.density = 300;
    return scene;
}

void play(WorldState& world, const Scene& scene, int frames) {
    Workspace workspace;
    for (int f = 0; f < frames; ++f) {
        const StepReport report = step(world, 1 / scene.fps, scene.settings, workspace);
        ASSERT_FALSE(report.failed) << report.message;
    }
}

TEST(MaterialRows, TetsAreOfWhatTheirGeometryNames) {
    const Geometry solids = merged({block(0, "soft"), block(1, "hard"), block(2, "soft"), block(3, "clay")});
    WarningList listener;
    const WorldState world = buildWorld(sceneOfSolids(), loading(solids), &listener);
    const Body& body = *world.bodies[0].body;
    ASSERT_EQ(body.materials.size(), 3u);
    EXPECT_EQ(body.materialText, (std::vector<std::string>{"soft", "hard", "clay"}));
    EXPECT_EQ(body.ownMaterial(), nullptr);
    EXPECT_TRUE(listener.warnings.empty());
    const std::size_t each = body.mesh.tetCount() / 4;
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) EXPECT_EQ(body.tetMaterial[t], (std::vector<int>{0, 1, 0, 2})[t / each]) << t;
    double mass = 0;
    for (const double m : body.mass) mass += m;
    EXPECT_NEAR(mass, 0.6 * 0.2 * 0.2 * (800 + 2500 + 800 + 1500), 1e-9);
    EXPECT_EQ(body.attributes.tets.find(kMaterialAttribute), nullptr) << "the rows count from now on, and a text for every tet would be large";
}

TEST(MaterialRows, WhatIsNotNamedIsOfTheWholeOrOfTheBodyItself) {
    const Geometry solids = merged({block(0, "soft"), block(1, "")});
    WarningList listener;
    const WorldState world = buildWorld(sceneOfSolids(), loading(solids), &listener);
    const Body& body = *world.bodies[0].body;
    ASSERT_EQ(body.materials.size(), 2u);
    EXPECT_EQ(body.materials[0].name, "own") << "the first row";
    EXPECT_EQ(body.ownMaterial(), &body.materials[0]);
    EXPECT_EQ(body.tetMaterial.front(), 1);
    EXPECT_EQ(body.tetMaterial.back(), 0);
    ASSERT_EQ(listener.warnings.size(), 1u);
    EXPECT_NE(listener.warnings[0].find("18 of the 36 tets of body 'solids' name no material"), std::string::npos) << listener.warnings[0];

    Geometry shared = solids;
    shared.detail.add<std::string>(kMaterialAttribute, 1)[0] = "clay";
    const WorldState whole = buildWorld(sceneOfSolids(), loading(shared), &listener);
    EXPECT_EQ(whole.bodies[0].body->materialText, (std::vector<std::string>{"soft", "clay"}));
    EXPECT_EQ(whole.bodies[0].body->tetMaterial.back(), 1);
    EXPECT_EQ(whole.bodies[0].body->attributes.detail.find(kMaterialAttribute), nullptr);
    EXPECT_EQ(listener.warnings.size(), 1u);

    Scene without = sceneOfSolids();
    without.bodies[0].materialFromGeometry = false;
    const WorldState plain = buildWorld(without, loading(shared), &listener);
    EXPECT_EQ(plain.bodies[0].body->materials.size(), 1u);
    EXPECT_EQ(plain.bodies[0].body->materials[0].name, "own");
    EXPECT_EQ(plain.bodies[0].body->attributes.tets.find(kMaterialAttribute), nullptr);
    EXPECT_EQ(frameGeometry(plain, 1).primitives.find(kMaterialAttribute), nullptr);
}

// the tets are those next to the faces
TEST(MaterialRows, FacesOfASurfaceNameWhatFillsIt) {
    Geometry cubes;
    for (const double x : {0.0, 3.0}) {
        const TriMesh ball = testing::makeSphere(2, 1);
        Geometry g;
        for (const Vec3& p : ball.positions) g.positions.push_back(p + Vec3(x, 0, 0));
        for (const Tri& t : ball.triangles) g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
        cubes = merged({cubes, withText(g, kMaterialAttribute, x > 0 ? "hard" : "soft")});
    }
    Scene scene = sceneOfSolids();
    scene.bodies[0].meshing.method = MeshingMethod::kLattice;
    scene.bodies[0].meshing.cellSize = 0.4;
    const WorldState world = buildWorld(scene, loading(cubes));
    const Body& body = *world.bodies[0].body;
    ASSERT_EQ(body.materials.size(), 2u);
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const double x = body.mesh.rest[static_cast<std::size_t>(body.mesh.tets[t][0])].x();
        EXPECT_EQ(body.materials[static_cast<std::size_t>(body.tetMaterial[t])].name, x > 1.5 ? "hard" : "soft") << x;
    }
}

TEST(MaterialRows, WrongNamesAreErrorsWithARemedy) {
    const auto fails = [](const GeometryLoader& load, const char* part) {
        try {
            buildWorld(sceneOfSolids(), load);
            ADD_FAILURE() << part;
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
            EXPECT_FALSE(e.remedy().empty()) << part;
        }
    };
    fails(loading(block(0, "wood")), "sundermaterial of body 'solids': there is no material 'wood'");
    Geometry numbers = block(0, "");
    numbers.primitives.add<float>(kMaterialAttribute, numbers.primitiveCount());
    fails(loading(numbers), "the primitive attribute 'sundermaterial' is not a text");
    Geometry ofAll = block(0, "");
    ofAll.detail.add<float>(kMaterialAttribute, 1);
    fails(loading(ofAll), "the detail attribute 'sundermaterial' is not a text");
    const Geometry soft = block(0, "soft");
    fails(GeometryLoader([&](const std::string&, Monitor*) { return soft; }), "cannot be read here");
    EXPECT_TRUE(namesMaterials(soft));
    EXPECT_FALSE(namesMaterials(numbers));
    EXPECT_FALSE(namesMaterials(withText(block(0, ""), kMaterialAttribute, "")));
}

// Solids that do not touch move as if each were a body of its own: law, plastic flow, damping and mass are those of their tets.
TEST(MaterialRows, MergedSolidsMoveAsBodiesOfTheirOwn) {
    const std::vector<std::string> names = {"soft", "clay", "hard"};
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        Scene one = sceneOfSolids(), many = sceneOfSolids();
        for (Scene* scene : {&one, &many}) {
            scene->settings.integrator = integrator;
            scene->settings.fracture.enabled = false;
            scene->settings.contact = false;
            scene->fps = 5e3;  // a step each, below what is stable, which is bounded body by body
            scene->settings.newtonTolerance = scene->settings.linearTolerance = 1e-12;
        }
        many.bodies.resize(names.size(), many.bodies[0]);
        std::vector<Geometry> parts;
        for (std::size_t b = 0; b < names.size(); ++b) {
            many.bodies[b].name = names[b];
            many.bodies[b].source = FileSource{names[b]};
            parts.push_back(block(static_cast<double>(b), names[b]));
        }
        WorldState together = buildWorld(one, loading(merged(parts))), apart = buildWorld(many, {[&](const std::string& path, Monitor*) {
                                                                                                     const auto b = std::find(names.begin(), names.end(), path.substr(path.find_last_of('/') + 1));
                                                                                                     return parts[static_cast<std::size_t>(b - names.begin())];
                                                                                                 },
                                                                                                 readKnown});
        play(together, one, 200);
        play(apart, many, 200);
        std::size_t first = 0;
        for (const WorldBody& b : apart.bodies) {
            double largest = 0;
            for (std::size_t i = 0; i < b.state->x.size(); ++i) largest = std::max(largest, (b.state->x[i] - together.bodies[0].state->x[first + i]).norm());
            EXPECT_LT(largest, integrator == Integrator::kExplicit ? 1e-13 : 1e-8) << b.body->name << " of ways of 0.05 m; by order of sums, or by the tolerance";
            first += b.state->x.size();
        }
    }
}

/// What broke, on both sides of a snapshot.
struct BrokenSolids {
    Scene scene = sceneOfSolids();
    WorldState start, end;

    BrokenSolids() {
        // one bar of two materials, and one beside it that does not break
        Geometry bar = block(0, "hard");
        auto& texts = *bar.primitives.find(kMaterialAttribute)->as<std::string>();
        for (std::size_t t = texts.size() / 2; t < texts.size(); ++t) texts[t] = "clay";
        start = buildWorld(scene, loading(merged({bar, block(1, "soft")})));
        end = start;
        play(end, scene, 10);
    }
};

TEST(MaterialRows, TetsOfCracksAreOfTheMaterialOfTheirParents) {
    const BrokenSolids b;
    const Body &before = *b.start.bodies[0].body, &body = *b.end.bodies[0].body;
    const std::size_t old = before.mesh.tetCount();
    ASSERT_GT(body.mesh.tetCount(), old) << "it breaks";
    ASSERT_EQ(body.tetParent.size(), body.mesh.tetCount() - old);
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const std::size_t from = t < old ? t : static_cast<std::size_t>(body.tetParent[t - old]);
        EXPECT_EQ(body.tetMaterial[t], t < old ? before.tetMaterial[t] : body.tetMaterial[from]) << t;
    }
    const Geometry frame = frameGeometry(b.end, 11);
    const auto& texts = *frame.primitives.find(kMaterialAttribute)->as<std::string>();
    for (std::size_t t = 0; t < texts.size(); ++t) EXPECT_EQ(texts[t], body.materials[static_cast<std::size_t>(body.tetMaterial[t])].name) << t;
    EXPECT_GT(std::count(texts.begin(), texts.end(), "hard"), std::count(before.tetMaterial.begin(), before.tetMaterial.end(), before.tetMaterial[0]));
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "soft"), 18) << "that does not break";
}

TEST(MaterialRows, SnapshotsHoldThem) {
    const BrokenSolids b;
    WorldState half = b.start;
    play(half, b.scene, 6);
    ASSERT_GT(half.bodies[0].body->mesh.tetCount(), b.start.bodies[0].body->mesh.tetCount());
    WorldState loaded = loadSnapshot(saveSnapshot(half));
    EXPECT_EQ(loaded.bodies[0].body->materialText, half.bodies[0].body->materialText);
    play(loaded, b.scene, 4);
    EXPECT_EQ(saveSnapshot(loaded), saveSnapshot(b.end));
    EXPECT_EQ(*frameGeometry(loaded, 11).primitives.find(kMaterialAttribute)->as<std::string>(), *frameGeometry(b.end, 11).primitives.find(kMaterialAttribute)->as<std::string>());
}

// what was simulated and is a model again needs no other file
TEST(MaterialRows, FramesNameThemAgain) {
    const BrokenSolids b;
    const WorldState again = buildWorld(b.scene, loading(frameGeometry(b.end, 11)));
    const Body &body = *b.end.bodies[0].body, &now = *again.bodies[0].body;
    ASSERT_EQ(now.mesh.tetCount(), body.mesh.tetCount());
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t)
        EXPECT_EQ(now.materials[static_cast<std::size_t>(now.tetMaterial[t])].name, body.materials[static_cast<std::size_t>(body.tetMaterial[t])].name) << t;
}

TEST(MaterialRows, FramesOfSeveralBodiesNameOnlyWhatGeometryNamed) {
    Scene scene = sceneOfSolids();
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[1].name = "box";
    scene.bodies[1].source = BoxShape{};
    const WorldState world = buildWorld(scene, loading(block(0, "soft")));
    const Geometry frame = frameGeometry(world, 1);
    const auto& texts = *frame.primitives.find(kMaterialAttribute)->as<std::string>();
    EXPECT_EQ(texts.front(), "soft");
    EXPECT_EQ(texts.back(), "");
}

// what a host keys is the material of the rest
TEST(MaterialRows, WhatIsKeyedIsTheMaterialOfTheBodyItself) {
    const WorldState world = buildWorld(sceneOfSolids(), loading(merged({block(0, "soft"), block(1, "")}))), named = buildWorld(sceneOfSolids(), loading(block(0, "soft")));
    BodyRenewal now;
    Material heavy = world.bodies[0].body->materials[0];
    heavy.density = 9000;
    now.material = &heavy;
    now.contact = world.bodies[0].body->contact;
    const auto made = renewBody(world.bodies[0], now, 0);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->body->mass.front(), world.bodies[0].body->mass.front());
    EXPECT_NEAR(made->body->mass.back(), 30 * world.bodies[0].body->mass.back(), 1e-12);
    EXPECT_FALSE(renewBody(named.bodies[0], now, 0)) << "geometry names all of it";
}

// a force and a stress have no mean
TEST(MaterialRows, KindsOfToughnessMustNotMeet) {
    Geometry bar = block(0, "hard");
    auto& texts = *bar.primitives.find(kMaterialAttribute)->as<std::string>();
    for (std::size_t t = texts.size() / 2; t < texts.size(); ++t) texts[t] = "forced";
    const auto build = [&](const Geometry& geometry, bool enabled) {
        const auto read = [enabled](const std::string& text, const std::string& owner) {
            Material m = readKnown(text == "forced" ? "hard" : text, owner);
            if (text != "forced") return m;
            m.name = text;
            m.fracture.kind = ToughnessKind::kByForce;
            m.fracture.enabled = enabled;
            return m;
        };
        return buildWorld(sceneOfSolids(), {[&](const std::string&, Monitor*) { return geometry; }, read});
    };
    try {
        build(bar, true);
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("a material that breaks by `force` meets one that does not"), std::string::npos) << e.what();
    }
    EXPECT_NO_THROW(build(bar, false)) << "it holds the vertices between the two";
    EXPECT_NO_THROW(build(merged({block(0, "hard"), block(1, "forced")}), true)) << "they do not touch";
}

}  // namespace
}  // namespace sunder
