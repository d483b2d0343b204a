#pragma once

#include <cstdint>

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// What a cache shows of the world at one frame: the tets of all bodies, in their order, as one geometry.
/// Points carry `v`, `accel` and `id`, primitives `name` (the body), `stress`, `strain`, `quality` and
/// `detF`, the whole `time` and `frame`. Attributes and groups of the bodies' models follow; where only some
/// bodies have one, it is zero on the others.
Geometry frameGeometry(const WorldState& world, std::int64_t frame);

}  // namespace sunder
