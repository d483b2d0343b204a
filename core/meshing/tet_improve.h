#pragma once

#include "core/base/monitor.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

struct MeshQuality {
    double smallestDihedral = 0, largestDihedral = 0;  ///< radians
    double smallestQuality = 0, meanQuality = 0;       ///< tetQuality
    double volume = 0;                                 ///< m^3
    std::size_t slivers = 0;                           ///< tets with a dihedral angle under kSliverAngle
};
inline constexpr double kSliverAngle = 0.0872664625997165;  ///< 5 degrees

MeshQuality measureQuality(const TetMesh& mesh, Monitor* monitor = nullptr);
/// Shows it: `quality` (tetQuality) of every tet, and those counted as slivers in a group of that name, if there are any.
void addQuality(const TetMesh& mesh, AttributeSet& tets);

/// Raises the smallest dihedral angle of tets below `angle` (radians): moves inner vertices where that helps,
/// and changes three tets around an edge to two or two tets across a face to three. The boundary stays as it
/// is, and no tet gets worse than the worst of those it replaces. Returns how many moves and changes were
/// made.
std::size_t improveTets(TetMesh& mesh, double angle, Monitor* monitor = nullptr);

}  // namespace sunder
