#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include "cli/render/surface.h"
#include "core/base/error.h"
#include "tests/cli/render/shapes.h"

namespace sunder::render {
namespace {

using sunder::testing::makeBox;
using sunder::testing::makeTorus;
using sunder::testing::sphereGeometry;
using sunder::testing::squareGeometry;
using sunder::testing::tetGeometry;

double enclosedVolume(const Surface& s) {
    double volume = 0;
    for (std::size_t i = 0; i < s.triangleCount(); ++i)
        volume += s.corner(i, 0).dot(s.corner(i, 1).cross(s.corner(i, 2))) / 6;
    return volume;
}

TEST(Surface, boundaryOfABoxIsItsSixSides) {
    const Surface s = buildSurface(tetGeometry(makeBox(3, 4, 5, Vec3(3, 4, 5))), {});
    EXPECT_EQ(s.triangleCount(), 2u * 2u * (3u * 4u + 4u * 5u + 5u * 3u));
    EXPECT_NEAR(enclosedVolume(s), 60, 1e-12 * 60);  // outward, closed and nothing inside
}

TEST(Surface, boundaryOfATorusIsClosed) {
    const TetMesh mesh = makeTorus(24, 4, 1, 0.3);
    const Surface s = buildSurface(tetGeometry(mesh), {});
    double volume = 0;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) volume += restVolume(mesh, t);
    EXPECT_NEAR(enclosedVolume(s), volume, 1e-12 * volume);
    std::map<std::pair<int, int>, int> balance;
    for (const Tri& t : s.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            balance[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    for (const auto& [edge, sum] : balance) EXPECT_EQ(sum, 0);
}

TEST(Surface, tetsWithoutACommonPointStayApart) {
    Geometry g;
    for (int copy = 0; copy < 2; ++copy)
        for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
            g.positions.push_back(p);
    g.addPrimitive(PrimitiveKind::kTet, std::vector<std::int32_t>{0, 1, 2, 3});
    g.addPrimitive(PrimitiveKind::kTet, std::vector<std::int32_t>{4, 5, 6, 7});
    EXPECT_EQ(buildSurface(g, {}).triangleCount(), 8u);
}

TEST(Surface, quadHasFourEdgesAndNoDiagonal) {
    const Surface s = buildSurface(squareGeometry(1), {});
    ASSERT_EQ(s.triangleCount(), 2u);
    int edges = 0;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            if (!(s.edges[i] >> k & 1)) continue;
            ++edges;
            EXPECT_NEAR((s.corner(i, k) - s.corner(i, (k + 1) % 3)).norm(), 2, 1e-12);
        }
    EXPECT_EQ(edges, 4);
}

TEST(Surface, cornersKnowTheirVertices) {
    const Geometry g = tetGeometry(makeBox(2, 2, 2, Vec3(1, 1, 1)));
    const Surface s = buildSurface(g, {});
    for (std::size_t i = 0; i < s.triangleCount(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(g.vertexPoint[static_cast<std::size_t>(s.vertices[i][k])], s.triangles[i][k]);
            EXPECT_EQ(s.vertices[i][k] / 4, s.primitives[i]);
        }
}

TEST(Surface, smoothNormalsOfASpherePointOutward) {
    const Surface s = buildSurface(sphereGeometry(3), {});
    for (std::size_t c = 0; c < s.normals.size(); ++c) {
        const Vec3 p = s.corner(c / 3, c % 3);
        EXPECT_GT(s.normals[c].cast<double>().dot(p),
                  std::cos(0.01));  // the mesh is symmetric about most of its points
    }
}

TEST(Surface, creaseAngleKeepsTheEdgesOfABox) {
    RenderOptions options;
    const Surface hard = buildSurface(tetGeometry(makeBox(1, 1, 1, Vec3(1, 1, 1))), options);
    for (const Eigen::Vector3f& n : hard.normals) EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1, 1e-6);
    options.creaseAngle = 2;
    const Surface soft = buildSurface(tetGeometry(makeBox(1, 1, 1, Vec3(1, 1, 1))), options);
    for (const Eigen::Vector3f& n : soft.normals) EXPECT_LT(n.cwiseAbs().maxCoeff(), 0.99);
}

TEST(Surface, valuesComeFromVerticesThenPointsThenPrimitives) {
    Geometry g = squareGeometry(1);
    RenderOptions options;
    options.attribute = "a";
    g.primitives.add<float>("a", 1)[0] = 7;
    EXPECT_EQ(buildSurface(g, options).values[0], 7);
    g.points.add<double>("a", 4)[0] = 3;
    EXPECT_EQ(buildSurface(g, options).values[0], 3);
    g.vertices.add<std::int32_t>("a", 4)[0] = 5;
    EXPECT_EQ(buildSurface(g, options).values[0], 5);
}

TEST(Surface, vectorsAreDrawnByTheirLength) {
    Geometry g = squareGeometry(1);
    RenderOptions options;
    options.attribute = "v";
    auto& v = g.points.add<float>("v", 4, 3);
    v[0] = 2;
    v[1] = 3;
    v[2] = 6;
    EXPECT_FLOAT_EQ(buildSurface(g, options).values[0], 7);
}

TEST(Surface, missingAttributeNamesTheNearest) {
    Geometry g = squareGeometry(1);
    g.points.add<float>("stress", 4);
    RenderOptions options;
    options.attribute = "strss";
    try {
        buildSurface(g, options);
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("strss"), std::string::npos);
        EXPECT_NE(e.remedy().find("stress"), std::string::npos);
    }
}

TEST(Surface, nothingToDrawAndInfinitePointsAreErrors) {
    EXPECT_THROW(buildSurface(Geometry(), {}), Error);
    Geometry curve;
    curve.positions = {{0, 0, 0}, {1, 0, 0}};
    curve.addPrimitive(PrimitiveKind::kCurve, std::vector<std::int32_t>{0, 1});
    EXPECT_THROW(buildSurface(curve, {}), Error);
    Geometry far = squareGeometry(1);
    far.positions[2].y() = std::numeric_limits<double>::infinity();
    EXPECT_THROW(buildSurface(far, {}), Error);
}

}  // namespace
}  // namespace sunder::render
