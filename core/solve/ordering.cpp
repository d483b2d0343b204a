#include "core/solve/ordering.h"

#include <algorithm>

namespace sunder {

namespace {
class Walk {
  public:
    explicit Walk(const SparsePattern& pattern) : pattern_(pattern), seen_(pattern.rowCount(), 0) {}

    /// Appends the vertices of the component of `start` in breadth-first order, each vertex's new neighbours by rising degree.
    void append(std::int32_t start, std::vector<std::int32_t>& order) {
        std::size_t next = order.size();
        mark(start, order);
        for (; next < order.size(); ++next) {
            const auto row = static_cast<std::size_t>(order[next]);
            const std::size_t first = order.size();
            for (auto k = pattern_.rowFirst[row]; k < pattern_.rowFirst[row + 1]; ++k) mark(pattern_.column[static_cast<std::size_t>(k)], order);
            std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                      [&](std::int32_t a, std::int32_t b) { return std::make_pair(degree(a), a) < std::make_pair(degree(b), b); });
        }
    }
    bool seen(std::size_t v) const { return seen_[v] != 0; }
    void forget(const std::vector<std::int32_t>& order, std::size_t first) {
        for (std::size_t k = first; k < order.size(); ++k) seen_[static_cast<std::size_t>(order[k])] = 0;
    }

  private:
    std::int32_t degree(std::int32_t v) const {
        return pattern_.rowFirst[static_cast<std::size_t>(v) + 1] - pattern_.rowFirst[static_cast<std::size_t>(v)];
    }
    void mark(std::int32_t v, std::vector<std::int32_t>& order) {
        if (seen_[static_cast<std::size_t>(v)]) return;
        seen_[static_cast<std::size_t>(v)] = 1;
        order.push_back(v);
    }

    const SparsePattern& pattern_;
    std::vector<std::uint8_t> seen_;
};
}  // namespace

std::vector<std::int32_t> reverseCuthillMcKee(const SparsePattern& pattern) {
    std::vector<std::int32_t> order;
    order.reserve(pattern.rowCount());
    Walk walk(pattern);
    for (std::size_t v = 0; v < pattern.rowCount(); ++v) {
        if (walk.seen(v)) continue;
        // walk twice to an end of the component, so that the levels of the third walk are thin
        const std::size_t first = order.size();
        auto start = static_cast<std::int32_t>(v);
        for (int pass = 0; pass < 2; ++pass) {
            walk.append(start, order);
            start = order.back();
            walk.forget(order, first);
            order.resize(first);
        }
        walk.append(start, order);
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace sunder
