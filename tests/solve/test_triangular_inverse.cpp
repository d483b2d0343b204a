#include "core/solve/triangular_inverse.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "core/base/random.h"

namespace sunder {

namespace {
/// Positive definite, of n rows.
Eigen::MatrixXd makeMatrix(Eigen::Index n) {
    Eigen::MatrixXd half(n, n);
    for (Eigen::Index i = 0; i < n * n; ++i) half.data()[i] = randomRange(-1, 1, 5, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(i));
    return half * half.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n);
}
}  // namespace

// Sizes on both sides of multiples of four, and of the columns that are made at once.
TEST(TriangularInverse, IsThatOfTheFactorToSinglePrecision) {
    double worst = 0, adjoint = 0;
    for (const Eigen::Index n : {1, 2, 3, 4, 5, 12, 15, 16, 17, 31, 33, 72, 75}) {
        const Eigen::MatrixXd a = makeMatrix(n), l = a.llt().matrixL();
        const auto count = static_cast<std::size_t>(n), padded = triangular_inverse::paddedSize(count);
        std::vector<float> f(triangular_inverse::valueCount(count), -1.0F);
        Eigen::MatrixXd factor = l;
        factor.triangularView<Eigen::StrictlyUpper>().setConstant(7);  // of no concern
        ASSERT_TRUE(triangular_inverse::assign(factor, f.data()));
        Eigen::VectorXd x = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(padded)), forward = x, back = x;
        for (Eigen::Index k = 0; k < n; ++k) x[k] = randomRange(-1, 1, 6, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(k));
        triangular_inverse::multiply(f.data(), count, x.data(), forward.data());
        triangular_inverse::multiplyTransposed(f.data(), count, x.data(), back.data());
        const Eigen::VectorXd solved = l.triangularView<Eigen::Lower>().solve(x.head(n));
        const Eigen::VectorXd solvedBack = l.transpose().triangularView<Eigen::Upper>().solve(x.head(n));
        worst = std::max({worst, (forward.head(n) - solved).norm() / solved.norm(), (back.head(n) - solvedBack).norm() / solvedBack.norm()});
        adjoint = std::max(adjoint, std::abs(x.dot(forward) - back.dot(x)) / (x.norm() * forward.norm()));
        for (Eigen::Index k = n; k < x.size(); ++k) EXPECT_EQ(std::abs(forward[k]) + std::abs(back[k]), 0) << n;
    }
    EXPECT_LT(worst, 1e-6);
    EXPECT_LT(adjoint, 1e-14);
}

TEST(TriangularInverse, SaysWhereThereIsNone) {
    Eigen::MatrixXd factor = Eigen::MatrixXd::Identity(5, 5);
    factor(3, 3) = 0;
    std::vector<float> f(triangular_inverse::valueCount(5));
    EXPECT_FALSE(triangular_inverse::assign(factor, f.data()));
}

}  // namespace sunder
