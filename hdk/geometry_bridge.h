#pragma once

#include <GU/GU_Detail.h>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"

namespace sunder::hdk {

/// Points, polygons, open curves and tets of a detail, in the order of their indices and in core's orientation, with all numeric and string
/// attributes and groups. Equal to what reading the detail's .bgeo gives, but that groups come by name. Other primitives and kinds of
/// attributes are left out, and Monitor::warn hears of it.
Geometry geometryFromDetail(const GU_Detail& detail, Monitor* monitor = nullptr);

/// What a running simulation takes back: positions, primitives, and attributes and groups of points and primitives but for attributes `without`; the point attribute `v` in any case.
Geometry motionFromDetail(const GU_Detail& detail, Monitor* monitor = nullptr, const std::vector<std::string>& without = {});

/// Positions and primitives alone of what is not packed, without the points of packed primitives. Counts primitives of other kinds, which are left out, too.
Geometry looseFromDetail(const GU_Detail& detail, std::size_t& others);

/// Makes `detail` hold the geometry and nothing else, in Houdini's orientation; data ids are bumped. Positions become single precision. What a stop (Cancelled) leaves is unfinished.
void writeDetail(GU_Detail& detail, const Geometry& geometry, Monitor* monitor = nullptr);
/// Makes it hold nothing.
void clearDetail(GU_Detail& detail);

/// Whether a detail has the points, primitives, attributes and groups of the geometry already, so that nothing but values has to be written. `read` is what was read of the
/// detail as it is now, if it was: then its primitives need not be asked again.
bool hasSameElements(const GU_Detail& detail, const Geometry& geometry, const Geometry* read = nullptr);
/// Writes the values of a geometry to a detail of which that is so. Adds nothing, so no name or type can be refused.
void writeValues(GU_Detail& detail, const Geometry& geometry);

/// The one or the other: where they can stay, points and primitives do, with their data ids.
void updateDetail(GU_Detail& detail, const Geometry& geometry, const Geometry* read = nullptr);

/// Adds or replaces one attribute, whose elements go by index. No data id but its own is bumped. For `kDetail` owners it has one element.
void writeAttribute(GU_Detail& detail, GA_AttributeOwner owner, const Attribute& attribute);

}  // namespace sunder::hdk
