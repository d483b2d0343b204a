#pragma once

#include <functional>
#include <map>

#include "core/mesh/topology_edit.h"

namespace sunder {

/// A cut through a node that has not been made yet.
struct PlannedCut {
    std::int32_t node;
    const std::map<std::int32_t, double>& height;     ///< of the vertices around the node above the crack; 0: on it
    const std::function<int(std::int32_t)>& sideOf;   ///< of the tets around it: +1, -1, or 0 if it will be cut in two
    const std::function<double(std::int32_t)>& above; ///< of those that will: the share of their volume above the crack
};

/// True if some piece that a cut leaves, or the one that it is made in, is smaller than `smallest`, m^3. Looks no farther than that volume reaches.
bool leavesSmallPiece(const TetMesh& mesh, const TetStars& stars, const PlannedCut& cut, double smallest);

}  // namespace sunder
