#include "core/contact/contact_tree.h"

#include <algorithm>
#include <array>

#include "core/base/parallel.h"

namespace sunder {

namespace {
/// Below this share of the items, following each one up to the root is cheaper than a pass over the tree.
constexpr std::size_t kUpdateShare = 16;
/// Levels of a tree whose subtrees are visited in parallel, and the nodes that make it worth while.
constexpr int kParallelLevels = 2;
constexpr std::size_t kParallelNodes = 256;
/// Farther from its origin than this many diagonals, single precision blurs the elements of a body.
constexpr double kFarthestDiagonals = 64;
}  // namespace

int ContactTree::Node::laneOf(std::int32_t c) const {
    for (int lane = 0; lane < count; ++lane)
        if (child[lane] == c) return lane;
    SUNDER_ASSERT(false);
    return -1;
}

bool ContactTree::contains(std::int32_t item) const {
    return item < static_cast<std::int32_t>(itemNode_.size()) && itemNode_[item] >= 0;
}

Aabb ContactTree::bounds() const {
    if (itemCount_ == 0) return {};
    const FloatBox hull = nodes_[0].boxes.hull();
    Aabb box;
    for (int k = 0; k < 3; ++k) {
        // The sum with the origin is rounded once more.
        const double lower = origin_[k] + static_cast<double>(hull.lower[k]);
        const double upper = origin_[k] + static_cast<double>(hull.upper[k]);
        box.lower[k] = lower - 0x1p-52 * std::abs(lower);
        box.upper[k] = upper + 0x1p-52 * std::abs(upper);
    }
    return box;
}

double ContactTree::quality() const {
    if (itemCount_ == 0) return 0;
    const double root = rootMeasure();
    return root > 0 ? cost_ / root : static_cast<double>(itemCount_);
}

bool ContactTree::decayed() const {
    if (itemCount_ == 0) return false;
    if (static_cast<double>(edits_) > settings_.editedShare * static_cast<double>(builtCount_) + kWidth)
        return true;
    if (quality() > settings_.decay * builtQuality_) return true;
    const Aabb box = bounds();
    return (box.center() - origin_).norm() > kFarthestDiagonals * box.diagonal();
}

FloatBox ContactTree::itemBox(std::int32_t item) const {
    const Node& leaf = nodes_[itemNode_[item]];
    return leaf.boxes.get(leaf.laneOf(item));
}

FrameShift ContactTree::shiftTo(const ContactTree& other) const {
    const Vec3 shift = origin_ - other.origin_;
    double largest = shift.cwiseAbs().maxCoeff();
    for (const ContactTree* tree : {this, &other}) {
        if (tree->itemCount_ == 0) continue;
        const FloatBox hull = tree->nodes_[0].boxes.hull();
        for (int k = 0; k < 3; ++k)
            largest = std::max({largest, static_cast<double>(std::abs(hull.lower[k])),
                                static_cast<double>(std::abs(hull.upper[k]))});
    }
    FrameShift frame;
    for (int k = 0; k < 3; ++k) {
        frame.lower[k] = roundedDown(shift[k] - 0x1p-22 * largest);
        frame.upper[k] = roundedUp(shift[k] + 0x1p-22 * largest);
    }
    return frame;
}

void ContactTree::refit(Span<const Aabb> boxes) {
    if (itemCount_ > 0) cost_ = refitBelow(0, boxes, 0);
}

/// Fits a subtree and returns the sum of the measures of its boxes, added up in the order of the lanes.
double ContactTree::refitBelow(std::int32_t n, Span<const Aabb> boxes, int depth) {
    Node& node = nodes_[n];
    if (node.leaf) {
        fitLeaf(node, boxes);
        return node.boxes.measure();
    }
    std::array<double, kWidth> cost{};
    const auto fit = [&](std::size_t lane) {
        cost[lane] = refitBelow(node.child[lane], boxes, depth + 1);
        node.boxes.set(static_cast<int>(lane), nodes_[node.child[lane]].boxes.hull());
    };
    if (depth < kParallelLevels && nodes_.size() >= kParallelNodes)
        parallelBlocks(node.count, fit);
    else
        for (std::int32_t lane = 0; lane < node.count; ++lane) fit(lane);
    double sum = node.boxes.measure();
    for (const double c : cost) sum += c;
    return sum;
}

void ContactTree::fitLeaf(Node& node, Span<const Aabb> boxes) const {
    if (node.count == 0) return;
    const Aabb* of[kWidth];
    for (int lane = 0; lane < kWidth; ++lane) of[lane] = &boxes[node.child[lane < node.count ? lane : 0]];
    for (int first = 0; first < kWidth; first += 4) setFourLanes(node.boxes, first, of + first, origin_);
    for (int lane = node.count; lane < kWidth; ++lane) node.boxes.set(lane, FloatBox{});
}

void ContactTree::update(Span<const std::int32_t> items, Span<const Aabb> boxes) {
    if (items.size() * kUpdateShare > itemCount_) return refit(boxes);
    for (const std::int32_t item : items) {
        const std::int32_t leaf = itemNode_[item];
        setLane(leaf, nodes_[leaf].laneOf(item), localBox(boxes[item]));
        climb(leaf);
    }
}

void ContactTree::setLane(std::int32_t n, int lane, const FloatBox& box) {
    cost_ += static_cast<double>(box.measure()) - static_cast<double>(nodes_[n].boxes.get(lane).measure());
    nodes_[n].boxes.set(lane, box);
}

/// Carries the box of a node up, as far as something changes.
void ContactTree::climb(std::int32_t n) {
    for (std::int32_t parent = nodes_[n].parent; parent >= 0; n = parent, parent = nodes_[n].parent) {
        const FloatBox box = nodes_[n].boxes.hull();
        const int lane = nodes_[parent].laneOf(n);
        if (nodes_[parent].boxes.get(lane) == box) return;
        setLane(parent, lane, box);
    }
}

void ContactTree::insert(std::int32_t item, const Aabb& box) {
    SUNDER_ASSERT(!contains(item) && !box.empty());
    if (itemCount_ == 0) {
        nodes_.assign(1, Node{});
        freeNodes_.clear();
        origin_ = box.center();
        cost_ = 0;
    }
    if (item >= static_cast<std::int32_t>(itemNode_.size())) itemNode_.resize(item + 1, -1);
    const FloatBox local = localBox(box);
    const std::int32_t leaf = chooseLeaf(local);
    if (nodes_[leaf].count < kWidth) {
        append(leaf, item, local);
        climb(leaf);
    } else {
        splitLeaf(leaf, item, local);
    }
    ++itemCount_;
    ++edits_;
}

/// Down to the leaf whose boxes grow least on the way.
std::int32_t ContactTree::chooseLeaf(const FloatBox& box) const {
    std::int32_t n = 0;
    while (!nodes_[n].leaf) {
        const Node& node = nodes_[n];
        double leastGrowth = std::numeric_limits<double>::infinity(), leastSize = leastGrowth;
        for (int lane = 0; lane < node.count; ++lane) {
            FloatBox grown = node.boxes.get(lane);
            const double size = grown.measure();
            grown.extend(box);
            const double growth = grown.measure() - size;
            if (growth > leastGrowth || (growth == leastGrowth && size >= leastSize)) continue;
            leastGrowth = growth;
            leastSize = size;
            n = node.child[lane];
        }
    }
    return n;
}

/// Shares the items of a full leaf and one more between two leaves. The second takes a free lane of the
/// parent; if there is none, the leaf becomes a node above both, with room for more.
void ContactTree::splitLeaf(std::int32_t leaf, std::int32_t item, const FloatBox& box) {
    struct Entry {
        std::int32_t item;
        FloatBox box;
    };
    std::array<Entry, kWidth + 1> entries;
    for (int k = 0; k < kWidth; ++k) entries[k] = {nodes_[leaf].child[k], nodes_[leaf].boxes.get(k)};
    entries[kWidth] = {item, box};
    FloatBox all = nodes_[leaf].boxes.hull();
    all.extend(box);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (all.upper[k] - all.lower[k] > all.upper[axis] - all.lower[axis]) axis = k;
    std::sort(entries.begin(), entries.end(), [axis](const Entry& a, const Entry& b) {
        const float x = a.box.lower[axis] + a.box.upper[axis], y = b.box.lower[axis] + b.box.upper[axis];
        return x < y || (x == y && a.item < b.item);
    });
    while (nodes_[leaf].count > 0) removeLane(leaf, nodes_[leaf].count - 1);
    const std::int32_t parent = nodes_[leaf].parent;
    std::int32_t first = leaf;
    const std::int32_t second = newNode(true);
    const bool roomAbove = parent >= 0 && nodes_[parent].count < kWidth;
    if (!roomAbove) first = newNode(true);
    for (int k = 0; k <= kWidth; ++k)
        append(k <= kWidth / 2 ? first : second, entries[k].item, entries[k].box);
    if (roomAbove) {
        append(parent, second, nodes_[second].boxes.hull());
    } else {
        nodes_[leaf].leaf = false;
        append(leaf, first, nodes_[first].boxes.hull());
        append(leaf, second, nodes_[second].boxes.hull());
    }
    climb(leaf);
    if (roomAbove) climb(parent);
}

void ContactTree::append(std::int32_t n, std::int32_t child, const FloatBox& box) {
    Node& node = nodes_[n];
    node.child[node.count] = child;
    ++node.count;
    setLane(n, node.count - 1, box);
    (node.leaf ? itemNode_[child] : nodes_[child].parent) = n;
}

/// The last lane moves into the gap.
void ContactTree::removeLane(std::int32_t n, int lane) {
    Node& node = nodes_[n];
    const int last = node.count - 1;
    setLane(n, lane, FloatBox{});
    node.boxes.set(lane, node.boxes.get(last));
    node.boxes.set(last, FloatBox{});
    node.child[lane] = node.child[last];
    node.child[last] = -1;
    --node.count;
}

void ContactTree::remove(std::int32_t item) {
    SUNDER_ASSERT(contains(item));
    std::int32_t n = itemNode_[item];
    removeLane(n, nodes_[n].laneOf(item));
    itemNode_[item] = -1;
    while (nodes_[n].count == 0 && n != 0) {
        const std::int32_t parent = nodes_[n].parent;
        removeLane(parent, nodes_[parent].laneOf(n));
        freeNodes_.push_back(n);
        n = parent;
    }
    if (nodes_[0].count == 0) nodes_[0].leaf = true;
    climb(n);
    --itemCount_;
    ++edits_;
}

std::int32_t ContactTree::newNode(bool leaf) {
    if (freeNodes_.empty()) {
        freeNodes_.push_back(static_cast<std::int32_t>(nodes_.size()));
        nodes_.emplace_back();
    }
    const std::int32_t n = freeNodes_.back();
    freeNodes_.pop_back();
    nodes_[n] = Node{};
    nodes_[n].leaf = leaf;
    return n;
}

}  // namespace sunder
