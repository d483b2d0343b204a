#pragma once

#include <vector>

#include "core/fem/sparse_system.h"

namespace sunder {

/// A symmetric block matrix made ready for conjugate gradients under an incomplete Cholesky factor without fill whose
/// off-diagonal part is the matrix's own: A = E + E^T + (D - 2 P) + R, where E = P + L, L is the strictly lower part within ranges
/// of rows, R the blocks between ranges, D the diagonal blocks and P the pivots. The preconditioner is E P^-1 E^T.
///
/// Rows and columns are scaled by the Cholesky factors of the pivots, so that P = I, and stand in an order in which neighbours
/// are close. Then (Eisenstat 1981) E^-1 A E^-T p = t + E^-1 (p + (D - 2 I + R) t) with t = E^-T p: one step costs two
/// triangular sweeps and no product with A. The number of ranges depends on the number of rows alone; ranges are swept in parallel.
class SplitMatrix {
  public:
    /// False if a diagonal block is not positive definite.
    bool assign(const BlockMatrix& matrix, Span<const std::uint8_t> fixed);

    std::size_t rowCount() const { return order_.size(); }
    std::size_t rangeCount() const { return rangeFirst_.size() - 1; }
    std::size_t rangeFirst(std::size_t range) const { return static_cast<std::size_t>(rangeFirst_[range]); }

    // All vectors have four doubles a row, the last unused, in the matrix's own order and scale.
    /// t = E^-T p in one range.
    void sweepUp(std::size_t range, const double* p, double* t) const;
    /// w = t + E^-1 (p + (D - 2 I + R) t) in one range; returns p . w. `t` must be complete in all ranges. `more`, if not null, is
    /// added to p inside the brackets.
    double sweepDown(std::size_t range, const double* p, const double* t, const double* more, double* w) const;
    /// t turned to the vertices' order and scale, and back: x = G^-T t, t = G^-1 x.
    void toVertices(std::size_t range, const double* t, Span<Vec3> x) const;
    void fromVertices(std::size_t range, Span<const Vec3> x, double* t) const;
    /// r = E^-1 b from a right-hand side in the vertices' order and scale; returns r . r.
    double load(std::size_t range, Span<const Vec3> b, double* r) const;
    /// Adds E^-T y, turned back to the vertices' order and scale, to x; t is room.
    void unload(std::size_t range, const double* y, double* t, Span<Vec3> x) const;

  private:
    struct Part {
        std::vector<std::int32_t> rowFirst, column, source;  ///< source: block of the matrix
        std::vector<float> values;                           ///< nine a block, column by column, four more at the end
    };
    void buildPattern(const SparsePattern& pattern);
    bool factorRange(const BlockMatrix& matrix, std::size_t range);
    void scaleBetween(const BlockMatrix& matrix, std::size_t range);
    void buildMirror();
    bool isFixed(std::size_t row) const { return !fixed_.empty() && fixed_[static_cast<std::size_t>(order_[row])]; }

    const SparsePattern* pattern_ = nullptr;
    std::vector<std::int32_t> order_;       ///< vertex of every row
    std::vector<std::int32_t> rangeFirst_;
    Part lower_, upper_, between_;
    std::vector<std::int32_t> mirror_;  ///< place in upper_ of the transpose of every lower block
    std::vector<double> scale_;    ///< inverse of the pivot's Cholesky factor G, nine a row
    std::vector<float> diagonal_;  ///< D - 2 I, scaled, nine a row, four more at the end
    std::vector<std::uint8_t> fixed_;
};

}  // namespace sunder
