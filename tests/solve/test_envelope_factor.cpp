#include "core/solve/envelope_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/random.h"

namespace sunder {

namespace {
/// Block rows of random length, and a positive definite matrix within them.
struct Banded {
    std::vector<std::int32_t> firstOf;
    Eigen::MatrixXd matrix;

    Banded(std::size_t blocks, std::uint64_t seed, double longest = 9) : matrix(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(3 * blocks), static_cast<Eigen::Index>(3 * blocks))) {
        for (std::size_t q = 0; q < blocks; ++q) {
            const auto back = static_cast<std::int32_t>(randomRange(0, longest, seed, q));
            firstOf.push_back(std::max(0, static_cast<std::int32_t>(q) - back));
            for (auto i = static_cast<Eigen::Index>(3 * q); i < static_cast<Eigen::Index>(3 * q + 3); ++i)
                for (Eigen::Index j = 3 * firstOf.back(); j < i; ++j)
                    matrix(i, j) = matrix(j, i) = randomRange(-1, 1, seed + 1, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
        }
        for (Eigen::Index i = 0; i < matrix.rows(); ++i) matrix(i, i) = 0.1 + matrix.row(i).cwiseAbs().sum();
    }
    EnvelopeFactor fill() const {
        EnvelopeFactor factor;
        factor.begin(firstOf);
        factor.clear();
        for (std::size_t q = 0; q < firstOf.size(); ++q)
            for (auto c = static_cast<std::size_t>(firstOf[q]); c <= q; ++c)
                factor.setBlock(q, c, matrix.block<3, 3>(static_cast<Eigen::Index>(3 * q), static_cast<Eigen::Index>(3 * c)));
        return factor;
    }
};
}  // namespace

TEST(EnvelopeFactor, SolvesAsADenseFactorDoes) {
    for (const std::size_t blocks : {1u, 2u, 3u, 5u, 8u, 40u}) {
        const Banded system(blocks, 7 * blocks);
        EnvelopeFactor factor = system.fill();
        ASSERT_TRUE(factor.factor());
        const Eigen::MatrixXd l = system.matrix.llt().matrixL();
        Eigen::VectorXd x(l.rows());
        for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = randomRange(-1, 1, 3, static_cast<std::uint64_t>(k));
        Eigen::VectorXd lower = x, upper = x;
        factor.solveLower(lower.data());
        factor.solveUpper(upper.data());
        EXPECT_LE((l.triangularView<Eigen::Lower>() * lower - x).norm(), 1e-13 * x.norm()) << blocks;
        EXPECT_LE((l.transpose().triangularView<Eigen::Upper>() * upper - x).norm(), 1e-13 * x.norm()) << blocks;
    }
}

TEST(EnvelopeFactor, LargeOnesAreRightAndTheSameForAnyNumberOfThreads) {
    const Banded system(301, 17, 200);
    const Eigen::MatrixXd l = system.matrix.llt().matrixL();
    Eigen::VectorXd one;
    const int threads = threadCount();
    for (const int count : {1, 2, 7}) {
        setThreadCount(count);
        EnvelopeFactor factor = system.fill();
        ASSERT_TRUE(factor.isLarge());
        ASSERT_TRUE(factor.factor());
        Eigen::VectorXd v = Eigen::VectorXd::Ones(l.rows());
        factor.solveLower(v.data());
        if (count == 1) one = v;
        EXPECT_EQ((v - one).cwiseAbs().maxCoeff(), 0) << count;
        EXPECT_LE((l.triangularView<Eigen::Lower>() * v - Eigen::VectorXd::Ones(l.rows())).norm(), 1e-12 * v.norm());
    }
    setThreadCount(threads);
}

TEST(EnvelopeFactor, LargeOnesAreRefusedLikeSmallOnes) {
    Banded system(301, 19, 200);
    system.matrix(500, 500) = -1;
    EnvelopeFactor factor = system.fill();
    ASSERT_TRUE(factor.isLarge());
    EXPECT_FALSE(factor.factor());
}

TEST(EnvelopeFactor, IsFilledAgain) {
    const Banded system(12, 5);
    EnvelopeFactor factor = system.fill();
    ASSERT_TRUE(factor.factor());
    factor.clear();
    for (std::size_t q = 0; q < 12; ++q) factor.setBlock(q, q, 4 * Mat3::Identity());
    ASSERT_TRUE(factor.factor());
    std::vector<double> v(36, 6.0);
    factor.solveLower(v.data());
    for (const double value : v) EXPECT_DOUBLE_EQ(value, 3);
}

TEST(EnvelopeFactor, RefusesWhatIsNotPositiveDefinite) {
    Banded system(9, 11);
    system.matrix(16, 16) = -1;
    EnvelopeFactor negative = system.fill();
    EXPECT_FALSE(negative.factor());
    system.matrix.setConstant(1.0);  // of rank one
    EnvelopeFactor singular = system.fill();
    EXPECT_FALSE(singular.factor());
    system.matrix(16, 16) = std::nan("");
    EnvelopeFactor nan = system.fill();
    EXPECT_FALSE(nan.factor());
}

TEST(EnvelopeFactor, ForetellsItsFlops) {
    // two block rows of 3 and 6 numbers: 3 x 9 + 3 x 36
    EXPECT_DOUBLE_EQ(EnvelopeFactor::flops(std::vector<std::int32_t>{0, 0}), 135);
    EXPECT_DOUBLE_EQ(EnvelopeFactor::flops(std::vector<std::int32_t>{0, 1}), 54);
}

}  // namespace sunder
