#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/solve/linear_solver.h"
#include "core/solve/scalar_factor.h"

namespace sunder {

namespace {
/// A factorization plus what LinearSolver promises: fixed vertices, residual in double, refinement where it is wanting.
class FactorSolver : public DirectSolver {
  public:
    double analyse(const SparsePattern& pattern) override {
        if (pattern_ != &pattern || scalar_.size() != 3 * pattern.rowCount()) {
            scalar_.buildPattern(pattern);
            flops_ = factor_->analyse(scalar_);
            pattern_ = &pattern;
        }
        return flops_;
    }

    bool factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) override {
        analyse(*matrix.pattern);
        matrix_ = &matrix;
        fixed_.assign(fixed.begin(), fixed.end());
        scalar_.assign(matrix, fixed);
        return factor_->factor(scalar_);
    }

    LinearReport solve(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) override {
        throwIfCancelled(settings.monitor);
        const std::size_t n = b.size();
        std::vector<double> right(3 * n), step(3 * n);
        std::fill(x.begin(), x.end(), Vec3::Zero());
        LinearReport report;
        const double scale = residualInto(b, x, right);
        for (report.iterations = 1; report.iterations <= 3; ++report.iterations) {
            factor_->solve(right, step);
            for (std::size_t i = 0; i < n; ++i) x[i] += Eigen::Map<const Vec3>(step.data() + 3 * i);
            report.residual = scale > 0 ? residualInto(b, x, right) / scale : 0;
            if (report.residual <= settings.tolerance) break;
        }
        report.iterations = std::min(report.iterations, 3);
        report.converged = report.residual <= settings.tolerance;
        if (!report.converged) report.message = format("the factorization leaves a residual of %g", report.residual);
        return report;
    }

  private:
    double residualInto(Span<const Vec3> b, Span<const Vec3> x, std::vector<double>& r) const {
        std::vector<Vec3> product(b.size());
        multiply(*matrix_, x, product);
        double sum = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            const bool isFixed = !fixed_.empty() && fixed_[i];
            const Vec3 d = isFixed ? Vec3::Zero() : Vec3(b[i] - product[i]);
            Eigen::Map<Vec3>(r.data() + 3 * i) = d;
            sum += d.squaredNorm();
        }
        return std::sqrt(sum);
    }

    const SparsePattern* pattern_ = nullptr;
    const BlockMatrix* matrix_ = nullptr;
    ScalarMatrix scalar_;
    double flops_ = 0;
    std::vector<std::uint8_t> fixed_;
    std::unique_ptr<ScalarFactor> factor_ = makeScalarFactor();
};
}  // namespace

std::unique_ptr<DirectSolver> makeDirectSolver() { return std::make_unique<FactorSolver>(); }

const char* directSolverName() { return scalarFactorName(); }

}  // namespace sunder
