#include "core/meshing/tet_improve.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/surface/boundary_surface.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

TEST(TetImprove, MeasuresTheRegularTet) {
    TetMesh mesh;
    mesh.rest = {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)};
    mesh.tets = {{0, 1, 2, 3}};
    if (restVolume(mesh, 0) < 0) std::swap(mesh.tets[0][2], mesh.tets[0][3]);
    const MeshQuality q = measureQuality(mesh);
    EXPECT_NEAR(q.smallestDihedral, std::acos(1.0 / 3), 1e-14);
    EXPECT_NEAR(q.largestDihedral, std::acos(1.0 / 3), 1e-14);
    EXPECT_NEAR(q.meanQuality, 1, 1e-14);
    EXPECT_NEAR(q.volume, 8.0 / 3, 1e-14);
    EXPECT_EQ(q.slivers, 0u);
}

TEST(TetImprove, RaisesTheWorstAngleAndLeavesTheBoundary) {
    TetMesh mesh = testing::makeBox(6, 6, 6, Vec3(1, 1, 1));
    const BoundarySurface before = extractBoundary(mesh);
    std::vector<std::uint8_t> fixed(mesh.vertexCount(), 0);
    for (const std::int32_t v : before.vertices) fixed[v] = 1;
    // Push inner vertices about as far as they go without turning a tet over.
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
        if (!fixed[v])
            mesh.rest[v] += 0.035 * Vec3(randomRange(-1, 1, 4, v, 0), randomRange(-1, 1, 4, v, 1),
                                         randomRange(-1, 1, 4, v, 2));
    ASSERT_NO_THROW(validate(mesh));
    const std::vector<Vec3> rest = mesh.rest;
    const MeshQuality bad = measureQuality(mesh);
    EXPECT_GT(improveTets(mesh, 25 * M_PI / 180), 0u);
    ASSERT_NO_THROW(validate(mesh));
    const MeshQuality good = measureQuality(mesh);
    EXPECT_LT(bad.smallestDihedral, 15 * M_PI / 180);
    EXPECT_GT(good.smallestDihedral, 1.4 * bad.smallestDihedral);
    EXPECT_NEAR(good.volume, 1, 1e-12);
    const testing::BoundaryCheck check = testing::checkBoundary(mesh);
    EXPECT_TRUE(check.closed);
    EXPECT_LT(check.volumeMismatch, 1e-12);
    for (const std::int32_t v : before.vertices) EXPECT_EQ(mesh.rest[v], rest[v]);
    EXPECT_EQ(extractBoundary(mesh).triangles.size(), before.triangles.size());
}

}  // namespace
}  // namespace sunder
