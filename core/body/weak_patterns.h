#pragma once

#include "core/body/weak_surface.h"

namespace sunder {

/// The nearest surface of a pattern, p in its own axes. Pure functions: the random numbers are drawn by seed and cell.
WeakPoint nearestWeak(const GrainPattern& pattern, std::uint64_t seed, const Vec3& p);
WeakPoint nearestWeak(const BrickPattern& pattern, std::uint64_t seed, const Vec3& p);
WeakPoint nearestWeak(const RadialPattern& pattern, std::uint64_t seed, const Vec3& p);
WeakPoint nearestWeak(const VoronoiPattern& pattern, std::uint64_t seed, const Vec3& p);

}  // namespace sunder
