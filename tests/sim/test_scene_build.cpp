#include "core/sim/scene_build.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/base/error.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/scene_frame.h"

namespace sunder {
namespace {

Geometry noFile(const std::string& path, Monitor*) { throw Error("unexpected file " + path); }

Scene oneBox() {
    Scene scene;
    scene.bodies.resize(1);
    scene.bodies[0].name = "box";
    scene.bodies[0].source = BoxShape{Vec3(1, 1, 1), {2, 2, 2}};
    return scene;
}

TEST(SceneBuild, PlacesScaledThenTurnedThenMoved) {
    Scene scene = oneBox();
    scene.bodies[0].transform = {Vec3(10, 0, 0), Vec3(0, 0, M_PI / 2), Vec3(4, 1, 1)};
    const WorldState world = buildWorld(scene, noFile);
    Vec3 low = Vec3::Constant(1e9), high = -low;
    for (const Vec3& p : world.bodies[0].state->x) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    EXPECT_LT((low - Vec3(9.5, -2, -0.5)).norm(), 1e-12);
    EXPECT_LT((high - Vec3(10.5, 2, 0.5)).norm(), 1e-12);
}

TEST(SceneBuild, TurnsAboutXThenYThenZ) {
    const Transform t{Vec3::Zero(), Vec3(M_PI / 2, M_PI / 2, 0), Vec3::Ones()};
    EXPECT_LT((t.apply(Vec3(0, 1, 0)) - Vec3(1, 0, 0)).norm(), 1e-12) << "y goes to z by x, then z to x by y";
}

TEST(SceneBuild, SpinTurnsAboutTheCentreOfMass) {
    Scene scene = oneBox();
    scene.bodies[0].transform.translate = Vec3(3, 0, 0);
    scene.bodies[0].velocity = Vec3(0, 0, 2);
    scene.bodies[0].spin = Vec3(0, 0, 1.5);
    const WorldState world = buildWorld(scene, noFile);
    const WorldBody& b = world.bodies[0];
    for (std::size_t v = 0; v < b.state->x.size(); ++v) {
        const Vec3 r = b.state->x[v] - Vec3(3, 0, 0);
        EXPECT_LT((b.state->v[v] - Vec3(-1.5 * r.y(), 1.5 * r.x(), 2)).norm(), 1e-12);
    }
}

/// A block whose points bring velocities of their own along.
Geometry movingBlock(const std::function<Vec3(const Vec3&)>& velocity) {
    const WorldState world = buildWorld(oneBox(), noFile);
    Geometry g = geometryFromTetMesh(world.bodies[0].body->mesh, {});
    auto& v = g.points.add<float>("v", g.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(velocity(g.positions[i / 3])[static_cast<int>(i % 3)]);
    return g;
}
Scene oneFile() {
    Scene scene = oneBox();
    scene.bodies[0].source = FileSource{"block"};
    return scene;
}

TEST(SceneBuild, PointsBringTheirVelocityAlong) {
    const Geometry block = movingBlock([](const Vec3& p) { return Vec3(p.y(), 0.5, 2 * p.x()); });
    const auto load = [&](const std::string&, Monitor*) { return block; };
    Scene scene = oneFile();
    WorldState world = buildWorld(scene, load);
    for (std::size_t i = 0; i < block.pointCount(); ++i) {
        const Vec3 p = world.bodies[0].state->x[i];
        EXPECT_EQ(world.bodies[0].state->v[i], Vec3(p.y(), 0.5, 2 * p.x()));
    }
    EXPECT_FALSE(world.bodies[0].body->attributes.vertices.find("v")) << "it would be shown for ever";
    // with what the scene says; turned and scaled as the model is
    scene.bodies[0].velocity = Vec3(0, 0, 2);
    scene.bodies[0].transform = {Vec3(7, 0, 0), Vec3(0, 0, M_PI / 2), Vec3(3, 1, 1)};
    world = buildWorld(scene, load);
    for (std::size_t i = 0; i < block.pointCount(); ++i) {
        const Vec3& p = block.positions[i];
        EXPECT_LT((world.bodies[0].state->v[i] - Vec3(-0.5, 3 * p.y(), 2 * p.x() + 2)).norm(), 1e-12);
    }
    scene.bodies[0].rigid = true;  // of which the rigid part is left
    scene.bodies[0].transform = {};
    world = buildWorld(scene, load);
    Vec3 mean = Vec3::Zero();
    for (const Vec3& v : world.bodies[0].state->v) mean += v / static_cast<double>(block.pointCount());
    EXPECT_LT((mean - Vec3(0, 0.5, 2)).norm(), 1e-12);
}

TEST(SceneBuild, AFrameMovesOn) {
    Scene scene = oneBox();
    scene.bodies[0].velocity = Vec3(1, 2, 3);
    scene.bodies[0].spin = Vec3(0, 2, 0);
    const WorldState first = buildWorld(scene, noFile);
    const Geometry frame = frameGeometry(first, 1);
    const WorldState again = buildWorld(oneFile(), [&](const std::string&, Monitor*) { return frame; });
    for (std::size_t i = 0; i < frame.pointCount(); ++i) EXPECT_EQ(again.bodies[0].state->v[i], first.bodies[0].state->v[i].cast<float>().cast<double>());
}

TEST(SceneBuild, NoiseFollowsTheSeed) {
    Scene scene = oneBox();
    scene.bodies[0].velocityNoise = 0.5;
    const auto velocities = [&](std::uint64_t seed) {
        scene.seed = seed;
        return buildWorld(scene, noFile).bodies[0].state->v;
    };
    EXPECT_EQ(velocities(3), velocities(3));
    EXPECT_NE(velocities(3), velocities(4));
    double largest = 0;
    const std::vector<Vec3> noise = velocities(3);
    for (const Vec3& v : noise) largest = std::max(largest, v.cwiseAbs().maxCoeff());
    EXPECT_LT(largest, 0.5);
    EXPECT_GT(largest, 0.3) << "81 draws";
}

TEST(SceneBuild, ForceAddsUpToTheWhole) {
    Scene scene = oneBox();
    scene.bodies[0].force = Vec3(0, 3, 1);
    Vec3 sum = Vec3::Zero();
    const WorldState world = buildWorld(scene, noFile);
    for (const Vec3& f : world.bodies[0].body->force) sum += f;
    EXPECT_LT((sum - Vec3(0, 3, 1)).norm(), 1e-14);
}

TEST(SceneBuild, RegionsChooseVertices) {
    Scene scene = oneBox();
    const std::pair<Region, std::size_t> cases[] = {
        {BoxRegion{Vec3(-1, 0.5, -1), Vec3(1, 0.5, 1)}, 9},
        {SphereRegion{Vec3(0.5, 0.5, 0.5), 0.51}, 4},
        {NearestRegion{Vec3(9, 9, 9), 3}, 3},
        {AllRegion{}, 27},
    };
    for (const auto& [region, count] : cases) {
        scene.bodies[0].pins = {ScenePin{"p", region, {}, 1e300}};
        const WorldState world = buildWorld(scene, noFile);
        const HardTarget& pin = world.bodies[0].body->constraints.hard.at(0);
        EXPECT_EQ(pin.vertices.size(), count);
        for (std::size_t i = 0; i < pin.vertices.size(); ++i)
            EXPECT_EQ(pin.anchor[i],
                      world.bodies[0].body->mesh.rest[static_cast<std::size_t>(pin.vertices[i])]);
    }
    const WorldState world = buildWorld(scene, noFile);
    const auto nearest =
        selectVertices(NearestRegion{Vec3(-0.5, -0.5, -0.5), 1}, world.bodies[0].state->x, {}, "p");
    EXPECT_EQ(nearest, std::vector<std::int32_t>{0});
}

void expectError(const Scene& scene, const GeometryLoader& load, std::initializer_list<const char*> parts) {
    try {
        buildWorld(scene, load);
        ADD_FAILURE() << "built";
    } catch (const Error& e) {
        for (const char* part : parts)
            EXPECT_NE((std::string(e.what()) + " / " + e.remedy()).find(part), std::string::npos)
                << e.what() << " / " << e.remedy();
    }
}

TEST(SceneBuild, VelocitiesThatMakeNoSenseAreErrors) {
    Geometry wrong = movingBlock([](const Vec3&) { return Vec3(Vec3::Ones()); });
    const auto load = [&](const std::string&, Monitor*) { return wrong; };
    (*wrong.points.find("v")->as<float>())[7] = std::numeric_limits<float>::quiet_NaN();
    expectError(oneFile(), load, {"box", "'v' is not a number at point 2", "delete it"});
    wrong.points.add<float>("v", wrong.pointCount());
    expectError(oneFile(), load, {"box", "'v' is not a vector", "m/s"});
    wrong.points.add<std::string>("v", wrong.pointCount());
    expectError(oneFile(), load, {"'v' is not a vector"});
}

TEST(SceneBuild, SaysWhatIsWrongWithWhichBody) {
    Scene scene = oneBox();
    scene.bodies[0].pins = {ScenePin{"rope", SphereRegion{Vec3(9, 0, 0), 1}, {}, 1e300}};
    expectError(scene, noFile, {"body 'box'", "pin 'rope'", "no vertex lies there", "(-0.5, -0.5, -0.5)"});
    scene.bodies[0].pins = {ScenePin{"", GroupRegion{"tip"}, {}, 1e300}};
    expectError(scene, noFile, {"pin '0'", "no point group or attribute 'tip'"});
    scene = oneBox();
    scene.bodies[0].material.density = -1;
    expectError(scene, noFile, {"body 'box'", "density"});
    scene.bodies[0].source = FileSource{"missing.obj"};
    expectError(
        scene,
        [](const std::string& path, Monitor*) -> Geometry { throw Error("cannot read '" + path + "'"); },
        {"body 'box'", "./missing.obj"});
}

TEST(SceneFrame, JoinsBodiesWithTheirAttributes) {
    Scene scene = oneBox();
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[1].name = "other";
    scene.bodies[1].velocity = Vec3(1, 2, 3);
    WorldState world = buildWorld(scene, noFile);
    Body painted = *world.bodies[1].body;
    painted.attributes.vertices.add<float>("paint", 27)[5] = 4;
    painted.attributes.tets.addGroup("hot", 48).members[0] = 1;
    world.bodies[1].body = buildBody(std::move(painted));
    world.time = 0.25;
    const Geometry g = frameGeometry(world, 1007);
    g.validate();
    EXPECT_EQ(g.pointCount(), 54u);
    EXPECT_EQ(g.countOf(PrimitiveKind::kTet), 96u);
    EXPECT_EQ(g.primitivePoints(48)[0], g.primitivePoints(0)[0] + 27);
    EXPECT_EQ(g.points.find("v")->number(0, 1), 0);
    EXPECT_EQ(g.points.find("v")->number(27, 1), 2);
    EXPECT_EQ(g.points.find("v")->meaning, AttributeMeaning::kVector);
    EXPECT_EQ(g.points.find("id")->number(53), 53);
    EXPECT_EQ(g.points.find("paint")->number(27 + 5), 4);
    EXPECT_EQ(g.points.find("paint")->number(5), 0);
    EXPECT_EQ(g.primitives.findGroup("hot")->members[48], 1);
    EXPECT_EQ((*g.primitives.find("name")->as<std::string>())[95], "other");
    EXPECT_EQ(g.primitives.find("detF")->number(3), 1);
    EXPECT_EQ(g.detail.find("time")->number(0), 0.25);
    EXPECT_EQ(g.detail.find("frame")->number(0), 1007);
}

}  // namespace
}  // namespace sunder
