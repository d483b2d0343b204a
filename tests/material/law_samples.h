#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/material/elastic_law.h"

namespace sunder {
inline void PrintTo(const ElasticLaw& law, std::ostream* out) { *out << law.name; }
}  // namespace sunder

namespace sunder::testing {

/// Materials from foam-like to nearly incompressible, with a negative Poisson's ratio among them; stiffness
/// of order 1, so that errors read as relative ones.
std::vector<LawParams> sampleParams();

Mat3 randomMatrix(std::uint64_t seed, std::uint64_t id);
Mat3 randomRotation(std::uint64_t seed, std::uint64_t id);
/// The spin matrix of a random angular velocity: antisymmetric.
Mat3 randomSpin(std::uint64_t seed, std::uint64_t id);

/// Strained by tens of percent and rotated; every second one inverted if the law admits that. Stretches and
/// their sums keep away from zero, where `corotated` has kinks.
Mat3 smoothDeformation(const ElasticLaw& law, std::uint64_t id);

/// Flat, needle-like, collapsed to a point, exactly mirrored, and with two stretches of opposite sign.
std::vector<Mat3> degenerateDeformations();

/// Runs a test for every law of the list.
class EveryLaw : public ::testing::TestWithParam<ElasticLaw> {};
std::string lawName(const ::testing::TestParamInfo<ElasticLaw>& info);

}  // namespace sunder::testing
