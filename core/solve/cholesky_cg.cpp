#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/solve/cg_loop.h"
#include "core/solve/corrected_solver.h"
#include "core/solve/split_vectors.h"

namespace sunder {

namespace {
/// Conjugate gradients on E^-1 A E^-T y = E^-1 r, x = E^-T y; see SplitMatrix.
class CholeskyCg : public CorrectedSolver {
  protected:
    bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) override { return split_.assign(matrix, fixed); }

    bool iterate(Span<const Vec3> residual, Span<Vec3> x, double reduction, const LinearSettings& settings,
                 LinearReport& report) override {
        v_.assign(split_.rowCount());
        const double rr = reduceRanges([&](std::size_t range) { return split_.load(range, residual, v_.r.data()); });
        const auto multiplyDirection = [&](double beta) {
            parallelBlocks(split_.rangeCount(), [&](std::size_t range) { v_.turn(split_, range, beta); });
            const double* more = couple();
            return reduceRanges([&](std::size_t range) { return split_.sweepDown(range, v_.p.data(), v_.t.data(), more, v_.w.data()); });
        };
        const auto advance = [&](double alpha) {
            return reduceRanges([&](std::size_t range) { return v_.advance(split_, range, alpha); });
        };
        const CgEnd end = iterateCg(rr, reduction * reduction * rr, settings, report, multiplyDirection, advance);
        if (end == CgEnd::kIndefinite) return false;
        parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.unload(range, v_.y.data(), v_.t.data(), x); });
        return end == CgEnd::kReached;
    }

  private:
    /// The coupling's product with t, or null if there is none.
    const double* couple() {
        if (!coupling_) return nullptr;
        vertexIn_.resize(split_.rowCount());
        vertexOut_.assign(split_.rowCount(), Vec3::Zero());
        more_.resize(4 * split_.rowCount());
        parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.toVertices(range, v_.t.data(), vertexIn_); });
        coupling_->addProduct(vertexIn_, vertexOut_);
        parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.fromVertices(range, vertexOut_, more_.data()); });
        return more_.data();
    }

    template <class Range>
    double reduceRanges(Range body) {
        return parallelReduce(split_.rangeCount(), 1, 0.0, [&](std::size_t range, std::size_t) { return body(range); });
    }

    SplitMatrix split_;
    SplitVectors v_;
    PaddedVector more_;
    std::vector<Vec3> vertexIn_, vertexOut_;
};
}  // namespace

std::unique_ptr<LinearSolver> makeCholeskyCg() { return std::make_unique<CholeskyCg>(); }

}  // namespace sunder
