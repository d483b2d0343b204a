#pragma once

#include <vector>

#include "core/fem/sparse_system.h"
#include "core/math/wide.h"

namespace sunder {

/// Vectors of the conjugate gradients: four doubles a vertex, the last unused.
using PaddedVector = std::vector<double>;

/// A system matrix as conjugate gradients read it: off-diagonal blocks in single precision, diagonal blocks in double. What the
/// rounding took from a row's off-diagonal blocks is given to its diagonal one, so row sums stay exact. Rows of fixed vertices
/// are zero.
struct CgMatrix {
    std::vector<std::int32_t> rowFirst, column;  ///< off-diagonal blocks
    std::vector<float> values;                   ///< nine a block, column by column, four more at the end to load past
    std::vector<double> diagonal;                ///< twelve a row: three columns of four

    std::size_t rowCount() const { return rowFirst.empty() ? 0 : rowFirst.size() - 1; }
    void assign(const BlockMatrix& matrix, Span<const std::uint8_t> fixed);
    /// y = A x in rows [first, last); returns x . y over them.
    double multiplyRows(const double* x, double* y, std::size_t first, std::size_t last) const;

  private:
    void buildPattern(const SparsePattern& pattern);
};

/// Four floats as doubles.
inline Wide4d loadFloats(const float* p) {
    typedef float Float4 __attribute__((vector_size(16)));
    Float4 f;
    __builtin_memcpy(&f, p, sizeof f);
    return Wide4d(__builtin_convertvector(f, Wide4d::Vector));
}

/// Rows that one task works on.
inline constexpr std::size_t kCgGrain = 1024;

}  // namespace sunder
