#pragma once

#include <GU/GU_Detail.h>

#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"

namespace sunder::hdk {

// Polygons, open curves and tets, in the order of their indices on Houdini's side, and in core's orientation here: first vertices stay first.

/// Adds those of a detail to a geometry without any and gives their offsets. Those of primitives of other kinds go to `left`.
std::vector<GA_Offset> readPrimitives(const GU_Detail& detail, Geometry& geometry, std::vector<GA_Offset>& left, Monitor* monitor);
/// Says that primitives have been left out, if there are any.
void warnLeftOut(Monitor* monitor, std::size_t count);

/// Offsets of the vertices of a geometry's primitives, which are at these offsets in the detail, as the geometry orders them.
std::vector<GA_Offset> verticesOf(const GU_Detail& detail, const Geometry& geometry, const std::vector<GA_Offset>& primitives, Monitor* monitor);

/// Adds those of a geometry to a detail that has its points, from `firstPoint` on, and no primitives.
void buildPrimitives(GU_Detail& detail, GA_Offset firstPoint, const Geometry& geometry, Monitor* monitor);
/// Whether a detail with as many primitives has the same ones.
bool hasSamePrimitives(const GU_Detail& detail, const Geometry& geometry);

}  // namespace sunder::hdk
