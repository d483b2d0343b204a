#pragma once

#include <vector>

#include "core/fem/sparse_system.h"

namespace sunder {

/// Incomplete Cholesky factor of a block matrix with no fill, in single precision. The rows are cut into a number of ranges
/// that depends on their count alone; couplings between ranges are dropped, so that ranges can be solved in parallel.
class IncompleteCholesky {
  public:
    /// Where a pivot is not positive the diagonal is raised and the factorization begun again; false if that did not help.
    bool factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed);
    /// z = (L L^T)^-1 r, vectors of four doubles a vertex; returns r . z.
    double apply(const double* r, double* z) const;

  private:
    void buildPattern(const SparsePattern& pattern);
    bool factorRange(const BlockMatrix& matrix, Span<const std::uint8_t> fixed, std::size_t range, double shift);
    void solveRange(std::size_t range, const double* r, double* z) const;

    std::vector<std::int32_t> rangeFirst_;           ///< first row of every range, and the end
    std::vector<std::int32_t> rowFirst_, column_;    ///< strictly lower blocks within the ranges
    std::vector<std::int32_t> source_;               ///< their places in the matrix
    std::vector<float> lower_;                       ///< nine a block, column by column
    std::vector<double> inverse_;                    ///< inverse of the lower triangular diagonal factor, nine a row
};

}  // namespace sunder
