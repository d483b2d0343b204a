#pragma once

#include <array>
#include <vector>

#include "core/contact/collider_surface.h"
#include "core/mesh/adjacency.h"

namespace sunder {

/// How the triangles of a collider hang together. A part is what edges of two triangles join. At a vertex, the triangles that such
/// edges join around it have a column: a front and a back vertex of the layer. A vertex where parts meet in one point, or along an edge
/// of three triangles, has several columns.
struct ColliderPatches {
    std::vector<std::int32_t> triangle;    ///< of the surface, for each that is used; all else goes by the used ones
    std::vector<Tri> corners;              ///< vertices of the surface, turned to agree
    std::vector<Tri> columns;              ///< of these corners
    std::vector<std::array<std::int8_t, 3>> side;  ///< 1 if a column's front is on the side of the triangle's normal, or -1
    std::vector<std::uint8_t> rim;         ///< bit k: nothing continues the layer behind the side from corner k to k + 1
    std::vector<std::int32_t> vertex;      ///< of every column, ascending
    std::vector<std::uint8_t> twoSided;    ///< by column
    IndexLists columnCorners;              ///< 3 * triangle + corner, of every column

    std::size_t columnCount() const { return vertex.size(); }
    bool isTwoSided(std::size_t t) const { return twoSided[columns[t][0]] != 0; }
};

ColliderPatches buildColliderPatches(const ColliderSurface& surface, ColliderReport& report);

}  // namespace sunder
