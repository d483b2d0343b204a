#include "core/fracture/cut.h"
#include "core/fracture/piece_size.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

std::vector<double> pieceVolumes(const TetMesh& mesh) {
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    std::vector<double> volume(static_cast<std::size_t>(*std::max_element(label.begin(), label.end())) + 1, 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) volume[static_cast<std::size_t>(label[t])] += restVolume(mesh, t);
    return volume;
}

Vec3 centreOf(const TetMesh& mesh, std::size_t t) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t v : mesh.tets[t]) sum += 0.25 * mesh.rest[static_cast<std::size_t>(v)];
    return sum;
}

/// Cells of 2 x 2 x 2, every third of them of no part.
std::vector<std::int32_t> blockParts(const TetMesh& mesh, double size) {
    std::vector<std::int32_t> part;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const Vec3 c = centreOf(mesh, t) / size;
        const int number = static_cast<int>(c.x()) + 4 * static_cast<int>(c.y()) + 16 * static_cast<int>(c.z());
        part.push_back(number % 3 == 2 ? -1 : number);
    }
    return part;
}

TEST(Parts, StayWholeUnderRandomCuts) {
    int opened = 0, held = 0, bisected = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        TetMesh mesh = makeBox(6, 6, 6, Vec3(1, 1, 1));
        jitter(mesh, 0.2, seed);
        EditedMesh m(std::move(mesh));
        const std::vector<std::int32_t> part = blockParts(m.mesh, 1.0 / 3);
        const std::vector<Tet> before = m.mesh.tets;
        const auto neighbors = buildTetNeighbors(m.mesh.tets, m.mesh.vertexCount());
        CutOptions options;
        options.part = part;
        for (std::uint64_t k = 0; k < 400; ++k) {
            MeshEditor editor = m.editor();
            const auto node = static_cast<std::int32_t>(randomBits(seed, k, 7) % m.mesh.vertexCount());
            const CutResult cut = cutAt(editor, node, randomDirection(seed, k, 1), options);
            opened += cut.opened;
            held += cut.heldByParts;
            ASSERT_FALSE(cut.opened && cut.heldByParts);
        }
        expectSound(m);
        bisected += static_cast<int>(m.mesh.tetCount() - before.size());
        const auto after = buildTetNeighbors(m.mesh.tets, m.mesh.vertexCount());
        for (std::size_t t = 0; t < before.size(); ++t) {
            if (part[t] < 0) continue;
            for (std::size_t c = 0; c < 4; ++c)
                EXPECT_EQ(m.mesh.rest[static_cast<std::size_t>(before[t][c])], m.mesh.rest[static_cast<std::size_t>(m.mesh.tets[t][c])]) << "tet " << t << " of a part was cut";
            for (std::size_t f = 0; f < 4; ++f) {
                const std::int32_t other = neighbors[t][f];
                if (other < 0 || part[static_cast<std::size_t>(other)] != part[t]) continue;
                EXPECT_EQ(after[t][f], other) << "a part came apart";
            }
        }
    }
    EXPECT_GT(opened, 400);
    EXPECT_GT(held, 20);
    EXPECT_GT(bisected, 100) << "what is of no part is still cut";
}

/// Two parts that fill a bar come apart between them, and nowhere else.
TEST(Parts, OpenBetweenThemAcrossWhatPulls) {
    EditedMesh m(makeBox(4, 2, 2, Vec3(4, 2, 2)));
    std::vector<std::int32_t> part;
    for (std::size_t t = 0; t < m.mesh.tetCount(); ++t) part.push_back(centreOf(m.mesh, t).x() < 2 ? 0 : 1);
    CutOptions options;
    options.part = part;
    const std::size_t tets = m.mesh.tetCount(), vertices = m.mesh.vertexCount();
    int along = 0;
    for (std::size_t v = 0; v < vertices; ++v) {
        MeshEditor editor = m.editor();
        along += cutAt(editor, static_cast<std::int32_t>(v), Vec3::UnitY(), options).opened;
    }
    EXPECT_EQ(along, 0) << "what pulls along the face between the parts does not open it";
    for (std::size_t v = 0; v < vertices; ++v) {
        MeshEditor editor = m.editor();
        cutAt(editor, static_cast<std::int32_t>(v), Vec3(1, 0.2, -0.1).normalized(), options);
    }
    EXPECT_EQ(m.mesh.tetCount(), tets);
    const std::vector<double> volume = pieceVolumes(m.mesh);
    ASSERT_EQ(volume.size(), 2u);
    EXPECT_NEAR(volume[0], 8, 1e-12);
    expectSound(m);
}

TEST(PieceSize, NoCutLeavesLessThanAsked) {
    int refused = 0, opened = 0;
    std::size_t pieces = 0, free = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (const double smallest : {0.0, 0.06}) {
            TetMesh mesh = makeBox(4, 4, 4, Vec3(1, 1, 1));
            jitter(mesh, 0.2, seed);
            EditedMesh m(std::move(mesh));
            CutOptions options;
            options.smallestPiece = smallest;
            for (std::uint64_t k = 0; k < 500; ++k) {
                MeshEditor editor = m.editor();
                const std::size_t tets = m.mesh.tetCount();
                const auto node = static_cast<std::int32_t>(randomBits(seed, k, 7) % m.mesh.vertexCount());
                const CutResult cut = cutAt(editor, node, randomDirection(seed, k, 1), options);
                if (smallest == 0) continue;
                refused += cut.tooSmall;
                opened += cut.opened;
                ASSERT_TRUE(!cut.tooSmall || m.mesh.tetCount() == tets) << "what is not cut is left as it was";
                if (!cut.opened) continue;
                const std::vector<double> volume = pieceVolumes(m.mesh);
                ASSERT_GE(*std::min_element(volume.begin(), volume.end()), smallest * (1 - 1e-9)) << "seed " << seed << ", cut " << k;
            }
            (smallest > 0 ? pieces : free) += pieceVolumes(m.mesh).size();
        }
    std::printf("    %d cuts opened, %d left; %zu pieces, without a bound %zu\n", opened, refused, pieces, free);
    EXPECT_GT(refused, 100);
    EXPECT_GT(opened, 200);
    EXPECT_GT(free, 2 * pieces);
}

/// A bar of 4 m^3 can be cut in the middle if pieces of 2 m^3 are allowed, and not if they are not.
TEST(PieceSize, DecidesWhetherABarIsParted) {
    for (const double smallest : {1.99, 2.01}) {
        EditedMesh m(makeBox(4, 1, 1, Vec3(4, 1, 1)));
        CutOptions options;
        options.smallestPiece = smallest;
        int refused = 0;
        for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v) {
            MeshEditor editor = m.editor();
            if (m.mesh.rest[v].x() == 2) refused += cutAt(editor, static_cast<std::int32_t>(v), Vec3::UnitX(), options).tooSmall;
        }
        EXPECT_EQ(pieceVolumes(m.mesh).size(), smallest < 2 ? 2u : 1u);
        EXPECT_EQ(refused > 0, smallest > 2);
    }
}

}  // namespace
}  // namespace sunder
