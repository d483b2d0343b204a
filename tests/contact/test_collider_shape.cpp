#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/contact/collider_mesh.h"
#include "core/contact/contact_potential.h"
#include "tests/contact/collider_cases.h"
#include "tests/contact/same_contacts.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::boxCollider;

TEST(ContactSet, SoftnessOfRigidColliders) {
    const double rigid = std::numeric_limits<double>::infinity();
    EXPECT_EQ(softness(1e5, 1e5), 1.0F);
    EXPECT_EQ(softness(rigid, rigid), 1.0F);
    EXPECT_EQ(softness(1e5, rigid), std::sqrt(2.0F));
    EXPECT_EQ(softness(rigid, 1e5), 0.0F);
    EXPECT_NEAR(softness(1e5, 1e300), std::sqrt(2.0), 1e-7);
}

/// A block on a collider, d deep.
struct BlockOnCollider {
    std::shared_ptr<const Body> body;
    ColliderSlab slab;
    ContactShape shape[2];
    ContactMemory memory[2];
    ContactBodies bodies;
    std::vector<Vec3> x;
    ContactSet set;

    BlockOnCollider(double depth, double colliderYoungs) {
        Body block;
        block.name = "block";
        block.mesh = testing::makeBox(3, 3, 3, Vec3(1, 1, 1));
        for (Vec3& p : block.mesh.rest) p += Vec3(1.1, 0.9, -depth);
        block.materials.resize(1);
        block.materials[0].name = "test";
        block.materials[0].youngs = 1e5;
        body = buildBody(std::move(block));
        ColliderSurface ground = boxCollider(5, Vec3(3, 3, 3));
        for (Vec3& p : ground.positions) p.z() -= 3;
        slab = buildColliderSlab(ground);
        shape[0] = buildContactShape(*body);
        ColliderProperties properties;
        properties.youngs = colliderYoungs;
        shape[1] = buildContactShape(slab, properties);
        x = body->mesh.rest;
        x.insert(x.end(), slab.vertices.begin(), slab.vertices.end());
        bodies.offset = {0, body->mesh.vertexCount(), x.size()};
        for (int k = 0; k < 2; ++k) {
            bodies.shapes.push_back(&shape[k]);
            bodies.memory.push_back(&memory[k]);
        }
        PairList pairs;
        for (std::size_t i = 0; i < shape[0].corners.size(); ++i)
            for (std::size_t j = 0; j < shape[1].corners.size(); ++j)
                if (shape[0].corners[i][0] >= 0 && shape[1].corners[j][0] >= 0) pairs.pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        pairs.ranges.push_back({0, 1, 0, pairs.pairs.size()});
        findContacts(pairs, bodies.shapes, bodies.parts(x), set);
        computeClusters(bodies.parts(x), set);
    }
    double energy(Vec3& push) {
        ContactPotential potential;
        potential.begin(bodies, {0, false}, testing::noContacts(2), x, {});
        std::vector<Vec3> force(x.size(), Vec3::Zero());
        const double sum = potential.value(set, x, force);
        push = Vec3::Zero();
        for (std::size_t i = 0; i < bodies.offset[1]; ++i) push += force[i];
        Vec3 all = push;
        for (std::size_t i = bodies.offset[1]; i < force.size(); ++i) all += force[i];
        EXPECT_LT(all.norm(), 1e-12 * push.norm());
        return sum;
    }
};

TEST(ColliderShape, OnARigidColliderTheBodyAloneYields) {
    const double depth = 1e-3;
    BlockOnCollider rigid(depth, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(rigid.set.vertices[1].touching.empty());
    for (const ContactShape& shape : rigid.shape)
        for (std::size_t i = 0; i < shape.area.size(); ++i)
            EXPECT_TRUE(shape.area[i] > 0 && std::isfinite(shape.stiffness[i]) && std::isfinite(shape.criticalDamping[i]));
    // a vertex of the bottom is d deep, which counts sqrt(2) fold: all of its spring works, in place of half of each of two bodies'
    double expected = 0;
    for (std::size_t i = 0; i < rigid.shape[0].area.size(); ++i) {
        const double deep = rigid.set.vertices[0].volume[i] / rigid.shape[0].area[i];
        expected += rigid.shape[0].spring(i).energy(deep);
        const Vec3 p = rigid.body->mesh.rest[i] - Vec3(1.6, 1.4, 0);
        // hat functions are 1 on the surface only: d / h = 3e-3
        const bool inner = p.z() < 0 && p.head<2>().cwiseAbs().maxCoeff() < 0.4;
        EXPECT_TRUE(!inner || std::abs(deep / (std::sqrt(2.0) * depth) - 1) < 0.01) << deep;
    }
    Vec3 push, both;
    const double energy = rigid.energy(push);
    EXPECT_NEAR(energy, expected, 1e-12 * expected);
    EXPECT_NEAR(push.z(), 2 * energy / depth, 0.01 * push.z());
    EXPECT_NEAR(push.head<2>().norm(), 0, 0.01 * push.z());
    // the vertices of one of a finite modulus, however large, have a spring of their own
    BlockOnCollider stiff(depth, 1e15);
    EXPECT_FALSE(stiff.set.vertices[1].touching.empty());
    EXPECT_GT(stiff.energy(both), energy);
}

TEST(ColliderShape, LooksLikeABodys) {
    ColliderSurface box = boxCollider(4, Vec3(1, 1, 1));
    box.thickness = 0.1;
    const ColliderSlab slab = buildColliderSlab(box);
    ColliderProperties properties;
    properties.youngs = 1e9;
    properties.surface.friction = 0.3;
    properties.surface.restitution = 0.5;
    const ContactShape shape = buildContactShape(slab, properties);
    EXPECT_EQ(shape.corners.size(), slab.tets.size());
    EXPECT_FALSE(shape.inPieces);
    EXPECT_EQ(shape.modulus, 1e9);
    EXPECT_EQ(shape.surface.friction, 0.3);
    EXPECT_EQ(shape.surface.self, SelfContact::kNone);
    for (std::size_t c = 0; c < slab.columnCount(); ++c) {
        const Vec3 p = (slab.vertices[c] - Vec3(0.5, 0.5, 0.5)).cwiseAbs();
        if (p.maxCoeff() - p.minCoeff() < 0.1 || (p.array() > 0.4).count() > 1) continue;
        // in the middle of a side: its cell's area, and its column of the layer is h = 0.1 high: half of E A / h
        EXPECT_NEAR(shape.area[c], 1.0 / 16, 1e-15);
        if ((p.array() > 0.24).count() > 1) continue;
        EXPECT_NEAR(shape.stiffness[c] / (0.5 * 1e9 / 16 / 0.1), 1, 0.5);
        EXPECT_GT(shape.criticalDamping[c], 0);
    }
}

}  // namespace
}  // namespace sunder
