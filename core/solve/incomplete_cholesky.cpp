#include "core/solve/incomplete_cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kRowsPerRange = 4096;

using FloatBlock = Eigen::Map<Eigen::Matrix3f>;
using ConstFloatBlock = Eigen::Map<const Eigen::Matrix3f>;
using Column = Eigen::Map<Vec3>;
using ConstColumn = Eigen::Map<const Vec3>;
}  // namespace

void IncompleteCholesky::buildPattern(const SparsePattern& pattern) {
    const std::size_t rows = pattern.rowCount(), ranges = std::max<std::size_t>(1, rows / kRowsPerRange);
    rangeFirst_.resize(ranges + 1);
    for (std::size_t k = 0; k <= ranges; ++k) rangeFirst_[k] = static_cast<std::int32_t>(rows * k / ranges);
    rowFirst_.assign(1, 0);
    column_.clear();
    source_.clear();
    std::size_t range = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        while (static_cast<std::int32_t>(r) >= rangeFirst_[range + 1]) ++range;
        for (auto k = pattern.rowFirst[r]; k < pattern.diagonal[r]; ++k)
            if (pattern.column[static_cast<std::size_t>(k)] >= rangeFirst_[range]) {
                column_.push_back(pattern.column[static_cast<std::size_t>(k)]);
                source_.push_back(k);
            }
        rowFirst_.push_back(static_cast<std::int32_t>(column_.size()));
    }
    lower_.resize(9 * column_.size());
    inverse_.resize(9 * rows);
}

bool IncompleteCholesky::factorRange(const BlockMatrix& matrix, Span<const std::uint8_t> fixed, std::size_t range, double shift) {
    const auto isFixed = [&](std::size_t i) { return !fixed.empty() && fixed[i]; };
    for (auto i = static_cast<std::size_t>(rangeFirst_[range]); i < static_cast<std::size_t>(rangeFirst_[range + 1]); ++i) {
        Mat3 pivot = matrix.block(static_cast<std::size_t>(matrix.pattern->diagonal[i]));
        pivot.diagonal() *= 1 + shift;
        const auto first = static_cast<std::size_t>(rowFirst_[i]), last = static_cast<std::size_t>(rowFirst_[i + 1]);
        for (std::size_t k = first; k < last; ++k) {
            const auto j = static_cast<std::size_t>(column_[k]);
            if (isFixed(i) || isFixed(j)) {
                FloatBlock(lower_.data() + 9 * k).setZero();
                continue;
            }
            Mat3 block = matrix.block(static_cast<std::size_t>(source_[k]));
            auto a = first, b = static_cast<std::size_t>(rowFirst_[j]);
            const auto bEnd = static_cast<std::size_t>(rowFirst_[j + 1]);
            while (a < k && b < bEnd) {
                if (column_[a] == column_[b]) {
                    block -= ConstFloatBlock(lower_.data() + 9 * a).cast<double>() *
                             ConstFloatBlock(lower_.data() + 9 * b).cast<double>().transpose();
                    ++a, ++b;
                } else {
                    (column_[a] < column_[b] ? a : b) += 1;
                }
            }
            const Mat3 l = block * Eigen::Map<const Mat3>(inverse_.data() + 9 * j).transpose();
            FloatBlock(lower_.data() + 9 * k) = l.cast<float>();
            pivot -= l * l.transpose();
        }
        Eigen::Map<Mat3> inverse(inverse_.data() + 9 * i);
        if (isFixed(i)) {
            inverse.setZero();
            continue;
        }
        const Eigen::LLT<Mat3> cholesky(pivot);
        if (cholesky.info() != Eigen::Success) return false;
        inverse = cholesky.matrixL().solve(Mat3::Identity());
        if (!inverse.allFinite()) return false;
    }
    return true;
}

bool IncompleteCholesky::factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) {
    if (inverse_.size() != 9 * matrix.pattern->rowCount() || rowFirst_.empty()) buildPattern(*matrix.pattern);
    std::vector<std::uint8_t> good(rangeFirst_.size() - 1, 0);
    parallelBlocks(good.size(), [&](std::size_t range) {
        double shift = 0;
        for (int attempt = 0; attempt < 12 && !good[range]; ++attempt) {
            good[range] = factorRange(matrix, fixed, range, shift) ? 1 : 0;
            shift = shift == 0 ? 1e-3 : 2 * shift;
        }
    });
    return std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; });
}

void IncompleteCholesky::solveRange(std::size_t range, const double* r, double* z) const {
    const auto begin = static_cast<std::size_t>(rangeFirst_[range]), end = static_cast<std::size_t>(rangeFirst_[range + 1]);
    for (std::size_t i = begin; i < end; ++i) {
        Vec3 sum = ConstColumn(r + 4 * i);
        for (auto k = static_cast<std::size_t>(rowFirst_[i]); k < static_cast<std::size_t>(rowFirst_[i + 1]); ++k)
            sum -= ConstFloatBlock(lower_.data() + 9 * k).cast<double>() * ConstColumn(z + 4 * static_cast<std::size_t>(column_[k]));
        Column(z + 4 * i) = Eigen::Map<const Mat3>(inverse_.data() + 9 * i) * sum;
        z[4 * i + 3] = 0;
    }
    for (std::size_t i = end; i-- > begin;) {
        const Vec3 done = Eigen::Map<const Mat3>(inverse_.data() + 9 * i).transpose() * ConstColumn(z + 4 * i);
        Column(z + 4 * i) = done;
        for (auto k = static_cast<std::size_t>(rowFirst_[i]); k < static_cast<std::size_t>(rowFirst_[i + 1]); ++k)
            Column(z + 4 * static_cast<std::size_t>(column_[k])) -= ConstFloatBlock(lower_.data() + 9 * k).cast<double>().transpose() * done;
    }
}

double IncompleteCholesky::apply(const double* r, double* z) const {
    const std::size_t ranges = rangeFirst_.size() - 1;
    std::vector<double> dots(ranges, 0.0);
    parallelBlocks(ranges, [&](std::size_t range) {
        solveRange(range, r, z);
        for (auto i = static_cast<std::size_t>(rangeFirst_[range]); i < static_cast<std::size_t>(rangeFirst_[range + 1]); ++i)
            dots[range] += ConstColumn(r + 4 * i).dot(ConstColumn(z + 4 * i));
    });
    double sum = 0;
    for (const double d : dots) sum += d;
    return sum;
}

}  // namespace sunder
