#pragma once

#include <SIM/SIM_Object.h>

#include <vector>

#include "core/base/monitor.h"
#include "core/sim/world.h"

namespace sunder::dop {

/// Forces that DOP nodes have put on objects, for the next step. `numbers` are those of the objects' bodies.
/// Gravity nodes of an object count in place of the solver's gravity; what all objects have in common goes into the settings. All other forces are asked for at every vertex as the step begins
/// and push throughout. Throws Error with the object's name.
void addForces(const std::vector<SIM_Object*>& objects, const std::vector<std::size_t>& numbers, WorldState& world, StepSettings& settings, Monitor& monitor);

}  // namespace sunder::dop
