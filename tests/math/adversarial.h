#pragma once

#include <cstdint>

#include "core/math/types.h"

namespace sunder::testing {

/// Matrices that decompositions stumble over, one family after the other by id: random, known spectra over 20
/// decades, equal and nearly equal values, low rank, integers with zeros, near the identity, graded rows and
/// columns, shears, rotations and reflections; a third of all scaled to 1e150, 1e-150 or into the denormals.
Mat3 adversarialMatrix(std::uint64_t id);
Mat3 adversarialSymmetric(std::uint64_t id);

/// Uniform over the rotations.
Mat3 randomRotation(std::uint64_t seed, std::uint64_t id);

/// U diag(sigma) V^T, formed in long double and rounded once.
struct KnownSvd {
    Mat3 F;
    Vec3 sigma;
};
KnownSvd knownSvd(std::uint64_t id);

}  // namespace sunder::testing
