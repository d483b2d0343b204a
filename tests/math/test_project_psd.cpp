#include "core/math/project_psd.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "core/base/random.h"

namespace sunder {

namespace {
Mat9 randomSymmetric(std::uint64_t id) {
    Mat9 m;
    for (int k = 0; k < 81; ++k) m.data()[k] = randomRange(-1, 1, 3, id, static_cast<std::uint64_t>(k));
    return m + m.transpose();
}
}  // namespace

TEST(ProjectPsd9, ClampsTheSpectrumAndKeepsTheVectors) {
    for (std::uint64_t id = 0; id < 200; ++id) {
        const Mat9 A = randomSymmetric(id);
        const Eigen::SelfAdjointEigenSolver<Mat9> before(A);
        const Mat9 projected = projectPsd9(A);
        EXPECT_EQ(projected, projected.transpose());
        const Vec9 expected = before.eigenvalues().cwiseMax(0);
        const Mat9 diagonal = before.eigenvectors().transpose() * projected * before.eigenvectors();
        EXPECT_LE((diagonal - Mat9(expected.asDiagonal())).cwiseAbs().maxCoeff(), 1e-13 * A.norm());
    }
}

TEST(ProjectPsd9, LeavesAPositiveMatrixAsItIs) {
    for (std::uint64_t id = 0; id < 50; ++id) {
        const Mat9 A = randomSymmetric(id);
        Mat9 positive = A * A + 0.1 * Mat9::Identity();
        positive = (0.5 * (positive + positive.transpose())).eval();
        EXPECT_EQ(projectPsd9(positive), positive);
    }
}

}  // namespace sunder
