#include "core/solve/piece_cg.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/solve/cg_loop.h"
#include "core/solve/corrected_solver.h"
#include "core/solve/envelope_factor.h"
#include "core/solve/matrix_parts.h"
#include "core/solve/ordering.h"
#include "core/solve/rest_cg.h"
#include "core/solve/triangular_inverse.h"

namespace sunder {

namespace {
constexpr std::size_t kPieceGrain = 8;
constexpr std::size_t kLargestDense = 24;   // vertices; a sparse factor of more is cheaper than a dense inverse
constexpr double kMostFlopsABlock = 1e4;  // of a factor; above that, iterations with an incomplete one are cheaper

/// The parts that are factored exactly, and the vertices of all others.
struct PieceParts {
    IndexLists exact{{0}, {}};                           ///< small ones ascending, others in the order of their factor
    std::vector<std::vector<std::int32_t>> firstOf;     ///< of every exact part, see EnvelopeFactor; empty: dense
    std::vector<std::int32_t> rest;                      ///< ascending

    PieceParts() = default;
    explicit PieceParts(const SparsePattern& pattern) {
        const IndexLists all = findParts(pattern, pattern.rowCount()).small;
        std::vector<std::int32_t> place(pattern.rowCount());
        const std::vector<std::int32_t> order = reverseCuthillMcKee(pattern);
        for (std::size_t k = 0; k < order.size(); ++k) place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
        for (std::size_t p = 0; p < all.size(); ++p) {
            std::vector<std::int32_t> own(all[p].begin(), all[p].end()), first;
            if (own.size() > kLargestDense) {
                std::sort(own.begin(), own.end(), [&](std::int32_t a, std::int32_t b) { return place[static_cast<std::size_t>(a)] < place[static_cast<std::size_t>(b)]; });
                first = firstColumns(pattern, own, place);
                std::size_t blocks = 0;
                for (const std::int32_t v : own) blocks += static_cast<std::size_t>(pattern.rowFirst[static_cast<std::size_t>(v) + 1] - pattern.rowFirst[static_cast<std::size_t>(v)]);
                if (EnvelopeFactor::flops(first) > kMostFlopsABlock * static_cast<double>(blocks)) {
                    rest.insert(rest.end(), own.begin(), own.end());
                    continue;
                }
            }
            exact.items.insert(exact.items.end(), own.begin(), own.end());
            exact.first.push_back(static_cast<std::int32_t>(exact.items.size()));
            firstOf.push_back(std::move(first));
        }
        std::sort(rest.begin(), rest.end());
    }

  private:
    /// The vertices of a part follow each other in the order, so that their places tell where they stand in the part.
    static std::vector<std::int32_t> firstColumns(const SparsePattern& pattern, const std::vector<std::int32_t>& own, const std::vector<std::int32_t>& place) {
        const std::int32_t begin = place[static_cast<std::size_t>(own.front())];
        std::vector<std::int32_t> first;
        for (const std::int32_t v : own) {
            std::int32_t least = place[static_cast<std::size_t>(v)];
            for (auto k = pattern.rowFirst[static_cast<std::size_t>(v)]; k < pattern.rowFirst[static_cast<std::size_t>(v) + 1]; ++k)
                least = std::min(least, place[static_cast<std::size_t>(pattern.column[static_cast<std::size_t>(k)])]);
            first.push_back(least - begin);
        }
        return first;
    }
};

/// Cholesky factors of many matrices: of small ones their inverses, one after the other. And where their vectors start, which are one after the other, too.
class PartFactors {
  public:
    void begin(const PieceParts& parts) {
        vectorFirst_.assign(1, 0);
        valueFirst_.assign(1, 0);
        envelopes_.assign(parts.exact.size(), {});
        for (std::size_t p = 0; p < parts.exact.size(); ++p) {
            const std::size_t n = 3 * parts.exact[p].size();
            vectorFirst_.push_back(vectorFirst_.back() + triangular_inverse::paddedSize(n));
            valueFirst_.push_back(valueFirst_.back() + (parts.firstOf[p].empty() ? triangular_inverse::valueCount(n) : 0));
            if (!parts.firstOf[p].empty()) envelopes_[p].begin(parts.firstOf[p]);
        }
        values_.assign(valueFirst_.back(), 0.0F);
    }
    std::size_t vectorSize() const { return vectorFirst_.back(); }
    std::size_t vectorFirst(std::size_t part) const { return vectorFirst_[part]; }
    std::size_t vectorEnd(std::size_t part) const { return vectorFirst_[part + 1]; }
    bool isDense(std::size_t part) const { return envelopes_[part].size() == 0; }

