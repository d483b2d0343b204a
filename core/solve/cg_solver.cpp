#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/math/wide.h"
#include "core/base/text.h"
#include "core/solve/cg_matrix.h"
#include "core/solve/incomplete_cholesky.h"
#include "core/solve/linear_solver.h"

namespace sunder {

namespace {
constexpr int kPollInterval = 16;  // iterations between two looks at the monitor
constexpr int kMostCorrections = 6;

/// Two sums that one pass makes.
struct DotPair {
    double rz = 0, rr = 0;
    friend DotPair operator+(DotPair a, DotPair b) { return {a.rz + b.rz, a.rr + b.rr}; }
};

class CgSolver : public LinearSolver {
  public:
    explicit CgSolver(Preconditioner preconditioner) : preconditioner_(preconditioner) {}

    bool factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) override {
        matrix_ = &matrix;
        fixed_.assign(fixed.begin(), fixed.end());
        cg_.assign(matrix, fixed);
        return preconditioner_ == Preconditioner::kBlockJacobi ? invertDiagonal() : cholesky_.factor(matrix, fixed);
    }

    LinearReport solve(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) override {
        const std::size_t n = cg_.rowCount();
        SUNDER_ASSERT(b.size() == n && x.size() == n);
        residual_.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            if (isFixed(i)) x[i].setZero();
        LinearReport report;
        const double scale = std::sqrt(normSq(b));
        if (scale == 0) {
            std::fill(x.begin(), x.end(), Vec3::Zero());
            report.converged = true;
            return report;
        }
        report.residual = trueResidual(b, x) / scale;
        for (int correction = 0; correction <= kMostCorrections && report.residual > settings.tolerance; ++correction) {
            // aim a little below the tolerance, since the single-precision matrix is not quite the true one
            const double aim = 0.8 * settings.tolerance * scale;
            if (!iterate(x, aim, settings, report)) return report;
            const double before = report.residual;
            report.residual = trueResidual(b, x) / scale;
            if (!(report.residual < before)) break;
        }
        report.converged = report.residual <= settings.tolerance;
        if (!report.converged && report.message.empty())
            report.message = format("conjugate gradients stalled at a residual of %g", report.residual);
        return report;
    }

  private:
    bool isFixed(std::size_t i) const { return !fixed_.empty() && fixed_[i]; }

