#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/span.h"

namespace sunder {

struct ElementPair {
    std::int32_t i, j;
    friend bool operator==(const ElementPair& p, const ElementPair& q) { return p.i == q.i && p.j == q.j; }
    friend bool operator<(const ElementPair& p, const ElementPair& q) {
        return p.i != q.i ? p.i < q.i : p.j < q.j;
    }
};

/// The pairs of one body with another (bodyA < bodyB), or with itself (then i < j).
struct BodyPairRange {
    std::int32_t bodyA, bodyB;
    std::size_t first, count;
};

/// Pairs of elements in canonical order: by bodyA, bodyB, i, j.
struct PairList {
    std::vector<BodyPairRange> ranges;  ///< may be empty ranges in a list of candidates
    std::vector<ElementPair> pairs;

    Span<const ElementPair> of(const BodyPairRange& range) const {
        return Span<const ElementPair>(pairs).subspan(range.first, range.count);
    }
    void clear() {
        ranges.clear();
        pairs.clear();
    }
};

/// A pair of bodies and one of its pairs of elements.
struct FlatPair {
    std::int32_t bodyA, bodyB, i, j;
};
/// All pairs in their order, each with its bodies: loops over them do not depend on how many bodies there are.
std::vector<FlatPair> flattenPairs(const PairList& pairs);

/// Calls use(flat pair, k) for the pairs k in [first, last).
template <class Use>
void forFlatPairs(const PairList& pairs, std::size_t first, std::size_t last, Use use) {
    const auto startsBehind = [](std::size_t k, const BodyPairRange& r) { return k < r.first; };
    auto range = std::upper_bound(pairs.ranges.begin(), pairs.ranges.end(), first, startsBehind) - 1;
    for (std::size_t k = first; k < last; ++k) {
        while (k >= range->first + range->count) ++range;
        use(FlatPair{range->bodyA, range->bodyB, pairs.pairs[k].i, pairs.pairs[k].j}, k);
    }
}

/// Appends the lists to `out`, in their order.
void appendLists(const std::vector<std::vector<ElementPair>>& lists, std::vector<ElementPair>& out);
/// Sorts by i, then j; every i is in [0, rows). Linear for lists that are long against the number of rows.
void sortPairs(std::vector<ElementPair>& pairs, std::size_t rows);

}  // namespace sunder
