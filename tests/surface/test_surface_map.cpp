#include "core/surface/surface_map.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

std::vector<Vec3> randomPoints(std::size_t count, double low, double high) {
    std::vector<Vec3> points(count);
    for (std::size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) points[i][k] = randomRange(low, high, 11, i, k);
    return points;
}

TetMesh jitteredBox() {
    TetMesh mesh = testing::makeBox(5, 5, 5, Vec3(1, 1, 1));
    testing::jitter(mesh, 0.1, 3);
    return mesh;
}

TEST(SurfaceMap, PointsInsideHaveWeightsOfAConvexSum) {
    const TetMesh mesh = jitteredBox();
    const auto points = randomPoints(5000, 0.1, 0.9);
    const SurfaceMap map(mesh, points);
    EXPECT_EQ(map.outsideCount(), 0u);
    const auto again = map.interpolate(mesh, mesh.rest);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_GE(map.weights()[i].minCoeff(), -1e-12);
        EXPECT_LT((again[i] - points[i]).norm(), 1e-14);
    }
}

TEST(SurfaceMap, AffineMotionIsFollowedExactlyInsideAndOutside) {
    const TetMesh mesh = jitteredBox();
    const auto points = randomPoints(5000, -0.3, 1.3);
    const SurfaceMap map(mesh, points);
    EXPECT_GT(map.outsideCount(), 1000u);
    Mat3 a;
    a << 1.1, 0.2, -0.3, 0.1, 0.9, 0.4, 0.2, -0.1, 1.3;
    const Vec3 b(1, -2, 3);
    std::vector<Vec3> x(mesh.rest);
    for (Vec3& p : x) p = a * p + b;
    const auto moved = map.interpolate(mesh, x);
    const std::vector<Vec3> up(points.size(), Vec3(0, 0, 1));
    const auto normals = map.deformNormals(mesh, x, up);
    const Vec3 expected = (a.inverse().transpose() * Vec3(0, 0, 1)).normalized();
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_LT((moved[i] - (a * points[i] + b)).norm(), 1e-12);
        EXPECT_LT((normals[i] - expected).norm(), 1e-12);
    }
}

TEST(SurfaceMap, SameForAnyThreadCount) {
    const TetMesh mesh = jitteredBox();
    const auto points = randomPoints(20000, -0.1, 1.1);
    const SurfaceMap reference(mesh, points);
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        const SurfaceMap map(mesh, points);
        for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_EQ(map.tets()[i], reference.tets()[i]);
            ASSERT_EQ(map.weights()[i], reference.weights()[i]);
        }
    }
    setThreadCount(0);
}

TEST(SurfaceMap, RefusesAnEmptySolidAndBadPoints) {
    EXPECT_THROW(SurfaceMap(TetMesh{}, randomPoints(1, 0, 1)), Error);
    const std::vector<Vec3> bad{Vec3(0, std::nan(""), 0)};
    EXPECT_THROW(SurfaceMap(jitteredBox(), bad), Error);
}

}  // namespace
}  // namespace sunder
