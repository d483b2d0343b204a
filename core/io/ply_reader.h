#pragma once

#include "core/base/monitor.h"
#include "core/io/read_limits.h"
#include "core/io/source.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// Stanford .ply, text or binary of either endianness. Normals, colours and texture coordinates become N, Cd
/// (0 to 1), Alpha and uv; every other property of a vertex or a face an attribute of its own name.
Geometry readPly(const Source& source, Monitor* monitor, const ReadLimits& limits);

}  // namespace sunder
