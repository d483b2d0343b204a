#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// Names of what an artist may paint anew between two steps: point and primitive attributes that a body is made of, and the point groups or attributes that its pins and targets are named after.
std::vector<std::string> paintedNames(const Body& body);

/// A body after an artist has changed what was shown of it, beyond positions and velocities: painted values that are not those shown last win, and so do members of groups that pins and targets
/// hold. What is held from now on is held where it is; nothing that pulled before is made good. Nothing if none has been changed. `shown` has the points and tets of the body and of
/// the names above what there is. Throws Error with a remedy for paint that makes no sense.
std::optional<WorldBody> takePaint(const WorldState& world, std::size_t number, const Geometry& shown);

}  // namespace sunder
