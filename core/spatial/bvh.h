#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/spatial/aabb.h"

namespace sunder {

/// Bounding volume hierarchy over boxes: median splits of the longest centroid axis, so the tree is balanced
/// and a pure function of the boxes. Nodes are in depth-first order; node 0 is the root.
class Bvh {
  public:
    struct Node {
        Aabb box;
        std::int32_t right = 0;             ///< right child; the left one is the next node. 0 for a leaf
        std::int32_t first = 0, count = 0;  ///< the items below this node: order()[first .. first + count)
        bool isLeaf() const { return right == 0; }
    };

    Bvh() = default;
    explicit Bvh(Span<const Aabb> boxes, int leafSize = 4);
    /// New boxes for the same items: the tree keeps its shape.
    void refit(Span<const Aabb> boxes);

    bool empty() const { return nodes_.empty(); }
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<std::int32_t>& order() const { return order_; }
    Aabb bounds() const { return empty() ? Aabb{} : nodes_[0].box; }

    /// visit(item) for every item whose box overlaps `box`.
    template <class Visit>
    void query(const Aabb& box, Visit&& visit) const {
        walk([&](const Aabb& b) { return b.overlaps(box); }, visit);
    }
    /// visit(item) for every item whose box meets origin + t * direction, 0 <= t <= tMax.
    template <class Visit>
    void queryRay(const Vec3& origin, const Vec3& direction, double tMax, Visit&& visit) const {
        const Vec3 inverse = direction.cwiseInverse();
        walk([&](const Aabb& b) { return b.meetsRay(origin, inverse, tMax); }, visit);
    }
    /// The item of smallest measure(item), a squared distance to `point` that is at least that of its box; -1
    /// if none is below boundSq. On return boundSq is the distance found.
    template <class Measure>
    std::int32_t nearest(const Vec3& point, double& boundSq, Measure&& measure) const;

  private:
    static constexpr int kStack = 64;

    template <class Keep, class Visit>
    void walk(Keep&& keep, Visit&& visit) const;
    void buildRange(std::int32_t node, Span<const Aabb> boxes, std::vector<std::int32_t>& pending,
                    std::int32_t serialBelow);
    std::int32_t splitRange(const Node& node, Span<const Aabb> boxes);
    void fitNode(std::int32_t node);

    int leafSize_ = 4;
    std::vector<Node> nodes_;
    std::vector<std::int32_t> order_;  ///< items in leaf order
    std::vector<Aabb> itemBox_;        ///< boxes in leaf order
};

template <class Keep, class Visit>
void Bvh::walk(Keep&& keep, Visit&& visit) const {
    if (empty()) return;
    std::array<std::int32_t, kStack> stack;
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const std::int32_t n = stack[--top];
        const Node& node = nodes_[n];
        if (!keep(node.box)) continue;
        if (!node.isLeaf()) {
            stack[top++] = node.right;
            stack[top++] = n + 1;
            continue;
        }
        for (std::int32_t i = node.first; i < node.first + node.count; ++i)
            if (keep(itemBox_[i])) visit(order_[i]);
    }
}

template <class Measure>
std::int32_t Bvh::nearest(const Vec3& point, double& boundSq, Measure&& measure) const {
    std::int32_t best = -1;
    if (empty()) return best;
    struct Entry {
        std::int32_t node;
        double distanceSq;
    };
    std::array<Entry, kStack> stack;
    int top = 0;
    stack[top++] = {0, nodes_[0].box.distanceSq(point)};
    while (top > 0) {
        const auto [n, distanceSq] = stack[--top];
        if (distanceSq >= boundSq) continue;
        const Node& node = nodes_[n];
        if (!node.isLeaf()) {
            Entry left{n + 1, nodes_[n + 1].box.distanceSq(point)};
            Entry right{node.right, nodes_[node.right].box.distanceSq(point)};
            if (left.distanceSq > right.distanceSq) std::swap(left, right);
            stack[top++] = right;
            stack[top++] = left;
            continue;
        }
        for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
            if (itemBox_[i].distanceSq(point) >= boundSq) continue;
            const double d = measure(order_[i]);
            if (d < boundSq) {
                boundSq = d;
                best = order_[i];
            }
        }
    }
    return best;
}

}  // namespace sunder
