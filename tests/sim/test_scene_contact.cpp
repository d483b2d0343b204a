#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"

/// Contact as scenes set it up: groups, friction of pairs, painted friction and places that meet nothing.
namespace sunder {
namespace {

WorldState build(const Scene& scene) {
    return buildWorld(scene, [](const std::string& path, Monitor*) -> Geometry { throw Error("unexpected file " + path); });
}

/// A block that slides at 1 m/s over a slab that is held.
Scene makeSlide() {
    Scene scene;
    scene.bodies.resize(2);
    SceneBody &slab = scene.bodies[0], &block = scene.bodies[1];
    slab.name = "slab";
    slab.source = BoxShape{Vec3(2, 0.2, 0.6), {8, 1, 3}};
    slab.transform.translate = Vec3(0, -0.1, 0);
    slab.pins.resize(1);
    block.name = "block";
    block.source = BoxShape{Vec3(0.2, 0.1, 0.2), {2, 1, 2}};
    block.transform.translate = Vec3(-0.6, 0.0499, 0.013);
    block.velocity = Vec3(1, 0, 0);
    for (SceneBody& body : scene.bodies) {
        body.material.name = body.name + " stuff";
        body.material.youngs = 1e6;
        body.material.stiffnessDamping = 1e-3;
        body.contact.surface.friction = body.contact.surface.dynamicFriction = 0.2;
    }
    return scene;
}

Vec3 meanVelocity(const WorldBody& b) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (std::size_t i = 0; i < b.body->mass.size(); ++i) {
        sum += b.body->mass[i] * b.state->v[i];
        mass += b.body->mass[i];
    }
    return sum / mass;
}

void run(WorldState& world, const StepSettings& settings) {
    Workspace workspace;
    for (int k = 0; k < 20; ++k) {
        const StepReport report = step(world, 0.01, settings, workspace);
        ASSERT_FALSE(report.failed) << report.message;
    }
}

/// Speed lost within 0.2 s over that lost with a friction of 1: the coefficient, as long as the block slides.
double slowedBy(const Scene& scene) {
    WorldState world = build(scene);
    run(world, scene.settings);
    return (1 - meanVelocity(world.bodies[1]).x()) / (9.81 * 0.2);
}

const Integrator kBoth[] = {Integrator::kExplicit, Integrator::kImplicit};

TEST(SceneContact, NamesOfGroupsBecomeBits) {
    Scene scene = makeSlide();
    scene.bodies.push_back(scene.bodies[1]);
    scene.bodies[2].name = "third";
    scene.bodies[0].contact.groups = {"floor"};
    scene.bodies[0].contact.collidesWith = {"toys", "default"};
    scene.bodies[1].contact.groups = {"toys", "floor"};
    scene.bodies[1].contact.collidesWith = {};
    const WorldState world = build(scene);
    const auto contact = [&](std::size_t b) { return world.bodies[b].body->contact; };
    EXPECT_EQ(contact(0).group, 2u);
    EXPECT_EQ(contact(0).mask, 5u);
    EXPECT_EQ(contact(1).group, 6u);
    EXPECT_EQ(contact(1).mask, 0u);
    EXPECT_EQ(contact(2).group, 1u);
    EXPECT_EQ(contact(2).mask, ~0u);
}

TEST(SceneContact, BodiesThatDoNotNameEachOtherPassThrough) {
    for (const bool contact : {true, false})
        for (const bool named : {true, false}) {
            Scene scene = makeSlide();
            scene.settings.contact = contact;
            scene.bodies[0].contact.groups = {"floor"};
            scene.bodies[0].contact.collidesWith = {"default"};
            scene.bodies[1].contact.collidesWith = {named ? "floor" : "default"};
            WorldState world = build(scene);
            run(world, scene.settings);
            const double fall = meanVelocity(world.bodies[1]).y();
            if (contact && named)
                EXPECT_NEAR(fall, 0, 0.1);
            else
                EXPECT_NEAR(fall, -9.81 * 0.2, 1e-3);
        }
}

// The block rocks a little where it sets down, so 3 percent are allowed, as for a block on a slope.
TEST(SceneContact, FrictionOfPairsCountsInPlaceOfTheMean) {
    for (const Integrator integrator : kBoth) {
        Scene scene = makeSlide();
        scene.settings.integrator = integrator;
        const double mean = slowedBy(scene);
        scene.settings.contactPairs = {{"slab", "slab", 0.9, 0.9}, {"block", "slab stuff", 0.9, 0.9}, {"slab", "block", 0.4, 0.4}};
        const double pair = slowedBy(scene);
        scene.settings.contactPairs.pop_back();
        scene.settings.contactPairs.back() = {"slab stuff", "block stuff", 0.3, 0.3};
        const double materials = slowedBy(scene);
        EXPECT_NEAR(mean, 0.2, 0.03 * 0.2);
        EXPECT_NEAR(pair, 0.4, 0.03 * 0.4);
        EXPECT_NEAR(materials, 0.3, 0.03 * 0.3);
    }
}

WorldBody paint(const WorldBody& from, double value) {
    Body body = *from.body;
    for (double& f : body.attributes.vertices.add<double>("friction", body.mesh.vertexCount())) f = value;
    return {buildBody(std::move(body)), from.state};
}

TEST(SceneContact, PaintedFrictionMultipliesTheBodys) {
    for (const Integrator integrator : kBoth) {
        Scene scene = makeSlide();
        scene.settings.integrator = integrator;
        WorldState world = build(scene);
        world.bodies[1] = paint(world.bodies[1], 4);  // sqrt(0.2 * 4 * 0.2)
        run(world, scene.settings);
        EXPECT_NEAR((1 - meanVelocity(world.bodies[1]).x()) / (9.81 * 0.2), 0.4, 0.03 * 0.4);
    }
    const WorldState world = build(makeSlide());
    EXPECT_THROW(paint(world.bodies[0], -1), Error);
}

// The slab meets nothing where `collide` is 0: the block falls through there, and lies where it is 1.
TEST(SceneContact, WhereCollideIsZeroABodyMeetsNothing) {
    for (const Integrator integrator : kBoth)
        for (const double split : {-2.0, 0.0}) {  // x up to which it is 0; the block is at -0.6
            Scene scene = makeSlide();
            scene.settings.integrator = integrator;
            scene.bodies[1].velocity = Vec3::Zero();
            WorldState world = build(scene);
            Body slab = *world.bodies[0].body;
            auto& collide = slab.attributes.vertices.add<std::int32_t>("collide", slab.mesh.vertexCount());
            for (std::size_t v = 0; v < collide.size(); ++v) collide[v] = slab.mesh.rest[v].x() < split ? 0 : 1;
            world.bodies[0] = {buildBody(std::move(slab)), world.bodies[0].state};
            run(world, scene.settings);
            const double fall = meanVelocity(world.bodies[1]).y();
            if (split > -1)
                EXPECT_NEAR(fall, -9.81 * 0.2, 1e-3);
            else
                EXPECT_NEAR(fall, 0, 0.1);
        }
    WorldState world = build(makeSlide());
    Body slab = *world.bodies[0].body;
    slab.attributes.tets.add<std::string>("collide", slab.mesh.tetCount());
    EXPECT_THROW(buildBody(std::move(slab)), Error);
}

}  // namespace
}  // namespace sunder
