#include "core/mesh/adjacency.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/error.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

TEST(Adjacency, NeighboursAreMutualAndShareThreeVertices) {
    const TetMesh mesh = testing::makeBox(3, 2, 4, Vec3(3, 2, 4));
    const Adjacency a = buildAdjacency(mesh);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (int f = 0; f < 4; ++f) {
            const std::int32_t n = a.tetNeighbors[t][f];
            if (n < 0) continue;
            const std::set<std::int32_t> other(mesh.tets[n].begin(), mesh.tets[n].end());
            for (int k = 0; k < 3; ++k) EXPECT_TRUE(other.count(mesh.tets[t][kTetFaces[f][k]]));
            EXPECT_FALSE(other.count(mesh.tets[t][f]));
            EXPECT_EQ(
                std::count(a.tetNeighbors[n].begin(), a.tetNeighbors[n].end(), static_cast<std::int32_t>(t)),
                1);
        }
}

TEST(Adjacency, BoundaryIsClosedAndBoundsTheVolume) {
    const TetMesh mesh = testing::makeBox(3, 2, 4, Vec3(3, 2, 4));
    const Adjacency a = buildAdjacency(mesh);
    EXPECT_EQ(a.boundary.size(), 2u * 2u * (3 * 2 + 2 * 4 + 3 * 4));
    std::map<std::pair<int, int>, int> directed;
    double volume = 0;
    for (const BoundaryFace& f : a.boundary) {
        for (int k = 0; k < 3; ++k) ++directed[{f.vertices[k], f.vertices[(k + 1) % 3]}];
        volume += signedVolume(Vec3::Zero(), mesh.rest[f.vertices[0]], mesh.rest[f.vertices[1]],
                               mesh.rest[f.vertices[2]]);
    }
    for (const auto& [edge, count] : directed) {
        EXPECT_EQ(count, 1);
        EXPECT_EQ(directed.count({edge.second, edge.first}), 1u);
    }
    EXPECT_NEAR(volume, 24, 1e-12);
}

TEST(Adjacency, EulerCharacteristicOfABallIsOne) {
    const TetMesh mesh = testing::makeBox(2, 2, 2, Vec3(1, 1, 1));
    const Adjacency a = buildAdjacency(mesh);
    const auto faces = (4 * mesh.tetCount() + a.boundary.size()) / 2;
    EXPECT_EQ(static_cast<int>(mesh.vertexCount()) - static_cast<int>(a.edges.size()) +
                  static_cast<int>(faces) - static_cast<int>(mesh.tetCount()),
              1);
    EXPECT_EQ(a.vertexTets.items.size(), 4 * mesh.tetCount());
}

TEST(Adjacency, ComponentsAndThreeTetsOnOneFace) {
    const std::vector<Tet> apart{{0, 1, 2, 3}, {4, 5, 6, 7}, {1, 0, 2, 8}};
    EXPECT_EQ(labelComponents(buildTetNeighbors(apart, 9)), (std::vector<std::int32_t>{0, 1, 0}));
    const std::vector<Tet> triple{{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}};
    EXPECT_THROW(buildTetNeighbors(triple, 6), Error);
}

}  // namespace
}  // namespace sunder
