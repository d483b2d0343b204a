#include "core/solve/matrix_parts.h"

namespace sunder {

namespace {
/// The part of every vertex, numbered by the first vertex of each.
std::vector<std::int32_t> numberParts(const SparsePattern& pattern, std::vector<std::size_t>& sizes) {
    std::vector<std::int32_t> number(pattern.rowCount(), -1), open;
    const auto reach = [&](std::int32_t v, std::int32_t part) {
        if (number[static_cast<std::size_t>(v)] >= 0) return;
        number[static_cast<std::size_t>(v)] = part;
        open.push_back(v);
    };
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] >= 0) continue;
        const auto part = static_cast<std::int32_t>(sizes.size());
        sizes.push_back(0);
        reach(static_cast<std::int32_t>(v), part);
        while (!open.empty()) {
            const auto row = static_cast<std::size_t>(open.back());
            open.pop_back();
            ++sizes.back();
            for (auto k = pattern.rowFirst[row]; k < pattern.rowFirst[row + 1]; ++k) reach(pattern.column[static_cast<std::size_t>(k)], part);
        }
    }
    return number;
}
}  // namespace

MatrixParts findParts(const SparsePattern& pattern, std::size_t largest) {
    std::vector<std::size_t> sizes;
    const std::vector<std::int32_t> number = numberParts(pattern, sizes);
    MatrixParts parts;
    parts.count = sizes.size();
    std::vector<std::int32_t> next(sizes.size(), -1);  // place of a small part's next vertex
    for (std::size_t p = 0; p < sizes.size(); ++p) {
        if (sizes[p] > largest) continue;
        next[p] = parts.small.first.back();
        parts.small.first.push_back(next[p] + static_cast<std::int32_t>(sizes[p]));
    }
    parts.small.items.resize(static_cast<std::size_t>(parts.small.first.back()));
    for (std::size_t v = 0; v < number.size(); ++v) {
        std::int32_t& place = next[static_cast<std::size_t>(number[v])];
        if (place < 0)
            parts.rest.push_back(static_cast<std::int32_t>(v));
        else
            parts.small.items[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(v);
    }
    return parts;
}

}  // namespace sunder
