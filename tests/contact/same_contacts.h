#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "core/contact/contact_set.h"

namespace sunder::testing {

/// Of bodies whose vertices nobody asks about.
inline ContactSet noContacts(std::size_t bodies) {
    ContactSet none;
    none.ofBodies = RangesOfBodies(bodies);
    none.clustersOfBodies = RangesOfBodies(bodies);
    none.vertices.resize(bodies);
    return none;
}

/// To the bit.
inline void expectSame(const ContactSet& a, const ContactSet& b) {
    ASSERT_EQ(a.contacts.size(), b.contacts.size());
    ASSERT_EQ(a.hasClusters, b.hasClusters);
    ASSERT_EQ(a.clusters.size(), b.clusters.size());
    for (std::size_t k = 0; k < a.clusters.size(); ++k) {
        const ContactCluster &p = a.clusters[k], &q = b.clusters[k];
        ASSERT_TRUE(p.bodyA == q.bodyA && p.bodyB == q.bodyB && p.countA == q.countA) << k;
        ASSERT_TRUE(std::equal(p.vertices.begin(), p.vertices.end(), q.vertices.begin(), q.vertices.end())) << k;
        ASSERT_TRUE(std::equal(p.entries.begin(), p.entries.end(), q.entries.begin(), q.entries.end())) << k;
    }
    for (std::size_t k = 0; k < a.contacts.size(); ++k) {
        const TetContact &p = a.contacts[k], &q = b.contacts[k];
        ASSERT_TRUE(p.bodyA == q.bodyA && p.bodyB == q.bodyB && p.a == q.a && p.b == q.b) << k;
        ASSERT_TRUE(p.shares.a == q.shares.a && p.shares.b == q.shares.b && p.facing == q.facing) << k;
    }
    ASSERT_EQ(a.vertices.size(), b.vertices.size());
    for (std::size_t i = 0; i < a.vertices.size(); ++i) {
        ASSERT_TRUE(a.vertices[i].volume == b.vertices[i].volume) << i;
        ASSERT_TRUE(a.vertices[i].facing == b.vertices[i].facing) << i;
        ASSERT_TRUE(a.vertices[i].touching == b.vertices[i].touching) << i;
    }
}

}  // namespace sunder::testing
