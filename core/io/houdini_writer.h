#pragma once

#include <cstdint>
#include <vector>

#include "core/io/geometry_io.h"

namespace sunder {

/// The tree of a geometry as text (.geo) or binary (.bgeo), not compressed.
std::vector<std::uint8_t> writeHoudini(const Geometry& geometry, bool binary, const WriteOptions& options);

}  // namespace sunder
