#include "core/fem/mass.h"

#include <algorithm>

namespace sunder {

std::vector<double> computeLumpedMass(const TetMesh& mesh, Span<const TetMaterial> materials) {
    std::vector<double> mass(mesh.vertexCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (const std::int32_t v : mesh.tets[t]) mass[static_cast<std::size_t>(v)] += materials[t].density * restVolume(mesh, t) / 4;
    return mass;
}

BlockMatrix buildConsistentMass(const TetMesh& mesh, Span<const TetMaterial> materials, const SparsePattern& pattern) {
    BlockMatrix matrix;
    matrix.pattern = &pattern;
    matrix.values.assign(9 * pattern.blockCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (const std::int32_t row : mesh.tets[t])
            for (const std::int32_t column : mesh.tets[t]) {
                const auto begin = pattern.column.begin() + pattern.rowFirst[static_cast<std::size_t>(row)];
                const auto end = pattern.column.begin() + pattern.rowFirst[static_cast<std::size_t>(row) + 1];
                const auto k = static_cast<std::size_t>(std::lower_bound(begin, end, column) - pattern.column.begin());
                const double share = materials[t].density * restVolume(mesh, t) / 20 * (row == column ? 2 : 1);
                matrix.block(k).diagonal().array() += share;
            }
    return matrix;
}

}  // namespace sunder
