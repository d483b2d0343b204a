#include "core/contact/contact_cluster.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/random.h"
#include "core/contact/contact_set.h"
#include "core/contact/overlap_wide.h"
#include "tests/contact/same_contacts.h"
#include "tests/contact/touching_bodies.h"

namespace sunder {
namespace {
using testing::TouchingBodies;

/// A vertex of one of the two bodies.
using Place = std::pair<int, std::int32_t>;
struct Sum {
    Vec3 slope = Vec3::Zero();
    double weight = 0;
};
using Sums = std::map<std::pair<Place, Place>, Sum>;

OverlapTet tetOf(const Tet& tet, const std::vector<Vec3>& x) {
    const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(tet[k])]; };
    return makeOverlapTet({at(0), at(1), at(2), at(3)});
}

/// Contact by contact, by the plain kernels.
Sums sumPlainly(const TouchingBodies& bodies, const ContactSet& set) {
    Sums sums;
    for (const TetContact& c : set.contacts) {
        const OverlapTet a = tetOf(c.a, bodies.x[0]), b = tetOf(c.b, bodies.x[1]);
        OverlapPolyhedron p;
        clipTets(a, b, p);
        OverlapSlopes slopes;
        computeSlopes(p, a, b, slopes);
        const auto place = [&](std::size_t k) { return k < 4 ? Place(0, c.a[k]) : Place(1, c.b[k - 4]); };
        const auto share = [&](std::size_t k) { return k < 4 ? c.shares.a[static_cast<int>(k)] : c.shares.b[static_cast<int>(k) - 4]; };
        for (std::size_t r = 0; r < 8; ++r)
            for (std::size_t m = 0; m < 8; ++m) {
                const double soft = r < 4 ? c.softA : c.softB;
                Sum& sum = sums[{place(r), place(m)}];
                sum.slope += soft * slopes[r].col(static_cast<int>(m));
                sum.weight += soft * share(r) * share(m) / c.shares.volume;
            }
    }
    return sums;
}

Sums sumClusters(const ContactSet& set) {
    Sums sums;
    for (const ContactCluster& c : set.clusters)
        for (std::size_t r = 0; r < c.size(); ++r)
            for (std::size_t m = 0; m < c.size(); ++m) {
                Sum& sum = sums[{Place(c.bodyOf(r), c.vertices[r]), Place(c.bodyOf(m), c.vertices[m])}];
                sum.slope += ContactCluster::slope(c.row(r)[m]);
                sum.weight += ContactCluster::weight(c.row(r)[m]);
            }
    return sums;
}

TouchingBodies makeBodies(int cells) {
    TetMesh above = testing::makeBox(cells, cells, 3, Vec3(1.1, 0.9, 1));
    for (Vec3& p : above.rest) p += Vec3(0.03, 0.04, 0.95);
    Body a = testing::makeContactBody(testing::makeBox(cells, cells, 2, Vec3(1, 1, 1)), 1e5), b = testing::makeContactBody(std::move(above), 4e5);
    return {std::move(a), std::move(b)};
}
}  // namespace

TEST(ContactCluster, HasTheSumsOfItsContacts) {
    for (const int cells : {1, 2, 7}) {  // one cluster, and many
        const TouchingBodies bodies = makeBodies(cells);
        ContactSet set = bodies.overlaps();
        computeClusters(std::vector<Span<const Vec3>>{bodies.x[0], bodies.x[1]}, set);
        ASSERT_GT(set.contacts.size(), 4u);
        EXPECT_LT(set.clusters.size(), set.contacts.size());
        if (cells == 7) {
            EXPECT_GT(set.blocks[0].block->parts.size(), 2u);
        }
        const Sums expected = sumPlainly(bodies, set), found = sumClusters(set);
        double largest = 0, heaviest = 0;
        for (const auto& [key, sum] : expected) {
            largest = std::max(largest, sum.slope.norm());
            heaviest = std::max(heaviest, sum.weight);
        }
        for (const auto& [key, sum] : found) {
            const auto at = expected.find(key);
            const Sum other = at != expected.end() ? at->second : Sum();
            ASSERT_LT((sum.slope - other.slope).norm(), 1e-13 * largest);
            ASSERT_NEAR(sum.weight, other.weight, 1e-13 * heaviest);
        }
        for (const auto& [key, sum] : expected) ASSERT_TRUE(found.count(key)) << "a pair of vertices is lost";
    }
}

TEST(ContactCluster, KeepsToItsSize) {
    const TouchingBodies bodies = makeBodies(7);
    ContactSet set = bodies.overlaps();
    computeClusters(std::vector<Span<const Vec3>>{bodies.x[0], bodies.x[1]}, set);
    for (const ContactCluster& c : set.clusters) {
        ASSERT_LE(c.countA, ClusterBuilder::kMostOfSide);
        ASSERT_LE(c.size() - c.countA, ClusterBuilder::kMostOfSide);
        ASSERT_EQ(c.entries.size(), c.size() * c.size());
    }
}

/// A resumed run may find at once what another one sums up later.
TEST(ContactCluster, IsTheSameWhenMadeLater) {
    const TouchingBodies bodies = makeBodies(7);
    const std::vector<Span<const Vec3>> x{bodies.x[0], bodies.x[1]};
    ContactSet late = bodies.overlaps(), early;
    computeClusters(x, late);
    std::vector<BlockOfBodies> none;
    updateContacts(bodies.pairs, {}, bodies.shapes(), x, true, none, early);
    computeClusters(x, early);  // lists them
    testing::expectSame(early, late);
}

}  // namespace sunder
