#include "core/spatial/bvh.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::int32_t kSerialItems = 4096;
}

Bvh::Bvh(Span<const Aabb> boxes, int leafSize) : leafSize_(leafSize) {
    if (boxes.empty()) return;
    const auto count = static_cast<std::int32_t>(boxes.size());
    order_.resize(boxes.size());
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.resize(2 * ((count + leafSize_ - 1) / leafSize_) - 1);
    nodes_[0].count = count;
    // Level by level while the ranges are large, so that every range of a level is split at the same time.
    std::vector<std::int32_t> level{0};
    while (!level.empty()) {
        std::vector<std::vector<std::int32_t>> next(level.size());
        parallelBlocks(level.size(),
                       [&](std::size_t b) { buildRange(level[b], boxes, next[b], kSerialItems); });
        level.clear();
        for (const auto& list : next) level.insert(level.end(), list.begin(), list.end());
    }
    refit(boxes);
}

/// Splits one node, and everything below it if it is small; otherwise its children go to `pending`.
void Bvh::buildRange(std::int32_t n, Span<const Aabb> boxes, std::vector<std::int32_t>& pending,
                     std::int32_t serialBelow) {
    Node& node = nodes_[n];
    if (node.count <= leafSize_) return;
    const std::int32_t leftCount = splitRange(node, boxes);
    const std::int32_t leftLeaves = (leftCount + leafSize_ - 1) / leafSize_;
    node.right = n + 2 * leftLeaves;
    nodes_[n + 1].first = node.first;
    nodes_[n + 1].count = leftCount;
    nodes_[node.right].first = node.first + leftCount;
    nodes_[node.right].count = node.count - leftCount;
    for (const std::int32_t child : {n + 1, node.right}) {
        if (node.count <= serialBelow)
            buildRange(child, boxes, pending, serialBelow);
        else
            pending.push_back(child);
    }
}

/// Puts the lower half along the longest centroid axis first and returns its size, a whole number of leaves.
std::int32_t Bvh::splitRange(const Node& node, Span<const Aabb> boxes) {
    Aabb centers;
    for (std::int32_t i = node.first; i < node.first + node.count; ++i)
        centers.extend(boxes[order_[i]].center());
    int axis = 0;
    centers.size().maxCoeff(&axis);
    const std::int32_t leaves = (node.count + leafSize_ - 1) / leafSize_;
    const std::int32_t leftCount = (leaves / 2) * leafSize_;
    const auto begin = order_.begin() + node.first;
    std::nth_element(begin, begin + leftCount, begin + node.count, [&](std::int32_t a, std::int32_t b) {
        const double x = boxes[a].lower[axis] + boxes[a].upper[axis],
                     y = boxes[b].lower[axis] + boxes[b].upper[axis];
        return x < y || (x == y && a < b);
    });
    return leftCount;
}

void Bvh::refit(Span<const Aabb> boxes) {
    SUNDER_ASSERT(boxes.size() == order_.size());
    itemBox_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) itemBox_[i] = boxes[order_[i]];
    for (auto n = static_cast<std::int32_t>(nodes_.size()) - 1; n >= 0; --n) fitNode(n);
}

void Bvh::fitNode(std::int32_t n) {
    Node& node = nodes_[n];
    node.box = Aabb{};
    if (node.isLeaf()) {
        for (std::int32_t i = node.first; i < node.first + node.count; ++i) node.box.extend(itemBox_[i]);
    } else {
        node.box.extend(nodes_[n + 1].box);
        node.box.extend(nodes_[node.right].box);
    }
}

}  // namespace sunder
