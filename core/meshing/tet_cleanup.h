#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/tet_mesh.h"
#include "core/spatial/aabb.h"

namespace sunder {

/// A face-connected piece of a solid.
struct PieceMeasure {
    double volume = 0;
    std::size_t tets = 0;
    Aabb box;
};
/// In order of their first tet, as labelComponents counts them.
std::vector<PieceMeasure> measurePieces(const TetMesh& mesh);
/// Drops the pieces whose entry is 0, and vertices that no tet uses any more.
void keepPieces(TetMesh& mesh, const std::vector<std::uint8_t>& keep);
/// Drops the tets whose entry is 0, and vertices that no tet uses any more. Returns the old number of every
/// vertex kept.
std::vector<std::int32_t> keepTets(TetMesh& mesh, const std::vector<std::uint8_t>& keep);
/// Gives every group of tets that hangs together around a vertex only through that vertex (or an edge) a
/// vertex of its own, so that parts that merely touch come apart. Returns how many vertices were added; their
/// parents are appended to `parents`.
std::size_t splitPinchedVertices(TetMesh& mesh, std::vector<std::int32_t>* parents = nullptr);

}  // namespace sunder
