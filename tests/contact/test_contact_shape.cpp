#include "core/contact/contact_shape.h"

#include "core/body/apply_edit.h"
#include "core/contact/contact_finder.h"
#include "core/fracture/cut.h"
#include "tests/contact/same_contacts.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

/// A block that cracks run through, and all that follows them.
struct Cracking {
    Body body;
    BodyState state;
    TetStars stars;
    TetLinks links;
    ContactShape shape;

    explicit Cracking(const Vec3& place) {
        Body input;
        input.mesh = makeBox(4, 3, 4, Vec3(1, 0.8, 1));
        jitter(input.mesh, 0.1, 5);
        for (Vec3& p : input.mesh.rest) p += place;
        input.materials.resize(1);
        input.materials[0].fracture.enabled = true;
        input.contact.self = SelfContact::kBetweenPieces;
        auto& paint = input.attributes.vertices.add<float>("friction", input.mesh.vertexCount());
        for (std::size_t i = 0; i < paint.size(); ++i) paint[i] = static_cast<float>(i % 7);
        body = *buildBody(std::move(input));
        for (const double reach : buildContactShape(body).reach) body.columnHeight.push_back(reach / kContactReach);
        state = makeBodyState(body);
        stars = TetStars(body.mesh.tets, body.mesh.vertexCount());
        links = buildTetLinks(body.mesh);
        shape = buildContactShape(body, links);
    }

    /// Returns what the broad phase has to know.
    std::vector<ElementChange> crack(std::uint64_t seed, std::uint64_t count) {
        TopologyEdit edit(body.mesh);
        for (std::uint64_t k = 0; k < count; ++k) {
            MeshEditor editor{body.mesh, state.x, body.insideFaces, stars, edit};
            const std::size_t tets = body.mesh.tetCount();
            CutOptions options;
            options.snapAngle = k % 4 ? 0.4 : 0.1;  // many of them along the cells, so that pieces come off
            const Vec3 normal = k % 4 ? Vec3(Vec3::Unit(static_cast<int>(randomBits(seed + 1000, k) % 3))) : randomDirection(seed, k, 2);
            cutAt(editor, static_cast<std::int32_t>(randomBits(seed, k) % body.mesh.vertexCount()), normal, options);
            body.appendTets(edit, tets);
        }
        applyEdit(edit, stars, body);
        applyEdit(edit, state);
        const std::vector<std::int32_t> renumbered = patchTetLinks(edit, body.mesh.tets, stars, links);
        return patchContactShape({edit, body, stars, links, renumbered}, shape);
    }
};

// Also where a part of the block meets nothing.
TEST(ContactShape, FollowsCracksToTheBitsOfOneMadeAnew) {
    Cracking c(Vec3::Zero());
    auto& collide = c.body.attributes.tets.add<std::int32_t>("collide", c.body.mesh.tetCount());
    for (std::size_t t = 0; t < collide.size(); ++t) collide[t] = t % 9 ? 1 : 0;
    c.shape = buildContactShape(c.body, c.links);
    for (std::uint64_t round = 1; round <= 60; ++round) {
        c.crack(round, 1 + round % 8);
        const ContactShape anew = buildContactShape(c.body);
        updateModulus(c.body, c.shape);
        ASSERT_EQ(c.shape.corners, anew.corners);
        ASSERT_EQ(c.shape.features, anew.features);
        ASSERT_TRUE(c.shape.trianglesAround == anew.trianglesAround);
        ASSERT_EQ(c.shape.volume, anew.volume);
        ASSERT_EQ(c.shape.area, anew.area);
        ASSERT_EQ(c.shape.stiffness, anew.stiffness);
        ASSERT_EQ(c.shape.reach, anew.reach);
        ASSERT_EQ(c.shape.criticalDamping, anew.criticalDamping);
        ASSERT_EQ(c.shape.frictionScale, anew.frictionScale);
        ASSERT_EQ(c.shape.modulus, anew.modulus);
        ASSERT_EQ(c.shape.inPieces, anew.inPieces);
    }
    EXPECT_TRUE(c.shape.inPieces);
}

