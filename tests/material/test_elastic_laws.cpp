// The physics that every law has to have, over the list of laws.
#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/math/decompose.h"
#include "core/math/project_psd.h"
#include "tests/material/law_samples.h"

namespace sunder {

using testing::degenerateDeformations;
using testing::randomMatrix;
using testing::randomRotation;
using testing::randomSpin;
using testing::sampleParams;
using testing::smoothDeformation;

namespace {

constexpr std::uint64_t kSamples = 40;
// a few dozen operations on numbers up to some ten times the result
constexpr double kRoundOff = 1e-13;

/// Of its own, so that the suites of the two files may be instantiated apart.
class ElasticLaws : public testing::EveryLaw {
  protected:
    const ElasticLaw& law() const { return GetParam(); }

    template <class Check>
    void forSamples(Check&& check) const {
        for (const LawParams& p : sampleParams())
            for (std::uint64_t id = 0; id < kSamples; ++id) check(p, smoothDeformation(law(), id), id);
    }
};

double antisymmetry(const Mat3& m) { return (m - m.transpose()).norm(); }

/// Largest modulus times largest strain, the size of stress at hand.
double modulus(const LawParams& p) { return std::abs(p.lambda) + 2 * p.mu; }
double viscosity(const LawParams& p) { return std::abs(p.phi) + 2 * p.psi; }

/// lambda tr(e) I + 2 mu e as a 9x9 matrix, e = sym(dF).
Mat9 hooke(double lambda, double mu) {
    Mat9 K;
    for (int k = 0; k < 9; ++k) {
        const Mat3 d = unvec(Vec9::Unit(k));
        K.col(k) = vec(lambda * d.trace() * Mat3::Identity() + mu * (d + d.transpose()));
    }
    return K;
}

double smallestEigenvalue(const Mat9& K) { return Eigen::SelfAdjointEigenSolver<Mat9>(K).eigenvalues()[0]; }

void expectFinite(const ElasticLaw& law, const LawParams& p, const Mat3& F) {
    const Mat3 rate = randomMatrix(74, 1);
    EXPECT_TRUE(std::isfinite(law.energy(p, F)));
    EXPECT_TRUE(law.stress(p, F).allFinite());
    EXPECT_TRUE(law.stiffness(p, F).allFinite());
    EXPECT_TRUE(law.viscousStress(p, F, rate).allFinite());
    EXPECT_TRUE(law.viscousTangentF(p, F, rate).allFinite());
    const Mat9 projected = law.projectedStiffness(p, F);
    ASSERT_TRUE(projected.allFinite());
    EXPECT_GE(smallestEigenvalue(projected), -kRoundOff * projected.stableNorm());
}

void expectForbidden(const ElasticLaw& law, const LawParams& p, const Mat3& F) {
    EXPECT_EQ(law.energy(p, F), std::numeric_limits<double>::infinity());
    EXPECT_FALSE(law.stress(p, F).allFinite());
    EXPECT_FALSE(law.stiffness(p, F).allFinite());
    EXPECT_FALSE(law.projectedStiffness(p, F).allFinite());
    EXPECT_FALSE(law.viscousStress(p, F, randomMatrix(74, 1)).allFinite());
}

}  // namespace

TEST_P(ElasticLaws, RestIsExactlyFreeOfForce) {
    const Mat3 rest = Mat3::Identity();
    for (const LawParams& p : sampleParams()) {
        EXPECT_EQ(law().energy(p, rest), 0.0);
        EXPECT_EQ(law().stress(p, rest), Mat3::Zero());
        EXPECT_EQ(law().viscousStress(p, rest, Mat3::Zero()), Mat3::Zero());
    }
}

TEST_P(ElasticLaws, RigidMotionMeetsNoForce) {
    forSamples([&](const LawParams& p, const Mat3& F, std::uint64_t id) {
        const Mat3 Q = randomRotation(70, id), spin = randomSpin(71, id);
        EXPECT_LE(law().stress(p, Q).norm(), kRoundOff * modulus(p));
        EXPECT_LE(std::abs(law().energy(p, Q)), kRoundOff * modulus(p));
        EXPECT_LE(law().viscousStress(p, F, spin * F).norm(),
                  kRoundOff * viscosity(p) * spin.norm() * std::pow(F.norm(), 3));
        EXPECT_LE(law().dissipation(p, F, spin * F), kRoundOff * viscosity(p));
    });
}

TEST_P(ElasticLaws, TurningTheBodyTurnsTheStress) {
    forSamples([&](const LawParams& p, const Mat3& F, std::uint64_t id) {
        const Mat3 Q = randomRotation(70, id), rate = randomMatrix(72, id), spin = randomSpin(71, id);
        const Mat3 P = law().stress(p, F), viscous = law().viscousStress(p, F, rate);
        const double psi = law().energy(p, F);
        EXPECT_NEAR(law().energy(p, Q * F), psi, kRoundOff * (psi + modulus(p)));
        EXPECT_LE((law().stress(p, Q * F) - Q * P).norm(), kRoundOff * (P.norm() + modulus(p)));
        const Mat3 turnedRate = Q * rate + spin * Q * F;
        EXPECT_LE((law().viscousStress(p, Q * F, turnedRate) - Q * viscous).norm(),
                  100 * kRoundOff * viscosity(p));
    });
}

TEST_P(ElasticLaws, TurningTheRestShapeChangesNothing) {
    forSamples([&](const LawParams& p, const Mat3& F, std::uint64_t id) {
        const Mat3 Q = randomRotation(70, id), P = law().stress(p, F);
        const double psi = law().energy(p, F);
        EXPECT_NEAR(law().energy(p, F * Q), psi, kRoundOff * (psi + modulus(p)));
        EXPECT_LE((law().stress(p, F * Q) - P * Q).norm(), kRoundOff * (P.norm() + modulus(p)));
    });
}

TEST_P(ElasticLaws, StressKeepsAngularMomentum) {
    forSamples([&](const LawParams& p, const Mat3& F, std::uint64_t id) {
        const Mat3 rate = randomMatrix(72, id), P = law().stress(p, F),
                   viscous = law().viscousStress(p, F, rate);
        EXPECT_GT(P.norm(), 0.01);
        EXPECT_LE(antisymmetry(P * F.transpose()), kRoundOff * (P.norm() + modulus(p)));
        EXPECT_LE(antisymmetry(viscous * F.transpose()), kRoundOff * viscous.norm());
    });
}

TEST_P(ElasticLaws, ViscosityOnlyTakesEnergy) {
    forSamples([&](const LawParams& p, const Mat3& F, std::uint64_t id) {
        const Mat3 rate = randomMatrix(72, id);
        const double power = law().viscousStress(p, F, rate).cwiseProduct(rate).sum();
        EXPECT_GT(power, 0.0);
        EXPECT_NEAR(power, 2 * law().dissipation(p, F, rate), kRoundOff * power);
        const Mat9 K = law().viscousTangentRate(p, F, rate);
        EXPECT_LE((K - K.transpose()).norm(), kRoundOff * K.norm());
        EXPECT_GE(smallestEigenvalue(K), -kRoundOff * K.norm());
        EXPECT_LE((K * vec(rate) - vec(law().viscousStress(p, F, rate))).norm(),
                  kRoundOff * K.norm() * rate.norm());
    });
}

TEST_P(ElasticLaws, SmallStrainIsHookesLaw) {
    const Mat3 rest = Mat3::Identity();
    for (const LawParams& p : sampleParams()) {
        const Mat9 elastic = hooke(p.lambda, p.mu), viscous = hooke(p.phi, p.psi);
        EXPECT_LE((law().stiffness(p, rest) - elastic).norm(), kRoundOff * elastic.norm());
        EXPECT_LE((law().viscousTangentRate(p, rest, Mat3::Zero()) - viscous).norm(),
                  kRoundOff * viscous.norm());
        // and so is the stress itself, with an error of the order of the strain
        double errors[2];
        for (int i = 0; i < 2; ++i) {
            const Mat3 H = (i ? 1e-4 : 1e-3) * randomMatrix(73, 5);
            errors[i] =
                (vec(law().stress(p, rest + H)) - elastic * vec(H)).norm() / (elastic * vec(H)).norm();
        }
        EXPECT_LE(errors[0], 0.1);
        EXPECT_NEAR(errors[0] / errors[1], 10, 1);
    }
}

TEST_P(ElasticLaws, ProjectedStiffnessIsTheNearestPositiveOne) {
    int unchanged = 0, changed = 0;
    forSamples([&](const LawParams& p, const Mat3& F, std::uint64_t id) {
        // from the sample some way towards rest, where no law has a negative mode
        const double t = static_cast<double>(id / 2 % 4) / 3;
        const Mat3 sample = F.determinant() > 0 ? Mat3((1 - t) * F + t * polar3(F).R) : F;
        const Mat9 K = law().stiffness(p, sample), projected = law().projectedStiffness(p, sample);
        EXPECT_LE((projected - projected.transpose()).norm(), kRoundOff * K.norm());
        EXPECT_GE(smallestEigenvalue(projected), -kRoundOff * K.norm());
        EXPECT_LE((projected - projectPsd9(K)).norm(), 10 * kRoundOff * K.norm());
        const bool positive = smallestEigenvalue(K) >= 0;
        if (positive) {
            EXPECT_LE((projected - K).norm(), 10 * kRoundOff * K.norm());
        }
        ++(positive ? unchanged : changed);
    });
    EXPECT_GT(unchanged, 0);
    EXPECT_GT(changed, 10);
}

/// A law with a barrier has a domain, and says so; any other is finite everywhere.
TEST_P(ElasticLaws, DegenerateElementsAreFiniteOrForbidden) {
    for (const LawParams& p : sampleParams())
        for (const Mat3& F : degenerateDeformations()) {
            if (!law().needsPositiveDet) {
                expectFinite(law(), p, F);
            } else if (F.determinant() <= 0) {
                expectForbidden(law(), p, F);
            }
        }
}

TEST_P(ElasticLaws, FlatteningCostsFiniteEnergyUnlessThereIsABarrier) {
    for (const LawParams& p : sampleParams()) {
        const auto flattened = [&](double height) {
            return law().energy(p, Vec3(1, 1, height).asDiagonal());
        };
        for (double height = 0.1; height > 1e-12; height /= 10) {
            const double growth = flattened(height / 10) / flattened(height);
            EXPECT_EQ(growth > 100, law().needsPositiveDet) << growth;
            EXPECT_EQ(growth < 2, !law().needsPositiveDet) << growth;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Physics, ElasticLaws,
                         ::testing::ValuesIn(elasticLaws().begin(), elasticLaws().end()), testing::lawName);

TEST(ElasticLawList, IsInTheOrderOfTheIds) {
    for (std::size_t i = 0; i < elasticLaws().size(); ++i)
        EXPECT_EQ(static_cast<std::size_t>(elasticLaws()[i].id), i);
    for (const ElasticLaw& law : elasticLaws()) EXPECT_EQ(elasticLawByName(law.name).id, law.id);
}

TEST(ElasticLawList, NamesTheNearestLaw) {
    try {
        elasticLawByName("corotational");
        FAIL() << "an unknown law was accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("'corotational'"), std::string::npos);
        EXPECT_NE(error.remedy().find("'corotated'"), std::string::npos);
    }
}

}  // namespace sunder
