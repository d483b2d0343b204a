#include <cmath>
#include <functional>

#include "tests/material/law_samples.h"

namespace sunder {

using testing::EveryLaw;
using testing::randomMatrix;
using testing::sampleParams;
using testing::smoothDeformation;

namespace {

constexpr std::uint64_t kSamples = 40;

/// Central differences at h and h/2 against a derivative, over many samples: the root of the summed squared
/// errors.
struct DifferenceErrors {
    double coarseSq = 0, fineSq = 0, extrapolated = 0, largest = 0;

    template <class Function>
    void add(Function&& f, const Vec9& derivative) {
        const double h = 4e-3;
        const Vec9 coarse = (f(h) - f(-h)) / (2 * h), fine = (f(h / 2) - f(-h / 2)) / h;
        coarseSq += (coarse - derivative).squaredNorm();
        fineSq += (fine - derivative).squaredNorm();
        extrapolated = std::max(extrapolated, ((4 * fine - coarse) / 3 - derivative).norm());
        largest = std::max(largest, derivative.norm());
    }

    /// What is left after extrapolation is of order h^4 times a fifth derivative: a few hundred times 4e-3^4
    /// = 2.6e-10. A function without third derivative along the line has no error but rounding, and then no
    /// order to observe.
    void expectSecondOrder() const {
        EXPECT_GT(largest, 0.01);
        EXPECT_LE(extrapolated, 3e-7 * largest);
        const double coarse = std::sqrt(coarseSq), fine = std::sqrt(fineSq);
        if (coarse > 1e-9 * largest) {
            EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05);
        }
    }
};

Vec9 single(double value) { return Vec9::Unit(0) * value; }

/// Calls check(params, F, rate, direction) over samples.
template <class Check>
void forSamples(const ElasticLaw& law, Check&& check) {
    for (const LawParams& p : sampleParams()) {
        DifferenceErrors errors;
        for (std::uint64_t id = 0; id < kSamples; ++id)
            check(p, smoothDeformation(law, id), randomMatrix(61, id), randomMatrix(62, id).normalized(),
                  errors);
        errors.expectSecondOrder();
    }
}

}  // namespace

TEST_P(EveryLaw, StressIsTheGradientOfEnergy) {
    const ElasticLaw& law = GetParam();
    forSamples(law,
               [&](const LawParams& p, const Mat3& F, const Mat3&, const Mat3& d, DifferenceErrors& errors) {
                   errors.add([&](double h) { return single(law.energy(p, F + h * d)); },
                              single(law.stress(p, F).cwiseProduct(d).sum()));
               });
}

TEST_P(EveryLaw, StiffnessIsTheGradientOfStress) {
    const ElasticLaw& law = GetParam();
    forSamples(
        law, [&](const LawParams& p, const Mat3& F, const Mat3&, const Mat3& d, DifferenceErrors& errors) {
            errors.add([&](double h) { return vec(law.stress(p, F + h * d)); }, law.stiffness(p, F) * vec(d));
        });
}

TEST_P(EveryLaw, StiffnessIsSymmetric) {
    const ElasticLaw& law = GetParam();
    for (const LawParams& p : sampleParams())
        for (std::uint64_t id = 0; id < kSamples; ++id) {
            const Mat9 K = law.stiffness(p, smoothDeformation(law, id));
            EXPECT_LE((K - K.transpose()).norm(), 1e-14 * K.norm());
        }
}

TEST_P(EveryLaw, ViscousStressIsTheGradientOfDissipation) {
    const ElasticLaw& law = GetParam();
    forSamples(law, [&](const LawParams& p, const Mat3& F, const Mat3& rate, const Mat3& d,
                        DifferenceErrors& errors) {
        errors.add([&](double h) { return single(law.dissipation(p, F, rate + h * d)); },
                   single(law.viscousStress(p, F, rate).cwiseProduct(d).sum()));
    });
}

TEST_P(EveryLaw, ViscousTangentsAreTheGradientsOfViscousStress) {
    const ElasticLaw& law = GetParam();
    forSamples(law, [&](const LawParams& p, const Mat3& F, const Mat3& rate, const Mat3& d,
                        DifferenceErrors& errors) {
        errors.add([&](double h) { return vec(law.viscousStress(p, F, rate + h * d)); },
                   law.viscousTangentRate(p, F, rate) * vec(d));
    });
    forSamples(law, [&](const LawParams& p, const Mat3& F, const Mat3& rate, const Mat3& d,
                        DifferenceErrors& errors) {
        errors.add([&](double h) { return vec(law.viscousStress(p, F + h * d, rate)); },
                   law.viscousTangentF(p, F, rate) * vec(d));
    });
}

INSTANTIATE_TEST_SUITE_P(Derivatives, EveryLaw,
                         ::testing::ValuesIn(elasticLaws().begin(), elasticLaws().end()), testing::lawName);

}  // namespace sunder