TEST(ContactShape, WhatIsPaintedNotToCollideIsNoElement) {
    const auto elementsOf = [](auto paint) {
        Body input;
        input.mesh = makeBox(4, 3, 4, Vec3(1, 0.8, 1));
        input.materials.resize(1);
        paint(input);
        const auto body = buildBody(std::move(input));
        const ContactShape shape = buildContactShape(*body);
        std::vector<std::uint8_t> elements;
        for (const ElementCorners& c : shape.corners) elements.push_back(c[0] >= 0);
        return elements;
    };
    const std::vector<std::uint8_t> all = elementsOf([](Body&) {});
    Body plain;
    plain.mesh = makeBox(4, 3, 4, Vec3(1, 0.8, 1));
    const auto low = [&](std::int32_t v) { return plain.mesh.rest[static_cast<std::size_t>(v)].y() < 0.1; };
    const std::vector<std::uint8_t> onPoints = elementsOf([&](Body& b) {
        auto& collide = b.attributes.vertices.add<float>("collide", b.mesh.vertexCount());
        for (std::size_t v = 0; v < collide.size(); ++v) collide[v] = low(static_cast<std::int32_t>(v)) ? 0.0F : 0.5F;
    });
    const std::vector<std::uint8_t> onTets = elementsOf([](Body& b) {
        auto& collide = b.attributes.tets.add<std::int32_t>("collide", b.mesh.tetCount());
        for (std::size_t t = 0; t < collide.size(); ++t) collide[t] = t % 3 ? 1 : 0;
    });
    for (std::size_t t = 0; t < all.size(); ++t) {
        const Tet& tet = plain.mesh.tets[t];
        const bool atBottom = std::any_of(tet.begin(), tet.end(), low);
        EXPECT_EQ(onPoints[t], all[t] && !atBottom) << t;
        EXPECT_TRUE(t % 3 != 0 || onTets[t] == 0) << t;
    }
    EXPECT_GT(std::count(onPoints.begin(), onPoints.end(), 1), 50);
    EXPECT_GT(std::count(onTets.begin(), onTets.end(), 1), 50);
}

/// Two blocks that reach into each other crack and move. What a finder knows of them from before changes no bit of what it finds.
TEST(ContactShape, AFinderThatFollowsFindsWhatANewOneFinds) {
    Cracking c[2] = {Cracking(Vec3::Zero()), Cracking(Vec3(0.55, 0.3, 0.2))};
    const auto shapes = [&] {
        std::vector<std::shared_ptr<const ContactShape>> list;
        for (const Cracking& one : c) list.emplace_back(std::shared_ptr<void>(), &one.shape);
        return list;
    };
    ContactFinder kept;
    kept.reset(shapes(), 2, {});
    std::size_t within = 0;
    for (std::uint64_t round = 1; round <= 50; ++round) {
        const std::size_t b = round % 2;
        if (round % 3 != 0) kept.follow(b, c[b].crack(100 + round, 1 + round % 9));
        for (std::size_t i = 0; i < c[0].state.x.size(); ++i) c[0].state.x[i] += 0.004 * Vec3(randomRange(-1, 1, 7, round, 3 * i), randomRange(-1, 1, 7, round, 3 * i + 1), randomRange(-1, 1, 7, round, 3 * i + 2));
        const std::vector<Span<const Vec3>> x{c[0].state.x, c[1].state.x};
        ContactFinder fresh;
        fresh.reset(shapes(), 2, {});
        const ContactSet& found = fresh.find(x, {}, true);
        expectSame(kept.find(x, {}, true), found);
        for (const TetContact& contact : found.contacts) within += contact.bodyA == contact.bodyB;
    }
    EXPECT_GT(within, 100u) << "contacts among pieces of one block";
}

}  // namespace
}  // namespace sunder
