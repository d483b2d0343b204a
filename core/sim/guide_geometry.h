#pragma once

#include "core/mesh/geometry.h"
#include "core/sim/scene.h"

namespace sunder {

/// Drawn curves and surfaces become guides: every primitive gets what the guide does, as the attributes `guide` (its name), `strength`, `width` (m) and
/// `follow`; its transform moves them. So guides can be merged. Throws Error if there is nothing drawn, or for values that make no sense.
void markGuide(Geometry& drawn, const SceneGuide& guide);

/// Throws Error for a guide whose values make no sense; shapes from files are not looked at.
void validateGuide(const SceneGuide& guide);

/// Points of the first curve. Throws Error if there is none.
std::vector<Vec3> firstCurve(const Geometry& drawn);

/// One guide of merged ones, and what is drawn of it.
struct DrawnGuide {
    SceneGuide guide;  ///< its shape is to be set by the caller: a file that the loader of the world knows
    Geometry geometry;
};
/// Guides by name and values, in the order of their first primitives. Primitives that nobody marked are a guide with the defaults. None for geometry without primitives.
std::vector<DrawnGuide> drawnGuides(const Geometry& marked);

}  // namespace sunder
