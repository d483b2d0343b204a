#include <gtest/gtest.h>

#include <map>

#include "core/base/error.h"
#include "core/body/rigid.h"
#include "core/sim/scene_build.h"
#include "core/sim/scene_frame.h"
#include "core/sim/snapshot.h"
#include "core/sim/stepper.h"

/// Colliders and rigid bodies as scenes set them up.
namespace sunder {
namespace {

Geometry noModel(const std::string& path, Monitor*) { throw Error("unexpected file " + path); }

struct Listener : Monitor {
    std::vector<std::string> warnings;
    void warn(const std::string& text) override { warnings.push_back(text); }
};

SceneCollider makeCollider(const std::string& name, ColliderSource source) {
    SceneCollider collider;
    collider.name = name;
    collider.source = std::move(source);
    return collider;
}

/// A body of each kind that is not looked at, and one collider.
Scene sceneWith(SceneCollider collider) {
    Scene scene;
    scene.bodies.resize(1);
    scene.bodies[0].name = "box";
    scene.bodies[0].source = BoxShape{Vec3::Constant(0.2), {2, 2, 2}};
    scene.colliders = {std::move(collider)};
    return scene;
}

double volumeOf(const ColliderSurface& s) {
    double volume = 0;
    for (const Tri& t : s.triangles) {
        const auto p = [&](std::size_t k) -> const Vec3& { return s.positions[static_cast<std::size_t>(t[k])]; };
        volume += p(0).dot(p(1).cross(p(2))) / 6;
    }
    return volume;
}

Geometry oneTriangle(double height) {
    Geometry g;
    g.positions = {Vec3(0, height, 0), Vec3(0, height, 1), Vec3(1, height, 0)};
    const std::int32_t corners[] = {0, 1, 2};
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(corners, 3));
    return g;
}

TEST(SceneCollider, TakesTheSurfaceOfEveryShape) {
    const struct {
        ColliderSource source;
        std::size_t vertices;
        double volume, tolerance;
    } cases[] = {
        {BoxShape{Vec3(1, 2, 3), {2, 2, 2}}, 26, 6, 1e-12},
        {SphereShape{0.5, 8}, 386, M_PI / 6, 0.05},  // of a polyhedron inside the ball
        {TorusShape{0.5, 0.2, 24, 4}, 24 * 16, 2 * M_PI * M_PI * 0.5 * 0.04, 0.06},
        {TapirShape{}, 0, 0.018, 1},
        {PlaneShape{Vec2(2, 3)}, 4, 0, 1e-12},
    };
    for (const auto& c : cases) {
        const auto made = buildColliders(sceneWith(makeCollider("c", c.source)), noModel);
        const ColliderSurface& s = made.at(0)->keys.at(0).surface;
        EXPECT_EQ(s.positions.size(), c.vertices > 0 ? c.vertices : s.positions.size());
        EXPECT_NEAR(volumeOf(s), c.volume, c.tolerance * std::max(c.volume, 1e-300)) << "source " << c.source.index();
    }
}

TEST(SceneCollider, PlaneFacesUpAndIsPlaced) {
    SceneCollider plane = makeCollider("floor", PlaneShape{Vec2(2, 4)});
    plane.transform = {Vec3(0, 5, 0), Vec3(0, 0, M_PI / 2), Vec3(3, 1, 1)};
    plane.thickness = 0.02;
    plane.twoSided = true;
    const auto made = buildColliders(sceneWith(plane), noModel);
    const ColliderSurface& s = made.at(0)->keys.at(0).surface;
    Vec3 low = s.positions[0], high = low;
    for (const Vec3& p : s.positions) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    EXPECT_LT((low - Vec3(0, 2, -2)).norm(), 1e-12);
    EXPECT_LT((high - Vec3(0, 8, 2)).norm(), 1e-12);
    const auto p = [&](int k) { return s.positions[static_cast<std::size_t>(s.triangles[0][static_cast<std::size_t>(k)])]; };
    EXPECT_LT(((p(1) - p(0)).cross(p(2) - p(0)).normalized() - Vec3(-1, 0, 0)).norm(), 1e-12) << "+y, turned about z";
    EXPECT_EQ(s.thickness, 0.02);
    EXPECT_TRUE(s.twoSided);
}

TEST(SceneCollider, FilesGiveTheirPolygonsOrTheBoundaryOfTheirTets) {
    const auto loadTets = [](const std::string&, Monitor*) {
        Geometry g;
        g.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
        const std::int32_t corners[] = {0, 1, 2, 3};
        g.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(corners, 4));
        return g;
    };
    const Scene scene = sceneWith(makeCollider("c", FileSource{"a.obj"}));
    EXPECT_NEAR(volumeOf(buildColliders(scene, loadTets)[0]->keys[0].surface), 1.0 / 6, 1e-15);
    const auto loadPolygon = [](const std::string& path, Monitor*) {
        EXPECT_EQ(path, "./a.obj");
        return oneTriangle(2);
    };
    EXPECT_EQ(buildColliders(scene, loadPolygon)[0]->keys[0].surface.triangles.size(), 1u);
    const auto loadPoints = [](const std::string&, Monitor*) { return Geometry(); };
    try {
        buildColliders(scene, loadPoints);
        ADD_FAILURE() << "built";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("collider 'c': './a.obj': the file has no polygons"), std::string::npos) << e.what();
    }
}

