#include "core/solve/split_matrix.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/solve/cg_matrix.h"
#include "core/solve/ordering.h"

namespace sunder {

namespace {
// more ranges serve more threads but weaken the preconditioner
constexpr std::size_t kRowsPerRange = 1024, kFewRanges = 4, kRowsPerLaterRange = 32768;
/// A pivot may not fall below this share of its diagonal block: without fill, elasticity's pivots can lose their sign.
constexpr double kSmallestPivot = 0.1;

/// sum += block * x, the block nine floats, column by column.
void addProduct(Wide4d& sum, const float* block, const double* x) {
    // one addition a block on the way that all blocks of a row go
    sum += fma(loadFloats(block + 6), Wide4d(x[2]), fma(loadFloats(block + 3), Wide4d(x[1]), loadFloats(block) * Wide4d(x[0])));
}

Eigen::Map<const Mat3> mat3(const std::vector<double>& values, std::size_t k) { return Eigen::Map<const Mat3>(values.data() + 9 * k); }
Eigen::Map<Mat3> mat3(std::vector<double>& values, std::size_t k) { return Eigen::Map<Mat3>(values.data() + 9 * k); }
}  // namespace

void SplitMatrix::buildPattern(const SparsePattern& pattern) {
    pattern_ = &pattern;
    order_ = reverseCuthillMcKee(pattern);
    const std::size_t rows = order_.size(), ranges = std::clamp<std::size_t>(rows / kRowsPerRange, 1, std::max(kFewRanges, rows / kRowsPerLaterRange));
    rangeFirst_.resize(ranges + 1);
    for (std::size_t k = 0; k <= ranges; ++k) rangeFirst_[k] = static_cast<std::int32_t>(rows * k / ranges);
    std::vector<std::int32_t> place(rows);
    for (std::size_t r = 0; r < rows; ++r) place[static_cast<std::size_t>(order_[r])] = static_cast<std::int32_t>(r);
    for (Part* part : {&lower_, &upper_, &between_}) *part = Part{{0}, {}, {}, {}};
    std::size_t range = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> row;
    for (std::size_t r = 0; r < rows; ++r) {
        while (static_cast<std::int32_t>(r) >= rangeFirst_[range + 1]) ++range;
        const auto vertex = static_cast<std::size_t>(order_[r]);
        row.clear();
        for (auto k = pattern.rowFirst[vertex]; k < pattern.rowFirst[vertex + 1]; ++k)
            if (k != pattern.diagonal[vertex]) row.emplace_back(place[static_cast<std::size_t>(pattern.column[static_cast<std::size_t>(k)])], k);
        std::sort(row.begin(), row.end());
        for (const auto& [column, source] : row) {
            const bool inside = column >= rangeFirst_[range] && column < rangeFirst_[range + 1];
            Part& part = !inside ? between_ : column < static_cast<std::int32_t>(r) ? lower_ : upper_;
            part.column.push_back(column);
            part.source.push_back(source);
        }
        for (Part* part : {&lower_, &upper_, &between_}) part->rowFirst.push_back(static_cast<std::int32_t>(part->column.size()));
    }
    for (Part* part : {&lower_, &upper_, &between_}) part->values.resize(9 * part->column.size() + 4);
    buildMirror();
    scale_.resize(9 * rows);
    diagonal_.resize(9 * rows + 4);
}

/// Where the transpose of each lower block stands in the upper part. Rows ascend, so each row's upper blocks fill up in order.
void SplitMatrix::buildMirror() {
    mirror_.resize(lower_.column.size());
    std::vector<std::int32_t> next(upper_.rowFirst.begin(), upper_.rowFirst.end() - 1);
    for (std::size_t i = 0; i < order_.size(); ++i)
        for (auto k = static_cast<std::size_t>(lower_.rowFirst[i]); k < static_cast<std::size_t>(lower_.rowFirst[i + 1]); ++k)
            mirror_[k] = next[static_cast<std::size_t>(lower_.column[k])]++;
}

namespace {
/// A 3x3 matrix as three padded columns.
struct Columns {
    Wide4d c[3];

