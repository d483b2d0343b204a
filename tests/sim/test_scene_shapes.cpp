#include "core/sim/scene_shapes.h"

#include <gtest/gtest.h>

#include <map>

namespace sunder {
namespace {

double volumeOf(const TetMesh& mesh) {
    double volume = 0;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) volume += restVolume(mesh, t);
    return volume;
}

double worstAngle(const TetMesh& mesh) {
    double smallest = M_PI;
    for (const Tet& t : mesh.tets) {
        const auto p = [&](std::size_t k) { return mesh.rest[static_cast<std::size_t>(t[k])]; };
        smallest = std::min(smallest, dihedralRange(p(0), p(1), p(2), p(3)).smallest);
    }
    return smallest * 180 / M_PI;
}

TEST(SceneShapes, BoxFillsItsVolumeAroundTheOrigin) {
    BoxShape shape;
    shape.size = Vec3(2, 3, 0.5);
    shape.cells = {3, 2, 4};
    const TetMesh mesh = makeShape(shape);
    validate(mesh);
    EXPECT_EQ(mesh.tetCount(), 6u * 3 * 2 * 4);
    EXPECT_NEAR(volumeOf(mesh), 3.0, 1e-13);
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : mesh.rest) sum += p;
    EXPECT_LT(sum.norm(), 1e-13);
}

// The inscribed polyhedron lacks a share of about 1/n^2 of the ball's volume.
TEST(SceneShapes, SphereApproachesTheBallInSecondOrder) {
    const double ball = 4.0 / 3.0 * M_PI * 8;
    double before = 0;
    for (const int cells : {5, 10, 20}) {
        SphereShape shape;
        shape.radius = 2;
        shape.cells = cells;
        const TetMesh mesh = makeShape(shape);
        validate(mesh);
        EXPECT_GT(worstAngle(mesh), 8.0) << cells;
        const double missing = ball - volumeOf(mesh);
        EXPECT_GT(missing, 0);
        if (before > 0) {
            EXPECT_NEAR(before / missing, 4.0, 0.4) << cells;
        }
        before = missing;
    }
}

TEST(SceneShapes, TorusIsARingAroundY) {
    TorusShape shape;
    shape.around = 32;
    shape.across = 6;
    const TetMesh mesh = makeShape(shape);
    validate(mesh);
    const double ring = 2 * M_PI * M_PI * 0.5 * 0.2 * 0.2;
    EXPECT_NEAR(volumeOf(mesh) / ring, 1.0, 0.06);
    for (const Vec3& p : mesh.rest) EXPECT_LE(std::abs(p.y()), 0.2 + 1e-12);
}

TEST(SceneShapes, SurfaceOfABallLiesOnIt) {
    const TriMesh mesh =
        surfaceOf([](const Vec3& p) { return p.norm() - 0.7; }, Vec3::Constant(-1), Vec3::Constant(1), 0.1);
    ASSERT_GT(mesh.triangleCount(), 100u);
    // three steps of Newton's method from within a cell: far below any size that matters
    for (const Vec3& p : mesh.positions) EXPECT_NEAR(p.norm(), 0.7, 1e-6);
}

TEST(SceneShapes, TapirIsAClosedManifoldThatStands) {
    for (const int cells : {40, 48, 64, 96}) {
        TapirShape shape;
        shape.cells = cells;
        const Geometry animal = makeShape(shape);
        animal.validate();
        const TriMesh mesh = triMeshFromGeometry(animal);
        std::map<std::pair<int, int>, int> edges;
        double volume = 0;
        for (const Tri& t : mesh.triangles) {
            for (std::size_t c = 0; c < 3; ++c) ++edges[{t[c], t[(c + 1) % 3]}];
            const auto p = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
            volume += signedVolume(Vec3::Zero(), p(0), p(1), p(2));
        }
        for (const auto& [edge, count] : edges) {
            ASSERT_EQ(count, 1) << "an edge is used twice in one direction, " << cells << " cells";
            ASSERT_EQ(edges.count({edge.second, edge.first}), 1u) << "an open edge, " << cells << " cells";
        }
        EXPECT_GT(volume, 0.01 * std::pow(shape.length, 3)) << "faces outward";
        for (const char* group : {"nose", "ears", "feet", "tail"})
            EXPECT_GT(animal.points.findGroup(group)->count(), 3u) << group;
        double length[2] = {1e9, -1e9}, foot = 1e9;
        for (const Vec3& p : mesh.positions) {
            length[0] = std::min(length[0], p.z());
            length[1] = std::max(length[1], p.z());
            foot = std::min(foot, p.y());
        }
        EXPECT_NEAR(length[1] - length[0], shape.length, 0.1 * shape.length);
        EXPECT_NEAR(foot, 0, 0.02 * shape.length);
    }
}

}  // namespace
}  // namespace sunder
