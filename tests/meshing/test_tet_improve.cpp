#include "core/meshing/tet_improve.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/surface/boundary_surface.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"
#include "tests/support/polls.h"

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

TEST(TetImprove, ShowsTheQualityOfEveryTet) {
    TetMesh mesh = testing::makeBox(1, 1, 1, Vec3(1, 1, 1));
    AttributeSet tets;
    addQuality(mesh, tets);
    for (std::size_t t = 0; t < 6; ++t) EXPECT_NEAR(tets.find("quality")->number(t), measureQuality(mesh).meanQuality, 1e-6) << "all six are alike";
    EXPECT_EQ(tets.findGroup("slivers"), nullptr);
    for (Vec3& p : mesh.rest) p.z() *= 0.01;
    mesh.tets.push_back({static_cast<std::int32_t>(mesh.rest.size()), 0, 0, 0});
    for (int k = 0; k < 4; ++k) {
        mesh.tets.back()[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(mesh.rest.size());
        mesh.rest.push_back(Vec3(k == 1, k == 2, k == 3));
    }
    addQuality(mesh, tets);
    EXPECT_EQ(tets.findGroup("slivers")->count(), measureQuality(mesh).slivers);
    EXPECT_GT(tets.findGroup("slivers")->count(), 0u);
    EXPECT_EQ(tets.findGroup("slivers")->members.back(), 0);
    EXPECT_NEAR(tets.find("quality")->number(6), tetQuality(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)), 1e-6);
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

// smoothing a tet takes a tenth of a millisecond: hosts stop within a second if somebody asks every few hundred
TEST(TetImprove, AsksTheMonitorOften) {
    testing::Polls polls;
    TetMesh mesh = testing::makeBox(8, 8, 8, Vec3(8, 8, 0.5));  // all are flat
    const std::size_t tets = mesh.tetCount();
    improveTets(mesh, 60 * M_PI / 180, &polls);
    EXPECT_GE(polls.count, static_cast<int>(tets / 128));  // in the first round alone
}

}  // namespace
}  // namespace sunder
