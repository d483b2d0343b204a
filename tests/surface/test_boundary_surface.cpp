#include "core/surface/boundary_surface.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace sunder {
namespace {

TEST(BoundarySurface, AreaVectorsOfABoxCancelAndFaceOutward) {
    const TetMesh mesh = testing::makeBox(3, 4, 5, Vec3(1, 2, 3));
    const BoundarySurface s = extractBoundary(mesh);
    Vec3 sum = Vec3::Zero();
    double area = 0;
    const auto areas = triangleAreaVectors(s.triangles, mesh.rest);
    for (std::size_t i = 0; i < areas.size(); ++i) {
        sum += areas[i];
        area += areas[i].norm();
        EXPECT_GT(areas[i].dot(mesh.rest[s.triangles[i][0]] - Vec3(0.5, 1, 1.5)), 0);
    }
    EXPECT_LT(sum.norm(), 1e-14);
    EXPECT_NEAR(area, 2 * (1 * 2 + 2 * 3 + 1 * 3), 1e-12);
    EXPECT_EQ(s.vertices.size(), 4u * 5u * 6u - 2u * 3u * 4u);
}

TEST(BoundarySurface, NormalsOfASphereAreItsRadii) {
    const TriMesh sphere = testing::makeSphere(4, 2.0);
    const auto normals = vertexNormals(sphere.triangles, sphere.positions);
    // The fan around a vertex is symmetric up to the subdivision's unevenness, which is below the squared
    // edge length.
    for (std::size_t v = 0; v < normals.size(); ++v)
        EXPECT_LT((normals[v] - sphere.positions[v] / 2).norm(), 0.005);
}

}  // namespace
}  // namespace sunder
