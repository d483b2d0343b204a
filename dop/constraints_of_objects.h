#pragma once

#include <SIM/SIM_Object.h>

#include <vector>

#include "core/base/monitor.h"
#include "core/sim/constraint_track.h"

namespace sunder::dop {

/// Binds the geometry ConstraintGeometry of objects that have become bodies; `first` is the number of the
/// first one's body. Throws Error with the object's name.
std::vector<ConstraintTrack> bindObjects(WorldState& world, const std::vector<SIM_Object*>& objects,
                                         std::size_t first, Monitor* monitor);

/// That geometry as the objects have it now, in the order of the tracks. `numbers` are those of the objects'
/// bodies.
std::vector<Geometry> drawnOfObjects(const std::vector<ConstraintTrack>& tracks,
                                     const std::vector<SIM_Object*>& objects,
                                     const std::vector<std::size_t>& numbers, Monitor* monitor);

}  // namespace sunder::dop
