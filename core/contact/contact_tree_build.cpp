#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/contact/contact_tree.h"

namespace sunder {

namespace {
constexpr std::int32_t kSerialItems = 2048;

/// What a child of a node over `items` holds when full: a power of the width.
std::int32_t childCapacity(std::int32_t items) {
    std::int32_t capacity = ContactTree::kWidth;
    while (static_cast<std::int64_t>(capacity) * ContactTree::kWidth < items) capacity *= ContactTree::kWidth;
    return capacity;
}

bool isUsable(const Aabb& box) {
    const double most = ContactTree::kLargestCoordinate;
    return !box.empty() && box.lower.minCoeff() >= -most && box.upper.maxCoeff() <= most;
}

void checkBoxes(Span<const Aabb> boxes, Span<const std::int32_t> items) {
    for (const std::int32_t i : items)
        if (!isUsable(boxes[i]))
            throw Error("contact: the box of element " + std::to_string(i) + " is not finite",
                        "look for the first step with NaN or huge positions; reduce the time step there");
}

/// Unsigned numbers in the order of the floats.
std::uint32_t sortableBits(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// Brings the `left` smallest of the numbers, which all differ, to the front. Quickselect whose partition has
/// no branch to mispredict: twice as fast as std::nth_element here.
void selectSmallest(std::uint64_t* a, std::int32_t count, std::int32_t left) {
    for (int round = 0; count > 16 && round < 64; ++round) {
        const std::uint64_t x = a[0], y = a[count / 2], z = a[count - 1];
        const std::uint64_t pivot = std::max(std::min(x, y), std::min(std::max(x, y), z));
        std::int32_t below = 0;
        for (std::int32_t k = 0; k < count; ++k) {
            const std::uint64_t value = a[k];
            a[k] = a[below];
            a[below] = value;
            below += value < pivot;
        }
        if (left == below) return;
        if (left < below) {
            count = below;
        } else {
            a += below;
            count -= below;
            left -= below;
        }
    }
    std::nth_element(a, a + left, a + count);
}

Vec3 centerOf(Span<const Aabb> boxes, Span<const std::int32_t> items) {
    Aabb all;
    for (const std::int32_t i : items) all.extend(boxes[i]);
    return items.empty() ? Vec3(Vec3::Zero()) : all.center();
}
}  // namespace

void ContactTree::build(Span<const Aabb> boxes) {
    std::vector<std::int32_t> items(boxes.size());
    std::iota(items.begin(), items.end(), 0);
    build(boxes, items);
}

void ContactTree::build(Span<const Aabb> boxes, Span<const std::int32_t> items) {
    checkBoxes(boxes, items);
    origin_ = centerOf(boxes, items);
    itemNode_.assign(boxes.size(), -1);
    keys_.resize(items.size());
    sortedKeys_.resize(items.size());
    sortKeys_.resize(items.size());
    parallelFor(items.size(), kSerialItems, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const Vec3 center = boxes[items[k]].center() - origin_;
            keys_[k] = {
                {static_cast<float>(center[0]), static_cast<float>(center[1]), static_cast<float>(center[2])},
                items[k]};
        }
    });
    const auto count = static_cast<std::int32_t>(items.size());
    freeNodes_.clear();
    nodes_.assign(nodesFor(count), Node{});
    buildNode(0, {0, count}, boxes);
    itemCount_ = builtCount_ = items.size();
    edits_ = 0;
    cost_ = refitBelow(0, boxes, 0);
    builtQuality_ = quality();
}

/// Size of the subtree over `items`: its place in the array is known before it is built.
std::int32_t ContactTree::nodesFor(std::int32_t items) {
    if (items <= kWidth) return 1;
    const std::int32_t capacity = childCapacity(items), full = items / capacity, rest = items % capacity;
    return 1 + full * nodesFor(capacity) + (rest > 0 ? nodesFor(rest) : 0);
}

/// Every child but the last is full, so nodes waste no lanes, whatever the number of items.
void ContactTree::buildNode(std::int32_t n, Range range, Span<const Aabb> boxes) {
    Node& node = nodes_[n];
    if (range.count <= kWidth) {
        node.count = range.count;
        for (std::int32_t k = 0; k < range.count; ++k) {
            node.child[k] = keys_[range.first + k].item;
            itemNode_[node.child[k]] = n;
        }
        return;
    }
    const std::int32_t capacity = childCapacity(range.count), stride = nodesFor(capacity);
    Range parts[kWidth];
    node.leaf = false;
    node.count = splitRange(range, capacity, parts);
    const auto buildChild = [&](std::size_t k) {
        const std::int32_t child = n + 1 + static_cast<std::int32_t>(k) * stride;
        node.child[k] = child;
        nodes_[child].parent = n;
        buildNode(child, parts[k], boxes);
    };
    if (range.count > kSerialItems)
        parallelBlocks(node.count, buildChild);
    else
        for (std::int32_t k = 0; k < node.count; ++k) buildChild(k);
}

/// Cuts a range into parts of `unit` items (the last may be smaller), each half of what is left at a time,
/// across the longest axis of the centers. Returns the number of parts.
int ContactTree::splitRange(Range range, std::int32_t unit, Range* parts) {
    const std::int32_t units = (range.count + unit - 1) / unit;
    if (units == 1) {
        parts[0] = range;
        return 1;
    }
    const std::int32_t leftUnits = units / 2, left = leftUnits * unit;
    cutRange(range, left);
    const Range halves[2] = {{range.first, left}, {range.first + left, range.count - left}};
    const auto splitHalf = [&](std::size_t h) { splitRange(halves[h], unit, parts + (h ? leftUnits : 0)); };
    if (range.count > kSerialItems)
        parallelBlocks(2, splitHalf);
    else
        splitHalf(0), splitHalf(1);
    return units;
}

void ContactTree::cutRange(Range range, std::int32_t left) {
    Key* keys = keys_.data() + range.first;
    const int axis = longestAxis(Span<const Key>(keys, range.count));
    std::uint64_t* order = sortKeys_.data() + range.first;
    for (std::int32_t k = 0; k < range.count; ++k)
        order[k] = static_cast<std::uint64_t>(sortableBits(keys[k].center[axis])) << 32 |
                   static_cast<std::uint32_t>(k);
    selectSmallest(order, range.count, left);
    Key* sorted = sortedKeys_.data() + range.first;
    for (std::int32_t k = 0; k < range.count; ++k) sorted[k] = keys[static_cast<std::uint32_t>(order[k])];
    std::copy(sorted, sorted + range.count, keys);
}

/// Of the box around the centers.
int ContactTree::longestAxis(Span<const Key> keys) {
    using Four = Wide<float, 4>;
    Four lower(std::numeric_limits<float>::infinity()), upper = -lower;
    for (const Key& key : keys) {
        const Four center = Four::load(key.center);  // and the item, whose lane is not looked at
        lower = min(lower, center);
        upper = max(upper, center);
    }
    const Four size = upper - lower;
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (size[k] > size[axis]) axis = k;
    return axis;
}

}  // namespace sunder
