#include "core/solve/corrected_solver.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 1024;
constexpr int kMostCorrections = 8;
constexpr double kTighter = 1e-2, kTightest = 1e-7;
}  // namespace

bool CorrectedSolver::factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) {
    matrix_ = &matrix;
    fixed_.assign(fixed.begin(), fixed.end());
    return prepare(matrix, fixed);
}

/// Puts b - A x into residual_, zero for fixed vertices; returns its length.
double CorrectedSolver::updateResidual(Span<const Vec3> b, Span<const Vec3> x) {
    residual_.resize(b.size());
    multiply(*matrix_, x, residual_);
    if (coupling_) coupling_->addProduct(x, residual_);
    return std::sqrt(parallelReduce(b.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) {
            residual_[i] = isFixed(i) ? Vec3::Zero() : Vec3(b[i] - residual_[i]);
            sum += residual_[i].squaredNorm();
        }
        return sum;
    }));
}

LinearReport CorrectedSolver::solve(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) {
    const std::size_t n = b.size();
    SUNDER_ASSERT(x.size() == n && matrix_ && matrix_->pattern->rowCount() == n);
    LinearReport report;
    double scale = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (isFixed(i))
            x[i].setZero();
        else
            scale += b[i].squaredNorm();
    }
    scale = std::sqrt(scale);
    if (scale == 0) {
        std::fill(x.begin(), x.end(), Vec3::Zero());
        report.converged = true;
        return report;
    }
    report.residual = updateResidual(b, x) / scale;
    double tighter = 1;
    for (int correction = 0; correction <= kMostCorrections && report.residual > settings.tolerance; ++correction) {
        // a little below the tolerance, since the rounded matrix is not quite the true one
        const double before = report.residual, reduction = tighter * 0.8 * settings.tolerance / before;
        if (!iterate(residual_, x, reduction, settings, report)) return report;
        report.residual = updateResidual(b, x) / scale;
        if (report.residual < 0.9 * before) continue;
        // the residual that iterations see is small where the matrix is stiff: a few stiff unknowns may hide in it
        tighter *= kTighter;
        if (tighter < kTightest) break;
    }
    report.converged = report.residual <= settings.tolerance;
    if (!report.converged) report.message = format("conjugate gradients stalled at a residual of %g", report.residual);
    return report;
}

}  // namespace sunder
