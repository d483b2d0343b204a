#pragma once

#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/math/types.h"

namespace sunder {

/// The Cholesky factor of a symmetric matrix of 3x3 blocks within its envelope: row by row from the first column with an entry to the diagonal, since all fill
/// lies there. In an order in which neighbours are close that is little, above all in plates and bars.
class EnvelopeFactor {
  public:
    /// What factoring takes: firstOf has for every block row its first block column.
    static double flops(Span<const std::int32_t> firstOf);

    void begin(Span<const std::int32_t> firstOf);
    std::size_t size() const { return diagonal_.size(); }
    /// All entries are zero from here on.
    void clear();
    /// At or below the diagonal and within the envelope.
    void setBlock(std::size_t blockRow, std::size_t blockColumn, const Mat3& block);
    /// False if the matrix is not positive definite. By several threads where there is enough to do; the same bits for any number of them.
    bool factor();
    /// Whether `factor` has enough to do for several threads.
    bool isLarge() const;
    /// v = L^-1 v.
    void solveLower(double* v) const;
    /// v = L^-T v.
    void solveUpper(double* v) const;

  private:
    struct Row {
        std::size_t start;  ///< first column, a multiple of four
        std::size_t place;  ///< of that in values_
    };
    double* entry(std::size_t row, std::size_t column) { return &values_[rows_[row].place + column - rows_[row].start]; }
    const double* entry(std::size_t row, std::size_t column) const { return &values_[rows_[row].place + column - rows_[row].start]; }
    /// How far the rows of one block are apart.
    std::size_t strideOf(std::size_t row) const { return rows_[row + 1].place - rows_[row].place; }
    /// A block row's columns in [from, to), scalar and multiples of three, after those before.
    void factorColumns(std::size_t q, std::size_t from, std::size_t to);
    bool factorDiagonal(std::size_t q);

    std::vector<Row> rows_;
    std::vector<double> values_;    ///< below the diagonal; every row is padded to a multiple of four
    std::vector<double> diagonal_;  ///< of the matrix, and once it is factored the inverse of L's
};

}  // namespace sunder
