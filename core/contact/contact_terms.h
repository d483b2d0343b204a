#pragma once

#include <Eigen/Core>
#include <utility>

#include "core/contact/contact_pairs.h"

namespace sunder {

/// A stiffness that is a sum of terms G^T K G, each of a few unknowns of a few bodies. Two kinds of entries in G:
///   Vec3f  G x is a number, the sum of g . x, and K a number;
///   float  G x is a vector, the sum of g x, and K a matrix.
/// A term's entries stand body by body, one segment each, so that what is between bodies can be told from what is within one.
template <class Value>
class ContactTerms {
  public:
    static constexpr bool kDirected = std::is_same_v<Value, Vec3f>;
    using Stiffness = std::conditional_t<kDirected, double, Mat3>;
    using Motion = std::conditional_t<kDirected, double, Vec3>;

    ContactTerms() = default;
    /// Rows are the terms' G, columns ascending. Unknown u belongs to body bodyOf[u].
    ContactTerms(ContactRows<Value> rows, std::vector<Stiffness> stiffness, Span<const std::int32_t> bodyOf) : stiffness_(std::move(stiffness)) {
        firstSegment_.assign(rows.size() + 1, 0);
        parallelFor(rows.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row) forEachSegment(rows, row, bodyOf, [&](std::int32_t) { ++firstSegment_[row + 1]; });
        });
        for (std::size_t row = 0; row < rows.size(); ++row) firstSegment_[row + 1] += firstSegment_[row];
        termOf_.resize(static_cast<std::size_t>(firstSegment_.back()));
        segments_.first.assign(termOf_.size() + 1, static_cast<std::int32_t>(rows.column.size()));
        parallelFor(rows.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row) {
                auto s = static_cast<std::size_t>(firstSegment_[row]);
                forEachSegment(rows, row, bodyOf, [&](std::int32_t begin) {
                    termOf_[s] = static_cast<std::int32_t>(row);
                    segments_.first[s++] = begin;
                });
            }
        });
        segments_.column = std::move(rows.column);
        segments_.value = std::move(rows.value);
        columns_ = ContactColumns<Value>(segments_, bodyOf.size(), byBody_, sortByBody(bodyOf));
    }

    /// The same terms with another stiffness each.
    void setStiffness(std::vector<Stiffness> stiffness) { stiffness_ = std::move(stiffness); }

    /// Unknowns with entries, ascending.
    const std::vector<std::int32_t>& unknowns() const { return columns_.column; }

    /// G x of every segment.
    std::vector<Motion> motions(Span<const Vec3> x) const {
        std::vector<Motion> sums(segments_.size());
        parallelFor(sums.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s) {
                Motion sum = Motion(zero());
                for (auto e = static_cast<std::size_t>(segments_.first[s]); e < static_cast<std::size_t>(segments_.first[s + 1]); ++e)
                    sum += motion(segments_.value[e], x[static_cast<std::size_t>(segments_.column[e])]);
                sums[s] = sum;
            }
        });
        return sums;
    }

    /// From G x of every segment to K G x of its term: of all segments, or of the others alone.
    void push(std::vector<Motion>& segments, bool othersAlone) const {
        parallelFor(firstSegment_.size() - 1, kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t term = begin; term < end; ++term) {
                const auto first = static_cast<std::size_t>(firstSegment_[term]), last = static_cast<std::size_t>(firstSegment_[term + 1]);
                Motion all = Motion(zero());
                for (std::size_t s = first; s < last; ++s) all += segments[s];
                for (std::size_t s = first; s < last; ++s) segments[s] = stiffness_[term] * Motion(othersAlone ? Motion(all - segments[s]) : all);
            }
        });
    }

    /// The part of G^T pushed of the k-th of unknowns(); -1 has none.
    Vec3 force(std::int32_t k, const std::vector<Motion>& pushed) const {
        Vec3 sum = Vec3::Zero();
        forColumn(k, [&](std::size_t segment, const Value& g) { sum += turned(g, pushed[segment]); });
        return sum;
    }

    /// The diagonal block of the k-th of unknowns(); -1 has none.
    Mat3 diagonal(std::int32_t k) const {
        Mat3 sum = Mat3::Zero();
        forColumn(k, [&](std::size_t segment, const Value& g) { sum += block(g, stiffness_[static_cast<std::size_t>(termOf_[segment])], g); });
        return sum;
    }

    /// Adds the blocks below the diagonal between the unknowns [first, last), all of one body, to a matrix of these.
    void addWithin(std::size_t first, std::size_t last, Eigen::Ref<Eigen::MatrixXd> matrix) const {
        const auto before = [&](std::int32_t segment, std::size_t unknown) { return firstColumn(static_cast<std::size_t>(segment)) < unknown; };
        const auto begin = std::lower_bound(byBody_.begin(), byBody_.end(), first, before), end = std::lower_bound(begin, byBody_.end(), last, before);
        for (auto s = begin; s != end; ++s) {
            const auto segment = static_cast<std::size_t>(*s);
            const Stiffness& k = stiffness_[static_cast<std::size_t>(termOf_[segment])];
            const auto from = static_cast<std::size_t>(segments_.first[segment]), to = static_cast<std::size_t>(segments_.first[segment + 1]);
            for (std::size_t e = from; e < to; ++e) {
                const auto j = static_cast<Eigen::Index>(static_cast<std::size_t>(segments_.column[e]) - first);
                for (std::size_t f = e + 1; f < to; ++f) {  // columns ascend
                    const auto i = static_cast<Eigen::Index>(static_cast<std::size_t>(segments_.column[f]) - first);
                    matrix.template block<3, 3>(3 * i, 3 * j) += block(segments_.value[f], k, segments_.value[e]);
                }
            }
        }
    }

    /// Marks the unknowns of terms that more than one body has a part in.
    void markShared(Span<std::uint8_t> marks) const {
        for (std::size_t term = 0; term + 1 < firstSegment_.size(); ++term) {
            const auto first = static_cast<std::size_t>(firstSegment_[term]), last = static_cast<std::size_t>(firstSegment_[term + 1]);
            if (last - first < 2) continue;
            for (auto e = static_cast<std::size_t>(segments_.first[first]); e < static_cast<std::size_t>(segments_.first[last]); ++e)
                marks[static_cast<std::size_t>(segments_.column[e])] = 1;
        }
    }

  private:
    static constexpr std::size_t kGrain = 128;

    std::size_t firstColumn(std::size_t segment) const { return static_cast<std::size_t>(segments_.column[static_cast<std::size_t>(segments_.first[segment])]); }
    /// Returns every body's first among them.
    std::vector<std::int32_t> sortByBody(Span<const std::int32_t> bodyOf) {
        std::vector<std::int32_t> next(bodyOf.empty() ? 1 : static_cast<std::size_t>(bodyOf[bodyOf.size() - 1]) + 2, 0);
        const auto body = [&](std::size_t segment) { return static_cast<std::size_t>(bodyOf[firstColumn(segment)]); };
        for (std::size_t s = 0; s < segments_.size(); ++s) ++next[body(s) + 1];
        for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
        const std::vector<std::int32_t> first = next;
        byBody_.resize(segments_.size());
        for (std::size_t s = 0; s < segments_.size(); ++s) byBody_[static_cast<std::size_t>(next[body(s)]++)] = static_cast<std::int32_t>(s);
        return first;
    }
    /// Calls use(first entry) for the segments of a row.
    template <class Use>
    void forEachSegment(const ContactRows<Value>& rows, std::size_t row, Span<const std::int32_t> bodyOf, Use use) const {
        std::int32_t before = -1;
        for (std::int32_t e = rows.first[row]; e < rows.first[row + 1]; ++e) {
            const std::int32_t body = bodyOf[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(e)])];
            if (body != before) use(e);
            before = body;
        }
    }
    static Motion zero() {
        if constexpr (kDirected)
            return 0;
        else
            return Vec3::Zero();
    }
    static Motion motion(const Value& g, const Vec3& x) {
        if constexpr (kDirected)
            return g.template cast<double>().dot(x);
        else
            return static_cast<double>(g) * x;
    }
    static Vec3 turned(const Value& g, const Motion& pushed) {
        if constexpr (kDirected)
            return pushed * g.template cast<double>();
        else
            return static_cast<double>(g) * pushed;
    }
    static Mat3 block(const Value& g, const Stiffness& k, const Value& h) {
        if constexpr (kDirected)
            return (k * g.template cast<double>()) * h.template cast<double>().transpose();
        else
            return (static_cast<double>(g) * h) * k;
    }
    /// Calls use(segment, value) for the entries of a column.
    template <class Use>
    void forColumn(std::int32_t column, Use use) const {
        if (column < 0) return;
        const auto k = static_cast<std::size_t>(column);
        for (auto e = static_cast<std::size_t>(columns_.first[k]); e < static_cast<std::size_t>(columns_.first[k + 1]); ++e)
            use(static_cast<std::size_t>(columns_.row[e]), columns_.value[e]);
    }

    ContactRows<Value> segments_;
    std::vector<std::int32_t> termOf_;           ///< every segment
    std::vector<std::int32_t> firstSegment_{0};  ///< of every term
    std::vector<Stiffness> stiffness_;           ///< of every term
    ContactColumns<Value> columns_;              ///< of the segments
    std::vector<std::int32_t> byBody_;           ///< segments, those of a body in their order; unknowns stand body by body
};

}  // namespace sunder
