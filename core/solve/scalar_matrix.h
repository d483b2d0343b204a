#pragma once

#include <vector>

#include "core/fem/sparse_system.h"

namespace sunder {

/// The lower triangle of a block matrix as scalar compressed columns, which is what direct solvers take. Rows and columns of
/// fixed vertices become those of the identity.
struct ScalarMatrix {
    std::vector<std::int32_t> columnFirst, row;
    std::vector<double> values;

    std::size_t size() const { return columnFirst.empty() ? 0 : columnFirst.size() - 1; }
    void buildPattern(const SparsePattern& pattern);
    void assign(const BlockMatrix& matrix, Span<const std::uint8_t> fixed);
};

}  // namespace sunder