    bool invertDiagonal() {
        inverse_.resize(12 * cg_.rowCount());
        std::vector<std::uint8_t> good((cg_.rowCount() + kCgGrain - 1) / kCgGrain, 1);
        parallelFor(cg_.rowCount(), kCgGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                Mat3 inverse = Mat3::Zero();
                if (!isFixed(i)) {
                    const Mat3 block = Eigen::Map<const Eigen::Matrix<double, 4, 3>>(cg_.diagonal.data() + 12 * i).topRows<3>();
                    inverse = block.inverse();
                    if (!inverse.allFinite() || block.diagonal().minCoeff() <= 0) good[first / kCgGrain] = 0;
                }
                Eigen::Map<Eigen::Matrix<double, 4, 3>> to(inverse_.data() + 12 * i);
                to.topRows<3>() = 0.5 * (inverse + inverse.transpose());
                to.row(3).setZero();
            }
        });
        return std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; });
    }

    double normSq(Span<const Vec3> b) const {
        return parallelReduce(b.size(), kCgGrain, 0.0, [&](std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t i = first; i < last; ++i)
                if (!isFixed(i)) sum += b[i].squaredNorm();
            return sum;
        });
    }

    /// Puts b - A x, with the double matrix, into residual_ and r_; returns its length.
    double trueResidual(Span<const Vec3> b, Span<const Vec3> x) {
        multiply(*matrix_, x, residual_);
        r_.resize(4 * b.size());
        return std::sqrt(parallelReduce(b.size(), kCgGrain, 0.0, [&](std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t i = first; i < last; ++i) {
                const Vec3 r = isFixed(i) ? Vec3::Zero() : Vec3(b[i] - residual_[i]);
                Eigen::Map<Vec3>(r_.data() + 4 * i) = r;
                r_[4 * i + 3] = 0;
                sum += r.squaredNorm();
            }
            return sum;
        }));
    }

    /// z = preconditioned r, with the sums of r.z and r.r.
    DotPair precondition() {
        if (preconditioner_ == Preconditioner::kIncompleteCholesky) return {cholesky_.apply(r_.data(), z_.data()), squaredLength(r_)};
        return parallelReduce(cg_.rowCount(), kCgGrain, DotPair{},
                              [&](std::size_t first, std::size_t last) { return jacobiRows(first, last); });
    }

    DotPair jacobiRows(std::size_t first, std::size_t last) {
        Wide4d rz(0.0), rr(0.0);
        for (std::size_t i = first; i < last; ++i) {
            const double* d = inverse_.data() + 12 * i;
            const Wide4d r = Wide4d::load(r_.data() + 4 * i);
            const Wide4d z = Wide4d::load(d) * Wide4d(r[0]) + Wide4d::load(d + 4) * Wide4d(r[1]) + Wide4d::load(d + 8) * Wide4d(r[2]);
            z.store(z_.data() + 4 * i);
            rz += r * z;
            rr += r * r;
        }
        return {(rz[0] + rz[1]) + rz[2], (rr[0] + rr[1]) + rr[2]};
    }

    static double squaredLength(const PaddedVector& a) {
        return parallelReduce(a.size() / 4, kCgGrain, 0.0, [&](std::size_t first, std::size_t last) {
            return Eigen::Map<const Eigen::VectorXd>(a.data() + 4 * first, static_cast<Eigen::Index>(4 * (last - first))).squaredNorm();
        });
    }

    /// step_ += alpha p; r -= alpha q; z = preconditioned r.
    DotPair advance(double alpha) {
        const auto rows = [&](std::size_t first, std::size_t last) {
            const Wide4d a(alpha);
            for (std::size_t i = 4 * first; i < 4 * last; i += 4) {
                (Wide4d::load(&step_[i]) + a * Wide4d::load(&p_[i])).store(&step_[i]);
                (Wide4d::load(&r_[i]) - a * Wide4d::load(&q_[i])).store(&r_[i]);
            }
        };
        if (preconditioner_ == Preconditioner::kIncompleteCholesky) {
            parallelFor(cg_.rowCount(), kCgGrain, rows);
            return precondition();
        }
        return parallelReduce(cg_.rowCount(), kCgGrain, DotPair{}, [&](std::size_t first, std::size_t last) {
            rows(first, last);
            return jacobiRows(first, last);
        });
    }

    /// Conjugate gradients on A step = r_, then x += step; stops at |r| <= aim. False if it has to give up.
    bool iterate(Span<Vec3> x, double aim, const LinearSettings& settings, LinearReport& report) {
        const std::size_t n = cg_.rowCount();
        for (PaddedVector* v : {&z_, &q_}) v->resize(4 * n);
        step_.assign(4 * n, 0.0);
        DotPair dots = precondition();
        p_ = z_;
        while (std::sqrt(dots.rr) > aim && report.iterations < settings.maxIterations) {
            if (report.iterations % kPollInterval == 0) throwIfCancelled(settings.monitor);
            ++report.iterations;
            const double pq = parallelReduce(n, kCgGrain, 0.0, [&](std::size_t first, std::size_t last) {
                return cg_.multiplyRows(p_.data(), q_.data(), first, last);
            });
            if (!(pq > 0)) {
                report.message = "the system matrix is not positive definite";
                return false;
            }
            const double rz = dots.rz;
            dots = advance(rz / pq);
            const Wide4d beta(dots.rz / rz);
            parallelFor(n, 2 * kCgGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = 4 * first; i < 4 * last; i += 4)
                    (Wide4d::load(&z_[i]) + beta * Wide4d::load(&p_[i])).store(&p_[i]);
            });
        }
        for (std::size_t i = 0; i < n; ++i) x[i] += Eigen::Map<const Vec3>(step_.data() + 4 * i);
        if (std::sqrt(dots.rr) <= aim) return true;
        report.message = format("conjugate gradients did not reach the tolerance in %d iterations", report.iterations);
        return false;
    }

    Preconditioner preconditioner_;
    const BlockMatrix* matrix_ = nullptr;
    CgMatrix cg_;
    IncompleteCholesky cholesky_;
    std::vector<std::uint8_t> fixed_;
    std::vector<Vec3> residual_;
    std::vector<double> inverse_;  ///< twelve a row: three columns of four
    PaddedVector r_, z_, p_, q_, step_;
};
}  // namespace

std::unique_ptr<LinearSolver> makeCgSolver(Preconditioner preconditioner) { return std::make_unique<CgSolver>(preconditioner); }

}  // namespace sunder