TEST(SceneCollider, FramesBecomeKeysAtTheirTimes) {
    SceneCollider cloth = makeCollider("cloth", FramesSource{"cloth.####.obj", 10, 12});
    cloth.transform.translate = Vec3(1, 0, 0);
    Scene scene = sceneWith(cloth);
    scene.startFrame = 9;
    scene.fps = 10;
    const std::map<std::string, double> heights = {{"./cloth.0010.obj", 0.1}, {"./cloth.0011.obj", 0.3}, {"./cloth.0012.obj", 0.4}};
    const auto load = [&](const std::string& path, Monitor*) { return oneTriangle(heights.at(path)); };
    const auto made = buildColliders(scene, load);
    const std::vector<Collider::Key>& keys = made.at(0)->keys;
    ASSERT_EQ(keys.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(keys[k].time, 0.1 * static_cast<double>(k + 1));
    EXPECT_EQ(keys[2].surface.positions[0], Vec3(1, 0.4, 0));
    std::vector<Vec3> x, v;
    made[0]->placeSurface(0.15, x, v);
    EXPECT_LT((x[0] - Vec3(1, 0.2, 0)).norm(), 1e-12);
    EXPECT_LT((v[0] - Vec3(0, 2, 0)).norm(), 1e-12);
    for (const double outside : {0.05, 0.35}) {
        made[0]->placeSurface(outside, x, v);
        EXPECT_NEAR(x[0].y(), outside < 0.1 ? 0.1 : 0.4, 1e-15);
        EXPECT_EQ(v[0], Vec3::Zero());
    }
}

TEST(SceneCollider, NumbersOfFramesStandInNames) {
    EXPECT_EQ(frameFile("a/cloth.####.obj", 7), "a/cloth.0007.obj");
    EXPECT_EQ(frameFile("cloth.#.obj", 1234), "cloth.1234.obj");
    EXPECT_EQ(frameFile("cloth.%04d.obj", 7), "cloth.0007.obj");
    EXPECT_EQ(frameFile("cloth.%d.obj", 7), "cloth.7.obj");
    EXPECT_EQ(frameFile("cloth.$F4.bgeo.sc", 12), "cloth.0012.bgeo.sc");
    EXPECT_EQ(frameFile("cloth.$F.bgeo.sc", 12), "cloth.12.bgeo.sc");
    for (const char* bad : {"cloth.obj", "a.##/b.##.obj", "%x.obj", "$G.obj", ""}) EXPECT_THROW(frameFile(bad, 1), Error) << bad;
}

TEST(SceneCollider, WhatIsOddReachesTheMonitor) {
    const auto load = [](const std::string&, Monitor*) {
        Geometry g = oneTriangle(0);
        const std::int32_t again[] = {0, 1, 2};
        g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(again, 3));
        return g;
    };
    Listener listener;
    buildWorld(sceneWith(makeCollider("rag", FileSource{"rag.obj"})), load, &listener);
    ASSERT_EQ(listener.warnings.size(), 1u);
    EXPECT_EQ(listener.warnings[0].rfind("collider 'rag': ", 0), 0u) << listener.warnings[0];
    EXPECT_EQ(listener.warnings[0].find('\n'), std::string::npos);
}

double fall(const WorldBody& b) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& v : b.state->v) sum += v;
    return sum.y() / static_cast<double>(b.state->v.size());
}

void run(WorldState& world, const StepSettings& settings, int steps, double dt) {
    Workspace workspace;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = step(world, dt, settings, workspace);
        ASSERT_FALSE(report.failed) << report.message;
    }
}

