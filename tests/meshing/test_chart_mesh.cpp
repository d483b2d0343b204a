#include "core/meshing/chart_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/meshing/planar_delaunay.h"

namespace sunder {
namespace {

double areaOf(const std::vector<Vec2>& p, const Tri& t) {
    const auto at = [&](std::size_t c) { return p[static_cast<std::size_t>(t[c])]; };
    const Vec2 a = at(1) - at(0), b = at(2) - at(0);
    return 0.5 * (a.x() * b.y() - a.y() * b.x());
}

bool hasEdge(const std::vector<Tri>& triangles, std::int32_t a, std::int32_t b) {
    return std::any_of(triangles.begin(), triangles.end(), [&](const Tri& t) {
        return std::count(t.begin(), t.end(), a) == 1 && std::count(t.begin(), t.end(), b) == 1;
    });
}

// No point lies inside the circle of a triangle, and the triangles fill the square: the definition, checked pair by pair.
TEST(PlanarDelaunay, RandomPointsInASquare) {
    std::vector<Vec2> points;
    for (int i = 0; i < 80; ++i) {
        const double t = i % 20 / 20.0;
        points.push_back(i < 20 ? Vec2(t, 0) : i < 40 ? Vec2(1, t) : i < 60 ? Vec2(1 - t, 1) : Vec2(0, 1 - t));
    }
    const auto farFromSides = [](const Vec2& p) { return p.cwiseMin(Vec2::Ones() - p).minCoeff() > 0.03; };
    for (std::size_t i = 0; i < 300; ++i)
        if (const Vec2 p(randomUnit(7, i, 0), randomUnit(7, i, 1)); farFromSides(p)) points.push_back(p);
    const std::vector<Tri> triangles = triangulatePlane(points);
    double area = 0;
    for (const Tri& t : triangles) {
        const double part = areaOf(points, t);
        EXPECT_GT(part, 0);
        area += part;
        const auto at = [&](std::size_t c) { return points[static_cast<std::size_t>(t[c])]; };
        const Vec2 p = at(1) - at(0), q = at(2) - at(0);
        const Vec2 centre = at(0) + Vec2(q.y() * p.squaredNorm() - p.y() * q.squaredNorm(), p.x() * q.squaredNorm() - q.x() * p.squaredNorm()) / (4 * part);
        const double radius = (at(0) - centre).norm();
        for (const Vec2& other : points) EXPECT_GT((other - centre).norm(), radius * (1 - 1e-9));
    }
    EXPECT_NEAR(area, 1, 1e-12);
    EXPECT_EQ(triangles.size(), 2 * points.size() - 2 - 80);  // Euler, 80 points on the hull
}

// A grid is all ties: four points on every circle, and points on every line.
TEST(PlanarDelaunay, Grid) {
    std::vector<Vec2> points;
    for (int j = 0; j < 9; ++j)
        for (int i = 0; i < 12; ++i) points.emplace_back(i, j);
    const std::vector<Tri> triangles = triangulatePlane(points);
    EXPECT_EQ(triangles.size(), 2u * 11 * 8);
    for (const Tri& t : triangles) EXPECT_EQ(areaOf(points, t), 0.5);
}

TEST(ChartMesh, KeepsItsEdgesAndRounds) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        ChartPoints points;
        points.addFixedRing(1, 40, 0);
        points.addFixedRing(0.5, 20, 0.1);
        points.free.emplace_back(Vec2::Zero());
        for (int k = 1; k < 8; ++k) points.addFreeRing(k / 8.0, 5 * k, seed);
        const ChartMesh mesh = fillChart(points, flatChart());
        double area = 0, sharpest = M_PI;
        for (const Tri& t : mesh.triangles) {
            area += areaOf(mesh.points, t);
            for (std::size_t c = 0; c < 3; ++c) {
                const auto at = [&](std::size_t k) { return mesh.points[static_cast<std::size_t>(t[(c + k) % 3])]; };
                sharpest = std::min(sharpest, std::acos((at(1) - at(0)).normalized().dot((at(2) - at(0)).normalized())));
            }
        }
        EXPECT_NEAR(area, 20 * std::sin(2 * M_PI / 40), 1e-12) << seed;
        EXPECT_GT(sharpest * 180 / M_PI, 20) << seed;
        for (const auto& [a, b] : points.edges) EXPECT_TRUE(hasEdge(mesh.triangles, a, b)) << seed;
    }
}

TEST(ExtrudeTriangles, FillsThePrism) {
    const std::vector<Vec3> corner = {{0, 0, 0}, {2, 0, 0}, {0, 0, -1}, {2, 0, -1}};
    const TetMesh mesh = extrudeTriangles({{0, 1, 2}, {1, 3, 2}}, 4, 3, [&](std::size_t v, double share) { return Vec3(corner[v] + share * Vec3(0, 6, 0)); });
    validate(mesh);
    EXPECT_EQ(mesh.tetCount(), 18u);
    double volume = 0;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) volume += restVolume(mesh, t);
    EXPECT_NEAR(volume, 12, 1e-12);
}

}  // namespace
}  // namespace sunder
