#pragma once

#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"

namespace sunder {

/// The skin of a solid: outward triangles over the solid's own vertices.
struct BoundarySurface {
    std::vector<Tri> triangles;
    std::vector<std::int32_t> tet;       ///< the tet behind every triangle
    std::vector<std::int32_t> vertices;  ///< solid vertices on the surface, ascending
};

BoundarySurface extractBoundary(const TetMesh& mesh);
/// The skin at rest as a mesh of its own, vertices in the solid's order.
TriMesh boundaryMesh(const TetMesh& mesh);

/// Area vector of every triangle at positions x, m^2.
std::vector<Vec3> triangleAreaVectors(Span<const Tri> triangles, Span<const Vec3> x);
/// Unit normals of x.size() vertices, weighted by the triangles' angles there; zero for vertices off the
/// surface.
std::vector<Vec3> vertexNormals(Span<const Tri> triangles, Span<const Vec3> x);

}  // namespace sunder
