#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// Lists of different length in one array: list i is items[first[i] .. first[i + 1]).
struct IndexLists {
    std::vector<std::int32_t> first, items;

    std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
    Span<const std::int32_t> operator[](std::size_t i) const {
        return Span<const std::int32_t>(items).subspan(static_cast<std::size_t>(first[i]),
                                                       static_cast<std::size_t>(first[i + 1] - first[i]));
    }
};

struct BoundaryFace {
    Tri vertices;  ///< outward
    std::int32_t tet;
    std::int32_t localFace;  ///< row of kTetFaces
};

using Edge = std::array<std::int32_t, 2>;  ///< first < second

/// Tets around every vertex, ascending.
IndexLists buildVertexTets(Span<const Tet> tets, std::size_t vertexCount);
/// The tet behind every face (face i is opposite vertex i), -1 on the boundary. Throws Error if a face has
/// three tets.
std::vector<std::array<std::int32_t, 4>> buildTetNeighbors(Span<const Tet> tets, std::size_t vertexCount);
/// Faces with no neighbour, by tet and local face.
std::vector<BoundaryFace> collectBoundaryFaces(Span<const Tet> tets,
                                               Span<const std::array<std::int32_t, 4>> neighbors);
/// Every edge once, sorted.
std::vector<Edge> collectEdges(Span<const Tet> tets, std::size_t vertexCount);
/// Vertices joined to every vertex by an edge, ascending.
IndexLists buildVertexNeighbors(Span<const Tet> tets, std::size_t vertexCount);
/// Number of the face-connected component of every tet, counted from 0 in order of the first tet.
std::vector<std::int32_t> labelComponents(Span<const std::array<std::int32_t, 4>> neighbors);

/// All of it for one mesh.
struct Adjacency {
    IndexLists vertexTets;
    std::vector<std::array<std::int32_t, 4>> tetNeighbors;
    std::vector<BoundaryFace> boundary;
    std::vector<Edge> edges;
};
Adjacency buildAdjacency(const TetMesh& mesh);

}  // namespace sunder
