#include <Eigen/Cholesky>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/solve/cg_loop.h"
#include "core/solve/corrected_solver.h"
#include "core/solve/triangular_inverse.h"

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
    std::vector<float> inverse;       ///< F, of its last rows and columns L_s
    Vector whole;                     ///< of one right-hand side, and its solution, in order
    Vector r, z, p, q, w, y, t;       ///< of the shared vertices, padded; q is S p

    Eigen::Index size() const { return factor.rows(); }
    std::size_t vertex(std::size_t k) const { return first + static_cast<std::size_t>(order[k]); }
    std::size_t firstShared() const { return static_cast<std::size_t>(own) / 3; }
    Eigen::Index sharedSize() const { return size() - own; }
    auto sharedFactor() const { return factor.bottomRightCorner(sharedSize(), sharedSize()); }
    void gather(Span<const Vec3> x, std::size_t from, Vector& out) const {
        for (std::size_t k = from; k < order.size(); ++k) out.segment<3>(static_cast<Eigen::Index>(3 * (k - from))) = x[vertex(k)];
    }
    void scatter(const Vector& in, std::size_t from, Span<Vec3> x) const {
        for (std::size_t k = from; k < order.size(); ++k) x[vertex(k)] = in.segment<3>(static_cast<Eigen::Index>(3 * (k - from)));
    }
};

/// With A = L L^T + C, C between the parts: C knows the shared vertices alone, which come last in every part, so the system for these is
/// (S + C) y = L_s (L^-1 r)_s with S = L_s L_s^T, and the others follow. Conjugate gradients with S as preconditioner: z = F^T F r with F in the place of
/// L_s^-1, and S p, like p, comes from the step before, so that no product with S is made and nothing is left to do where C is zero.
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
        const double rz = reduceParts(precondition);
        const auto advance = [&](double alpha) {
            return reduceParts([&](Part& part) {
                part.y += alpha * part.p;
                part.r -= alpha * part.w;
                return precondition(part);
            });
        };
        const CgEnd outcome =
            iterateCg(rz, kFiner * kFiner * reduction * reduction * all, settings, report, [&](double beta) { return multiplyDirection(beta); }, advance);
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
        part.inverse.resize(triangular_inverse::valueCount(static_cast<std::size_t>(part.sharedSize())));
        return triangular_inverse::assign(part.sharedFactor(), part.inverse.data());
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
        const auto padded = static_cast<Eigen::Index>(triangular_inverse::paddedSize(static_cast<std::size_t>(part.sharedSize())));
        for (Vector* v : {&part.r, &part.z, &part.p, &part.q, &part.w, &part.y, &part.t}) v->setZero(padded);
        part.r.head(part.sharedSize()) = part.sharedFactor().triangularView<Eigen::Lower>() * part.whole.tail(part.sharedSize());
        return part.whole.squaredNorm();
    }

    /// z = F^T F r; returns r . z.
    static double precondition(Part& part) {
        const auto n = static_cast<std::size_t>(part.sharedSize());
        triangular_inverse::multiply(part.inverse.data(), n, part.r.data(), part.t.data());
        triangular_inverse::multiplyTransposed(part.inverse.data(), n, part.t.data(), part.z.data());
        return part.t.squaredNorm();
    }

    void end(Part& part, Span<Vec3> x) const {
        part.whole.tail(part.sharedSize()) = part.sharedFactor().transpose().triangularView<Eigen::Upper>() * part.y.head(part.sharedSize());
        part.factor.triangularView<Eigen::Lower>().transpose().solveInPlace(part.whole);
        for (std::size_t k = 0; k < part.order.size(); ++k)
            if (const std::size_t i = part.vertex(k); !isFixed(i)) x[i] += part.whole.segment<3>(static_cast<Eigen::Index>(3 * k));
    }

    /// p = z + beta p, S p = r + beta S p, w = S p + C p; returns p . w.
    double multiplyDirection(double beta) {
        forParts([&](Part& part) {
            part.p = part.z + beta * part.p;
            part.q = part.r + beta * part.q;
            part.scatter(part.p, part.firstShared(), t_);
            for (std::size_t k = part.firstShared(); k < part.order.size(); ++k) w_[part.vertex(k)].setZero();
        });
        if (coupling_) coupling_->addProductBetween(t_, w_);
        return reduceParts([&](Part& part) {
            part.gather(w_, part.firstShared(), part.w);
            part.w += part.q;
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
