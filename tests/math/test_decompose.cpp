#include "core/math/decompose.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tests/math/adversarial.h"

namespace sunder {

using testing::adversarialMatrix;
using testing::adversarialSymmetric;
using testing::knownSvd;

namespace {

using MatL = Eigen::Matrix<long double, 3, 3>;
using VecL = Eigen::Matrix<long double, 3, 1>;

constexpr double kContract = 1e-12;  // of the largest singular value: what the decompositions promise
constexpr std::size_t kMillion = 1000000;
constexpr std::size_t kBlock = 4001;  // odd, so that the last of a block are a part of a wide batch

/// Worst errors met, each over the largest singular value. Products are formed in long double, so that
/// neither the denormals nor the check's own rounding enter.
struct Worst {
    double reconstruction = 0, orthogonality = 0, values = 0;
    /// A NaN raises, and stays.
    void raise(double& worst, double error) {
        if (!std::isnan(worst) && !(error <= worst)) worst = error;
    }
};

/// The spacing of denormals is no fault of the method.
double relative(long double error, long double largest) {
    const long double excess =
        error - 16 * static_cast<long double>(std::numeric_limits<double>::denorm_min());
    if (excess <= 0) return 0;
    return static_cast<double>(excess / largest);
}

double rotationError(const Mat3& Q) {
    return std::max((Q.transpose() * Q - Mat3::Identity()).cwiseAbs().maxCoeff(),
                    std::abs(Q.determinant() - 1));
}

void checkSvd(const Mat3& F, const Svd3& svd, Worst& worst) {
    const MatL product = svd.U.cast<long double>() * svd.sigma.cast<long double>().asDiagonal() *
                         svd.V.cast<long double>().transpose();
    const long double error = (product - F.cast<long double>()).cwiseAbs().maxCoeff();
    worst.raise(worst.reconstruction, relative(error, svd.sigma[0]));
    worst.raise(worst.orthogonality, std::max(rotationError(svd.U), rotationError(svd.V)));
    ASSERT_TRUE(svd.sigma[0] >= svd.sigma[1] && svd.sigma[1] >= std::abs(svd.sigma[2])) << F << "\n"
                                                                                        << svd.sigma;
}

std::vector<Mat3> blockOf(Mat3 (*make)(std::uint64_t), std::size_t first) {
    std::vector<Mat3> matrices;
    for (std::size_t i = first; i < std::min(first + kBlock, kMillion); ++i) matrices.push_back(make(i));
    return matrices;
}

template <class Result>
bool sameBits(const Result& a, const Result& b) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
}

void expectContract(const Worst& worst) {
    EXPECT_LE(worst.reconstruction, kContract);
    EXPECT_LE(worst.orthogonality, kContract);
    EXPECT_LE(worst.values, kContract);
    std::printf("    worst errors over the largest singular value: reconstruction %.1e, orthogonality %.1e, values %.1e\n",
                worst.reconstruction, worst.orthogonality, worst.values);
}

}  // namespace

TEST(Svd3, HoldsOverAMillionMatricesWideAndSingle) {
    Worst worst;
    for (std::size_t first = 0; first < kMillion; first += kBlock) {
        const std::vector<Mat3> F = blockOf(adversarialMatrix, first);
        std::vector<Svd3> wide(F.size());
        svd3Batch(F, wide);
        for (std::size_t i = 0; i < F.size(); ++i) {
            ASSERT_TRUE(sameBits(wide[i], svd3(F[i]))) << F[i];
            ASSERT_NO_FATAL_FAILURE(checkSvd(F[i], wide[i], worst));
        }
    }
    expectContract(worst);
}

TEST(Svd3, GivesTheSingularValuesOfAKnownConstruction) {
    Worst worst;
    for (std::uint64_t id = 0; id < kMillion; ++id) {
        const auto [F, sigma] = knownSvd(id);
        worst.raise(worst.values, (svd3(F).sigma - sigma).cwiseAbs().maxCoeff() / sigma[0]);
    }
    expectContract(worst);
}

TEST(Svd3, AgreesWithJacobiInLongDouble) {
    Worst worst;
    for (std::uint64_t id = 0; id < kMillion; ++id) {
        const Mat3 F = adversarialMatrix(id);
        const VecL reference = F.cast<long double>().jacobiSvd().singularValues();
        const VecL ours = svd3(F).sigma.cwiseAbs().cast<long double>();
        worst.raise(worst.values, relative((ours - reference).cwiseAbs().maxCoeff(), reference[0]));
    }
    expectContract(worst);
}

TEST(Svd3, CarriesTheSignOfTheDeterminantInTheSmallestValue) {
    for (std::uint64_t id = 8; id < 90000; id += 9) {
        const Mat3 F = adversarialMatrix(id);
        const Mat3 scaled = F / F.cwiseAbs().maxCoeff();
        const double det = scaled.determinant();
        if (std::abs(det) < 1e-12) continue;  // the sign of the determinant itself is rounding
        EXPECT_EQ(svd3(F).sigma[2] > 0, det > 0) << F;
    }
}

