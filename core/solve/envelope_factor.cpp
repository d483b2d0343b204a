#include "core/solve/envelope_factor.h"

#include <algorithm>
#include <cmath>

#include "core/math/wide.h"

namespace sunder {

namespace {
// Pivots below this part of the diagonal are rounding, and the matrix is singular as far as numbers tell.
constexpr double kSmallestPivot = 1e-13;

using Lanes = Wide4d;

std::size_t roundedDown(std::size_t n) { return n / 4 * 4; }
double sumOf(const Lanes& w) { return (w[0] + w[1]) + (w[2] + w[3]); }

double dot(const double* a, const double* b, std::size_t count) {
    Lanes even(0.0), odd(0.0);
    std::size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        even = fma(Lanes::load(a + k), Lanes::load(b + k), even);
        odd = fma(Lanes::load(a + k + 4), Lanes::load(b + k + 4), odd);
    }
    double sum = 0;
    if (k + 4 <= count) {
        even = fma(Lanes::load(a + k), Lanes::load(b + k), even);
        k += 4;
    }
    for (; k < count; ++k) sum += a[k] * b[k];
    return sumOf(even + odd) + sum;
}

/// Three rows with one: the products with row r stand `stride` numbers apart.
std::array<double, 3> dot3(const double* a, std::size_t stride, const double* b, std::size_t count) {
    Lanes s0(0.0), s1(0.0), s2(0.0);
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const Lanes other = Lanes::load(b + k);
        s0 = fma(Lanes::load(a + k), other, s0);
        s1 = fma(Lanes::load(a + stride + k), other, s1);
        s2 = fma(Lanes::load(a + 2 * stride + k), other, s2);
    }
    std::array<double, 3> sum{sumOf(s0), sumOf(s1), sumOf(s2)};
    for (; k < count; ++k)
        for (std::size_t r = 0; r < 3; ++r) sum[r] += a[r * stride + k] * b[k];
    return sum;
}
}  // namespace

double EnvelopeFactor::flops(Span<const std::int32_t> firstOf) {
    double sum = 0;
    for (std::size_t q = 0; q < firstOf.size(); ++q) {
        const double width = 3 * (static_cast<double>(q) + 1 - static_cast<double>(firstOf[q]));
        sum += 3 * width * width;
    }
    return sum;
}

void EnvelopeFactor::begin(Span<const std::int32_t> firstOf) {
    rows_.clear();
    std::size_t place = 0;
    for (std::size_t q = 0; q < firstOf.size(); ++q) {
        // the three rows of a block are alike
        const std::size_t start = roundedDown(3 * static_cast<std::size_t>(firstOf[q])), length = roundedDown(3 * q + 2 - start + 3);
        for (std::size_t r = 0; r < 3; ++r, place += length) rows_.push_back({start, place});
    }
    values_.resize(place);
    diagonal_.resize(rows_.size());
}

void EnvelopeFactor::clear() {
    std::fill(values_.begin(), values_.end(), 0.0);
    std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
}

void EnvelopeFactor::setBlock(std::size_t blockRow, std::size_t blockColumn, const Mat3& block) {
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) {
            const double value = block(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
            if (blockColumn < blockRow || c < r)
                *entry(3 * blockRow + r, 3 * blockColumn + c) = value;
            else if (c == r)
                diagonal_[3 * blockRow + r] = value;
        }
}

bool EnvelopeFactor::factor() {
    for (std::size_t q = 0; 3 * q < rows_.size(); ++q)
        if (!factorBlockRow(q)) return false;
    return true;
}

/// L_ij = (A_ij - sum over k < j of L_ik L_jk) / L_jj, the three rows of a block side by side.
bool EnvelopeFactor::factorBlockRow(std::size_t q) {
    const std::size_t i = 3 * q, start = rows_[i].start, stride = rows_[i + 1].place - rows_[i].place;
    double* own = entry(i, start);
    for (std::size_t j = start; j < i; ++j) {
        const std::size_t from = std::max(start, rows_[j].start);
        const std::array<double, 3> sum = dot3(own + (from - start), stride, entry(j, from), j - from);
        for (std::size_t r = 0; r < 3; ++r) {
            double& value = own[r * stride + (j - start)];
            value = (value - sum[r]) * diagonal_[j];
        }
    }
    for (std::size_t r = 0; r < 3; ++r) {
        double* row = own + r * stride;
        for (std::size_t c = 0; c < r; ++c) {
            const std::size_t j = i + c;
            row[j - start] = (row[j - start] - dot(row, own + c * stride, j - start)) * diagonal_[j];
        }
        const double whole = diagonal_[i + r], pivot = whole - dot(row, row, i + r - start);
        if (!(pivot > kSmallestPivot * whole)) return false;
        diagonal_[i + r] = 1 / std::sqrt(pivot);
    }
    return true;
}

void EnvelopeFactor::solveLower(double* v) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const std::size_t start = rows_[i].start;
        v[i] = (v[i] - dot(entry(i, start), v + start, i - start)) * diagonal_[i];
    }
}

void EnvelopeFactor::solveUpper(double* v) const {
    for (std::size_t i = rows_.size(); i-- > 0;) {
        const std::size_t start = rows_[i].start;
        const double x = v[i] *= diagonal_[i];
        const double* row = entry(i, start);
        std::size_t k = 0;
        for (; k + 4 <= i - start; k += 4) fnma(Lanes::load(row + k), Lanes(x), Lanes::load(v + start + k)).store(v + start + k);
        for (; k < i - start; ++k) v[start + k] -= row[k] * x;
    }
}

}  // namespace sunder
