#include "core/solve/scalar_matrix.h"

namespace sunder {

namespace {
/// Calls visit(scalar row, scalar column, block, row in block, column in block) down the lower triangle, column by column. By
/// symmetry the block row r of the pattern stands for block column r.
template <class Visit>
void visitLower(const SparsePattern& pattern, Visit visit) {
    for (std::size_t c = 0; c < pattern.rowCount(); ++c)
        for (int j = 0; j < 3; ++j)
            for (auto k = pattern.diagonal[c]; k < pattern.rowFirst[c + 1]; ++k) {
                const std::int32_t r = pattern.column[static_cast<std::size_t>(k)];
                for (int i = k == pattern.diagonal[c] ? j : 0; i < 3; ++i) visit(r, static_cast<std::int32_t>(c), k, i, j);
            }
}
}  // namespace

void ScalarMatrix::buildPattern(const SparsePattern& pattern) {
    row.clear();
    columnFirst.assign(3 * pattern.rowCount() + 1, 0);
    visitLower(pattern, [&](std::int32_t r, std::int32_t c, std::int32_t, int i, int j) {
        row.push_back(3 * r + i);
        columnFirst[static_cast<std::size_t>(3 * c + j) + 1] = static_cast<std::int32_t>(row.size());
    });
    values.resize(row.size());
}

void ScalarMatrix::assign(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) {
    std::size_t n = 0;
    visitLower(*matrix.pattern, [&](std::int32_t r, std::int32_t c, std::int32_t k, int i, int j) {
        const bool isFixed = !fixed.empty() && (fixed[static_cast<std::size_t>(r)] || fixed[static_cast<std::size_t>(c)]);
        // block k is (row c, column r) of the stored matrix, the transpose of the one wanted
        values[n++] = isFixed ? (r == c && i == j ? 1.0 : 0.0) : matrix.values[9 * static_cast<std::size_t>(k) + static_cast<std::size_t>(3 * i + j)];
    });
}

}  // namespace sunder