    /// Takes in the lower half of a symmetric matrix; false if it is not positive definite.
    bool assign(std::size_t part, Eigen::MatrixXd& matrix) {
        return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(matrix).info() == Eigen::Success && triangular_inverse::assign(matrix, &values_[valueFirst_[part]]);
    }
    /// Empty if the part is dense; otherwise to be filled and factored.
    EnvelopeFactor& envelope(std::size_t part) { return envelopes_[part]; }
    /// out = E^-1 in, of one part.
    void multiply(std::size_t part, std::size_t n, const double* in, double* out) const {
        if (isDense(part)) return triangular_inverse::multiply(&values_[valueFirst_[part]], n, in, out);
        std::copy(in, in + triangular_inverse::paddedSize(n), out);
        envelopes_[part].solveLower(out);
    }
    /// out = E^-T in.
    void multiplyTransposed(std::size_t part, std::size_t n, const double* in, double* out) const {
        if (isDense(part)) return triangular_inverse::multiplyTransposed(&values_[valueFirst_[part]], n, in, out);
        std::copy(in, in + triangular_inverse::paddedSize(n), out);
        envelopes_[part].solveUpper(out);
    }

  private:
    std::vector<std::size_t> vectorFirst_, valueFirst_;
    std::vector<float> values_;
    std::vector<EnvelopeFactor> envelopes_;  ///< of every part; empty where it is dense
};

/// Conjugate gradients on E^-1 (A + C) E^-T y = E^-1 r, x = E^-T y. For a part of the matrix whose Cholesky factor is cheap
/// E is that factor, so that E^-1 A E^-T is the identity; of the rest E is an incomplete factor, see SplitMatrix.
class PieceCg : public CorrectedSolver {
  protected:
    bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) override {
        if (pattern_ != matrix.pattern) {
            pattern_ = matrix.pattern;
            parts_ = PieceParts(*pattern_);
            factors_.begin(parts_);
            place_.assign(pattern_->rowCount(), 0);
            for (std::size_t p = 0; p < parts_.exact.size(); ++p)
                for (std::size_t k = 0; k < parts_.exact[p].size(); ++k) place_[static_cast<std::size_t>(parts_.exact[p][k])] = static_cast<std::int32_t>(k);
        }
        held_.assign(parts_.exact.size(), 0);
        for (std::size_t p = 0; p < held_.size(); ++p)
            held_[p] = std::all_of(parts_.exact[p].begin(), parts_.exact[p].end(), [&](std::int32_t v) { return isFixed(static_cast<std::size_t>(v)); });
        // large parts are shared by all threads, one after the other; then each thread has parts of its own
        std::vector<std::uint8_t> good = held_;
        for (std::size_t p = 0; p < good.size(); ++p)
            if (!held_[p] && factors_.envelope(p).isLarge()) good[p] = factorPart(matrix, p) ? 1 : 0;
        forParts([&](std::size_t p) {
            if (!factors_.envelope(p).isLarge()) good[p] = factorPart(matrix, p) ? 1 : 0;
        });
        return rest_.assign(matrix, parts_.rest, fixed) && std::all_of(good.begin(), good.end(), [](std::uint8_t g) { return g != 0; });
    }

