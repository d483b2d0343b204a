#include "core/math/decompose.h"

#include <algorithm>

#include "core/math/decompose_wide.h"
#include "core/math/wide_io.h"

namespace sunder {

namespace {

// A result of the wide kernels is the same numbers in the same order as the plain structure.
static_assert(sizeof(Svd3) == sizeof(Svd3w<double>) && sizeof(Polar3) == sizeof(Polar3w<double>) &&
              sizeof(Eigen3) == sizeof(Eigen3w<double>));

Mat3w<double> toKernel(const Mat3& m) {
    Mat3w<double> w;
    std::copy_n(m.data(), 9, w.m);
    return w;
}

template <class Result, class Kernel>
Result single(const Mat3& m, Kernel&& kernel) {
    const auto wide = kernel(toKernel(m));
    Result result;
    std::memcpy(static_cast<void*>(&result), &wide, sizeof(result));
    return result;
}

template <class Result, class Kernel>
void runFour(const Mat3* matrices, Result* results, Kernel&& kernel) {
    Mat3w<Wide4d> m;
    loadFour<9>(matrices->data(), 9, m.m);
    const auto wide = kernel(m);
    constexpr int kNumbers = sizeof(Result) / sizeof(double);
    Wide4d numbers[kNumbers];
    std::memcpy(static_cast<void*>(numbers), &wide, sizeof(numbers));
    storeFour<kNumbers>(numbers, reinterpret_cast<double*>(results), kNumbers);
}

template <class Result, class Kernel>
void batch(Span<const Mat3> matrices, Span<Result> results, Kernel&& kernel) {
    SUNDER_ASSERT(matrices.size() == results.size());
    const std::size_t count = matrices.size(), whole = count / 4 * 4;
    for (std::size_t i = 0; i < whole; i += 4) runFour(&matrices[i], &results[i], kernel);
    if (whole == count) return;
    Mat3 lastMatrices[4];
    Result lastResults[4];
    for (std::size_t i = 0; i < 4; ++i) lastMatrices[i] = matrices[std::min(whole + i, count - 1)];
    runFour(lastMatrices, lastResults, kernel);
    std::copy_n(lastResults, count - whole, &results[whole]);
}

}  // namespace

Svd3 svd3(const Mat3& F) { return single<Svd3>(F, svd3Wide<double>); }
Polar3 polar3(const Mat3& F) { return single<Polar3>(F, polar3Wide<double>); }
Eigen3 symmetricEigen3(const Mat3& A) { return single<Eigen3>(A, symmetricEigen3Wide<double>); }

void svd3Batch(Span<const Mat3> F, Span<Svd3> results) {
    batch(F, results, [](const Mat3w<Wide4d>& m) { return svd3Wide(m); });
}
void polar3Batch(Span<const Mat3> F, Span<Polar3> results) {
    batch(F, results, [](const Mat3w<Wide4d>& m) { return polar3Wide(m); });
}
void symmetricEigen3Batch(Span<const Mat3> A, Span<Eigen3> results) {
    batch(A, results, [](const Mat3w<Wide4d>& m) { return symmetricEigen3Wide(m); });
}

}  // namespace sunder
