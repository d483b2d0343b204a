// The laws against the formulas of their papers, with the misprints put right; each of these fails if one is
// put back.
#include <Eigen/Dense>
#include <cmath>

#include "tests/material/law_samples.h"

namespace sunder {

using testing::randomMatrix;
using testing::randomRotation;
using testing::sampleParams;
using testing::smoothDeformation;

namespace {

constexpr std::uint64_t kSamples = 20;
constexpr double kRoundOff = 1e-13;

double principalMinors(const Mat3& D) { return 0.5 * (D.trace() * D.trace() - (D * D).trace()); }

}  // namespace

/// The Thesis has strain eps = 2 E and stress sigma = lambda tr(eps) I + 2 mu eps. The energy is sigma : eps
/// / 8, not half of sigma : eps; the stress half of F sigma; the damping power a quarter of sigma_nu : nu.
TEST(GreenFormulas, FollowTheThesisWithItsFactors) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kGreen);
    for (const LawParams& p : sampleParams())
        for (std::uint64_t id = 0; id < kSamples; ++id) {
            const Mat3 F = smoothDeformation(law, id), rate = randomMatrix(80, id), I = Mat3::Identity();
            const Mat3 eps = F.transpose() * F - I, nu = F.transpose() * rate + rate.transpose() * F;
            const Mat3 sigma = p.lambda * eps.trace() * I + 2 * p.mu * eps;
            const Mat3 sigmaNu = p.phi * nu.trace() * I + 2 * p.psi * nu;
            const double energy = sigma.cwiseProduct(eps).sum() / 8,
                         power = sigmaNu.cwiseProduct(nu).sum() / 4;
            EXPECT_NEAR(law.energy(p, F), energy, kRoundOff * energy);
            EXPECT_LE((law.stress(p, F) - 0.5 * F * sigma).norm(), kRoundOff * sigma.norm());
            EXPECT_NEAR(2 * law.dissipation(p, F, rate), power, kRoundOff * power);
        }
}

TEST(CorotatedFormulas, CarryTheSignOfAReflectionInTheSmallestStretch) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kCorotated);
    const LawParams p{0.6, 0.4, 0, 0};
    const Mat3 Q = randomRotation(81, 1);
    const Mat3 mirrored = Q * Vec3(1, 1, -1).asDiagonal();
    // strain (0, 0, -2): with positive singular values alone there would be none
    EXPECT_NEAR(law.energy(p, mirrored), p.mu * 4 + p.lambda / 2 * 4, kRoundOff);
    const Vec3 principal(-2 * p.lambda, -2 * p.lambda, -4 * p.mu - 2 * p.lambda);
    const Mat3 flipped =
        Q * Vec3(1.2, 1, -0.5).asDiagonal();  // unlike stretches, so that the axes are unique
    const double trace = 1.2 + 1 - 0.5 - 3;
    const Vec3 strain(0.2, 0, -1.5);
    const Mat3 expected = Q * Vec3(2 * p.mu * strain + Vec3::Constant(p.lambda * trace)).asDiagonal();
    EXPECT_LE((law.stress(p, flipped) - expected).norm(), kRoundOff);
    EXPECT_NEAR(law.stress(p, mirrored).norm(), principal.norm(), kRoundOff);
}

TEST(CorotatedFormulas, PushOutOfAPoint) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kCorotated);
    const LawParams p{0.6, 0.4, 0, 0};
    EXPECT_LE((law.stress(p, Mat3::Zero()) + (2 * p.mu + 3 * p.lambda) * Mat3::Identity()).norm(), kRoundOff);
}

/// (12) to (16) with d2 = tr D, d1 = sum of principal minors, d0 = det D; the bulk and shear modulus read off
/// a volume change and a simple shear.
TEST(ViscoelasticFormulas, FollowTheCharacteristicPolynomial) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kViscoelastic);
    for (const LawParams& p : sampleParams()) {
        for (std::uint64_t id = 0; id < kSamples; ++id) {
            const Mat3 F = smoothDeformation(law, id), D = F.transpose() * F;
            const double d0 = D.determinant(), d1 = principalMinors(D), d2 = D.trace();
            const double energy =
                p.bulkModulus() / 32 * (d0 * d0 + 1 / (d0 * d0) - 2) + p.mu / 6 * (d2 * d2 - 3 * d1);
            EXPECT_NEAR(law.energy(p, F), energy, kRoundOff * (energy + 10));
        }
        const double h = 1e-4;
        Mat3 shear = Mat3::Identity();
        shear(0, 1) = h;
        EXPECT_NEAR(law.stress(p, shear)(0, 1) / h, p.mu, 10 * h * h * (p.mu + p.bulkModulus()));
        const Mat3 shrunk = std::cbrt(1 - h) * Mat3::Identity();
        const double pressure = -law.stress(p, shrunk)(0, 0) / std::pow(std::cbrt(1 - h), 2);
        EXPECT_NEAR(pressure / h, p.bulkModulus(), 10 * h * p.bulkModulus());
    }
}

/// (17) with 1/4 for the bulk and 1/3 for the shear part, a unit of current volume.
TEST(ViscoelasticFormulas, LosePowerByTheCurrentVolume) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kViscoelastic);
    for (const LawParams& p : sampleParams())
        for (std::uint64_t id = 0; id < kSamples; ++id) {
            const Mat3 F = smoothDeformation(law, id), rate = randomMatrix(82, id);
            const Mat3 D = F.transpose() * rate + rate.transpose() * F;
            const Vec3 xi = Eigen::SelfAdjointEigenSolver<Mat3>(D).eigenvalues();
            const double bulk = xi.sum() * xi.sum() / 4;
            const double shear = (xi.squaredNorm() - xi[0] * xi[1] - xi[0] * xi[2] - xi[1] * xi[2]) / 3;
            const double power = F.determinant() * (p.bulkViscosity() * bulk + p.psi * shear);
            EXPECT_NEAR(2 * law.dissipation(p, F, rate), power, kRoundOff * power);
        }
}

TEST(NeoHookeanFormulas, FollowThePaperUpToAConstant) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kNeoHookean);
    for (const LawParams& p : sampleParams()) {
        const double m = 4.0 / 3 * p.mu, l = p.lambda + 5.0 / 6 * p.mu, a = 1 + m / l - m / (4 * l);
        const auto paper = [&](const Mat3& F) {
            const double I = F.squaredNorm(), J = F.determinant();
            return m / 2 * (I - 3) + l / 2 * (J - a) * (J - a) - m / 2 * std::log(I + 1);
        };
        for (std::uint64_t id = 0; id < kSamples; ++id) {
            const Mat3 F = smoothDeformation(law, id);
            EXPECT_NEAR(law.energy(p, F), paper(F) - paper(Mat3::Identity()), 10 * kRoundOff * (l + m));
        }
    }
}

/// At a point the force is zero but not stable: any positive volume grows. Without the logarithm, I / 2 would
/// hold it there.
TEST(NeoHookeanFormulas, LetABodyGrowOutOfAPoint) {
    const ElasticLaw& law = elasticLaw(ElasticLawId::kNeoHookean);
    for (const LawParams& p : sampleParams()) {
        EXPECT_EQ(law.stress(p, Mat3::Zero()), Mat3::Zero());
        EXPECT_EQ(law.stiffness(p, Mat3::Zero()), Mat9::Zero());
        for (const double size : {1e-6, 1e-3, 0.1, 0.5})
            EXPECT_LT(law.stress(p, size * Mat3::Identity()).trace(), 0) << size;
    }
}

}  // namespace sunder
