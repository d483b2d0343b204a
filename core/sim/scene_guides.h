#pragma once

#include "core/sim/scene_build.h"
#include "core/sim/scene_shapes.h"

namespace sunder {

/// The weak surfaces of one body of a scene, placed; patterns are drawn by the scene's seed, the number of the body and that of the guide.
std::vector<WeakSurface> buildGuides(const Scene& scene, std::size_t body, const GeometryLoader& load, Monitor* monitor);

/// Writes the cells of the patterns that are to make parts into the attribute `fracturepart`, over what is painted there.
void addPatternParts(const SceneBody& body, const std::vector<WeakSurface>& surfaces, Solid& solid);

/// Throws Error for a guide that no vertex of the body is near; warns of patterns that are too fine for its mesh, and of guides in what cannot break.
void checkGuides(const Body& body, Monitor* monitor);

}  // namespace sunder
