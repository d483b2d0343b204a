#include <Eigen/Cholesky>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/solve/corrected_solver.h"

namespace sunder {

namespace {
constexpr int kPollInterval = 8;
constexpr std::size_t kPartGrain = 8;
constexpr double kFiner = 0.2;  // than asked for: slow motion of whole bodies hides in the residual, and with it their momentum

/// One part of the matrix, with what the coupling has within it: L L^T.
struct Part {
    std::size_t first, last;
    Eigen::MatrixXd factor;  ///< L, below and on the diagonal
    bool coupled = false;    ///< to other parts

    using Vector = Eigen::Map<Eigen::VectorXd>;
    Vector of(Span<Vec3> x) const { return {x[first].data(), static_cast<Eigen::Index>(3 * (last - first))}; }
    void solveLower(Vector x) const { factor.triangularView<Eigen::Lower>().solveInPlace(x); }
    void solveUpper(Vector x) const { factor.triangularView<Eigen::Lower>().transpose().solveInPlace(x); }
};

/// With A = L L^T + C, C between the parts, conjugate gradients on (I + L^-1 C L^-T) y = L^-1 r, x = L^-T y: no product with A, and
/// nothing left to do where C is zero.
class PartCg : public CorrectedSolver {
  protected:
    bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t>) override {
        SUNDER_ASSERT(!partFirst_.empty() && partFirst_.back() == matrix.pattern->rowCount());
        parts_.resize(partFirst_.size() - 1);
        std::vector<std::uint8_t> good(parts_.size(), 0);
        parallelFor(parts_.size(), kPartGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) good[k] = factorPart(matrix, k) ? 1 : 0;
        });
        return std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; });
    }

    bool iterate(Span<const Vec3> residual, Span<Vec3> x, double reduction, const LinearSettings& settings, LinearReport& report) override {
        const std::size_t n = residual.size();
        r_.assign(residual.begin(), residual.end());
        for (auto* v : {&p_, &t_, &w_, &y_}) v->assign(n, Vec3::Zero());
        double rr = reduceParts([&](const Part& part) {
            part.solveLower(part.of(r_));
            return part.of(r_).squaredNorm();
        });
        const double aimSq = kFiner * kFiner * reduction * reduction * rr;
        double beta = 0;
        while (rr > aimSq && report.iterations < settings.maxIterations) {
            if (report.iterations % kPollInterval == 0) throwIfCancelled(settings.monitor);
            ++report.iterations;
            const double pw = multiplyDirection(beta);
            if (!(pw > 0)) {
                report.message = "the system matrix is not positive definite";
                return false;
            }
            const double alpha = rr / pw, before = rr;
            rr = reduceParts([&](const Part& part) {
                part.of(y_) += alpha * part.of(p_);
                part.of(r_) -= alpha * part.of(w_);
                return part.of(r_).squaredNorm();
            });
            beta = rr / before;
        }
        forParts([&](const Part& part) {
            part.solveUpper(part.of(y_));
            for (std::size_t i = part.first; i < part.last; ++i)
                if (!isFixed(i)) x[i] += y_[i];
        });
        if (rr <= aimSq) return true;
        report.message = format("conjugate gradients did not reach the tolerance in %d iterations", report.iterations);
        return false;
    }

  private:
    bool factorPart(const BlockMatrix& matrix, std::size_t number) {
        Part& part = parts_[number];
        part.first = partFirst_[number];
        part.last = partFirst_[number + 1];
        const auto size = static_cast<Eigen::Index>(3 * (part.last - part.first));
        Eigen::MatrixXd& a = part.factor;
        a.setZero(size, size);
        const SparsePattern& pattern = *matrix.pattern;
        for (std::size_t r = part.first; r < part.last; ++r)
            for (auto k = static_cast<std::size_t>(pattern.rowFirst[r]); k < static_cast<std::size_t>(pattern.rowFirst[r + 1]); ++k)
                if (const auto c = static_cast<std::size_t>(pattern.column[k]); c <= r) at(part, r, c) = matrix.block(k);
        part.coupled = coupling_ && coupling_->addWithin(part.first, part.last, a);
        for (std::size_t i = part.first; i < part.last; ++i)
            if (isFixed(i)) letGo(part, i);
        return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(a).info() == Eigen::Success;
    }

    static Eigen::Block<Eigen::MatrixXd, 3, 3> at(Part& part, std::size_t row, std::size_t column) {
        return part.factor.block<3, 3>(static_cast<Eigen::Index>(3 * (row - part.first)), static_cast<Eigen::Index>(3 * (column - part.first)));
    }

    /// A fixed vertex by itself.
    void letGo(Part& part, std::size_t i) {
        for (std::size_t k = part.first; k < part.last; ++k) (k < i ? at(part, i, k) : at(part, k, i)).setZero();
        at(part, i, i).setIdentity();
    }

    /// p = r + beta p, w = (I + L^-1 C L^-T) p; returns p . w.
    double multiplyDirection(double beta) {
        forParts([&](const Part& part) {
            part.of(p_) = part.of(r_) + beta * part.of(p_);
            if (!part.coupled) return;
            part.of(t_) = part.of(p_);
            part.solveUpper(part.of(t_));
            for (std::size_t i = part.first; i < part.last; ++i)
                if (isFixed(i)) t_[i].setZero();
        });
        std::fill(w_.begin(), w_.end(), Vec3::Zero());
        if (coupling_) coupling_->addProductBetween(t_, w_);
        return reduceParts([&](const Part& part) {
            if (part.coupled) {
                for (std::size_t i = part.first; i < part.last; ++i)
                    if (isFixed(i)) w_[i].setZero();
                part.solveLower(part.of(w_));
            }
            part.of(w_) += part.of(p_);
            return part.of(p_).dot(part.of(w_));
        });
    }

    template <class Work>
    void forParts(Work work) {
        parallelFor(parts_.size(), kPartGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) work(parts_[k]);
        });
    }
    template <class Work>
    double reduceParts(Work work) {
        return parallelReduce(parts_.size(), kPartGrain, 0.0, [&](std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t k = first; k < last; ++k) sum += work(parts_[k]);
            return sum;
        });
    }

    std::vector<Part> parts_;
    std::vector<Vec3> r_, p_, t_, w_, y_;
};
}  // namespace

std::unique_ptr<LinearSolver> makePartCg() { return std::make_unique<PartCg>(); }

}  // namespace sunder
