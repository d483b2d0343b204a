#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/mesh/topology_edit.h"

namespace sunder {

/// What lies behind the faces of every tet, and which tets hold together. Follows edits at the cost of what they change.
struct TetLinks {
    std::vector<std::array<std::int32_t, 4>> neighbors;  ///< as buildTetNeighbors makes them: -1 on the boundary
    std::vector<std::int32_t> piece;                     ///< of every tet; which number a piece has means nothing
    std::int32_t pieceNumbers = 0;                       ///< given so far: 1 if all is one piece, and not fewer than there are pieces
    std::vector<std::int32_t> visitor;                   ///< room for searches, -1 in between

    bool empty() const { return neighbors.empty(); }
};

TetLinks buildTetLinks(const TetMesh& mesh);
/// Returns the tets that have another piece than before, or than the tet that they were cut from; ascending. What is cut off costs what it has of tets.
std::vector<std::int32_t> patchTetLinks(const TopologyEdit& edit, Span<const Tet> tets, const TetStars& stars, TetLinks& links);

/// What an edit may have changed of what hangs on a mesh: vertices whose tets or boundary faces are others now, and all tets around them. Ascending.
struct EditReach {
    std::vector<std::int32_t> vertices, tets;
};
EditReach findReach(const TopologyEdit& edit, Span<const Tet> tets, const TetStars& stars);

}  // namespace sunder
