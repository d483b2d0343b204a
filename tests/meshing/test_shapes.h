#pragma once

#include <algorithm>
#include <map>

#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"
#include "core/surface/boundary_surface.h"

namespace sunder::testing {

/// A closed box of twelve triangles.
inline TriMesh makeBoxSurface(const Vec3& lower, const Vec3& upper) {
    TriMesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.positions.emplace_back(i & 1 ? upper[0] : lower[0], i & 2 ? upper[1] : lower[1],
                                    i & 4 ? upper[2] : lower[2]);
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
}

/// Both surfaces in one mesh.
inline TriMesh joined(TriMesh a, const TriMesh& b) {
    const auto shift = static_cast<std::int32_t>(a.vertexCount());
    a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
    for (const Tri& t : b.triangles) a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    return a;
}

inline TriMesh reversed(TriMesh mesh) {
    for (Tri& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

inline double enclosedVolume(Span<const Vec3> x, Span<const Tri> triangles) {
    double volume = 0;
    for (const Tri& t : triangles) volume += signedVolume(Vec3::Zero(), x[t[0]], x[t[1]], x[t[2]]);
    return volume;
}

struct BoundaryCheck {
    bool closed = true;            ///< every side is met by one that runs against it
    std::size_t crowdedEdges = 0;  ///< edges with more than two boundary faces
    double volumeMismatch =
        0;  ///< of the tets against what the boundary encloses, over the volume: overlaps show here
};
inline BoundaryCheck checkBoundary(const TetMesh& mesh) {
    const BoundarySurface surface = extractBoundary(mesh);
    std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
    for (const Tri& t : surface.triangles)
        for (int k = 0; k < 3; ++k) ++sides[{t[k], t[(k + 1) % 3]}];
    BoundaryCheck check;
    for (const auto& [side, count] : sides) {
        const auto opposite = sides.find({side.second, side.first});
        check.closed &= opposite != sides.end() && opposite->second == count;
        check.crowdedEdges += count > 1;
    }
    double volume = 0;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) volume += restVolume(mesh, t);
    check.volumeMismatch = std::abs(volume - enclosedVolume(mesh.rest, surface.triangles)) / volume;
    return check;
}

}  // namespace sunder::testing