    static Columns load(const double* block) {
        // the last column is read from one place earlier, not to read past the end of the array
        const Wide4d last = Wide4d::load(block + 5);
        return {{Wide4d::load(block), Wide4d::load(block + 3), Wide4d(__builtin_shufflevector(last.v, last.v, 1, 2, 3, 3))}};
    }
    void store(double* padded) const {
        for (int k = 0; k < 3; ++k) c[k].store(padded + 4 * k);
    }
};

/// a * b^T, b nine doubles column by column.
Columns timesTransposed(const Columns& a, const double* b) {
    Columns result;
    for (int k = 0; k < 3; ++k) result.c[k] = fma(a.c[2], Wide4d(b[6 + k]), fma(a.c[1], Wide4d(b[3 + k]), a.c[0] * Wide4d(b[k])));
    return result;
}

/// a * b, b three padded columns.
Columns times(const Columns& a, const double* b) {
    Columns result;
    for (int k = 0; k < 3; ++k) 
        result.c[k] = fma(a.c[2], Wide4d(b[4 * k + 2]), fma(a.c[1], Wide4d(b[4 * k + 1]), a.c[0] * Wide4d(b[4 * k])));
    return result;
}

/// sum -= half * half^T, half three padded columns.
void subtractSquare(Columns& sum, const Columns& half, const double* padded) {
    for (int j = 0; j < 3; ++j)
        sum.c[j] = fnma(half.c[0], Wide4d(padded[j]), fnma(half.c[1], Wide4d(padded[4 + j]), fnma(half.c[2], Wide4d(padded[8 + j]), sum.c[j])));
}

/// The inverse of the Cholesky factor of a symmetric matrix; false if it is not positive definite.
bool invertCholesky(const Mat3& a, Eigen::Map<Mat3> inverse) {
    const double l00 = a(0, 0), d0 = std::sqrt(l00), l10 = a(1, 0) / d0, l20 = a(2, 0) / d0;
    const double l11 = a(1, 1) - l10 * l10, d1 = std::sqrt(l11), l21 = (a(2, 1) - l20 * l10) / d1;
    const double l22 = a(2, 2) - l20 * l20 - l21 * l21, d2 = std::sqrt(l22);
    if (!(l00 > 0) || !(l11 > 0) || !(l22 > 0)) return false;
    const double i0 = 1 / d0, i1 = 1 / d1, i2 = 1 / d2, m10 = -l10 * i0 * i1, m21 = -l21 * i1 * i2;
    inverse << i0, 0, 0, m10, i1, 0, -(l20 * i0 + l21 * m10) * i2, m21, i2;
    return inverse.allFinite();
}

bool isPositiveDefinite(const Mat3& a) {
    Mat3 unused;
    return invertCholesky(a, Eigen::Map<Mat3>(unused.data()));
}

void storeFloats(const double* padded, float* block, float* mirror) {
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) block[3 * c + r] = mirror[3 * r + c] = static_cast<float>(padded[4 * c + r]);
}
}  // namespace

/// Row by row: pivots P_i = D_i - sum over j < i of L_ij P_j^-1 L_ij^T with P = G G^T, then the scaled blocks G_i^-1 L_ij G_j^-T
/// and their mirrors above the diagonal.
bool SplitMatrix::factorRange(const BlockMatrix& matrix, std::size_t range) {
    std::vector<double> halves;  // L_ij G_j^-T of one row, twelve doubles each
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i) {
        const auto first = static_cast<std::size_t>(lower_.rowFirst[i]), last = static_cast<std::size_t>(lower_.rowFirst[i + 1]);
        const double* diagonal = matrix.values.data() + 9 * static_cast<std::size_t>(pattern_->diagonal[static_cast<std::size_t>(order_[i])]);
        auto scale = mat3(scale_, i);
        halves.assign(12 * (last - first), 0.0);
        Mat3 rest = -Mat3::Identity();
        if (isFixed(i)) {
            scale.setIdentity();
        } else {
            Columns sum = Columns::load(diagonal);
            for (std::size_t k = first; k < last; ++k) {
                const auto j = static_cast<std::size_t>(lower_.column[k]);
                if (isFixed(j)) continue;
                double* padded = halves.data() + 12 * (k - first);
                const Columns half = timesTransposed(Columns::load(matrix.values.data() + 9 * static_cast<std::size_t>(lower_.source[k])), scale_.data() + 9 * j);
                half.store(padded);
                subtractSquare(sum, half, padded);
            }
            const Mat3 whole = Eigen::Map<const Mat3>(diagonal);
            Mat3 pivot;
            for (int c = 0; c < 3; ++c) pivot.col(c) << sum.c[c][0], sum.c[c][1], sum.c[c][2];
            if (!isPositiveDefinite(pivot - kSmallestPivot * whole)) pivot = whole;
            if (!invertCholesky(pivot, scale)) return false;
            rest = scale * whole * scale.transpose() - 2 * Mat3::Identity();
        }
        for (int e = 0; e < 9; ++e) diagonal_[9 * i + static_cast<std::size_t>(e)] = static_cast<float>(rest.data()[e]);
        const Columns scaleColumns = Columns::load(scale.data());
        for (std::size_t k = first; k < last; ++k) {
            double padded[12];
            times(scaleColumns, halves.data() + 12 * (k - first)).store(padded);
            storeFloats(padded, lower_.values.data() + 9 * k, upper_.values.data() + 9 * static_cast<std::size_t>(mirror_[k]));
        }
    }
    return true;
}

/// The scaled blocks between a range and the others.
void SplitMatrix::scaleBetween(const BlockMatrix& matrix, std::size_t range) {
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i)
        for (auto k = static_cast<std::size_t>(between_.rowFirst[i]); k < static_cast<std::size_t>(between_.rowFirst[i + 1]); ++k) {
            const auto j = static_cast<std::size_t>(between_.column[k]);
            Mat3 block = Mat3::Zero();
            if (!isFixed(i) && !isFixed(j))
                block = mat3(scale_, i) * matrix.block(static_cast<std::size_t>(between_.source[k])) * mat3(scale_, j).transpose();
            for (int e = 0; e < 9; ++e) between_.values[9 * k + static_cast<std::size_t>(e)] = static_cast<float>(block.data()[e]);
        }
}

