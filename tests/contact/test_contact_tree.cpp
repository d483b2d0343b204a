#include "core/contact/contact_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/contact/tree_traversal.h"

namespace sunder::contact_tree_test {
namespace {

Vec3 draw(std::uint64_t seed, std::uint64_t id) {
    return {randomRange(-1, 1, seed, id, 0), randomRange(-1, 1, seed, id, 1),
            randomRange(-1, 1, seed, id, 2)};
}

Aabb boxAround(const Vec3& a, const Vec3& b) {
    Aabb box;
    box.extend(a);
    box.extend(b);
    return box;
}

std::vector<Aabb> scatter(std::size_t count, double size, std::uint64_t seed) {
    std::vector<Aabb> boxes(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at = draw(seed, 2 * i);
        boxes[i] = boxAround(at, at + size * draw(seed, 2 * i + 1));
    }
    return boxes;
}

std::vector<ElementPair> selfPairs(const ContactTree& tree, const std::vector<Aabb>& boxes) {
    std::vector<ElementPair> pairs;
    collectTreePairs(
        TreePair(tree, tree), [&](std::int32_t i, std::int32_t j) { return boxes[i].overlaps(boxes[j]); },
        pairs);
    sortPairs(pairs, boxes.size());
    return pairs;
}

std::vector<ElementPair> allSelfPairs(const std::vector<Aabb>& boxes) {
    std::vector<ElementPair> pairs;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(boxes.size()); ++i)
        for (std::int32_t j = i + 1; j < static_cast<std::int32_t>(boxes.size()); ++j)
            if (!boxes[i].empty() && !boxes[j].empty() && boxes[i].overlaps(boxes[j]))
                pairs.push_back({i, j});
    return pairs;
}

/// Every node holds what is below it, knows its parent, and every item is where the tree says.
void expectSound(const ContactTree& tree) {
    std::vector<std::int32_t> stack{0};
    std::size_t items = 0;
    double cost = 0;
    while (!stack.empty()) {
        const std::int32_t n = stack.back();
        stack.pop_back();
        const ContactTree::Node& node = tree.nodes()[n];
        for (int lane = node.count; lane < ContactTree::kWidth; ++lane) {
            ASSERT_EQ(node.child[lane], -1);
            ASSERT_EQ(node.boxes.get(lane), FloatBox{});
        }
        for (int lane = 0; lane < node.count; ++lane) {
            cost += node.boxes.get(lane).measure();
            if (node.leaf) {
                ++items;
                ASSERT_TRUE(tree.contains(node.child[lane]));
                ASSERT_EQ(tree.itemBox(node.child[lane]), node.boxes.get(lane));
            } else {
                const ContactTree::Node& child = tree.nodes()[node.child[lane]];
                ASSERT_EQ(child.parent, n);
                ASSERT_GT(child.count, 0);
                ASSERT_EQ(child.boxes.hull(), node.boxes.get(lane));
                stack.push_back(node.child[lane]);
            }
        }
    }
    ASSERT_EQ(items, tree.size());
    if (tree.size() == 0) return;
    const double root = tree.nodes()[0].boxes.hull().measure();
    // The sum is kept up to date by differences.
    if (root > 0) {
        ASSERT_NEAR(tree.quality(), cost / root, 1e-9 * cost / root);
    }
}

TEST(ContactTree, FindsTheSamePairsAsAllAgainstAll) {
    for (const std::size_t count : {0u, 1u, 2u, 8u, 9u, 64u, 65u, 73u, 512u, 700u, 3000u}) {
        const auto boxes = scatter(count, 0.2, count);
        ContactTree tree;
        tree.build(boxes);
        expectSound(tree);
        ASSERT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes)) << count;
    }
}

TEST(ContactTree, FullNodesBelowTheRoot) {
    ContactTree tree;
    tree.build(scatter(4096, 0.01, 1));
    EXPECT_EQ(tree.nodes().size(), 1u + 8 + 64 + 512);
}

