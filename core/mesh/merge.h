#pragma once

#include "core/mesh/geometry.h"

namespace sunder {

/// Appends points, primitives, attributes and groups of `from`. What only one of the two has is zero, empty or outside on the other; an attribute of
/// another type or size than that of the same name in `to` is left out. Detail attributes stay those of `to`.
void appendGeometry(Geometry& to, const Geometry& from);

}  // namespace sunder