TEST(SceneCollider, BodiesThatDoNotNameItsGroupPassThrough) {
    for (const bool named : {true, false}) {
        SceneCollider floor = makeCollider("floor", PlaneShape{Vec2(1, 1)});
        floor.contact.groups = {"set"};
        floor.thickness = 0.05;
        Scene scene = sceneWith(floor);
        scene.bodies[0].transform.translate = Vec3(0, 0.13, 0);
        scene.bodies[0].material.youngs = 1e5;
        scene.bodies[0].material.stiffnessDamping = 5e-3;
        scene.bodies[0].contact.collidesWith = {named ? "set" : "default"};
        WorldState world = buildWorld(scene, noModel);
        run(world, scene.settings, 40, 0.01);
        EXPECT_NEAR(fall(world.bodies[0]), named ? 0 : -9.81 * 0.4, 0.05);
    }
}

/// A rigid ball dropped from 2 cm onto a surface of triangles.
Scene makeDrop(Integrator integrator) {
    SceneCollider table = makeCollider("table", BoxShape{Vec3(1, 0.4, 1), {5, 2, 5}});
    table.transform.translate = Vec3(0, -0.2, 0);
    Scene scene = sceneWith(table);
    SceneBody& ball = scene.bodies[0];
    ball.source = SphereShape{0.1, 6};
    ball.rigid = true;
    ball.transform.translate = Vec3(0.03, 0.12, 0.02);
    ball.material.youngs = 1e6;
    scene.settings.integrator = integrator;
    return scene;
}

TEST(SceneCollider, RigidBallRestsOnIt) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        const Scene scene = makeDrop(integrator);
        WorldState world = buildWorld(scene, noModel);
        ASSERT_TRUE(world.bodies[0].body->rigid);
        run(world, scene.settings, 100, 0.01);
        const WorldBody& b = world.bodies[0];
        const RigidFrame frame = rigidFrame(b.body->mass, b.state->x);
        // a facet of the ball, inside its sphere, lies on the table; contact sinks in by a share of a cell
        EXPECT_GT(frame.centre.y(), 0.085);
        EXPECT_LT(frame.centre.y(), 0.1005);
        double fastest = 0, strained = 0;
        for (std::size_t i = 0; i < b.state->x.size(); ++i) {
            fastest = std::max(fastest, b.state->v[i].norm());
            strained = std::max(strained, std::abs((b.state->x[i] - b.state->x[0]).norm() - (b.body->mesh.rest[i] - b.body->mesh.rest[0]).norm()));
        }
        // it comes down at 0.6 m/s, and without the losses of implicit steps it rocks on its facets for a while
        EXPECT_LT(fastest, integrator == Integrator::kExplicit ? 0.3 : 1e-3);
        EXPECT_LT(strained, 1e-9) << "it keeps its shape";
    }
}

// Pushed by a face that has gone 0.3 m at 0.5 m/s; the box, which comes towards it, is in front of it then, and has at least about its speed.
TEST(SceneCollider, MovingOnePushesASoftBox) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        SceneCollider pusher = makeCollider("pusher", BoxShape{Vec3(0.4, 0.4, 0.4), {4, 4, 4}});
        pusher.transform.translate = Vec3(-0.35, 0, 0);
        pusher.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0.5, 0, 0), Vec3::Zero()}};
        Scene scene = sceneWith(pusher);
        scene.settings.integrator = integrator;
        scene.settings.gravity.setZero();
        scene.bodies[0].velocity = Vec3(-0.1, 0, 0);
        scene.bodies[0].material.youngs = 1e5;
        scene.bodies[0].material.stiffnessDamping = 5e-3;
        WorldState world = buildWorld(scene, noModel);
        run(world, scene.settings, 60, 0.01);
        double least = 1e9;
        Vec3 sum = Vec3::Zero();
        const BodyState& s = *world.bodies[0].state;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            least = std::min(least, s.x[i].x());
            sum += s.v[i];
        }
        EXPECT_GT(least, -0.15 + 0.3 - 0.02) << "not passed by the face";
        EXPECT_GT(sum.x() / static_cast<double>(s.v.size()), 0.45);
    }
}

// The snapshot holds no colliders: they are made again from the scene.
TEST(SceneCollider, ResumedGivesTheSameBytes) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        Scene scene = makeDrop(integrator);
        scene.bodies[0].transform.translate.y() = 0.101;
        scene.colliders[0].motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0.1, 0.2, 0), Vec3(0, 1, 0)}};
        WorldState through = buildWorld(scene, noModel), resumed;
        Workspace workspace, fresh;
        for (int i = 0; i < 20; ++i) {
            if (i == 10) resumed = loadSnapshot(saveSnapshot(through));
            ASSERT_FALSE(step(through, 0.005, scene.settings, workspace).failed);
        }
        EXPECT_TRUE(resumed.colliders.empty());
        resumed.colliders = buildColliders(scene, noModel);
        for (int i = 0; i < 10; ++i) ASSERT_FALSE(step(resumed, 0.005, scene.settings, fresh).failed);
        EXPECT_EQ(saveSnapshot(resumed), saveSnapshot(through)) << "integrator " << static_cast<int>(integrator);
        EXPECT_NE(through.energy.work, 0) << "it is lifted";
    }
}

