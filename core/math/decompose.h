#pragma once

#include "core/base/span.h"
#include "core/math/types.h"

namespace sunder {

/// F = U diag(sigma) V^T with proper rotations U and V (Irving et al. 2004): sigma descends in magnitude, and
/// only sigma[2] may be negative, with the sign of det F. Any finite F: singular, zero, huge, denormal;
/// errors are a few round-offs of sigma[0].
struct Svd3 {
    Mat3 U;
    Vec3 sigma;
    Mat3 V;
};
Svd3 svd3(const Mat3& F);

/// F = R S with a proper rotation R and a symmetric S, which for det F < 0 has one negative eigenvalue, its
/// smallest in magnitude. R is the identity for F = 0.
struct Polar3 {
    Mat3 R;
    Mat3 S;
};
Polar3 polar3(const Mat3& F);

/// A = vectors diag(values) vectors^T, values descending, vectors a proper rotation. Reads the lower triangle
/// of A alone.
struct Eigen3 {
    Vec3 values;
    Mat3 vectors;
};
Eigen3 symmetricEigen3(const Mat3& A);

/// The same for many matrices, four at a time. Each result has the bits of the single version, wherever in
/// the batch it stands.
void svd3Batch(Span<const Mat3> F, Span<Svd3> results);
void polar3Batch(Span<const Mat3> F, Span<Polar3> results);
void symmetricEigen3Batch(Span<const Mat3> A, Span<Eigen3> results);

}  // namespace sunder
