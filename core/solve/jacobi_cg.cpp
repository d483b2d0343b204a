#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/math/wide.h"
#include "core/solve/cg_matrix.h"
#include "core/solve/corrected_solver.h"

namespace sunder {

namespace {
constexpr int kPollInterval = 16;  // iterations between two looks at the monitor

/// Two sums that one pass makes.
struct DotPair {
    double rz = 0, rr = 0;
    friend DotPair operator+(DotPair a, DotPair b) { return {a.rz + b.rz, a.rr + b.rr}; }
};

class JacobiCg : public CorrectedSolver {
  protected:
    bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) override {
        cg_.assign(matrix, fixed);
        return invertDiagonal();
    }

    bool iterate(Span<const Vec3> residual, Span<Vec3> x, double reduction, const LinearSettings& settings,
                 LinearReport& report) override {
        const std::size_t n = cg_.rowCount();
        for (PaddedVector* v : {&r_, &z_, &q_}) v->assign(4 * n, 0.0);
        step_.assign(4 * n, 0.0);
        for (std::size_t i = 0; i < n; ++i) Eigen::Map<Vec3>(r_.data() + 4 * i) = residual[i];
        DotPair dots = reduceRows([&](std::size_t first, std::size_t last) { return preconditionRows(first, last); });
        const double aimSq = reduction * reduction * dots.rr;
        p_ = z_;
        while (dots.rr > aimSq && report.iterations < settings.maxIterations) {
            if (report.iterations % kPollInterval == 0) throwIfCancelled(settings.monitor);
            ++report.iterations;
            double pq = parallelReduce(n, kCgGrain, 0.0, [&](std::size_t first, std::size_t last) {
                return cg_.multiplyRows(p_.data(), q_.data(), first, last);
            });
            if (coupling_) pq += couple();
            if (!(pq > 0)) {
                report.message = "the system matrix is not positive definite";
                return false;
            }
            const double rz = dots.rz, alpha = rz / pq;
            dots = reduceRows([&](std::size_t first, std::size_t last) {
                advanceRows(alpha, first, last);
                return preconditionRows(first, last);
            });
            turnDirection(dots.rz / rz);
        }
        for (std::size_t i = 0; i < n; ++i) x[i] += Eigen::Map<const Vec3>(step_.data() + 4 * i);
        if (dots.rr <= aimSq) return true;
        report.message = format("conjugate gradients did not reach the tolerance in %d iterations", report.iterations);
        return false;
    }

  private:
    template <class Rows>
    DotPair reduceRows(Rows rows) {
        return parallelReduce(cg_.rowCount(), kCgGrain, DotPair{}, rows);
    }

    /// Adds the coupling's product with p to q; returns what that adds to p . q.
    double couple() {
        const std::size_t n = cg_.rowCount();
        vertexIn_.resize(n);
        vertexOut_.assign(n, Vec3::Zero());
        for (std::size_t i = 0; i < n; ++i) vertexIn_[i] = Eigen::Map<const Vec3>(p_.data() + 4 * i);
        coupling_->addProduct(vertexIn_, vertexOut_);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (isFixed(i)) continue;
            Eigen::Map<Vec3>(q_.data() + 4 * i) += vertexOut_[i];
            sum += vertexIn_[i].dot(vertexOut_[i]);
        }
        return sum;
    }

    bool invertDiagonal() {
        inverse_.resize(9 * cg_.rowCount() + 4);
        std::vector<std::uint8_t> good((cg_.rowCount() + kCgGrain - 1) / kCgGrain, 1);
        parallelFor(cg_.rowCount(), kCgGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                Mat3 inverse = Mat3::Zero();
                if (!isFixed(i)) {
                    const Mat3 block = Eigen::Map<const Eigen::Matrix<double, 4, 3>>(cg_.diagonal.data() + 12 * i).topRows<3>();
                    inverse = block.inverse();
                    if (!inverse.allFinite() || block.diagonal().minCoeff() <= 0) good[first / kCgGrain] = 0;
                }
                Eigen::Map<Eigen::Matrix3f>(inverse_.data() + 9 * i) = (0.5 * (inverse + inverse.transpose())).cast<float>();
            }
        });
        return std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; });
    }

    /// z = inverse diagonal * r.
    DotPair preconditionRows(std::size_t first, std::size_t last) {
        Wide4d rz(0.0), rr(0.0);
        for (std::size_t i = first; i < last; ++i) {
            const float* d = inverse_.data() + 9 * i;
            const double* ri = r_.data() + 4 * i;
            const Wide4d r = Wide4d::load(ri);
            const Wide4d z = loadFloats(d) * Wide4d(ri[0]) + loadFloats(d + 3) * Wide4d(ri[1]) + loadFloats(d + 6) * Wide4d(ri[2]);
            z.store(z_.data() + 4 * i);
            rz += r * z;
            rr += r * r;
        }
        return {(rz[0] + rz[1]) + rz[2], (rr[0] + rr[1]) + rr[2]};
    }

    void advanceRows(double alpha, std::size_t first, std::size_t last) {
        const Wide4d a(alpha);
        for (std::size_t i = 4 * first; i < 4 * last; i += 4) {
            (Wide4d::load(&step_[i]) + a * Wide4d::load(&p_[i])).store(&step_[i]);
            (Wide4d::load(&r_[i]) - a * Wide4d::load(&q_[i])).store(&r_[i]);
        }
    }

    void turnDirection(double beta) {
        const Wide4d b(beta);
        parallelFor(cg_.rowCount(), 2 * kCgGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = 4 * first; i < 4 * last; i += 4) (Wide4d::load(&z_[i]) + b * Wide4d::load(&p_[i])).store(&p_[i]);
        });
    }

    CgMatrix cg_;
    std::vector<float> inverse_;  ///< nine a row, column by column, four more at the end
    PaddedVector r_, z_, p_, q_, step_;
    std::vector<Vec3> vertexIn_, vertexOut_;
};
}  // namespace

std::unique_ptr<LinearSolver> makeJacobiCg() { return std::make_unique<JacobiCg>(); }

}  // namespace sunder
