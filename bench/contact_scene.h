#pragma once

#include <vector>

#include "core/contact/grown_boxes.h"
#include "core/mesh/tri_mesh.h"

namespace sunder::bench {

/// A sphere of 12 m^2 triangles on the faces of a cube, a little rough so that nothing lines up.
TriMesh makeCubeSphere(int m, double radius, std::uint64_t seed);
/// Both in one mesh.
TriMesh joinMeshes(const TriMesh& a, const TriMesh& b);
void moveMesh(TriMesh& mesh, const Vec3& by);
std::vector<ElementCorners> elementsOf(const TriMesh& mesh);
void computeBoxes(const TriMesh& mesh, std::vector<Aabb>& boxes);

}  // namespace sunder::bench
