#pragma once

#include <limits>
#include <vector>

#include "core/contact/collider_patches.h"
#include "core/contact/contact_shape.h"

namespace sunder {

/// A layer of tets that stands for a surface, so that contact by overlap serves. Behind every triangle is a prism of three tets.
/// Of closed parts the fronts lie on the surface and the backs inside; of open ones fronts and backs lie half the thickness off it.
/// Neighbours share the vertices and the diagonals of their sides: the diagonal starts at the front of the column with the smaller
/// number. Where three triangles meet at an edge, or parts in a point, layers overlap instead. A body that is deeper than the layer is
/// pushed out less, and one that has passed it not at all.
struct ColliderSlab {
    std::vector<Vec3> vertices;             ///< of column c the front is c and the back c + columnCount(), m
    std::vector<Tet> tets;                  ///< three a triangle; 0 and 3 are back and front, or front and back, of one column
    std::vector<std::int32_t> tetTriangle;  ///< of the surface, for every tet
    std::vector<std::uint8_t> outerFaces;   ///< by tet, bit i: the face opposite its vertex i can be touched
    std::vector<double> reach;              ///< thickness at every column, m
    ColliderPatches patches;
    double thickness = 0;                   ///< m, the most that was asked for or chosen
    std::size_t surfaceVertexCount = 0;
    ColliderReport report;

    std::size_t columnCount() const { return patches.columnCount(); }
    /// Vertex of the surface that a vertex of the layer follows.
    std::int32_t surfaceVertex(std::size_t v) const { return patches.vertex[v < columnCount() ? v : v - columnCount()]; }
};

/// Throws Error where nothing can be made of the surface; all else is in the slab's report.
///
/// Thickness, if none is given: half the median length of the triangles' sides; where both sides collide at most a hundredth of the
/// diagonal of the surface's box, as bodies stay half of it off the surface. Whatever it is, a column of a closed part reaches at most
/// a third of the way to the opposite side, and one of an open part a third to each side, seen from the middles of the triangles around
/// it and from those that see these. Sides nearer than a thousandth of the thickness count as the same surface. Next to a thin place it
/// grows by no more than the distance to it. Where tets would still be inverted, it is halved.
ColliderSlab buildColliderSlab(const ColliderSurface& surface);

/// What had to be done to place a slab, beyond what its build had done.
struct ColliderPlacement {
    ColliderTrouble shortened, givenUp;  ///< as in ColliderReport
};
/// Moves the slab to new positions of the same surface. It depends on these and on the build alone, not on updates in between.
ColliderPlacement updateColliderSlab(ColliderSlab& slab, Span<const Vec3> positions);

/// How a collider meets bodies.
struct ColliderProperties {
    double youngs = std::numeric_limits<double>::infinity();  ///< Pa; infinite: the body alone yields, and its restitution counts
    double density = 1000;   ///< kg/m^3, where youngs is finite; only damping knows it
    ContactSurface surface;  ///< its `self` is not looked at: colliders do not meet themselves
};
/// At the slab's present positions.
ContactShape buildContactShape(const ColliderSlab& slab, const ColliderProperties& properties);

}  // namespace sunder
