#pragma once

#include <cstdint>
#include <vector>

#include "core/base/monitor.h"
#include "core/io/read_limits.h"
#include "core/io/source.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// Wavefront .obj. f gives polygons and l open curves; vt, vn and colours behind v become the attributes uv
/// and N of vertices and Cd of points; every name after g is a group of primitives, o the primitive attribute
/// `name`, usemtl `shop_materialpath`. Smoothing groups and the names of material files are not kept.
Geometry readObj(const Source& source, Monitor* monitor, const ReadLimits& limits);

/// The same things the other way. Other attributes do not fit in the format; tets throw Error.
std::vector<std::uint8_t> writeObj(const Geometry& geometry);

}  // namespace sunder
