#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/math/types.h"

namespace sunder {

/// One edge of a triangle mesh and the triangle sides that lie on it.
struct SurfaceEdge {
    std::int32_t a, b;  ///< a < b
    std::int32_t firstUse, useCount;
};
/// A side is coded 3 * triangle + k and runs from corner k to corner k + 1.
struct EdgeTable {
    std::vector<SurfaceEdge> edges;  ///< sorted by a, b
    std::vector<std::int32_t> uses;  ///< sides, in ascending order within an edge
    Span<const std::int32_t> usesOf(const SurfaceEdge& edge) const {
        return Span<const std::int32_t>(uses).subspan(static_cast<std::size_t>(edge.firstUse),
                                                      static_cast<std::size_t>(edge.useCount));
    }
};
EdgeTable buildEdgeTable(Span<const Tri> triangles);

/// Triangles joined by edges. `flipped` marks, in every shell, the smaller of the two sets that disagree in
/// orientation.
struct Shells {
    std::int32_t count = 0;
    std::vector<std::int32_t> label;    ///< shell of every triangle
    std::vector<std::uint8_t> open;     ///< by shell: some edge has one face only
    std::vector<std::uint8_t> flipped;  ///< by triangle
    std::vector<std::uint8_t> twisted;  ///< by shell: no consistent orientation exists
};
Shells findShells(Span<const Tri> triangles, const EdgeTable& table);

/// Closed walks along the edges that have one face only, as lists of vertices.
std::vector<std::vector<std::int32_t>> findOpenLoops(Span<const Tri> triangles, const EdgeTable& table);

/// Vertices where more than one fan of triangles meets.
std::vector<std::int32_t> findPinchedVertices(Span<const Tri> triangles, std::size_t vertexCount);

/// Shells to turn so that every solid counts +1 and every cavity inside one -1. Expects consistent shells;
/// open shells count where they enclose a clear volume.
std::vector<std::uint8_t> findInsideOutShells(Span<const Vec3> positions, Span<const Tri> triangles,
                                              const Shells& shells);

/// For every point the first point at exactly the same place (itself if there is none before it).
std::vector<std::int32_t> findCoincidentPoints(Span<const Vec3> positions);

}  // namespace sunder
