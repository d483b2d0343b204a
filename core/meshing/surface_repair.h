#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/mesh/tri_mesh.h"

namespace sunder {

/// The polygons of a geometry as triangles with the harmless trouble put right: coincident points fused,
/// collapsed faces, copies and unused points left out, faces turned so that shells are consistent and solids
/// face outward. Shape and holes stay as they are.
struct RepairedSurface {
    TriMesh mesh;                     ///< `face` holds primitive numbers of the geometry
    std::vector<std::int32_t> point;  ///< geometry point of every vertex, the first of those fused
    std::vector<std::array<std::int32_t, 3>> geometryVertex;  ///< geometry vertex of every triangle corner
    std::vector<std::string> notes;  ///< what was done, a sentence each; empty if nothing
};
RepairedSurface repairSurface(const Geometry& geometry);

/// Throws Error for geometry that no mesher can use: no polygons, points that are not numbers, everything in
/// one plane.
void requireMeshable(const Geometry& geometry);

}  // namespace sunder
