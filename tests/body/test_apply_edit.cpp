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
    EXPECT_EQ(body.elements.slot, anew->elements.slot);
    EXPECT_EQ(state.v.size(), body.mesh.vertexCount());
    EXPECT_EQ(state.a.size(), body.mesh.vertexCount());
    EXPECT_EQ(body.attributes.tets.find("part")->elementCount(), body.mesh.tetCount());
    EXPECT_NEAR(std::accumulate(body.mass.begin(), body.mass.end(), 0.0), massBefore, 1e-12 * massBefore);
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