TEST(ContactTree, TouchingBoxesOverlap) {
    std::vector<Aabb> boxes;
    for (int k = 0; k < 20; ++k) boxes.push_back({Vec3(k, 0.1, 0.3), Vec3(k + 1, 0.1, 0.7)});
    ContactTree tree;
    tree.build(boxes);
    EXPECT_EQ(selfPairs(tree, boxes).size(), 19u);
}

TEST(ContactTree, AllBoxesAlikeAndPointsAndLines) {
    for (const double size : {0.0, 0.25}) {
        const std::vector<Aabb> alike(300, {Vec3(1, 2, 3), Vec3(1 + size, 2 + size, 3)});
        ContactTree tree;
        tree.build(alike);
        expectSound(tree);
        EXPECT_EQ(selfPairs(tree, alike).size(), 300u * 299 / 2);
    }
    std::vector<Aabb> points;
    for (int k = 0; k < 500; ++k) points.push_back({Vec3(k / 2, 0, 0), Vec3(k / 2, 0, 0)});
    ContactTree tree;
    tree.build(points);
    EXPECT_EQ(selfPairs(tree, points).size(), 250u);
}

TEST(ContactTree, RoundsOutwardAtAnyScaleAndPlace) {
    for (const double scale : {1e-30, 1e-6, 1.0, 1e6, 1e13})
        for (const double away : {0.0, 1.0, 1e3}) {
            auto boxes = scatter(200, 0.3, 77);
            for (Aabb& box : boxes) {
                box.lower = scale * (box.lower + Vec3::Constant(away));
                box.upper = scale * (box.upper + Vec3::Constant(away));
            }
            ContactTree tree;
            tree.build(boxes);
            for (std::int32_t i = 0; i < 200; ++i)
                for (int k = 0; k < 3; ++k) {
                    ASSERT_LE(static_cast<double>(tree.itemBox(i).lower[k]),
                              boxes[i].lower[k] - tree.origin()[k]);
                    ASSERT_GE(static_cast<double>(tree.itemBox(i).upper[k]),
                              boxes[i].upper[k] - tree.origin()[k]);
                    ASSERT_LE(tree.bounds().lower[k], boxes[i].lower[k]);
                    ASSERT_GE(tree.bounds().upper[k], boxes[i].upper[k]);
                }
            ASSERT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes));
        }
}

/// One box at a time and four at a time are rounded alike.
TEST(ContactTree, UpdateAndBuildGiveTheSameBoxes) {
    const auto boxes = scatter(100, 0.3, 21), others = scatter(100, 0.3, 22);
    ContactTree tree;
    tree.build(others);
    for (std::int32_t i = 0; i < 100; ++i) tree.update(Span<const std::int32_t>(&i, 1), boxes);
    for (std::int32_t i = 0; i < 100; ++i) {
        const FloatBox updated = tree.itemBox(i);
        for (int k = 0; k < 3; ++k) {
            ASSERT_LE(static_cast<double>(updated.lower[k]), boxes[i].lower[k] - tree.origin()[k]);
            ASSERT_GE(static_cast<double>(updated.upper[k]), boxes[i].upper[k] - tree.origin()[k]);
        }
    }
    std::vector<FloatBox> updated;
    for (std::int32_t i = 0; i < 100; ++i) updated.push_back(tree.itemBox(i));
    tree.refit(boxes);
    for (std::int32_t i = 0; i < 100; ++i) ASSERT_EQ(tree.itemBox(i), updated[i]);
}

