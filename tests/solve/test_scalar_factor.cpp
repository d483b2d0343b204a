#include "core/solve/scalar_factor.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace sunder {
namespace {

/// Column c holds the rows c to c + `below`, as far as there are any; diagonally dominant.
ScalarMatrix makeBand(std::int32_t n, std::int32_t below) {
    ScalarMatrix m;
    m.columnFirst.push_back(0);
    for (std::int32_t c = 0; c < n; ++c) {
        for (std::int32_t r = c; r < n && r <= c + below; ++r) {
            m.row.push_back(r);
            m.values.push_back(r == c ? 2.0 * (below + 1) : -1.0);
        }
        m.columnFirst.push_back(static_cast<std::int32_t>(m.row.size()));
    }
    return m;
}

/// Squared column lengths of the factor, summed: what a Cholesky factorization takes. No ordering changes it for these matrices.
TEST(ScalarFactor, CountsTheFlopsOfFullAndDiagonalMatricesExactly) {
    const auto factor = makeScalarFactor();
    for (const std::int32_t n : {1, 7, 60}) {
        EXPECT_EQ(factor->analyse(makeBand(n, n)), n * (n + 1.0) * (2 * n + 1.0) / 6);
        EXPECT_EQ(factor->analyse(makeBand(n, 0)), n);
    }
}

TEST(ScalarFactor, CountsTheSameFlopsAfterAFactorization) {
    const auto factor = makeScalarFactor();
    const ScalarMatrix matrix = makeBand(50, 4);
    const double flops = factor->analyse(matrix);
    ASSERT_TRUE(factor->factor(matrix));
    EXPECT_EQ(factor->analyse(matrix), flops);
    EXPECT_GT(flops, 50);
}

TEST(ScalarFactor, RefusesAnIndefiniteMatrixAndGoesOn) {
    const auto factor = makeScalarFactor();
    ScalarMatrix matrix = makeBand(20, 2);
    factor->analyse(matrix);
    const double diagonal = matrix.values[0];
    matrix.values[0] = -diagonal;
    EXPECT_FALSE(factor->factor(matrix));
    matrix.values[0] = diagonal;
    ASSERT_TRUE(factor->factor(matrix));
    std::vector<double> x, b(20, 0.0);
    b[0] = diagonal;
    b[1] = b[2] = -1;  // the first column, so the solution is the first unit vector
    factor->solve(b, x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], i == 0 ? 1 : 0, 1e-14);
}

std::ptrdiff_t threadsOfThisProcess() {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

// The number of threads is the caller's choice: libraries underneath may not start any of their own.
TEST(ScalarFactor, StartsNoThreads) {
    const auto factor = makeScalarFactor();
    const ScalarMatrix matrix = makeBand(3000, 150);  // large enough for supernodes
    const std::ptrdiff_t before = threadsOfThisProcess();
    factor->analyse(matrix);
    ASSERT_TRUE(factor->factor(matrix));
    std::vector<double> x;
    factor->solve(std::vector<double>(3000, 1.0), x);
    EXPECT_EQ(threadsOfThisProcess(), before);
}

}  // namespace
}  // namespace sunder
