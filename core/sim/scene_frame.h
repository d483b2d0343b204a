#pragma once

#include <cstdint>

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// What a cache shows of the world at one frame: the tets of all bodies, in their order, then the triangles
/// of the visible colliders, as one geometry.
/// Points carry `v` and `accel`, primitives `name` (the piece or collider), `stress`, `strain`, `quality` and
/// `detF`, both what addLineage gives them, the whole `time` and `frame`. Attributes and groups of the bodies' models follow; where only some
/// bodies have one, it is zero on the others; colliders show no strain, no stress and no acceleration.
Geometry frameGeometry(const WorldState& world, std::int64_t frame);

}  // namespace sunder
