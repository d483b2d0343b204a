#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/contact/contact_tree.h"
#include "core/contact/pair_list.h"

namespace sunder {

struct NodePair {
    std::int32_t a, b;
};

/// Two trees (or one twice) on the way down together. `labels` are of the nodes, or empty: a pair of nodes
/// with the same label >= 0 is not entered.
struct TreePair {
    const ContactTree& a;
    const ContactTree& b;
    FrameShift shift;
    Span<const std::int32_t> labels;
    bool self;

    TreePair(const ContactTree& first, const ContactTree& second)
        : a(first),
          b(second),
          shift(&first == &second ? FrameShift{} : first.shiftTo(second)),
          self(&first == &second) {}
};

/// One step down: visit(item of a, item of b) for the overlapping items of two leaves, otherwise the
/// overlapping pairs of children go to `pending`. In a tree against itself every pair of items comes once, in
/// either order.
template <class Visit>
inline void descend(const TreePair& trees, NodePair pair, std::vector<NodePair>& pending, Visit&& visit) {
    const ContactTree::Node& a = trees.a.nodes()[pair.a];
    const ContactTree::Node& b = trees.b.nodes()[pair.b];
    if (!trees.labels.empty() && trees.labels[pair.a] >= 0 && trees.labels[pair.a] == trees.labels[pair.b])
        return;
    const bool same = trees.self && pair.a == pair.b;
    const BoxLanes moved = trees.self ? a.boxes : a.boxes.shifted(trees.shift);
    unsigned met = 0;
    for (int lane = 0; lane < a.count; ++lane) {
        unsigned bits = overlapping(b.boxes, moved.get(lane));
        if (same) bits &= ~0u << (a.leaf ? lane + 1 : lane);
        if (a.leaf && !b.leaf) {
            met |= bits;
        } else if (b.leaf && !a.leaf) {
            if (bits) pending.push_back({a.child[lane], pair.b});
        } else {
            for (; bits; bits &= bits - 1) {
                const std::int32_t other = b.child[__builtin_ctz(bits)];
                if (a.leaf)
                    visit(a.child[lane], other);
                else
                    pending.push_back({a.child[lane], other});
            }
        }
    }
    for (; met; met &= met - 1) pending.push_back({pair.a, b.child[__builtin_ctz(met)]});
}

/// visit(item) for every item of the tree whose box overlaps `box`, given around the tree's origin.
template <class Visit>
void queryTree(const ContactTree& tree, const FloatBox& box, std::vector<std::int32_t>& stack,
               Visit&& visit) {
    if (tree.size() == 0) return;
    stack.assign(1, 0);
    while (!stack.empty()) {
        const ContactTree::Node& node = tree.nodes()[stack.back()];
        stack.pop_back();
        for (unsigned bits = overlapping(node.boxes, box); bits; bits &= bits - 1) {
            const std::int32_t child = node.child[__builtin_ctz(bits)];
            if (node.leaf)
                visit(child);
            else
                stack.push_back(child);
        }
    }
}

/// The most pairs that a search may find: bodies that have collapsed into one place would fill all memory.
class PairBudget {
  public:
    explicit PairBudget(std::size_t most) : left_(static_cast<std::int64_t>(most)) {}
    void take(std::size_t count) {
        if (left_.fetch_sub(static_cast<std::int64_t>(count), std::memory_order_relaxed) <
            static_cast<std::int64_t>(count))
            throw Error("contact: too many elements overlap each other",
                        "look for a step in which a body collapses, or for a thickness that is too large");
    }

  private:
    std::atomic<std::int64_t> left_;
};

/// All overlapping pairs for which keep(item of a, item of b) holds, in parallel, in no particular order.
/// Throws Error if there are more than `most`.
template <class Keep>
void collectTreePairs(const TreePair& trees, Keep&& keep, std::vector<ElementPair>& out,
                      std::size_t most = std::numeric_limits<std::int64_t>::max()) {
    constexpr std::size_t kTasks = 64, kTaskPairs = 4, kSerialNodes = 64;
    out.clear();
    if (trees.a.size() == 0 || trees.b.size() == 0) return;
    PairBudget budget(most);
    const auto step = [&](NodePair pair, std::vector<NodePair>& pending, std::vector<ElementPair>& list) {
        std::array<ElementPair, ContactTree::kWidth * ContactTree::kWidth> found;  // the list is asked for room once
        std::size_t count = 0;
        descend(trees, pair, pending, [&](std::int32_t i, std::int32_t j) {
            if (trees.self && i > j) std::swap(i, j);
            found[count] = {i, j};
            count += keep(i, j) ? 1 : 0;
        });
        if (count == 0) return;
        budget.take(count);
        list.insert(list.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    };
    const auto run = [&](std::vector<NodePair>& pending, std::vector<ElementPair>& list) {
        while (!pending.empty()) {
            const NodePair pair = pending.back();
            pending.pop_back();
            step(pair, pending, list);
        }
    };
    std::vector<NodePair> front{{0, 0}}, next;
    if (trees.a.nodes().size() + trees.b.nodes().size() <= kSerialNodes) return run(front, out);
    while (!front.empty() && front.size() < kTasks) {
        next.clear();
        for (const NodePair& pair : front) step(pair, next, out);
        front.swap(next);
    }
    std::vector<std::vector<ElementPair>> lists((front.size() + kTaskPairs - 1) / kTaskPairs);
    parallelBlocks(lists.size(), [&](std::size_t block) {
        const std::size_t first = kTaskPairs * block, last = std::min(front.size(), first + kTaskPairs);
        std::vector<NodePair> pending(front.begin() + first, front.begin() + last);
        run(pending, lists[block]);
    });
    appendLists(lists, out);
}

}  // namespace sunder
