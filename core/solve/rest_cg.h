#pragma once

#include "core/solve/split_vectors.h"

namespace sunder {

/// Some rows of a matrix that have no blocks in common with the others, and their share of the vectors of conjugate gradients under an incomplete
/// Cholesky factor: see SplitMatrix. Spans are of all vertices of the whole matrix, of which it reads and writes its own.
class RestCg {
  public:
    /// The rows of these vertices. What the pattern says of them is kept as long as neither changes. False if it is not positive definite.
    bool assign(const BlockMatrix& matrix, const std::vector<std::int32_t>& vertices, Span<const std::uint8_t> fixed);
    bool empty() const { return vertices_.empty(); }

    /// Starts from a residual; returns r . r.
    double begin(Span<const Vec3> residual);
    /// p = r + beta p; writes what that is in the vertices' space.
    void turn(double beta, Span<Vec3> vertices);
    /// w = A p, with the coupling's product at the vertices; returns p . w.
    double multiply(Span<const Vec3> coupled);
    /// y += alpha p, r -= alpha w; returns r . r.
    double advance(double alpha);
    /// Adds what was found to x.
    void end(Span<Vec3> x);

  private:
    void buildPattern(const SparsePattern& whole);
    template <class Range>
    double reduceRanges(Range range);

    const SparsePattern* whole_ = nullptr;
    std::vector<std::int32_t> vertices_, source_;  ///< of every row; block of the whole matrix of every block
    SparsePattern pattern_;
    BlockMatrix matrix_;
    SplitMatrix split_;
    SplitVectors v_;
    PaddedVector more_;
    std::vector<Vec3> in_, out_;
};

}  // namespace sunder