TEST(Svd3, TreatsTheCornersOfItsDomain) {
    const Svd3 zero = svd3(Mat3::Zero());
    EXPECT_EQ(zero.sigma, Vec3::Zero());
    EXPECT_EQ(zero.U, zero.V);
    EXPECT_LE(rotationError(zero.U), kContract);

    // a body at rest is to feel exactly nothing
    const Svd3 identity = svd3(Mat3::Identity());
    EXPECT_EQ(identity.sigma, Vec3::Ones());
    EXPECT_EQ(identity.U, identity.V);
    EXPECT_EQ(polar3(Mat3::Identity()).R, Mat3::Identity());

    Mat3 huge = Mat3::Constant(-5e307);
    EXPECT_NEAR(svd3(huge).sigma[0] / 1.5e308, 1, kContract);
    huge(1, 2) = 0;
    EXPECT_LE(rotationError(svd3(huge).U), kContract);

    Mat3 smallest = Mat3::Zero();
    smallest(2, 0) = -std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(svd3(smallest).sigma[0], std::numeric_limits<double>::denorm_min());

    Mat3 poisoned = Mat3::Identity();
    poisoned(1, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(svd3(poisoned).sigma.allFinite());
}

TEST(Polar3, HoldsOverAMillionMatricesWideAndSingle) {
    Worst worst;
    for (std::size_t first = 0; first < kMillion; first += kBlock) {
        const std::vector<Mat3> F = blockOf(adversarialMatrix, first);
        std::vector<Polar3> wide(F.size());
        polar3Batch(F, wide);
        for (std::size_t i = 0; i < F.size(); ++i) {
            const auto& [R, S] = wide[i];
            ASSERT_TRUE(sameBits(wide[i], polar3(F[i]))) << F[i];
            ASSERT_EQ(S, S.transpose());
            const MatL product = R.cast<long double>() * S.cast<long double>();
            const long double error = (product - F[i].cast<long double>()).cwiseAbs().maxCoeff();
            worst.raise(worst.reconstruction, relative(error, svd3(F[i]).sigma[0]));
            worst.raise(worst.orthogonality, rotationError(R));
        }
    }
    expectContract(worst);
}

TEST(Polar3, KeepsARotationAndUndoesAReflectionAlongItsShortestAxis) {
    for (std::uint64_t id = 0; id < 1000; ++id) {
        const Mat3 Q = testing::randomRotation(40, id);
        EXPECT_LE((polar3(Q).R - Q).norm(), kContract);
        const Mat3 reflected = Q * Vec3(3, 2, -1).asDiagonal();
        EXPECT_LE((polar3(reflected).R - Q).norm(), kContract);
        EXPECT_LE((polar3(reflected).S - Mat3(Vec3(3, 2, -1).asDiagonal())).norm(), kContract);
    }
    EXPECT_EQ(polar3(Mat3::Zero()).R, Mat3::Identity());
}

TEST(SymmetricEigen3, HoldsOverAMillionMatricesWideAndSingle) {
    Worst worst;
    for (std::size_t first = 0; first < kMillion; first += kBlock) {
        const std::vector<Mat3> A = blockOf(adversarialSymmetric, first);
        std::vector<Eigen3> wide(A.size());
        symmetricEigen3Batch(A, wide);
        for (std::size_t i = 0; i < A.size(); ++i) {
            const auto& [values, vectors] = wide[i];
            ASSERT_TRUE(sameBits(wide[i], symmetricEigen3(A[i]))) << A[i];
            ASSERT_TRUE(values[0] >= values[1] && values[1] >= values[2]) << A[i];
            const MatL Q = vectors.cast<long double>();
            const MatL product = Q * values.cast<long double>().asDiagonal() * Q.transpose();
            const MatL lower = MatL(A[i].cast<long double>()).selfadjointView<Eigen::Lower>();
            const long double error = (product - lower).cwiseAbs().maxCoeff();
            worst.raise(worst.reconstruction, relative(error, values.cwiseAbs().maxCoeff()));
            worst.raise(worst.orthogonality, rotationError(vectors));
        }
    }
    expectContract(worst);
}

TEST(SymmetricEigen3, AgreesWithEigenInLongDouble) {
    Worst worst;
    for (std::uint64_t id = 0; id < kMillion; ++id) {
        const Mat3 A = adversarialSymmetric(id);
        // scaled for the reference, whose iteration stops early among the denormals
        const long double scale = A.cast<long double>().cwiseAbs().maxCoeff();
        if (scale == 0) continue;
        const MatL scaled = A.cast<long double>() / scale;
        const VecL reference = scale * Eigen::SelfAdjointEigenSolver<MatL>(scaled).eigenvalues().reverse();
        const VecL ours = symmetricEigen3(A).values.cast<long double>();
        worst.raise(worst.values,
                    relative((ours - reference).cwiseAbs().maxCoeff(), reference.cwiseAbs().maxCoeff()));
    }
    expectContract(worst);
}

}  // namespace sunder
