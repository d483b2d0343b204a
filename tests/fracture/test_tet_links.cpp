#include "core/mesh/tet_links.h"

#include <numeric>

#include "core/base/row_lists.h"
#include "core/fracture/cut.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

/// The same parts, whatever their numbers.
bool sameParts(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    std::map<std::int32_t, std::int32_t> there, back;
    bool same = a.size() == b.size();
    for (std::size_t t = 0; same && t < a.size(); ++t) same = there.emplace(a[t], b[t]).first->second == b[t] && back.emplace(b[t], a[t]).first->second == a[t];
    return same;
}

/// Several cuts at a time through random nodes, half of them along the cells, until much is in pieces.
TEST(TetLinks, FollowEditsAsIfMadeAnew) {
    std::size_t pieces = 0, several = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        EditedMesh m(makeBox(3, 3, 4, Vec3(1, 1, 1.3)));
        TetLinks links = buildTetLinks(m.mesh);
        pieces = 1;
        for (std::uint64_t round = 0; round < 60; ++round) {
            m.edit = TopologyEdit(m.mesh);
            const std::vector<std::int32_t> before = links.piece;
            for (std::uint64_t k = 0; k < 1 + round % 12; ++k) {
                MeshEditor editor = m.editor();
                const Vec3 normal = k % 2 ? randomDirection(seed, round, k) : Vec3(Vec3::Unit(static_cast<int>(randomBits(seed + 20, round, k) % 3)));
                cutAt(editor, static_cast<std::int32_t>(randomBits(seed, round, k) % m.mesh.vertexCount()), normal, {});
            }
            const std::vector<std::int32_t> renumbered = patchTetLinks(m.edit, m.mesh.tets, m.stars, links);
            ASSERT_EQ(links.neighbors, buildTetNeighbors(m.mesh.tets, m.mesh.vertexCount()));
            const std::vector<std::int32_t> labels = labelComponents(links.neighbors);
            ASSERT_TRUE(sameParts(links.piece, labels)) << "seed " << seed << " round " << round;
            const auto count = static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1;
            ASSERT_GE(static_cast<std::size_t>(links.pieceNumbers), count);
            ASSERT_TRUE(std::all_of(links.visitor.begin(), links.visitor.end(), [](std::int32_t v) { return v == -1; }));
            for (std::size_t t = 0; t < before.size(); ++t)
                ASSERT_EQ(before[t] != links.piece[t], std::binary_search(renumbered.begin(), renumbered.end(), static_cast<std::int32_t>(t))) << t;
            several += count > pieces + 1 ? 1 : 0;
            pieces = count;
        }
        EXPECT_GT(pieces, 20u);
    }
    EXPECT_GT(several, 10u) << "rounds in which more than one piece came off";
}

/// Nothing that may change in what hangs on the mesh lies beyond the reach.
TEST(TetLinks, ReachHoldsAllThatChanged) {
    EditedMesh m(makeBox(3, 3, 3, Vec3(1, 1, 1)));
    for (std::uint64_t round = 0; round < 60; ++round) {
        m.edit = TopologyEdit(m.mesh);
        const auto neighbors = buildTetNeighbors(m.mesh.tets, m.mesh.vertexCount());
        const IndexLists around = buildVertexTets(m.mesh.tets, m.mesh.vertexCount());
        MeshEditor editor = m.editor();
        cutAt(editor, static_cast<std::int32_t>(randomBits(9, round) % m.mesh.vertexCount()), randomDirection(9, round, 1), {});
        const EditReach reach = findReach(m.edit, m.mesh.tets, m.stars);
        const auto after = buildTetNeighbors(m.mesh.tets, m.mesh.vertexCount());
        for (std::size_t t = 0; t < neighbors.size(); ++t)
            EXPECT_TRUE(neighbors[t] == after[t] || std::binary_search(reach.tets.begin(), reach.tets.end(), static_cast<std::int32_t>(t)));
        for (std::size_t v = 0; v < around.size(); ++v) {
            const auto& now = m.stars.around(static_cast<std::int32_t>(v));
            EXPECT_TRUE(std::equal(now.begin(), now.end(), around[v].begin(), around[v].end()) ||
                        std::binary_search(reach.vertices.begin(), reach.vertices.end(), static_cast<std::int32_t>(v)));
        }
    }
}

TEST(RowLists, KeepWhatOtherListsHaveWhereOneGrows) {
    RowLists rows;
    std::vector<std::vector<std::int32_t>> plain;
    for (std::uint64_t k = 0; k < 4000; ++k) {
        if (k % 20 == 0) {
            plain.emplace_back();
            rows.resize(plain.size());
        }
        const std::size_t row = randomBits(1, k) % plain.size();
        if (k % 7 == 3) {
            plain[row].assign(randomBits(2, k) % 9, static_cast<std::int32_t>(k));
            rows.assign(row, plain[row]);
        } else {
            plain[row].push_back(static_cast<std::int32_t>(k));
            rows.append(row, static_cast<std::int32_t>(k));
        }
    }
    for (std::size_t r = 0; r < plain.size(); ++r) ASSERT_TRUE(std::equal(plain[r].begin(), plain[r].end(), rows[r].begin(), rows[r].end())) << r;
}

}  // namespace
}  // namespace sunder
