#pragma once

#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/tet_mesh.h"
#include "core/meshing/diagnosis.h"
#include "core/meshing/tet_improve.h"

namespace sunder {

enum class MeshingMethod {
    kAuto,     ///< tetgen where the surface allows it, otherwise lattice
    kTetgen,   ///< follows the surface exactly; needs it closed, manifold and free of self-intersections
    kLattice,  ///< takes anything; follows the surface within half a cell
};

struct TetrahedralizeOptions {
    MeshingMethod method = MeshingMethod::kAuto;
    double maxSize = 0;           ///< largest edge length wanted, m; 0 for none
    std::string sizingAttribute;  ///< point attribute with the wanted edge length, m; empty for none. The
                                  ///< lattice uses its median

    double radiusEdgeRatio = 1.4;  ///< tetgen: largest circumradius over shortest edge; from 1.1
    /// Tetgen: degrees aimed at, 0 to 18; tets along a kept boundary may stay below.
    double minDihedral = 10;
    bool keepBoundary = true;  ///< tetgen: no new vertices on the surface, so its large faces keep large tets
    double timeLimit = 300;    ///< tetgen: seconds; 0 for none
    double memoryLimit = 8e9;  ///< tetgen: bytes; 0 for none
    std::string helperPath;    ///< tetgen: the sunder-tetgen program; empty to search for it

    double cellSize = 0;     ///< lattice: the surface is met within half of it, m; 0: from maxSize,
                             ///< sizingAttribute or targetTets
    int targetTets = 20000;  ///< lattice: about how many tets where nothing else sets the cell
    /// Lattice: smaller loose pieces are dropped, m^3; negative: dust under two cells.
    double minComponentVolume = -1;
};

struct TetrahedralizeResult {
    TetMesh mesh;
    MeshAttributes attributes;
    MeshingMethod method = MeshingMethod::kAuto;  ///< the one that made the mesh
    SurfaceDiagnosis diagnosis;                   ///< of the surface as it came
    /// Repairs, why the method was chosen, what was lost; a sentence each.
    std::vector<std::string> explanations;
    MeshQuality quality;
    double cellSize = 0;  ///< lattice only
    /// Lattice only: largest distance to the half-winding surface, m; a warning says so if it is over half a
    /// cell.
    double surfaceDistance = 0;
    int removedPieces = 0;  ///< lattice only: dust that was dropped

    /// Numbers of the input; lattice only.
    std::vector<std::int32_t> lostPrimitives;    ///< farther than half a cell from the solid's surface
    std::vector<std::int32_t> buriedPrimitives;  ///< inside the solid, so no part of its surface
    std::vector<std::vector<std::int32_t>> closedHoles;  ///< points of every open loop that was bridged

    std::string explanation() const;
};

/// Diagnoses, repairs what is harmless, meshes, improves and carries attributes over. Throws Error for
/// surfaces that no method can use and Cancelled when the monitor asks.
TetrahedralizeResult tetrahedralize(const Geometry& surface, const TetrahedralizeOptions& options,
                                    Monitor* monitor = nullptr);

/// The tets with all attributes, their `quality` among them (addQuality).
Geometry geometryFromResult(const TetrahedralizeResult& result);

/// Groups on the input: one for every finding, and lost_faces, buried_faces (primitives) and holes_closed
/// (points).
void addTetrahedralizeGroups(Geometry& surface, const TetrahedralizeResult& result);

/// The word used in scene files and parameters, and back; throws Error with the nearest right word.
const char* nameOf(MeshingMethod method);
MeshingMethod meshingMethodFromName(const std::string& name);

}  // namespace sunder
