#pragma once

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// Points of particles; the group is there only once there are some.
inline constexpr const char* kParticleGroup = "particles";

/// A frame of all bodies, in which pieces that have left as particles are still tets: each becomes the first of its points, which keeps its id, with the particle's place, `v`, `mass` and
/// `radius` (m), and is in the group. `firstPoint` and `firstTet` say where each body begins.
Geometry showParticles(const Geometry& frame, const WorldState& world, Span<const std::size_t> firstPoint, Span<const std::size_t> firstTet);

}  // namespace sunder
