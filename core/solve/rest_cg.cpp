#include "core/solve/rest_cg.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace sunder {

void RestCg::buildPattern(const SparsePattern& whole) {
    whole_ = &whole;
    pattern_ = {};
    source_.clear();
    std::vector<std::int32_t> place(whole.rowCount(), -1);
    for (std::size_t r = 0; r < vertices_.size(); ++r) place[static_cast<std::size_t>(vertices_[r])] = static_cast<std::int32_t>(r);
    pattern_.rowFirst.push_back(0);
    for (const std::int32_t v : vertices_) {
        const auto row = static_cast<std::size_t>(v);
        for (auto k = whole.rowFirst[row]; k < whole.rowFirst[row + 1]; ++k) {
            if (k == whole.diagonal[row]) pattern_.diagonal.push_back(static_cast<std::int32_t>(source_.size()));
            pattern_.column.push_back(place[static_cast<std::size_t>(whole.column[static_cast<std::size_t>(k)])]);
            source_.push_back(k);
        }
        pattern_.rowFirst.push_back(static_cast<std::int32_t>(source_.size()));
    }
    split_ = SplitMatrix();
    matrix_.pattern = &pattern_;
    matrix_.values.resize(9 * source_.size());
}

bool RestCg::assign(const BlockMatrix& matrix, const std::vector<std::int32_t>& vertices, Span<const std::uint8_t> fixed) {
    const bool same = whole_ == matrix.pattern && vertices_ == vertices;
    vertices_ = vertices;
    if (vertices_.empty()) return true;
    if (!same) buildPattern(*matrix.pattern);
    for (std::size_t k = 0; k < source_.size(); ++k) {
        const double* from = matrix.values.data() + 9 * static_cast<std::size_t>(source_[k]);
        std::copy(from, from + 9, matrix_.values.data() + 9 * k);
    }
    std::vector<std::uint8_t> ownFixed;
    for (std::size_t r = 0; r < vertices_.size() && !fixed.empty(); ++r) ownFixed.push_back(fixed[static_cast<std::size_t>(vertices_[r])]);
    return split_.assign(matrix_, ownFixed);
}

template <class Range>
double RestCg::reduceRanges(Range range) {
    return parallelReduce(split_.rangeCount(), 1, 0.0, [&](std::size_t k, std::size_t) { return range(k); });
}

double RestCg::begin(Span<const Vec3> residual) {
    if (empty()) return 0;
    v_.assign(vertices_.size());
    more_.assign(4 * vertices_.size(), 0.0);
    in_.resize(vertices_.size());
    out_.resize(vertices_.size());
    for (std::size_t r = 0; r < vertices_.size(); ++r) in_[r] = residual[static_cast<std::size_t>(vertices_[r])];
    return reduceRanges([&](std::size_t range) { return split_.load(range, in_, v_.r.data()); });
}

void RestCg::turn(double beta, Span<Vec3> vertices) {
    if (empty()) return;
    parallelBlocks(split_.rangeCount(), [&](std::size_t range) {
        v_.turn(split_, range, beta);
        split_.toVertices(range, v_.t.data(), out_);
    });
    for (std::size_t r = 0; r < vertices_.size(); ++r) vertices[static_cast<std::size_t>(vertices_[r])] = out_[r];
}

double RestCg::multiply(Span<const Vec3> coupled) {
    if (empty()) return 0;
    for (std::size_t r = 0; r < vertices_.size(); ++r) in_[r] = coupled[static_cast<std::size_t>(vertices_[r])];
    parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.fromVertices(range, in_, more_.data()); });
    return reduceRanges([&](std::size_t range) { return split_.sweepDown(range, v_.p.data(), v_.t.data(), more_.data(), v_.w.data()); });
}

double RestCg::advance(double alpha) {
    if (empty()) return 0;
    return reduceRanges([&](std::size_t range) { return v_.advance(split_, range, alpha); });
}

void RestCg::end(Span<Vec3> x) {
    if (empty()) return;
    std::fill(out_.begin(), out_.end(), Vec3::Zero());
    parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.unload(range, v_.y.data(), v_.t.data(), out_); });
    for (std::size_t r = 0; r < vertices_.size(); ++r) x[static_cast<std::size_t>(vertices_[r])] += out_[r];
}

}  // namespace sunder
