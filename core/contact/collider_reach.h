#pragma once

#include "core/contact/collider_patches.h"

namespace sunder {

/// The thickness at every column if none is given: half the median length of the sides of the triangles that have an area; where both
/// sides collide at most a hundredth of the diagonal of the surface's box, as bodies stay half of it off the surface.
std::vector<double> chooseThickness(const ColliderPatches& patches, Span<const Vec3> positions);

/// How thick the layer can be at every column: as wanted, or what fits between opposite sides, see buildColliderSlab.
std::vector<double> computeReach(const ColliderPatches& patches, Span<const Vec3> positions, Span<const double> wanted, ColliderReport& report);

/// Twice the area vector of every triangle; zero if it has no area.
void computeDoubleAreas(const ColliderPatches& patches, Span<const Vec3> positions, std::vector<Vec3>& doubleArea);

/// Where backs are from fronts, at every column, for a thickness of 1 (backwards is minus): along the normals of the triangles around
/// it, weighted by their angles, and so long that these triangles' backs are 1 away in the mean; at most 2. Zero if nothing there has
/// an area.
void computeDirections(const ColliderPatches& patches, Span<const Vec3> positions, Span<const Vec3> doubleArea, std::vector<Vec3>& direction);

}  // namespace sunder
