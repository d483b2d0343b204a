#pragma once

#include <cstddef>
#include <vector>

#include "core/base/span.h"
#include "core/spatial/aabb.h"

namespace sunder::bench {

/// Number of overlapping pairs among the boxes by CGAL's box_self_intersection_d, each pair stored; with one
/// thread, or with CGAL's parallel mode and as many as TBB has.
std::size_t cgalSelfPairs(Span<const Aabb> boxes, bool parallel);

}  // namespace sunder::bench
