#pragma once

#include <string>
#include <vector>

#include "core/sim/scene_build.h"

namespace sunder {

/// Bodies that appear in a world that runs: those of the scene behind the ones that the world has, of which the scene needs name and contact alone. They come behind all others, so that whatever goes
/// by the number of a body stays as it is, and draw their random numbers by their own. Overlap that they bring is allowed, as at the start of a world, and their energy is booked as work. Returns
/// what is to be said of it. Throws Error, and leaves the world as it was, for glue and for contact groups that would take the place of those in use.
std::vector<std::string> addLateBodies(WorldState& world, const Scene& scene, const GeometryLoader& load, Monitor* monitor = nullptr);

}  // namespace sunder
