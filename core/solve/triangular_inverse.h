#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "core/solve/cg_matrix.h"

namespace sunder {

/// The inverse F of the Cholesky factor of one small dense matrix, in single precision. F^T F is as good as that matrix's inverse for a preconditioner, and
/// positive definite whatever was rounded. Columns of F start at the row, a multiple of four, that has the diagonal; vectors are padded to a multiple of four
/// numbers.
namespace triangular_inverse {

inline std::size_t paddedSize(std::size_t n) { return (n + 3) / 4 * 4; }

/// Numbers that F takes for a matrix of n rows.
inline std::size_t valueCount(std::size_t n) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < n; ++k) count += paddedSize(n) - k / 4 * 4;
    return count;
}

/// Writes the inverse of the lower half of `factor`; false if it is not finite.
bool assign(const Eigen::Ref<const Eigen::MatrixXd>& factor, float* values);

/// out = F in. Four columns at a time start at the same row.
inline void multiply(const float* f, std::size_t n, const double* in, double* out) {
    const std::size_t padded = paddedSize(n);
    std::fill(out, out + padded, 0.0);
    std::size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const Wide4d x0(in[k]), x1(in[k + 1]), x2(in[k + 2]), x3(in[k + 3]);
        const std::size_t length = padded - k;
        for (std::size_t i = 0; i < length; i += 4) {
            const Wide4d even = fma(loadFloats(f + i), x0, Wide4d::load(out + k + i)), odd = loadFloats(f + length + i) * x1;
            (fma(loadFloats(f + 2 * length + i), x2, even) + fma(loadFloats(f + 3 * length + i), x3, odd)).store(out + k + i);
        }
        f += 4 * length;
    }
    for (; k < n; ++k, f += 4) fma(loadFloats(f), Wide4d(in[k]), Wide4d::load(out + padded - 4)).store(out + padded - 4);
}

/// out = F^T in.
inline void multiplyTransposed(const float* f, std::size_t n, const double* in, double* out) {
    const std::size_t padded = paddedSize(n);
    std::fill(out + n, out + padded, 0.0);
    const auto sumOf = [](const Wide4d& w) { return (w[0] + w[1]) + (w[2] + w[3]); };
    std::size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        Wide4d s0(0.0), s1(0.0), s2(0.0), s3(0.0);
        const std::size_t length = padded - k;
        for (std::size_t i = 0; i < length; i += 4) {
            const Wide4d x = Wide4d::load(in + k + i);
            s0 = fma(loadFloats(f + i), x, s0);
            s1 = fma(loadFloats(f + length + i), x, s1);
            s2 = fma(loadFloats(f + 2 * length + i), x, s2);
            s3 = fma(loadFloats(f + 3 * length + i), x, s3);
        }
        out[k] = sumOf(s0);
        out[k + 1] = sumOf(s1);
        out[k + 2] = sumOf(s2);
        out[k + 3] = sumOf(s3);
        f += 4 * length;
    }
    for (; k < n; ++k, f += 4) out[k] = sumOf(loadFloats(f) * Wide4d::load(in + padded - 4));
}

}  // namespace triangular_inverse
}  // namespace sunder
