#include <Eigen/Cholesky>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/solve/cg_loop.h"
#include "core/solve/corrected_solver.h"

namespace sunder {

namespace {
constexpr std::size_t kPartGrain = 8;
constexpr double kFiner = 0.2;  // than asked for: slow motion of whole bodies hides in the residual, and with it their momentum

using Vector = Eigen::VectorXd;

/// One part of the matrix, with what the coupling has within it: L L^T. Vertices that the coupling shares with other parts come last.
struct Part {
    std::size_t first, last;
    std::vector<std::int32_t> order;  ///< of the vertices, from `first` on
    Eigen::Index own = 0;             ///< numbers of the vertices that are not shared
    Eigen::MatrixXd factor;           ///< L, below and on the diagonal
    Eigen::MatrixXd shared;           ///< its last rows and columns
    Vector whole;                     ///< of one right-hand side, and its solution, in order
    Vector r, p, w, y;                ///< of the shared vertices

    Eigen::Index size() const { return factor.rows(); }
    std::size_t vertex(std::size_t k) const { return first + static_cast<std::size_t>(order[k]); }
    std::size_t firstShared() const { return static_cast<std::size_t>(own) / 3; }
    void gather(Span<const Vec3> x, std::size_t from, Vector& out) const {
        for (std::size_t k = from; k < order.size(); ++k) out.segment<3>(static_cast<Eigen::Index>(3 * (k - from))) = x[vertex(k)];
    }
    void scatter(const Vector& in, std::size_t from, Span<Vec3> x) const {
        for (std::size_t k = from; k < order.size(); ++k) x[vertex(k)] = in.segment<3>(static_cast<Eigen::Index>(3 * (k - from)));
    }
};

/// With A = L L^T + C, C between the parts, conjugate gradients on (I + L^-1 C L^-T) y = L^-1 r, x = L^-T y: no product with A, and
/// nothing left to do where C is zero. C knows the shared vertices alone, which come last in every part: L^-1 C L^-T needs only the last rows of
/// L, and the first ones of y are those of L^-1 r.
class PartCg : public CorrectedSolver {
  protected:
    bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t>) override {
        SUNDER_ASSERT(!partFirst_.empty() && partFirst_.back() == matrix.pattern->rowCount());
        parts_.resize(partFirst_.size() - 1);
        const std::vector<std::uint8_t> shared = coupling_ ? coupling_->markShared(partFirst_.back()) : std::vector<std::uint8_t>(partFirst_.back(), 0);
        std::vector<std::uint8_t> good(parts_.size(), 0);
        parallelFor(parts_.size(), kPartGrain, [&](std::size_t first, std::size_t last) {
            Eigen::MatrixXd room;
            for (std::size_t k = first; k < last; ++k) {
                parts_[k].first = partFirst_[k];
                parts_[k].last = partFirst_[k + 1];
                orderPart(shared, parts_[k]);
                good[k] = factorPart(matrix, parts_[k], room) ? 1 : 0;
            }
        });
        return std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; });
    }

    bool iterate(Span<const Vec3> residual, Span<Vec3> x, double reduction, const LinearSettings& settings, LinearReport& report) override {
        for (auto* v : {&t_, &w_}) v->assign(residual.size(), Vec3::Zero());
        const double all = reduceParts([&](Part& part) { return begin(residual, part); });
        const double rr = reduceParts([](Part& part) { return part.r.squaredNorm(); });
        const auto advance = [&](double alpha) {
            return reduceParts([&](Part& part) {
                part.y += alpha * part.p;
                part.r -= alpha * part.w;
                return part.r.squaredNorm();
            });
        };
        const CgEnd outcome =
            iterateCg(rr, kFiner * kFiner * reduction * reduction * all, settings, report, [&](double beta) { return multiplyDirection(beta); }, advance);
        if (outcome == CgEnd::kIndefinite) return false;
        forParts([&](Part& part) { end(part, x); });
        return outcome == CgEnd::kReached;
    }

  private:
    void orderPart(const std::vector<std::uint8_t>& shared, Part& part) const {
        part.order.clear();
        for (const bool wanted : {false, true}) {
            for (std::size_t i = part.first; i < part.last; ++i)
                if ((shared[i] && !isFixed(i)) == wanted) part.order.push_back(static_cast<std::int32_t>(i - part.first));
            if (!wanted) part.own = static_cast<Eigen::Index>(3 * part.order.size());
        }
    }

    bool factorPart(const BlockMatrix& matrix, Part& part, Eigen::MatrixXd& a) const {
        const auto size = static_cast<Eigen::Index>(3 * (part.last - part.first));
        a.setZero(size, size);
        const auto at = [&](std::size_t r, std::size_t c) { return a.block<3, 3>(static_cast<Eigen::Index>(3 * (r - part.first)), static_cast<Eigen::Index>(3 * (c - part.first))); };
        const SparsePattern& pattern = *matrix.pattern;
        for (std::size_t r = part.first; r < part.last; ++r)
            for (auto k = static_cast<std::size_t>(pattern.rowFirst[r]); k < static_cast<std::size_t>(pattern.rowFirst[r + 1]); ++k)
                if (const auto c = static_cast<std::size_t>(pattern.column[k]); c <= r) at(r, c) = matrix.block(k);
        if (coupling_) coupling_->addWithin(part.first, part.last, a);
        for (std::size_t i = part.first; i < part.last; ++i) {
            if (!isFixed(i)) continue;
            for (std::size_t k = part.first; k < part.last; ++k) (k < i ? at(i, k) : at(k, i)).setZero();
            at(i, i).setIdentity();
        }
        permute(a, part);
        if (Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(part.factor).info() != Eigen::Success) return false;
        part.shared = part.factor.bottomRightCorner(size - part.own, size - part.own);
        return true;
    }

    /// What is below the diagonal of `a`, in the part's order. That has long runs of vertices that follow each other.
    static void permute(const Eigen::MatrixXd& a, Part& part) {
        part.factor.resize(a.rows(), a.cols());
        const std::vector<std::int32_t>& order = part.order;
        for (std::size_t c = 0; c < order.size(); ++c)
            for (int l = 0; l < 3; ++l) {
                const Eigen::Index j = 3 * order[c] + l;
                const double* from = a.col(j).data();
                double* to = part.factor.col(static_cast<Eigen::Index>(3 * c) + l).data();
                for (std::size_t r = c, end; r < order.size(); r = end) {
                    end = r + 1;
                    if (order[r] < order[c]) {
                        for (int k = 0; k < 3; ++k) to[3 * r + static_cast<std::size_t>(k)] = a(j, 3 * order[r] + k);
                        continue;
                    }
                    while (end < order.size() && order[end] == order[end - 1] + 1) ++end;
                    std::copy(from + 3 * order[r], from + 3 * order[r] + 3 * (end - r), to + 3 * r);
                }
            }
    }

    /// Returns |L^-1 residual|^2.
    static double begin(Span<const Vec3> residual, Part& part) {
        part.whole.resize(part.size());
        part.gather(residual, 0, part.whole);
        part.factor.triangularView<Eigen::Lower>().solveInPlace(part.whole);
        part.r = part.whole.tail(part.size() - part.own);
        part.p.setZero(part.r.size());
        part.y.setZero(part.r.size());
        part.w.setZero(part.r.size());
        return part.whole.squaredNorm();
    }

    void end(Part& part, Span<Vec3> x) const {
        part.whole.tail(part.size() - part.own) = part.y;
        part.factor.triangularView<Eigen::Lower>().transpose().solveInPlace(part.whole);
        for (std::size_t k = 0; k < part.order.size(); ++k)
            if (const std::size_t i = part.vertex(k); !isFixed(i)) x[i] += part.whole.segment<3>(static_cast<Eigen::Index>(3 * k));
    }

    /// p = r + beta p, w = (I + L^-1 C L^-T) p; returns p . w.
    double multiplyDirection(double beta) {
        forParts([&](Part& part) {
            part.p = part.r + beta * part.p;
            if (part.p.size() == 0) return;
            part.w = part.p;
            part.shared.triangularView<Eigen::Lower>().transpose().solveInPlace(part.w);
            part.scatter(part.w, part.firstShared(), t_);
            for (std::size_t k = part.firstShared(); k < part.order.size(); ++k) w_[part.vertex(k)].setZero();
        });
        if (coupling_) coupling_->addProductBetween(t_, w_);
        return reduceParts([&](Part& part) {
            if (part.p.size() == 0) return 0.0;
            part.gather(w_, part.firstShared(), part.w);
            part.shared.triangularView<Eigen::Lower>().solveInPlace(part.w);
            part.w += part.p;
            return part.p.dot(part.w);
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
    std::vector<Vec3> t_, w_;
};
}  // namespace

std::unique_ptr<LinearSolver> makePartCg() { return std::make_unique<PartCg>(); }

}  // namespace sunder
