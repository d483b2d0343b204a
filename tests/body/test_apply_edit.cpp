#include "core/body/apply_edit.h"

#include <numeric>

#include "core/fracture/cut.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

Body breakable(double irregular) {
    Body body;
    body.name = "test";
    body.mesh = makeBox(3, 3, 3, Vec3(1, 1, 1));
    jitter(body.mesh, irregular, 5);
    Material m;
    m.fracture.enabled = true;
    m.massDamping = 0.5;
    body.materials = {m};
    auto& paint = body.attributes.vertices.add<float>("stiffness", body.mesh.vertexCount());
    for (std::size_t i = 0; i < paint.size(); ++i) paint[i] = 1 + static_cast<float>(i) / 100;
    body.attributes.tets.add<std::int32_t>("part", body.mesh.tetCount());
    HardTarget floor{"floor", {}, {}, {}, 1e300};
    for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v)
        if (body.mesh.rest[v].y() < 1e-9) {
            floor.vertices.push_back(static_cast<std::int32_t>(v));
            floor.anchor.push_back(body.mesh.rest[v]);
        }
    body.constraints.hard = {floor};
    return body;
}

/// What an edit leaves is what a body built from the edited mesh would have, to the bit.
TEST(ApplyEdit, LeavesWhatBuildingAnewWouldMake) {
    Body body = *buildBody(breakable(0.2));
    const double massBefore = std::accumulate(body.mass.begin(), body.mass.end(), 0.0);
    BodyState state = makeBodyState(body);
    TetStars stars(body.mesh.tets, body.mesh.vertexCount());
    TopologyEdit edit(body.mesh);
    for (std::uint64_t k = 0; k < 12; ++k) {
        const std::size_t tets = body.mesh.tetCount();
        MeshEditor editor{body.mesh, state.x, body.insideFaces, stars, edit};
        cutAt(editor, static_cast<std::int32_t>(randomBits(3, k) % body.mesh.vertexCount()), randomDirection(1, k, 1), {});
        body.appendTets(edit, tets);
    }
    ASSERT_FALSE(edit.empty());
    applyEdit(edit, stars, body);
    applyEdit(edit, state);
    rebuildElements(body);
    Body copy = body;
    const std::shared_ptr<const Body> anew = buildBody(copy);
    EXPECT_EQ(body.mass, anew->mass);
    EXPECT_EQ(body.massDamping, anew->massDamping);
    EXPECT_EQ(body.stiffness, anew->stiffness);
    EXPECT_EQ(body.tetStrength, anew->tetStrength);
    EXPECT_TRUE(body.elements.slots == anew->elements.slots);
    EXPECT_EQ(state.v.size(), body.mesh.vertexCount());
    EXPECT_EQ(state.a.size(), body.mesh.vertexCount());
    EXPECT_EQ(body.attributes.tets.find("part")->elementCount(), body.mesh.tetCount());
    EXPECT_EQ(body.massScale, anew->massScale);
    EXPECT_NEAR(std::accumulate(body.mass.begin(), body.mass.end(), 0.0), massBefore + edit.addedMass, 1e-12 * massBefore);
}

Vec3 momentumOf(const Body& body, const BodyState& state) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < body.mass.size(); ++i) sum += body.mass[i] * state.v[i];
    return sum;
}

/// Cuts that may leave any sliver, as many or until the share of mass that they have added is more than `enough`. Returns that share.
double cutThin(std::uint64_t cuts, double enough, bool& full) {
    Body body = *buildBody(breakable(0.2));
    const double massBefore = std::accumulate(body.mass.begin(), body.mass.end(), 0.0), atStart = stepOfTet({body.elements.largestOmegaSq, body.elements.largestDamping});
    BodyState state = makeBodyState(body);
    for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] = randomDirection(2, i, 1);
    const Vec3 momentum = momentumOf(body, state);
    TetStars stars(body.mesh.tets, body.mesh.vertexCount());
    CutOptions options;
    options.smallestQuality = 0;
    options.snapShare = 0.05;
    options.snapAngle = 0.01;
    double added = 0;
    full = false;
    for (std::uint64_t k = 0; k < cuts && added <= enough * massBefore; ++k) {
        TopologyEdit edit(body.mesh);
        const std::size_t tets = body.mesh.tetCount();
        MeshEditor editor{body.mesh, state.x, body.insideFaces, stars, edit};
        cutAt(editor, static_cast<std::int32_t>(randomBits(4, k) % body.mesh.vertexCount()), randomDirection(8, k, 1), options);
        body.appendTets(edit, tets);
        applyEdit(edit, stars, body);
        applyEdit(edit, state);
        added += edit.addedMass;
        full |= edit.massIsFull;
        for (std::size_t t = 0; t < body.mesh.tetCount() && !full; ++t)
            EXPECT_GE(stepOfTet(computeTetBounds(body.mesh, static_cast<std::int32_t>(t), body.tetMaterials[t])), atStart / 8 * (1 - 1e-12)) << t;
    }
    EXPECT_NEAR(std::accumulate(body.mass.begin(), body.mass.end(), 0.0), massBefore + added, 1e-12 * massBefore);
    EXPECT_NEAR(body.addedMass(), added, 1e-12 * massBefore);
    EXPECT_LT((momentumOf(body, state) - momentum).norm(), 1e-12 * massBefore);
    return added / massBefore;
}

/// No tet allows less than an eighth of the step of the start; for that little mass is added, and momentum is kept. Beyond a hundredth no more is.
TEST(ApplyEdit, AddsMassToTetsThatAreTooSmallForTheStep) {
    bool full = false;
    const double few = cutThin(40, 0, full);
    std::printf("    the first thin tets add %.3g of the mass\n", few);
    EXPECT_FALSE(full);
    EXPECT_GT(few, 0);
    const double many = cutThin(200, 1, full);
    std::printf("    200 thin cuts add %.3g of the mass\n", many);
    EXPECT_TRUE(full);
    EXPECT_LE(many, 0.01);
}

/// Everything on the floor stays held, and nothing else is.
TEST(ApplyEdit, HoldsWhatLiesBetweenHeldVertices) {
    Body body = *buildBody(breakable(0));
    BodyState state = makeBodyState(body);
    TetStars stars(body.mesh.tets, body.mesh.vertexCount());
    TopologyEdit edit(body.mesh);
    MeshEditor editor{body.mesh, state.x, body.insideFaces, stars, edit};
    const std::size_t tets = body.mesh.tetCount();
    for (const std::int32_t v : body.constraints.hard[0].vertices) cutAt(editor, v, Vec3(1, 0.1, 0.3).normalized(), {});
    body.appendTets(edit, tets);
    applyEdit(edit, stars, body);
    std::vector<std::uint8_t> held(body.mesh.vertexCount(), 0);
    for (const std::int32_t v : body.constraints.hard[0].vertices) held[static_cast<std::size_t>(v)] = 1;
    ASSERT_GT(body.mesh.vertexCount(), edit.vertexCount);
    for (std::size_t v = 0; v < held.size(); ++v) EXPECT_EQ(held[v] != 0, body.mesh.rest[v].y() < 1e-9) << v;
}

}  // namespace
}  // namespace sunder
