#pragma once

#include <SIM/SIM_Object.h>

#include <vector>

#include "core/base/monitor.h"
#include "core/sim/constraint_track.h"

namespace sunder::dop {

// Objects are in the order of their bodies.

/// Binds the geometry ConstraintGeometry of objects that have some and no track yet, as they are now. Throws
/// Error with the object's name.
void bindObjects(WorldState& world, const std::vector<SIM_Object*>& objects,
                 std::vector<ConstraintTrack>& tracks, Monitor* monitor);

/// That geometry as the objects have it now, in the order of the tracks.
std::vector<Geometry> drawnOfObjects(const std::vector<ConstraintTrack>& tracks,
                                     const std::vector<SIM_Object*>& objects, Monitor* monitor);

}  // namespace sunder::dop
