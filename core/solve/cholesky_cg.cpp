#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/math/wide.h"
#include "core/solve/cg_matrix.h"
#include "core/solve/corrected_solver.h"
#include "core/solve/split_matrix.h"

namespace sunder {

namespace {
constexpr int kPollInterval = 8;

/// Conjugate gradients on E^-1 A E^-T y = E^-1 r, x = E^-T y; see SplitMatrix.
class CholeskyCg : public CorrectedSolver {
  protected:
    bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) override { return split_.assign(matrix, fixed); }

    bool iterate(Span<const Vec3> residual, Span<Vec3> x, double reduction, const LinearSettings& settings,
                 LinearReport& report) override {
        for (PaddedVector* v : {&r_, &p_, &t_, &w_, &y_}) v->assign(4 * split_.rowCount(), 0.0);
        double rr = reduceRanges([&](std::size_t range) { return split_.load(range, residual, r_.data()); });
        const double aimSq = reduction * reduction * rr;
        double beta = 0;
        while (rr > aimSq && report.iterations < settings.maxIterations) {
            if (report.iterations % kPollInterval == 0) throwIfCancelled(settings.monitor);
            ++report.iterations;
            parallelBlocks(split_.rangeCount(), [&](std::size_t range) {
                turnDirection(range, beta);
                split_.sweepUp(range, p_.data(), t_.data());
            });
            const double* more = couple();
            const double pw = reduceRanges([&](std::size_t range) { return split_.sweepDown(range, p_.data(), t_.data(), more, w_.data()); });
            if (!(pw > 0)) {
                report.message = "the system matrix is not positive definite";
                return false;
            }
            const double alpha = rr / pw, before = rr;
            rr = reduceRanges([&](std::size_t range) { return advance(range, alpha); });
            beta = rr / before;
        }
        parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.unload(range, y_.data(), t_.data(), x); });
        if (rr <= aimSq) return true;
        report.message = format("conjugate gradients did not reach the tolerance in %d iterations", report.iterations);
        return false;
    }

  private:
    /// The coupling's product with t, or null if there is none.
    const double* couple() {
        if (!coupling_) return nullptr;
        vertexIn_.resize(split_.rowCount());
        vertexOut_.assign(split_.rowCount(), Vec3::Zero());
        more_.resize(4 * split_.rowCount());
        parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.toVertices(range, t_.data(), vertexIn_); });
        coupling_->addProduct(vertexIn_, vertexOut_);
        parallelBlocks(split_.rangeCount(), [&](std::size_t range) { split_.fromVertices(range, vertexOut_, more_.data()); });
        return more_.data();
    }

    template <class Range>
    double reduceRanges(Range body) {
        return parallelReduce(split_.rangeCount(), 1, 0.0, [&](std::size_t range, std::size_t) { return body(range); });
    }

    void turnDirection(std::size_t range, double beta) {
        const Wide4d b(beta);
        for (std::size_t i = 4 * split_.rangeFirst(range); i < 4 * split_.rangeFirst(range + 1); i += 4)
            (Wide4d::load(&r_[i]) + b * Wide4d::load(&p_[i])).store(&p_[i]);
    }

    double advance(std::size_t range, double alpha) {
        const Wide4d a(alpha);
        Wide4d rr(0.0);
        for (std::size_t i = 4 * split_.rangeFirst(range); i < 4 * split_.rangeFirst(range + 1); i += 4) {
            (Wide4d::load(&y_[i]) + a * Wide4d::load(&p_[i])).store(&y_[i]);
            const Wide4d r = Wide4d::load(&r_[i]) - a * Wide4d::load(&w_[i]);
            r.store(&r_[i]);
            rr += r * r;
        }
        return (rr[0] + rr[1]) + rr[2];
    }

    SplitMatrix split_;
    PaddedVector r_, p_, t_, w_, y_, more_;
    std::vector<Vec3> vertexIn_, vertexOut_;
};
}  // namespace

std::unique_ptr<LinearSolver> makeCholeskyCg() { return std::make_unique<CholeskyCg>(); }

}  // namespace sunder
