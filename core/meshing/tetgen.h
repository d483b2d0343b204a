#pragma once

#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"

namespace sunder {

struct TetgenOptions {
    double radiusEdgeRatio = 1.4;  ///< largest circumradius over shortest edge; below 1.1 it may never end
    double minDihedral = 10;    ///< degrees that TetGen aims at; slivers along a kept boundary may stay below
    double maxVolume = 0;       ///< of a tet, m^3; 0 for no limit
    std::vector<double> sizes;  ///< wanted edge length at every vertex, m; empty for none
    /// No new vertices on the surface; large faces then keep the tets behind them large.
    bool keepBoundary = true;
    double timeLimit = 300;    ///< seconds of wall time; 0 for none
    double memoryLimit = 8e9;  ///< bytes; 0 for none
    std::string helperPath;    ///< the sunder-tetgen program; empty: found by findTetgenHelper
};

/// True if there is a TetGen helper, of this build or of another.
bool tetgenAvailable();
/// `explicitPath`, then the variable SUNDER_TETGEN_HELPER (`none` switches TetGen off), then next to the running program, next to the
/// library that holds this code, and in a build tree where it was built. Throws Error naming the places if
/// there is none.
std::string findTetgenHelper(const std::string& explicitPath = {});

/// Meshes a closed, manifold, intersection-free surface by TetGen, in a process of its own. The first
/// vertices of the result are the surface's, in their order. Throws Error when it rejects the input, crashes
/// or runs over a limit, Cancelled when the monitor asks (within a second).
TetMesh meshTetgen(const TriMesh& surface, const TetgenOptions& options, Monitor* monitor = nullptr);

}  // namespace sunder
