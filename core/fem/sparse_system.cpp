#include "core/fem/sparse_system.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"

namespace sunder {

namespace {
/// Chunk entries sorted by (row, column), then by number.
std::vector<std::int32_t> sortedEntries(const ElementTable& table) {
    std::vector<std::int32_t> order(table.chunkEntry.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::tie(table.chunkEntry[static_cast<std::size_t>(a)], a) < std::tie(table.chunkEntry[static_cast<std::size_t>(b)], b);
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
