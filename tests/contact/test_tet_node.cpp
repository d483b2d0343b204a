#include "core/contact/tet_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "tests/contact/overlap_cases.h"

namespace sunder {
namespace {

TEST(TetNode, DepthIsTheDistanceToTheFace) {
    const std::array<Vec3, 4> tet{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    const auto below = nodePenetration(Vec3(0.2, 0.3, 0.1), tet, 3);
    ASSERT_TRUE(below);
    EXPECT_DOUBLE_EQ(below->depth, 0.1);
    EXPECT_EQ(below->normal, Vec3(0, 0, -1));
    EXPECT_NEAR((below->weights - Vec4(0.4, 0.2, 0.3, 0.1)).norm(), 0, 1e-15);
    const auto slanted = nodePenetration(Vec3(0.2, 0.3, 0.1), tet, 0);
    ASSERT_TRUE(slanted);
    EXPECT_NEAR(slanted->depth, 0.4 / std::sqrt(3.0), 1e-15);
    EXPECT_FALSE(nodePenetration(Vec3(0.2, 0.3, -0.1), tet, 3));
}

TEST(TetNode, WeightsGiveThePointBack) {
    for (int id = 0; id < 5000; ++id) {
        const testing::Corners4 tet = testing::randomCorners(41, id);
        Vec4 w;
        for (int k = 0; k < 4; ++k) w[k] = randomUnit(42, id, k);
        if (id % 5 == 0) w[id % 4] = -0.1;
        w /= w.sum();
        const Vec3 p = w[0] * tet[0] + w[1] * tet[1] + w[2] * tet[2] + w[3] * tet[3];
        const auto found = weightsInTet(p, tet);
        ASSERT_EQ(found.has_value(), w.minCoeff() >= 0) << id;
        if (!found) continue;
        Vec3 back = Vec3::Zero();
        for (int k = 0; k < 4; ++k) back += (*found)[k] * tet[k];
        ASSERT_NEAR((back - p).norm(), 0, 1e-12) << id;
    }
}

TEST(TetNode, FlatAndInvertedTetsHoldNothing) {
    const std::array<Vec3, 4> inverted{Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    const std::array<Vec3, 4> flat{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.2, 0.2, 0)};
    EXPECT_FALSE(weightsInTet(Vec3(0.1, 0.1, 0.1), inverted));
    EXPECT_FALSE(weightsInTet(Vec3(0.1, 0.1, 0), flat));
    EXPECT_FALSE(nodePenetration(Vec3(0.1, 0.1, 0), flat, 2));
    EXPECT_FALSE(
        weightsInTet(Vec3::Constant(NAN), {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}));
}

}  // namespace
}  // namespace sunder
