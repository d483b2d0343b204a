#pragma once

#include <vector>

#include "core/math/types.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// Triangles counter-clockwise seen from outside. Made from any polygons by fan triangulation; `face` tells which polygon a
/// triangle came from.
struct TriMesh {
    std::vector<Vec3> positions;
    std::vector<Tri> triangles;
    std::vector<std::int32_t> face;  ///< primitive number of every triangle, or empty

    std::size_t vertexCount() const { return positions.size(); }
    std::size_t triangleCount() const { return triangles.size(); }
};

/// The polygons of a geometry as triangles over the same points. Quads are cut along the shorter diagonal, larger polygons
/// by ear clipping in the plane of their area vector.
TriMesh triMeshFromGeometry(const Geometry& geometry);
/// One polygon a triangle, no attributes.
Geometry geometryFromTriMesh(const TriMesh& mesh);

}  // namespace sunder
