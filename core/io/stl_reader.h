#pragma once

#include "core/base/monitor.h"
#include "core/io/read_limits.h"
#include "core/io/source.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// .stl, text or binary. Corners at exactly the same place become one point, so that the surface is
/// connected. The normals are not kept, the corners give them; solids' names become the primitive attribute
/// `name`, the two spare bytes of a binary triangle `stl_attribute` if any is not 0.
Geometry readStl(const Source& source, Monitor* monitor, const ReadLimits& limits);

}  // namespace sunder
