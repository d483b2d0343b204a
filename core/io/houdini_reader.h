#pragma once

#include "core/base/monitor.h"
#include "core/io/read_limits.h"
#include "core/io/source.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// Reads .geo and .bgeo, plain, gzipped or in the seekable container, whichever the bytes are.
Geometry readHoudini(const Source& source, Monitor* monitor, const ReadLimits& limits);

}  // namespace sunder
