#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/solve/linear_solver.h"
#include "core/solve/scalar_factor.h"

namespace sunder {

namespace {
constexpr int kRefinements = 3;

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
        kept_ = false;
        fixed_.assign(fixed.begin(), fixed.end());
        scalar_.assign(matrix, fixed);
        return factor_->factor(scalar_);
    }

    void keepFactor(const BlockMatrix& matrix) override {
        SUNDER_ASSERT(matrix_ && matrix.pattern == pattern_);
        matrix_ = &matrix;
        kept_ = true;
    }

    LinearReport solve(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) override {
        throwIfCancelled(settings.monitor);
        std::fill(x.begin(), x.end(), Vec3::Zero());
        LinearReport report = kept_ ? iterate(b, x, settings) : refine(b, x, settings);
        report.converged = report.residual <= settings.tolerance;
        if (!report.converged) report.message = format("the factorization leaves a residual of %g", report.residual);
        return report;
    }

  private:
    /// With the factor of the matrix itself.
    LinearReport refine(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) {
        const std::size_t n = b.size();
        std::vector<double> right(3 * n), step(3 * n);
        LinearReport report;
        const double scale = residualInto(b, x, right);
        while (report.iterations < kRefinements) {
            ++report.iterations;
            factor_->solve(right, step);
            for (std::size_t i = 0; i < n; ++i) x[i] += Eigen::Map<const Vec3>(step.data() + 3 * i);
            report.residual = scale > 0 ? residualInto(b, x, right) / scale : 0;
            if (report.residual <= settings.tolerance) break;
        }
        return report;
    }

    /// Conjugate gradients with the factor of another matrix.
    LinearReport iterate(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) {
        using Vector = Eigen::Map<Eigen::VectorXd>;
        const auto size = static_cast<Eigen::Index>(3 * b.size());
        std::vector<double> residual(3 * b.size()), preconditioned(3 * b.size());
        std::vector<Vec3> direction(b.size(), Vec3::Zero()), product(b.size());
        Vector r(residual.data(), size), z(preconditioned.data(), size), p(direction[0].data(), size), q(product[0].data(), size),
            solution(x[0].data(), size);
        LinearReport report;
        const double scale = residualInto(b, x, residual);
        double before = 0, length = scale;
        while (length > settings.tolerance * scale && report.iterations < settings.maxIterations) {
            throwIfCancelled(settings.monitor);
            ++report.iterations;
            factor_->solve(residual, preconditioned);
            const double now = r.dot(z);
            p = z + (before > 0 ? now / before : 0) * p;
            multiplyFree(direction, product);
            const double alpha = now / p.dot(q);
            if (!(alpha > 0)) break;
            solution += alpha * p;
            r -= alpha * q;
            before = now;
            length = r.norm();
        }
        report.residual = scale > 0 ? residualInto(b, x, residual) / scale : 0;
        return report;
    }

    /// The product, zero for fixed vertices.
    void multiplyFree(Span<const Vec3> x, Span<Vec3> product) const {
        multiply(*matrix_, x, product);
        for (std::size_t i = 0; i < fixed_.size(); ++i)
            if (fixed_[i]) product[i].setZero();
    }

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
    bool kept_ = false;  ///< the factor is that of another matrix
    std::vector<std::uint8_t> fixed_;
    std::unique_ptr<ScalarFactor> factor_ = makeScalarFactor();
};
}  // namespace

std::unique_ptr<DirectSolver> makeDirectSolver() { return std::make_unique<FactorSolver>(); }

const char* directSolverName() { return scalarFactorName(); }

}  // namespace sunder