    bool iterate(Span<const Vec3> residual, Span<Vec3> x, double reduction, const LinearSettings& settings, LinearReport& report) override {
        for (PaddedVector* v : {&r_, &p_, &w_, &y_, &t_}) v->assign(factors_.vectorSize(), 0.0);
        for (auto* v : {&in_, &out_}) v->assign(residual.size(), Vec3::Zero());
        const double rr = rest_.begin(residual) + reduceParts([&](std::size_t p) {
                              gather(p, residual, t_);
                              multiply(p, t_, r_);
                              return dot(p, r_, r_);
                          });
        const auto advance = [&](double alpha) {
            return rest_.advance(alpha) + reduceParts([&](std::size_t p) {
                       add(p, alpha, p_, y_);
                       add(p, -alpha, w_, r_);
                       return dot(p, r_, r_);
                   });
        };
        const CgEnd end = iterateCg(rr, reduction * reduction * rr, settings, report, [&](double beta) { return multiplyDirection(beta); }, advance);
        if (end == CgEnd::kIndefinite) return false;
        rest_.end(x);
        forParts([&](std::size_t p) {
            multiplyTransposed(p, y_, t_);
            const Span<const std::int32_t> own = parts_.exact[p];
            for (std::size_t k = 0; k < own.size(); ++k)
                if (const auto i = static_cast<std::size_t>(own[k]); !isFixed(i)) x[i] += Eigen::Map<const Vec3>(&t_[factors_.vectorFirst(p) + 3 * k]);
        });
        return end == CgEnd::kReached;
    }

  private:
    bool factorPart(const BlockMatrix& matrix, std::size_t p) {
        if (factors_.isDense(p)) {
            Eigen::MatrixXd a;
            gatherPart(matrix, parts_.exact[p], a);
            return factors_.assign(p, a);
        }
        gatherPart(matrix, parts_.exact[p], factors_.envelope(p));
        return factors_.envelope(p).factor();
    }

    /// The lower half of a part of the matrix, that of the identity at fixed vertices.
    void gatherPart(const BlockMatrix& matrix, Span<const std::int32_t> own, Eigen::MatrixXd& a) const {
        const SparsePattern& pattern = *matrix.pattern;
        a.setZero(static_cast<Eigen::Index>(3 * own.size()), static_cast<Eigen::Index>(3 * own.size()));
        for (std::size_t i = 0; i < own.size(); ++i) {
            const auto row = static_cast<std::size_t>(own[i]);
            const auto at = [&](std::size_t j) { return a.block<3, 3>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(3 * j)); };
            if (isFixed(row)) {
                at(i).setIdentity();
                continue;
            }
            std::size_t j = 0;  // columns ascend, and so do the vertices
            for (auto k = static_cast<std::size_t>(pattern.rowFirst[row]); k <= static_cast<std::size_t>(pattern.diagonal[row]); ++k) {
                while (own[j] != pattern.column[k]) ++j;
                if (!isFixed(static_cast<std::size_t>(own[j]))) at(j) = matrix.block(k);
            }
        }
    }

    /// The same for a factor of its own.
    void gatherPart(const BlockMatrix& matrix, Span<const std::int32_t> own, EnvelopeFactor& factor) const {
        const SparsePattern& pattern = *matrix.pattern;
        factor.clear();
        for (std::size_t i = 0; i < own.size(); ++i) {
            const auto row = static_cast<std::size_t>(own[i]);
            if (isFixed(row)) {
                factor.setBlock(i, i, Mat3::Identity());
                continue;
            }
            for (auto k = static_cast<std::size_t>(pattern.rowFirst[row]); k < static_cast<std::size_t>(pattern.rowFirst[row + 1]); ++k) {
                const auto column = static_cast<std::size_t>(pattern.column[k]), j = static_cast<std::size_t>(place_[column]);
                if (j <= i && !isFixed(column)) factor.setBlock(i, j, matrix.block(k));
            }
        }
    }