/// Boxes of two trees that touch exactly must be found through the rounding of both frames.
TEST(ContactTree, TouchingAcrossTrees) {
    for (const double away : {0.0, 1.0, 1e3, 1e6}) {
        auto a = scatter(500, 0.01, 31), b = a;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double width = 0.01 + randomUnit(9, i);
            a[i].upper[0] = a[i].lower[0] + width;
            b[i].lower[0] = a[i].upper[0];
            b[i].upper[0] = b[i].lower[0] + away * randomUnit(8, i);
        }
        ContactTree first, second;
        first.build(a);
        second.build(b);
        std::vector<ElementPair> found;
        collectTreePairs(
            TreePair(first, second), [](std::int32_t i, std::int32_t j) { return i == j; }, found);
        ASSERT_EQ(found.size(), a.size()) << away;
        collectTreePairs(
            TreePair(second, first), [](std::int32_t i, std::int32_t j) { return i == j; }, found);
        ASSERT_EQ(found.size(), a.size()) << away;
    }
}

TEST(ContactTree, TwoTreesWithOriginsFarApart) {
    for (const double away : {0.0, 1.0, 1e4, 1e8}) {
        auto a = scatter(300, 0.2, 5), b = scatter(200, 0.2, 6);
        b.push_back({Vec3::Constant(away), Vec3::Constant(2 * away + 1)});
        for (std::size_t i = 0; i < 50; ++i) a[i].upper += Vec3::Constant(away);
        ContactTree first, second;
        first.build(a);
        second.build(b);
        std::vector<ElementPair> found, expected;
        collectTreePairs(
            TreePair(first, second), [&](std::int32_t i, std::int32_t j) { return a[i].overlaps(b[j]); },
            found);
        sortPairs(found, a.size());
        for (std::int32_t i = 0; i < 300; ++i)
            for (std::int32_t j = 0; j < 201; ++j)
                if (a[i].overlaps(b[j])) expected.push_back({i, j});
        ASSERT_EQ(found, expected) << away;
    }
}

TEST(ContactTree, SameBytesForAnyThreadCount) {
    const auto boxes = scatter(20000, 0.02, 9);
    ContactTree reference;
    std::vector<ElementPair> pairs;
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        ContactTree tree;
        tree.build(boxes);
        tree.refit(boxes);
        if (threads == 1) {
            reference = tree;
            pairs = selfPairs(tree, boxes);
            continue;
        }
        ASSERT_EQ(tree.nodes().size(), reference.nodes().size());
        for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
            ASSERT_EQ(std::memcmp(&tree.nodes()[n].boxes, &reference.nodes()[n].boxes, sizeof(BoxLanes)), 0);
            ASSERT_EQ(
                std::memcmp(tree.nodes()[n].child, reference.nodes()[n].child, sizeof tree.nodes()[n].child),
                0);
        }
        ASSERT_EQ(tree.quality(), reference.quality());
        ASSERT_EQ(selfPairs(tree, boxes), pairs);
    }
    setThreadCount(0);
}

TEST(ContactTree, FollowsMotionOfFewAndOfAll) {
    auto boxes = scatter(1000, 0.05, 2);
    ContactTree tree;
    tree.build(boxes);
    for (std::uint64_t step = 0; step < 20; ++step) {
        std::vector<std::int32_t> moved;
        for (std::int32_t i = 0; i < 1000; ++i) {
            if (step % 4 != 3 && randomUnit(step, i) > 0.02) continue;
            const Vec3 by = 0.1 * draw(100 + step, i);
            boxes[i] = {boxes[i].lower + by, boxes[i].upper + by};
            moved.push_back(i);
        }
        tree.update(moved, boxes);
        expectSound(tree);
        ASSERT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes));
    }
}

TEST(ContactTree, SurvivesEdits) {
    auto boxes = scatter(600, 0.1, 3);
    ContactTree tree;
    tree.build(boxes);
    for (std::uint64_t step = 0; step < 60; ++step) {
        for (std::uint64_t k = 0; k < 20; ++k) {
            const auto item = static_cast<std::int32_t>(randomBits(step, k) % boxes.size());
            if (tree.contains(item)) {
                tree.remove(item);
                boxes[item] = Aabb{};
            } else {
                // Crowded into one corner, as around a crack.
                const Vec3 at = 0.2 * draw(step, 50 + k);
                boxes[item] = boxAround(at, at + 0.05 * draw(step, 90 + k));
                tree.insert(item, boxes[item]);
            }
        }
        const Vec3 at = draw(step, 200);
        boxes.push_back(boxAround(at, at));
        tree.insert(static_cast<std::int32_t>(boxes.size()) - 1, boxes.back());
        expectSound(tree);
        ASSERT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes));
    }
    EXPECT_TRUE(tree.decayed());
}

