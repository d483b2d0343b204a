#pragma once

#include <string>
#include <vector>

#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"

namespace sunder::testing {

/// A box of nx x ny x nz cubes of the given size from the origin, six tets a cube (Kuhn's cut, one diagonal direction).
TetMesh makeBox(int nx, int ny, int nz, const Vec3& size);
/// A ring around the z axis, `around` x `across` x `across` cells of six tets, radii in m.
TetMesh makeTorus(int around, int across, double ringRadius, double tubeRadius);
/// Moves every vertex by up to `amount` of its shortest edge, seeded; the tets stay positive.
void jitter(TetMesh& mesh, double amount, std::uint64_t seed);
/// A closed sphere of triangles, subdivided from an icosahedron.
TriMesh makeSphere(int subdivisions, double radius);
/// Geometries as one, as Houdini's Merge node makes it: behind each other, zeros and empty texts where one has not an attribute or group of another; of the whole, the first that has it.
Geometry merged(const std::vector<Geometry>& parts);
/// A text for all primitives of a geometry.
Geometry withText(Geometry geometry, const std::string& name, const std::string& text);
/// A file of ../shared/models from the project's root, or an empty string where it is absent.
std::string modelPath(const std::string& name);

}  // namespace sunder::testing
