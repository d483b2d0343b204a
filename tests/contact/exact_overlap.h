#pragma once

#include <gmpxx.h>

#include <array>

#include "core/math/types.h"

namespace sunder::testing {

/// Overlap of two tets in rational numbers: volume and the shares of a's corners, rounded once at the end. It
/// clips the faces as loose polygons, so it has nothing in common with the kernel that it judges.
struct ExactOverlap {
    double volume;
    std::array<double, 4> shares;
};
ExactOverlap exactOverlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

}  // namespace sunder::testing
