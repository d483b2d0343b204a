#include "core/fem/sparse_system.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kRowGrain = 1024;

/// Chunk entries sorted by (row, column), then by number: put into their rows, which are short, and sorted there.
std::vector<std::int32_t> sortedEntries(const ElementTable& table) {
    const auto entry = [&](std::int32_t k) -> const std::array<std::int32_t, 2>& { return table.chunkEntry[static_cast<std::size_t>(k)]; };
    std::vector<std::int32_t> first(table.vertexCount + 1, 0), order(table.chunkEntry.size());
    for (const auto& [r, c] : table.chunkEntry) ++first[static_cast<std::size_t>(r) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t k = 0; k < order.size(); ++k) order[static_cast<std::size_t>(next[static_cast<std::size_t>(table.chunkEntry[k][0])]++)] = static_cast<std::int32_t>(k);
    parallelFor(table.vertexCount, kRowGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r)
            std::sort(order.begin() + first[r], order.begin() + first[r + 1],
                      [&](std::int32_t a, std::int32_t b) { return entry(a)[1] != entry(b)[1] ? entry(a)[1] < entry(b)[1] : a < b; });
    });
    return order;
}
}  // namespace

SparsePattern buildSparsePattern(const ElementTable& table) {
    SparsePattern pattern;
    pattern.pairEntry = sortedEntries(table);
    std::vector<std::array<std::int32_t, 2>> pairs;
    for (std::size_t k = 0; k < pattern.pairEntry.size(); ++k) {
        const auto& pair = table.chunkEntry[static_cast<std::size_t>(pattern.pairEntry[k])];
        if (pairs.empty() || pairs.back() != pair) {
            pairs.push_back(pair);
            pattern.pairFirst.push_back(static_cast<std::int32_t>(k));
        }
    }
    pattern.pairFirst.push_back(static_cast<std::int32_t>(pattern.pairEntry.size()));

    const std::size_t rows = table.vertexCount;
    pattern.rowFirst.assign(rows + 1, 0);
    for (const auto& [r, c] : pairs) {
        ++pattern.rowFirst[static_cast<std::size_t>(r) + 1];
        if (r != c) ++pattern.rowFirst[static_cast<std::size_t>(c) + 1];
    }
    std::partial_sum(pattern.rowFirst.begin(), pattern.rowFirst.end(), pattern.rowFirst.begin());
    pattern.column.resize(static_cast<std::size_t>(pattern.rowFirst.back()));
    pattern.diagonal.assign(rows, -1);
    pattern.pairUpper.resize(pairs.size());
    pattern.pairLower.resize(pairs.size());
    // Pairs come in row order, so the mirrors fill each row's lower part in ascending columns before its diagonal arrives.
    std::vector<std::int32_t> next(pattern.rowFirst.begin(), pattern.rowFirst.end() - 1);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const auto r = static_cast<std::size_t>(pairs[p][0]), c = static_cast<std::size_t>(pairs[p][1]);
        pattern.pairUpper[p] = next[r]++;
        pattern.column[static_cast<std::size_t>(pattern.pairUpper[p])] = pairs[p][1];
        if (r == c) {
            pattern.diagonal[r] = pattern.pairLower[p] = pattern.pairUpper[p];
        } else {
            pattern.pairLower[p] = next[c]++;
            pattern.column[static_cast<std::size_t>(pattern.pairLower[p])] = pairs[p][0];
        }
    }
    return pattern;
}

void multiply(const BlockMatrix& matrix, Span<const Vec3> x, Span<Vec3> y) {
    const SparsePattern& pattern = *matrix.pattern;
    parallelFor(pattern.rowCount(), 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; ++r) {
            Vec3 sum = Vec3::Zero();
            for (auto k = static_cast<std::size_t>(pattern.rowFirst[r]); k < static_cast<std::size_t>(pattern.rowFirst[r + 1]); ++k)
                sum += matrix.block(k) * x[static_cast<std::size_t>(pattern.column[k])];
            y[r] = sum;
        }
    });
}

}  // namespace sunder
