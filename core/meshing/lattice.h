#pragma once

#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/tet_mesh.h"
#include "core/meshing/half_winding.h"

namespace sunder {

struct LatticeOptions {
    /// The solid's surface stays within half of this of the half-winding surface, m; 0: from targetTets.
    /// Features thinner than it may be lost.
    double cellSize = 0;
    int targetTets = 20000;  ///< about how many tets where cellSize is 0
    /// Separate pieces smaller than this are dropped, m^3. Negative: pieces under two cells, unless the input
    /// has a shell there.
    double minComponentVolume = -1;
};

struct LatticeMesh {
    TetMesh mesh;
    double cellSize = 0;  ///< as asked for or chosen, m
    /// Side of a lattice cube, m: the cell, or less where that is needed to stay within half a cell.
    double spacing = 0;
    /// Largest distance found between the solid's surface and the half-winding surface, m.
    double surfaceDistance = 0;
    int removedPieces = 0;     ///< dropped as dust
    double removedVolume = 0;  ///< m^3
};

/// Body-centred cubic lattice cut to the half-winding surface (isosurface stuffing, Labelle and Shewchuk
/// 2007): every tet positive, dihedral angles of at least 10.7 degrees, boundary vertices on the surface.
/// Takes any triangles; `surface` is what `solid` was made from. Throws Error if nothing is inside.
LatticeMesh meshLattice(const TriMesh& surface, const HalfWinding& solid, const LatticeOptions& options,
                        Monitor* monitor = nullptr);

/// Largest distance from samples of the solid's surface to the half-winding surface: to a face of the input
/// or, where it has a hole, to the place along the normal where the winding number passes one half. `step` is
/// the resolution of the latter.
double distanceToHalfWinding(const TetMesh& mesh, const HalfWinding& solid, double step, Monitor* monitor = nullptr);

/// Cell size that gives about `targetTets`.
double cellSizeForTets(const HalfWinding& solid, int targetTets);

/// What the cut surface does not show of the input. Numbers are triangles and points of `surface`.
struct LatticeLosses {
    std::vector<std::int32_t> lost;    ///< triangles with a part farther than the limit from the boundary
    std::vector<std::int32_t> buried;  ///< such triangles that lie inside the solid and bound nothing
    std::vector<std::vector<std::int32_t>> closedHoles;  ///< open loops of the input that the solid bridges
};
LatticeLosses findLosses(const TriMesh& surface, const HalfWinding& solid, const TetMesh& mesh, double limit, Monitor* monitor = nullptr);

}  // namespace sunder