/// A large box hides the split of its leaf from the nodes above.
TEST(ContactTree, EditsAmongLargeBoxes) {
    std::vector<Aabb> boxes;
    ContactTree tree;
    for (std::int32_t i = 0; i < 800; ++i) {
        const Vec3 at = draw(41, i),
                   size = i % 6 ? Vec3::Constant(0.01) : Vec3::Constant(randomRange(0.1, 2, 42, i));
        boxes.push_back({at - size, at + size});
        tree.insert(i, boxes.back());
        expectSound(tree);
    }
    ASSERT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes));
}

TEST(ContactTree, EmptiesAndFillsAgain) {
    const auto boxes = scatter(100, 0.3, 4);
    ContactTree tree;
    for (int round = 0; round < 3; ++round) {
        for (std::int32_t i = 0; i < 100; ++i) tree.insert(i, boxes[i]);
        expectSound(tree);
        ASSERT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes));
        for (std::int32_t i = 0; i < 100; ++i) tree.remove((37 * i) % 100);
        expectSound(tree);
        ASSERT_EQ(tree.size(), 0u);
        ASSERT_TRUE(tree.bounds().empty());
    }
}

TEST(ContactTree, DecayIsSeenAndARebuildCuresIt) {
    auto boxes = scatter(2000, 0.02, 8);
    ContactTree tree;
    tree.build(boxes);
    EXPECT_FALSE(tree.decayed());
    // A stretch of the whole changes nothing: a new tree would be no better.
    for (Aabb& box : boxes) box = {5 * box.lower, 5 * box.upper};
    tree.refit(boxes);
    EXPECT_FALSE(tree.decayed());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Vec3 at = 5 * draw(123, i);
        boxes[i] = boxAround(at, at + Vec3::Constant(0.1));
    }
    tree.refit(boxes);
    EXPECT_TRUE(tree.decayed());
    EXPECT_EQ(selfPairs(tree, boxes), allSelfPairs(boxes));
    tree.build(boxes);
    EXPECT_FALSE(tree.decayed());
    // Far from its origin it blurs.
    for (Aabb& box : boxes) box = {box.lower + Vec3::Constant(1e4), box.upper + Vec3::Constant(1e4)};
    tree.refit(boxes);
    EXPECT_TRUE(tree.decayed());
}

TEST(ContactTree, RefusesBoxesThatAreNotFinite) {
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    for (const double bad : {nan, inf, -inf, 1e200}) {
        auto boxes = scatter(50, 0.1, 1);
        boxes[17].upper[1] = bad;
        ContactTree tree;
        try {
            tree.build(boxes);
            FAIL();
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("17"), std::string::npos);
            EXPECT_FALSE(error.remedy().empty());
        }
    }
}

TEST(SortPairs, EqualsStdSort) {
    for (const std::size_t count : {0u, 1u, 5u, 300u, 1500u, 16384u, 40000u})
        for (const std::uint64_t columns : {90u, 2000u, 100000u}) {
            std::vector<ElementPair> pairs;
            for (std::uint64_t k = 0; k < count; ++k)
                pairs.push_back({static_cast<std::int32_t>(randomBits(1, k) % 500), static_cast<std::int32_t>(randomBits(2, k) % columns)});
            auto expected = pairs;
            std::sort(expected.begin(), expected.end());
            sortPairs(pairs, 500);
            ASSERT_EQ(pairs, expected) << count << " " << columns;
        }
}

}  // namespace
}  // namespace sunder::contact_tree_test
