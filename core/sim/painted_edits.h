#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// Names of attributes that frames make of the state, whoever writes to them: nothing of theirs is taken back, but `v`.
std::vector<std::string> namesOfFrames();

/// A body after an artist has changed what was shown of it, beyond positions and velocities. Painted values that bodies are made of and that are not those shown last win, and so do members of groups
/// that pins and targets hold: what is held from now on is held where it is; nothing that pulled before is made good. Other attributes and groups of points and tets are carried along from now on,
/// through cracks, too; where they alone were changed the state is the very same. Nothing if none has been changed. `shown` has the points and tets of the body and all of their attributes and groups
/// but those of frames. Throws Error with a remedy for paint that makes no sense.
std::optional<WorldBody> takePaint(const WorldState& world, std::size_t number, const Geometry& shown);

}  // namespace sunder
