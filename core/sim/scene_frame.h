#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// What a cache shows of the world at one frame: the tets of all bodies, in their order, then the triangles
/// of the visible colliders, as one geometry.
/// Points carry `v` and `accel`, primitives `name` (the piece or collider), `stress`, `strain`, `quality` and
/// `detF`, both what addLineage gives them, the whole `time` and `frame`. Attributes and groups of the bodies' models follow; where only some
/// bodies have one, it is zero on the others; colliders show no strain, no stress and no acceleration. Where something can break, points have `damage`: how near
/// to breaking they have come, 0 to 1. Where a model named materials, primitives name them, too. Where contact gave way (contactDepths) points
/// have `contactdepth`, m. Pieces that have left as rigid bodies are shown as if they had not, without stress; particles see showParticles.
Geometry frameGeometry(const WorldState& world, std::int64_t frame);
/// The same for bodies out of a larger world, in which contact is known by other numbers: with what contactDepths says of them there.
Geometry frameGeometry(const WorldState& world, std::int64_t frame, const std::vector<std::vector<float>>& depths);

}  // namespace sunder