// As for two bodies: the block rocks a little where it sets down.
TEST(SceneCollider, FrictionOfPairsCountsWithColliders) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        SceneCollider slab = makeCollider("slab", BoxShape{Vec3(2, 0.2, 0.6), {8, 1, 3}});
        slab.transform.translate = Vec3(0, -0.1, 0);
        slab.contact.surface.friction = slab.contact.surface.dynamicFriction = 0.2;
        Scene scene = sceneWith(slab);
        SceneBody& block = scene.bodies[0];
        block.source = BoxShape{Vec3(0.2, 0.1, 0.2), {2, 1, 2}};
        block.transform.translate = Vec3(-0.6, 0.0499, 0.013);
        block.velocity = Vec3(1, 0, 0);
        block.material.name = "felt";
        block.material.youngs = 1e6;
        block.material.stiffnessDamping = 1e-3;
        block.contact.surface.friction = block.contact.surface.dynamicFriction = 0.2;
        scene.settings.integrator = integrator;
        const auto slowedBy = [&](const std::vector<ContactPair>& pairs) {
            scene.settings.contactPairs = pairs;
            WorldState world = buildWorld(scene, noModel);
            run(world, scene.settings, 20, 0.01);
            double momentum = 0, mass = 0;
            for (std::size_t i = 0; i < world.bodies[0].body->mass.size(); ++i) {
                momentum += world.bodies[0].body->mass[i] * world.bodies[0].state->v[i].x();
                mass += world.bodies[0].body->mass[i];
            }
            return (1 - momentum / mass) / (9.81 * 0.2);
        };
        EXPECT_NEAR(slowedBy({}), 0.2, 0.03 * 0.2);
        EXPECT_NEAR(slowedBy({{"felt", "felt", 0.9, 0.9}, {"slab", "felt", 0.4, 0.4}}), 0.4, 0.03 * 0.4);
        EXPECT_NEAR(slowedBy({{"slab", "felt", 0.4, 0.4}, {"box", "slab", 0.3, 0.3}}), 0.3, 0.03 * 0.3);
    }
}

TEST(SceneCollider, FramesShowWhereItIs) {
    SceneCollider door = makeCollider("door", PlaneShape{Vec2(1, 1)}), hidden = makeCollider("room", PlaneShape{});
    door.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0, 2, 0), Vec3::Zero()}};
    hidden.visible = false;
    Scene scene = sceneWith(door);
    scene.colliders.push_back(hidden);
    scene.bodies[0].rigid = true;
    WorldState world = buildWorld(scene, noModel);
    world.time = 0.25;
    const Geometry g = frameGeometry(world, 7);
    g.validate();
    EXPECT_EQ(g.pointCount(), 27u + 4u);
    EXPECT_EQ(g.countOf(PrimitiveKind::kTet), 48u);
    EXPECT_EQ(g.countOf(PrimitiveKind::kPolygon), 2u);
    EXPECT_EQ((*g.primitives.find("name")->as<std::string>())[48], "door");
    EXPECT_EQ(g.positions[static_cast<std::size_t>(g.primitivePoints(48)[0])], Vec3(-0.5, 0.5, -0.5));
    EXPECT_NEAR(g.points.find("v")->number(28, 1), 2, 1e-6);
    EXPECT_EQ(g.points.find("accel")->number(28, 1), 0);
    EXPECT_EQ(g.primitives.find("detF")->number(49), 1);
    EXPECT_EQ(g.primitives.find("detF")->number(3), 1) << "a rigid body has no elements, but a shape";
    EXPECT_GT(g.primitives.find("quality")->number(3), 0.3);
}

TEST(SceneCollider, NoiseOfARigidBodyMovesItAsOne) {
    Scene scene = makeDrop(Integrator::kImplicit);
    scene.bodies[0].velocityNoise = 0.5;
    scene.bodies[0].spin = Vec3(0, 2, 0);
    const WorldState world = buildWorld(scene, noModel);
    const BodyState& s = *world.bodies[0].state;
    for (std::size_t i = 1; i < s.x.size(); ++i)
        EXPECT_NEAR((s.v[i] - s.v[0]).dot(s.x[i] - s.x[0]), 0, 1e-14);
}

}  // namespace
}  // namespace sunder
