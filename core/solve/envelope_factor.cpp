#include "core/solve/envelope_factor.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/math/wide.h"

namespace sunder {

namespace {
// Pivots below this part of the diagonal are rounding, and the matrix is singular as far as numbers tell.
constexpr double kSmallestPivot = 1e-13;
constexpr std::size_t kPanel = 8;          // block rows that threads share
constexpr std::size_t kLarge = 100'000;    // values; below that threads wait longer than they work

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

/// All products of three rows with three others, which stand `strideA` and `strideB` numbers apart. Reads on to a multiple of four numbers.
Mat3 dots(const double* a, std::size_t strideA, const double* b, std::size_t strideB, std::size_t count) {
    static constexpr double kBefore[4][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}};
    Lanes sum[3][3];
    for (auto& row : sum)
        for (Lanes& lanes : row) lanes = Lanes(0.0);
    const auto add = [&](std::size_t k, const Lanes& b0, const Lanes& b1, const Lanes& b2) {
        for (std::size_t r = 0; r < 3; ++r) {
            const Lanes own = Lanes::load(a + r * strideA + k);
            sum[r][0] = fma(own, b0, sum[r][0]);
            sum[r][1] = fma(own, b1, sum[r][1]);
            sum[r][2] = fma(own, b2, sum[r][2]);
        }
    };
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) add(k, Lanes::load(b + k), Lanes::load(b + strideB + k), Lanes::load(b + 2 * strideB + k));
    if (k < count) {
        const Lanes which = Lanes::load(kBefore[count - k]);
        add(k, Lanes::load(b + k) * which, Lanes::load(b + strideB + k) * which, Lanes::load(b + 2 * strideB + k) * which);
    }
    Mat3 all;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) all(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = sumOf(sum[r][c]);
    return all;
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

bool EnvelopeFactor::isLarge() const { return values_.size() >= kLarge; }

/// Panel by panel: what rows of a panel need of earlier ones is theirs alone, so threads share them; then the rows among themselves, one after the other.
bool EnvelopeFactor::factor() {
    const std::size_t count = rows_.size() / 3, panel = isLarge() ? kPanel : 1;
    for (std::size_t first = 0; first < count; first += panel) {
        const std::size_t last = std::min(count, first + panel);
        parallelFor(last - first, 1, [&](std::size_t k, std::size_t) { factorColumns(first + k, 0, 3 * first); });
        for (std::size_t q = first; q < last; ++q) {
            factorColumns(q, 3 * first, 3 * q);
            if (!factorDiagonal(q)) return false;
        }
    }
    return true;
}

/// L_ij = (A_ij - sum over k < j of L_ik L_jk) / L_jj, block by block.
void EnvelopeFactor::factorColumns(std::size_t q, std::size_t from, std::size_t to) {
    const std::size_t i = 3 * q, start = rows_[i].start, stride = strideOf(i);
    double* own = entry(i, start);
    for (std::size_t j = std::max(from, 3 * ((start + 2) / 3)); j < to; j += 3) {  // what stands before is zero
        const std::size_t common = std::max(start, rows_[j].start);
        const Mat3 sums = dots(own + (common - start), stride, entry(j, common), strideOf(j), j - common);
        const double *second = entry(j + 1, j), *third = entry(j + 2, j);
        for (std::size_t r = 0; r < 3; ++r) {
            double* value = own + r * stride + (j - start);
            const auto sum = sums.row(static_cast<Eigen::Index>(r));
            value[0] = (value[0] - sum[0]) * diagonal_[j];
            value[1] = (value[1] - sum[1] - value[0] * second[0]) * diagonal_[j + 1];
            value[2] = (value[2] - sum[2] - value[0] * third[0] - value[1] * third[1]) * diagonal_[j + 2];
        }
    }
}

bool EnvelopeFactor::factorDiagonal(std::size_t q) {
    const std::size_t i = 3 * q, start = rows_[i].start, stride = strideOf(i);
    double* own = entry(i, start);
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

/// Three rows at a time, since it is the memory that takes the time.
void EnvelopeFactor::solveUpper(double* v) const {
    for (std::size_t i = rows_.size(); i > 0;) {
        i -= 3;
        const std::size_t start = rows_[i].start, stride = strideOf(i), count = i - start;
        const double* row = entry(i, start);
        const double *second = row + stride, *third = row + 2 * stride;
        const double z = v[i + 2] *= diagonal_[i + 2];
        const double y = v[i + 1] = (v[i + 1] - third[count + 1] * z) * diagonal_[i + 1];
        const double x = v[i] = (v[i] - third[count] * z - second[count] * y) * diagonal_[i];
        double* to = v + start;
        std::size_t k = 0;
        for (; k + 4 <= count; k += 4)
            fnma(Lanes::load(row + k), Lanes(x), fnma(Lanes::load(second + k), Lanes(y), fnma(Lanes::load(third + k), Lanes(z), Lanes::load(to + k)))).store(to + k);
        for (; k < count; ++k) to[k] -= third[k] * z + second[k] * y + row[k] * x;
    }
}

}  // namespace sunder
