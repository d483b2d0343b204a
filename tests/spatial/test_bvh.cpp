#include "core/spatial/bvh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/spatial/triangle_tree.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

Vec3 randomVec(std::uint64_t id, std::uint64_t draw) {
    return {randomRange(-1, 1, 3, id, 3 * draw), randomRange(-1, 1, 3, id, 3 * draw + 1),
            randomRange(-1, 1, 3, id, 3 * draw + 2)};
}

std::vector<Aabb> randomBoxes(std::size_t count, double size) {
    std::vector<Aabb> boxes(count);
    for (std::size_t i = 0; i < count; ++i) {
        boxes[i].extend(randomVec(i, 0));
        boxes[i].extend(randomVec(i, 0) + size * randomVec(i, 1));
    }
    return boxes;
}

TEST(Bvh, QueryFindsExactlyTheOverlappingBoxes) {
    for (const std::size_t count : {0u, 1u, 4u, 5u, 9u, 1000u}) {
        const auto boxes = randomBoxes(count, 0.1);
        const Bvh bvh(boxes);
        for (std::uint64_t q = 0; q < 50; ++q) {
            Aabb box;
            box.extend(randomVec(q + 5000, 0));
            box.extend(randomVec(q + 5000, 0) + 0.3 * randomVec(q + 5000, 1));
            std::vector<int> found, expected;
            bvh.query(box, [&](std::int32_t i) { found.push_back(i); });
            std::sort(found.begin(), found.end());
            for (std::size_t i = 0; i < count; ++i)
                if (boxes[i].overlaps(box)) expected.push_back(static_cast<int>(i));
            ASSERT_EQ(found, expected);
        }
    }
}

TEST(Bvh, SameTreeForAnyThreadCount) {
    const auto boxes = randomBoxes(50000, 0.01);
    const Bvh reference(boxes);
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        const Bvh bvh(boxes);
        ASSERT_EQ(bvh.order(), reference.order());
    }
    setThreadCount(0);
}

TEST(TriangleTree, ClosestPointAgreesWithAllTriangles) {
    const TriMesh sphere = testing::makeSphere(3, 1.0);
    const TriangleTree tree(sphere.positions, sphere.triangles);
    for (std::uint64_t q = 0; q < 200; ++q) {
        const Vec3 p = 2 * randomVec(q, 9);
        double best = 1e300;
        for (std::int32_t t = 0; t < static_cast<std::int32_t>(sphere.triangleCount()); ++t) {
            const auto c = tree.corners(t);
            best = std::min(best, closestPointOnTriangle(p, c[0], c[1], c[2]).distanceSq);
        }
        const auto found = tree.closest(p);
        ASSERT_EQ(found.distanceSq, best);
        const auto c = tree.corners(found.triangle);
        const Vec3 again = found.weights[0] * c[0] + found.weights[1] * c[1] + found.weights[2] * c[2];
        ASSERT_LT((again - found.position).norm(), 1e-14);
    }
    EXPECT_EQ(tree.closest(Vec3(5, 0, 0), 1.0).triangle, -1);
    const auto corner = tree.closest(sphere.positions[17]);
    EXPECT_EQ(corner.weights.maxCoeff(), 1.0);
    EXPECT_EQ(corner.position, sphere.positions[17]);
}

TEST(TriangleTree, RayThroughSphereCrossesTwice) {
    const TriMesh sphere = testing::makeSphere(3, 1.0);
    const TriangleTree tree(sphere.positions, sphere.triangles);
    for (std::uint64_t q = 0; q < 200; ++q) {
        const Vec3 direction = randomVec(q, 4).normalized();
        const auto hits = tree.crossings(-3 * direction, 3 * direction);
        ASSERT_EQ(hits.size(), 2u);
        const auto first = tree.firstHit(-3 * direction, 6 * direction, 1.0);
        ASSERT_TRUE(first);
        EXPECT_EQ(first->t, hits[0].t);
        // A chord of the subdivided icosahedron is at most its sagitta, edge^2 / 8, inside the sphere of
        // radius 1.
        EXPECT_NEAR(6 * hits[0].t, 2.0, 0.02);
    }
    // Along an axis and through vertices, edges and slab planes, where the reciprocal of the direction is
    // infinite.
    EXPECT_GE(tree.crossings(Vec3(0, 0, -2), Vec3(0, 0, 2)).size(), 2u);
}

}  // namespace
}  // namespace sunder
