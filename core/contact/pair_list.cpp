#include "core/contact/pair_list.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kChunks = 8;
constexpr std::size_t kRowGrain = 4096;
constexpr std::size_t kShort = 1 << 14;  // pairs that are not worth being put in place by several threads

/// Puts the pairs in the order of key(pair), below `keys`; those with the same one stay in theirs. `count` is room for the keys.
template <class Key>
void placeByKey(const ElementPair* from, std::size_t size, std::size_t keys, std::vector<std::uint32_t>& count, ElementPair* to, Key key) {
    count.assign(keys, 0);
    for (std::size_t k = 0; k < size; ++k) ++count[key(from[k])];
    std::uint32_t sum = 0;
    for (std::uint32_t& c : count) sum += std::exchange(c, sum);
    for (std::size_t k = 0; k < size; ++k) to[count[key(from[k])]++] = from[k];
}

/// By j, then by i.
void sortShort(std::vector<ElementPair>& pairs, std::size_t rows) {
    static thread_local std::vector<std::uint32_t> count;
    static thread_local std::vector<ElementPair> byColumn;
    std::int32_t lastColumn = 0;
    for (const ElementPair& p : pairs) lastColumn = std::max(lastColumn, p.j);
    const std::size_t columns = static_cast<std::size_t>(lastColumn) + 1;
    if (rows + columns > 4 * pairs.size()) return std::sort(pairs.begin(), pairs.end());
    byColumn.resize(std::max(byColumn.size(), pairs.size()));
    placeByKey(pairs.data(), pairs.size(), columns, count, byColumn.data(), [](const ElementPair& p) { return static_cast<std::size_t>(p.j); });
    placeByKey(byColumn.data(), pairs.size(), rows, count, pairs.data(), [](const ElementPair& p) { return static_cast<std::size_t>(p.i); });
}

/// Rows are short: a handful of pairs an element.
void sortRow(ElementPair* first, ElementPair* last) {
    if (last - first > 32) return std::sort(first, last);
    for (ElementPair* p = first + (first != last); p < last; ++p) {
        const ElementPair moved = *p;
        ElementPair* gap = p;
        for (; gap != first && moved.j < (gap - 1)->j; --gap) *gap = *(gap - 1);
        *gap = moved;
    }
}

/// Every chunk of the list counts its pairs in every row, so that chunks can be put in place at the same
/// time.
struct RowTable {
    std::size_t rows;
    std::vector<std::uint32_t> place;  ///< of chunk c and row r: [c * rows + r]

    RowTable(const std::vector<ElementPair>& pairs, std::size_t rowCount)
        : rows(rowCount), place(kChunks * rowCount, 0) {
        parallelBlocks(kChunks, [&](std::size_t c) {
            std::uint32_t* count = place.data() + c * rows;
            for (std::size_t k = begin(pairs, c); k < begin(pairs, c + 1); ++k) ++count[pairs[k].i];
        });
        std::uint32_t sum = 0;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < kChunks; ++c) {
                const std::uint32_t count = place[c * rows + r];
                place[c * rows + r] = sum;
                sum += count;
            }
    }
    static std::size_t begin(const std::vector<ElementPair>& pairs, std::size_t c) {
        return c * pairs.size() / kChunks;
    }
};
}  // namespace

std::vector<FlatPair> flattenPairs(const PairList& pairs) {
    std::vector<FlatPair> flat(pairs.pairs.size());
    parallelFor(flat.size(), kRowGrain, [&](std::size_t first, std::size_t last) {
        forFlatPairs(pairs, first, last, [&](const FlatPair& p, std::size_t k) { flat[k] = p; });
    });
    return flat;
}

void appendLists(const std::vector<std::vector<ElementPair>>& lists, std::vector<ElementPair>& out) {
    std::vector<std::size_t> first(lists.size());
    std::size_t sum = out.size();
    for (std::size_t k = 0; k < lists.size(); ++k) {
        first[k] = sum;
        sum += lists[k].size();
    }
    out.resize(sum);
    parallelBlocks(lists.size(), [&](std::size_t k) {
        std::copy(lists[k].begin(), lists[k].end(), out.begin() + first[k]);
    });
}

void sortPairs(std::vector<ElementPair>& pairs, std::size_t rows) {
    if (pairs.size() <= kShort) return sortShort(pairs, rows);
    if (pairs.size() * 2 < rows) return std::sort(pairs.begin(), pairs.end());
    RowTable table(pairs, rows);
    std::vector<ElementPair> sorted(pairs.size());
    parallelBlocks(kChunks, [&](std::size_t c) {
        std::uint32_t* place = table.place.data() + c * rows;
        for (std::size_t k = RowTable::begin(pairs, c); k < RowTable::begin(pairs, c + 1); ++k)
            sorted[place[pairs[k].i]++] = pairs[k];
    });
    // After that pass the place of the last chunk in a row is the row's end.
    const std::uint32_t* end = table.place.data() + (kChunks - 1) * rows;
    parallelFor(rows, kRowGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; ++r)
            sortRow(sorted.data() + (r > 0 ? end[r - 1] : 0), sorted.data() + end[r]);
    });
    pairs.swap(sorted);
}

}  // namespace sunder
