#pragma once

#include <cstdint>
#include <vector>

#include "core/math/types.h"
#include "core/mesh/attributes.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// A solid at rest: vertices and tets with det[v1-v0, v2-v0, v3-v0] > 0.
struct TetMesh {
    std::vector<Vec3> rest;  ///< rest position of every vertex, m
    std::vector<Tet> tets;
    std::uint64_t topologyVersion = 0;  ///< changes with every edit of `tets`

    std::size_t vertexCount() const { return rest.size(); }
    std::size_t tetCount() const { return tets.size(); }
};

/// Faces of a tet, outward (counter-clockwise seen from outside); face i is opposite vertex i.
inline constexpr int kTetFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
inline constexpr int kTetEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// Six times the volume is the determinant; positive for our orientation.
double signedVolume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
double restVolume(const TetMesh& mesh, std::size_t tet);
/// Smallest and largest of the six dihedral angles, radians.
struct DihedralRange {
    double smallest, largest;
};
DihedralRange dihedralRange(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
/// The smallest of the four altitudes, m; negative if inverted.
double tetAltitude(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
/// Quality in [0, 1], 1 for the regular tet, 0 for a flat one, negative if inverted: 6 sqrt(2) V / (rms edge length)^3.
double tetQuality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Throws Error with the tet's number for indices out of range, repeated vertices, NaN and volumes <= 0.
void validate(const TetMesh& mesh);

/// The tets of a geometry as a mesh; point attributes follow to vertices and primitive attributes to tets. Points that no tet
/// uses are dropped; inverted input tets are turned.
TetMesh tetMeshFromGeometry(const Geometry& geometry, MeshAttributes& attributes);
/// Tets with positions `x` (the rest positions if empty) and all attributes.
Geometry geometryFromTetMesh(const TetMesh& mesh, const MeshAttributes& attributes, Span<const Vec3> x = {});

}  // namespace sunder
