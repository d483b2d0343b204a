#pragma once

#include "core/fem/sparse_system.h"

namespace sunder {

/// A quarter of every tet's mass at each of its corners, kg.
std::vector<double> computeLumpedMass(const TetMesh& mesh, Span<const TetMaterial> materials);

/// The consistent mass matrix over a body's pattern: rho V / 20 (1 + delta_ij) I in block (i, j) of a tet.
BlockMatrix buildConsistentMass(const TetMesh& mesh, Span<const TetMaterial> materials, const SparsePattern& pattern);

}  // namespace sunder