    /// p = r + beta p, w = E^-1 (A + C) E^-T p; returns p . w.
    double multiplyDirection(double beta) {
        forParts([&](std::size_t p) {
            for (std::size_t i = factors_.vectorFirst(p); i < factors_.vectorEnd(p); i += 4)
                (Wide4d::load(&r_[i]) + Wide4d(beta) * Wide4d::load(&p_[i])).store(&p_[i]);
            if (!coupling_) return;
            multiplyTransposed(p, p_, t_);
            const Span<const std::int32_t> own = parts_.exact[p];
            for (std::size_t k = 0; k < own.size(); ++k) {
                const auto v = static_cast<std::size_t>(own[k]);
                in_[v] = isFixed(v) ? Vec3(Vec3::Zero()) : Vec3(Eigen::Map<const Vec3>(&t_[factors_.vectorFirst(p) + 3 * k]));
            }
        });
        rest_.turn(beta, in_);
        if (coupling_) {
            std::fill(out_.begin(), out_.end(), Vec3::Zero());
            coupling_->addProduct(in_, out_);
        }
        return rest_.multiply(out_) + reduceParts([&](std::size_t p) {
                   std::fill(w_.begin() + static_cast<std::ptrdiff_t>(factors_.vectorFirst(p)), w_.begin() + static_cast<std::ptrdiff_t>(factors_.vectorEnd(p)), 0.0);
                   if (coupling_) {
                       gather(p, out_, t_);
                       multiply(p, t_, w_);
                   }
                   add(p, 1, p_, w_);
                   return dot(p, p_, w_);
               });
    }

    std::size_t size(std::size_t p) const { return 3 * parts_.exact[p].size(); }
    /// What stands at the vertices of a part, zero at fixed ones.
    void gather(std::size_t p, Span<const Vec3> x, PaddedVector& to) const {
        const Span<const std::int32_t> own = parts_.exact[p];
        for (std::size_t k = 0; k < own.size(); ++k) {
            const auto v = static_cast<std::size_t>(own[k]);
            Eigen::Map<Vec3>(to.data() + factors_.vectorFirst(p) + 3 * k) = isFixed(v) ? Vec3(Vec3::Zero()) : x[v];
        }
    }
    void multiply(std::size_t p, const PaddedVector& in, PaddedVector& out) const {
        factors_.multiply(p, size(p), &in[factors_.vectorFirst(p)], &out[factors_.vectorFirst(p)]);
    }
    void multiplyTransposed(std::size_t p, const PaddedVector& in, PaddedVector& out) const {
        factors_.multiplyTransposed(p, size(p), &in[factors_.vectorFirst(p)], &out[factors_.vectorFirst(p)]);
    }
    double dot(std::size_t p, const PaddedVector& a, const PaddedVector& b) const {
        Wide4d sum(0.0);
        for (std::size_t i = factors_.vectorFirst(p); i < factors_.vectorEnd(p); i += 4) sum += Wide4d::load(&a[i]) * Wide4d::load(&b[i]);
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    /// to += scale * from.
    void add(std::size_t p, double scale, const PaddedVector& from, PaddedVector& to) const {
        for (std::size_t i = factors_.vectorFirst(p); i < factors_.vectorEnd(p); i += 4)
            (Wide4d::load(&to[i]) + Wide4d(scale) * Wide4d::load(&from[i])).store(&to[i]);
    }

    /// All but those that are held everywhere, where nothing is looked for.
    template <class Work>
    void forParts(Work work) {
        parallelFor(parts_.exact.size(), kPieceGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t p = first; p < last; ++p)
                if (!held_[p]) work(p);
        });
    }
    template <class Work>
    double reduceParts(Work work) {
        return parallelReduce(parts_.exact.size(), kPieceGrain, 0.0, [&](std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t p = first; p < last; ++p)
                if (!held_[p]) sum += work(p);
            return sum;
        });
    }

    const SparsePattern* pattern_ = nullptr;
    PieceParts parts_;
    std::vector<std::int32_t> place_;  ///< of every vertex in its part
    PartFactors factors_;
    std::vector<std::uint8_t> held_;   ///< parts: every vertex of them
    RestCg rest_;
    PaddedVector r_, p_, t_, w_, y_;
    std::vector<Vec3> in_, out_;
};
}  // namespace

std::unique_ptr<LinearSolver> makePieceCg() { return std::make_unique<PieceCg>(); }
bool isPieceCg(const LinearSolver& solver) { return dynamic_cast<const PieceCg*>(&solver) != nullptr; }

}  // namespace sunder