bool SplitMatrix::assign(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) {
    if (pattern_ != matrix.pattern || order_.size() != matrix.pattern->rowCount()) buildPattern(*matrix.pattern);
    fixed_.assign(fixed.begin(), fixed.end());
    std::vector<std::uint8_t> good(rangeCount(), 0);
    parallelBlocks(rangeCount(), [&](std::size_t range) { good[range] = factorRange(matrix, range) ? 1 : 0; });
    if (!std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; })) return false;
    parallelBlocks(rangeCount(), [&](std::size_t range) { scaleBetween(matrix, range); });
    return true;
}

void SplitMatrix::sweepUp(std::size_t range, const double* p, double* t) const {
    for (auto i = rangeFirst(range + 1); i-- > rangeFirst(range);) {
        Wide4d sum(0.0);
        for (auto k = static_cast<std::size_t>(upper_.rowFirst[i + 1]); k-- > static_cast<std::size_t>(upper_.rowFirst[i]);)
            addProduct(sum, upper_.values.data() + 9 * k, t + 4 * static_cast<std::size_t>(upper_.column[k]));
        (Wide4d::load(p + 4 * i) - sum).store(t + 4 * i);
    }
}

double SplitMatrix::sweepDown(std::size_t range, const double* p, const double* t, const double* more, double* w) const {
    Wide4d dot(0.0);
    // w holds s = E^-1 (...) on the way, t is added once no later row needs s any more
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i) {
        Wide4d sum(0.0), rest(0.0);
        if (more) rest = Wide4d::load(more + 4 * i);
        addProduct(rest, diagonal_.data() + 9 * i, t + 4 * i);
        for (auto k = static_cast<std::size_t>(between_.rowFirst[i]); k < static_cast<std::size_t>(between_.rowFirst[i + 1]); ++k)
            addProduct(rest, between_.values.data() + 9 * k, t + 4 * static_cast<std::size_t>(between_.column[k]));
        for (auto k = static_cast<std::size_t>(lower_.rowFirst[i]); k < static_cast<std::size_t>(lower_.rowFirst[i + 1]); ++k)
            addProduct(sum, lower_.values.data() + 9 * k, w + 4 * static_cast<std::size_t>(lower_.column[k]));
        ((Wide4d::load(p + 4 * i) + rest) - sum).store(w + 4 * i);
    }
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i) {
        const Wide4d whole = Wide4d::load(w + 4 * i) + Wide4d::load(t + 4 * i);
        whole.store(w + 4 * i);
        dot += whole * Wide4d::load(p + 4 * i);
    }
    return (dot[0] + dot[1]) + dot[2];
}

void SplitMatrix::toVertices(std::size_t range, const double* t, Span<Vec3> x) const {
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i)
        x[static_cast<std::size_t>(order_[i])] =
            isFixed(i) ? Vec3(Vec3::Zero()) : Vec3(mat3(scale_, i).transpose() * Eigen::Map<const Vec3>(t + 4 * i));
}

void SplitMatrix::fromVertices(std::size_t range, Span<const Vec3> x, double* t) const {
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i) {
        Eigen::Map<Vec3>(t + 4 * i) = isFixed(i) ? Vec3(Vec3::Zero()) : Vec3(mat3(scale_, i) * x[static_cast<std::size_t>(order_[i])]);
        t[4 * i + 3] = 0;
    }
}

double SplitMatrix::load(std::size_t range, Span<const Vec3> b, double* r) const {
    double sum = 0;
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i) {
        Wide4d before(0.0);
        for (auto k = static_cast<std::size_t>(lower_.rowFirst[i]); k < static_cast<std::size_t>(lower_.rowFirst[i + 1]); ++k)
            addProduct(before, lower_.values.data() + 9 * k, r + 4 * static_cast<std::size_t>(lower_.column[k]));
        Vec3 value = Vec3::Zero();
        if (!isFixed(i)) value = mat3(scale_, i) * b[static_cast<std::size_t>(order_[i])] - Vec3(before[0], before[1], before[2]);
        Eigen::Map<Vec3>(r + 4 * i) = value;
        r[4 * i + 3] = 0;
        sum += value.squaredNorm();
    }
    return sum;
}

void SplitMatrix::unload(std::size_t range, const double* y, double* t, Span<Vec3> x) const {
    sweepUp(range, y, t);
    for (auto i = rangeFirst(range); i < rangeFirst(range + 1); ++i)
        if (!isFixed(i)) x[static_cast<std::size_t>(order_[i])] += mat3(scale_, i).transpose() * Eigen::Map<const Vec3>(t + 4 * i);
}

}  // namespace sunder
