#pragma once

#include "core/math/types.h"

namespace sunder {

/// Signs of determinants of coordinates, exact: -1, 0 or 1. A rounding-error bound settles almost all calls;
/// the rest are evaluated in expansions (sums of doubles that do not overlap). Right for all finite input
/// whose nonzero coordinates span less than 300 binary orders of magnitude.

/// Sign of det[b - a, c - a]: 1 if a, b, c turn counter-clockwise.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);
/// Sign of det[b - a, c - a, d - a]: 1 for the orientation of our tets; d sees a, b, c counter-clockwise.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace sunder
