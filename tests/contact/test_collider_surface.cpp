#include "core/contact/collider_surface.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/error.h"
#include "core/contact/collider_mesh.h"
#include "tests/contact/collider_cases.h"

namespace sunder {
namespace {

using testing::boxCollider;
using testing::sheetCollider;

TEST(ColliderSurface, TellsOfTopologyAndMoves) {
    const ColliderSurface a = sheetCollider(2, 1.0);
    ColliderSurface b = a;
    for (Vec3& p : b.positions) p += Vec3(0.1, 0, 0);
    b.positions[5] += Vec3(0, 0, 3);
    EXPECT_TRUE(topologyMatches(a, b));
    const ColliderMove move = measureMove(a.positions, b.positions);
    EXPECT_EQ(move.vertex, 5);
    EXPECT_NEAR(move.largest, std::sqrt(9.01), 1e-15);
    EXPECT_NEAR(move.share, std::sqrt(9.01 / 2), 1e-15);
    EXPECT_EQ(measureMove(a.positions, a.positions).share, 0);
    std::swap(b.triangles[0], b.triangles[1]);
    EXPECT_FALSE(topologyMatches(a, b));
    b = a;
    b.positions.emplace_back(0, 0, 0);
    EXPECT_FALSE(topologyMatches(a, b));
    EXPECT_THROW(measureMove(a.positions, b.positions), Error);
}

TEST(ColliderSurface, FollowsMotionsAndFrames) {
    ColliderSlab slab = buildColliderSlab(boxCollider(2, Vec3(1, 1, 1)));
    Motion motion;
    motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {2, Vec3(1, 2, 3), Vec3(0, 0, 1)}};
    std::vector<Vec3> x(slab.vertices.size()), v(x.size()), turned(x.size()), none(x.size());
    moveRigidly(slab.vertices, motion, 1, x, v);
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(x[i], motion.apply(slab.vertices[i], 1));
        const Vec3 arm = x[i] - Vec3(0.5, 1, 1.5);
        EXPECT_NEAR((v[i] - Vec3(0.5, 1, 1.5) - Vec3(0, 0, 0.5).cross(arm)).norm(), 0, 1e-8);
    }
    // the layer of the turned surface is the turned layer
    const ColliderSurface box = boxCollider(2, Vec3(1, 1, 1));
    std::vector<Vec3> end(box.positions.size()), speed(end.size());
    moveRigidly(box.positions, motion, 1, end, speed);
    const std::vector<Vec3> start = slab.vertices;
    updateColliderSlab(slab, end);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR((slab.vertices[i] - x[i]).norm(), 0, 1e-14);

    const ColliderFrame frame{start, slab.vertices, 0.04};
    moveBetween(frame, 0, x, v);
    EXPECT_EQ(x, start);
    moveBetween(frame, 1, x, v);
    EXPECT_EQ(x, slab.vertices);
    moveBetween(frame, 0.25, turned, none);
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR((turned[i] - (0.75 * start[i] + 0.25 * slab.vertices[i])).norm(), 0, 1e-15);
        EXPECT_NEAR((none[i] - (slab.vertices[i] - start[i]) / 0.04).norm(), 0, 1e-12);
    }
}

}  // namespace
}  // namespace sunder
