#include "core/meshing/surface_repair.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/meshing/diagnosis.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::joined;
using testing::makeBoxSurface;
using testing::makeSphere;
using testing::reversed;

/// Every triangle with points of its own, as a file of loose facets has them.
TriMesh exploded(const TriMesh& mesh) {
    TriMesh out;
    for (const Tri& t : mesh.triangles) {
        const auto first = static_cast<std::int32_t>(out.vertexCount());
        for (const std::int32_t v : t) out.positions.push_back(mesh.positions[v]);
        out.triangles.push_back({first, first + 1, first + 2});
    }
    return out;
}

TEST(SurfaceRepair, LeavesACleanSurfaceAlone) {
    const TriMesh sphere = makeSphere(2, 1.0);
    const RepairedSurface r = repairSurface(geometryFromTriMesh(sphere));
    EXPECT_TRUE(r.notes.empty());
    EXPECT_EQ(r.mesh.triangles, sphere.triangles);
    EXPECT_EQ(r.mesh.positions, sphere.positions);
}

TEST(SurfaceRepair, FusesLooseFacets) {
    const TriMesh sphere = makeSphere(2, 1.0);
    const RepairedSurface r = repairSurface(geometryFromTriMesh(exploded(sphere)));
    EXPECT_EQ(r.mesh.vertexCount(), sphere.vertexCount());
    EXPECT_EQ(r.mesh.triangleCount(), sphere.triangleCount());
    EXPECT_TRUE(diagnose(r.mesh).isCleanSolid());
    EXPECT_EQ(r.notes.size(), 1u);
}

TEST(SurfaceRepair, CopiesGoAndFacingPairsCancel) {
    TriMesh mesh = makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1));
    const Tri t = mesh.triangles[4];
    mesh.triangles.push_back({t[1], t[2], t[0]});
    mesh.positions.emplace_back(5, 5, 5);
    mesh.triangles.push_back({0, 1, 8});
    mesh.triangles.push_back({1, 0, 8});
    const RepairedSurface r = repairSurface(geometryFromTriMesh(mesh));
    EXPECT_EQ(r.mesh.triangleCount(), 12u);
    EXPECT_TRUE(diagnose(r.mesh).isCleanSolid());
}

TEST(SurfaceRepair, TurnsFacesAndShellsButKeepsCavities) {
    TriMesh mesh = joined(reversed(makeSphere(2, 2.0)), makeSphere(2, 1.0));
    std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
    const RepairedSurface r = repairSurface(geometryFromTriMesh(mesh));
    EXPECT_TRUE(diagnose(r.mesh).findings.empty()) << diagnose(r.mesh).summary();
    const double sphere = testing::enclosedVolume(makeSphere(2, 1.0).positions, makeSphere(2, 1.0).triangles);
    EXPECT_NEAR(testing::enclosedVolume(r.mesh.positions, r.mesh.triangles), 7 * sphere, 1e-12);
    // Corners keep their own geometry vertices when a face is turned.
    const Geometry geometry = geometryFromTriMesh(mesh);
    for (std::size_t i = 0; i < r.mesh.triangleCount(); ++i)
        for (int k = 0; k < 3; ++k)
            ASSERT_EQ(geometry.vertexPoint[r.geometryVertex[i][k]], r.point[r.mesh.triangles[i][k]]);
}

TEST(SurfaceRepair, RefusesWhatEnclosesNothing) {
    EXPECT_THROW(requireMeshable(Geometry{}), Error);
    Geometry points;
    points.positions.emplace_back(0, 0, 0);
    EXPECT_THROW(requireMeshable(points), Error);
    TriMesh one;
    one.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    one.triangles = {{0, 1, 2}};
    EXPECT_THROW(requireMeshable(geometryFromTriMesh(one)), Error);
    TriMesh flat = makeSphere(2, 1.0);
    for (Vec3& p : flat.positions) p[2] = 0.25 * p[0] + 0.5 * p[1];
    EXPECT_THROW(requireMeshable(geometryFromTriMesh(flat)), Error);
    TriMesh bad = makeSphere(1, 1.0);
    bad.positions[2][2] = std::nan("");
    EXPECT_THROW(requireMeshable(geometryFromTriMesh(bad)), Error);
    EXPECT_NO_THROW(requireMeshable(geometryFromTriMesh(makeSphere(1, 1.0))));
}

}  // namespace
}  // namespace sunder
