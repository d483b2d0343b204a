#pragma once

#include "core/sim/cache_frame.h"

namespace sunder {

/// A frame on the topology of the last one: split along every crack that ever opens, and closed until it does. A point that the frame has not yet
/// lies where its ancestors and their weights put it, so what is shown is the frame's own shape. Other attributes of points follow in the same way,
/// those of tets from the tet that each was cut from; what belongs to the topology (ids, parents, restP, mass, name, insidefaces) is that of the
/// last frame. The tets' `openfaces` are bits as in `insidefaces`, set where the crack is open by now. Where the
/// last frame has the group `departed` (cache_departed.h), all have.
Geometry onLastTopology(const CacheFrame& frame, const CacheFrame& last, Monitor* monitor = nullptr);

}  // namespace sunder
