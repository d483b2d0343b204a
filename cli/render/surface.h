#pragma once

#include <cstdint>
#include <vector>

#include "cli/render/options.h"
#include "core/mesh/geometry.h"

namespace sunder::render {

/// What is seen of a geometry: its polygons as triangles and the boundary of its tets. Curves are not drawn.
struct Surface {
    std::vector<Vec3> positions;           ///< of all points, also of those inside, m
    std::vector<Tri> triangles;            ///< points, counter-clockwise seen from outside
    std::vector<Tri> vertices;             ///< the geometry's vertex at each corner
    std::vector<std::int32_t> primitives;  ///< the geometry's primitive of each triangle
    std::vector<std::uint8_t> edges;  ///< bit k: the edge from corner k to the next is an edge of the face
    std::vector<Eigen::Vector3f> normals;  ///< three a triangle, unit
    std::vector<float> values;             ///< of the attribute, three a triangle; empty without one

    std::size_t triangleCount() const { return triangles.size(); }
    const Vec3& corner(std::size_t triangle, std::size_t k) const {
        return positions[static_cast<std::size_t>(triangles[triangle][k])];
    }
};

/// Throws Error if there is nothing to draw, a position is not finite or the attribute is missing.
Surface buildSurface(const Geometry& geometry, const RenderOptions& options);

/// Appends the faces that belong to exactly one tet.
void appendTetBoundary(const Geometry& geometry, Surface& surface);
/// Appends all polygons with at least three vertices.
void appendPolygons(const Geometry& geometry, Surface& surface);
/// Fills `normals`: of the face, or smooth across edges flatter than the crease angle.
void updateNormals(Surface& surface, Shading shading, double creaseAngle);
/// Fills `values` from the attribute of that name on vertices, points or primitives; vectors by length.
void updateValues(const Geometry& geometry, const std::string& attribute, Surface& surface);

}  // namespace sunder::render
