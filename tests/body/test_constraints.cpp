#include "core/body/constraints.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sunder {

namespace {
Motion twoKeys() {
    Motion motion;
    motion.keys = {{1, Vec3(1, 0, 0), Vec3::Zero()}, {3, Vec3(1, 4, 0), Vec3(0, 0, M_PI / 2)}};
    motion.pivot = Vec3(1, 0, 0);
    return motion;
}
}  // namespace

TEST(Motion, WithoutKeysNothingMoves) {
    const Motion motion;
    EXPECT_EQ(motion.apply(Vec3(1, 2, 3), 7), Vec3(1, 2, 3));
    EXPECT_EQ(motion.velocity(Vec3(1, 2, 3), 7), Vec3(0, 0, 0));
}

TEST(Motion, HoldsStillBeforeAndAfterItsKeys) {
    const Motion motion = twoKeys();
    EXPECT_EQ(motion.apply(Vec3(2, 0, 0), 0), Vec3(3, 0, 0));
    EXPECT_LT((motion.apply(Vec3(2, 0, 0), 9) - Vec3(2, 5, 0)).norm(), 1e-15);
    EXPECT_EQ(motion.velocity(Vec3(2, 0, 0), 0.5), Vec3(0, 0, 0));
    EXPECT_EQ(motion.velocity(Vec3(2, 0, 0), 9), Vec3(0, 0, 0));
}

TEST(Motion, IsLinearInTranslationAndAngle) {
    const Motion motion = twoKeys();
    for (const double share : {0.0, 0.25, 0.5, 1.0}) {
        const double angle = share * M_PI / 2;
        const Vec3 expected(1 + std::cos(angle) + 1, std::sin(angle) + 4 * share, 0);
        EXPECT_LT((motion.apply(Vec3(2, 0, 0), 1 + 2 * share) - expected).norm(), 1e-14);
    }
    // 2 m/s up, and a quarter turn in two seconds at a metre from the pivot
    const Vec3 speed = motion.velocity(Vec3(2, 0, 0), 2),
               turning = M_PI / 4 * Vec3(-std::sqrt(0.5), std::sqrt(0.5), 0);
    EXPECT_LT((speed - Vec3(0, 2, 0) - turning).norm(), 1e-9);
}

TEST(Motion, EasesInAndOut) {
    Motion motion = twoKeys();
    motion.smooth = true;
    EXPECT_LT(motion.velocity(Vec3(1, 0, 0), 1).norm(), 1e-5);
    EXPECT_LT(motion.velocity(Vec3(1, 0, 0), 3).norm(), 1e-5);
    EXPECT_NEAR(motion.velocity(Vec3(1, 0, 0), 2).norm(), 1.5 * 2, 1e-9);  // one and a half times the mean
    EXPECT_NEAR(motion.apply(Vec3(1, 0, 0), 2).y(), 2, 1e-14);
}

TEST(Motion, GoesThroughEveryKey) {
    Motion motion = twoKeys();
    motion.keys.push_back({3.5, Vec3(-2, 0, 1), Vec3(0, 1, 0)});
    for (const Motion::Key& key : motion.keys)
        EXPECT_LT((motion.apply(motion.pivot, key.time) - motion.pivot - key.translation).norm(), 1e-14);
}

}  // namespace sunder
