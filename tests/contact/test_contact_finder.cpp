#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <memory>

#include "core/base/random.h"
#include "core/contact/contact_finder.h"
#include "tests/contact/same_contacts.h"
#include "tests/support/builders.h"

namespace sunder {

namespace {
using testing::expectSame;
/// Boxes crowded together, of which the last two are led.
struct Crowd {
    static constexpr std::size_t kCount = 14, kLedFirst = 12;
    std::vector<std::shared_ptr<const ContactShape>> shapes;
    std::vector<std::vector<Vec3>> x;

    explicit Crowd(std::uint64_t seed) {
        for (std::uint64_t b = 0; b < kCount; ++b) {
            Body body;
            body.mesh = testing::makeBox(2, 2, 2, Vec3(0.5, 0.4, 0.6));
            const Vec3 at(randomRange(-0.7, 0.7, seed, b, 0), randomRange(-0.7, 0.7, seed, b, 1), randomRange(-0.7, 0.7, seed, b, 2));
            const Mat3 turn = Eigen::AngleAxisd(randomRange(0, 3, seed, b, 3), Vec3(1, 2, randomRange(-2, 2, seed, b, 4)).normalized()).toRotationMatrix();
            for (Vec3& p : body.mesh.rest) p = turn * p + at;
            body.materials.resize(1);
            const auto built = buildBody(std::move(body));
            shapes.push_back(std::make_shared<const ContactShape>(buildContactShape(*built)));
            x.push_back(built->mesh.rest);
        }
    }
    std::vector<Span<const Vec3>> spans() const { return {x.begin(), x.end()}; }
    /// Some bodies go a little way.
    void move(std::uint64_t seed, std::uint64_t step) {
        for (std::uint64_t b = 0; b < kCount; ++b) {
            if (randomRange(0, 1, seed, 100 + step, b) < 0.7) continue;
            const Vec3 way = 0.08 * Vec3(randomRange(-1, 1, seed, 200 + step, b), randomRange(-1, 1, seed, 300 + step, b), randomRange(-1, 1, seed, 400 + step, b));
            for (Vec3& p : x[b]) p += way;
        }
    }
};
}  // namespace

// What is kept from place to place changes no bit: not when some bodies move and come back, when the boxes of the broad phase have been
// asked for other ways in between, nor when others stir.
TEST(ContactFinder, KeepsNothingThatWouldBeFoundOtherwise) {
    std::size_t contacts = 0, dropped = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Crowd crowd(seed);
        ContactFinder kept;
        kept.reset(crowd.shapes, Crowd::kLedFirst, {});
        std::vector<std::uint8_t> stirring(Crowd::kCount, 1);
        std::vector<std::vector<Vec3>> before = crowd.x;
        for (std::uint64_t step = 0; step < 40; ++step) {
            if (step % 7 == 3) {
                for (std::uint64_t b = 0; b < Crowd::kCount; ++b) stirring[b] = randomRange(0, 1, seed, 500 + step, b) < 0.3;
                kept.setStirring(stirring);
            }
            if (step % 5 == 4) crowd.x.swap(before);
            else before = crowd.x;
            crowd.move(seed, step);
            if (step % 3 == 1) {
                Crowd elsewhere = crowd;
                elsewhere.move(seed, 1000 + step);
                std::vector<double> share(Crowd::kCount);
                kept.safeShares(elsewhere.spans(), crowd.spans(), share);
            }
            ContactFinder fresh;
            fresh.reset(crowd.shapes, Crowd::kLedFirst, {});
            fresh.setStirring(stirring);
            const bool withClusters = step % 2 == 0;
            const ContactSet& set = kept.find(crowd.spans(), {}, withClusters);
            const ContactSet& expected = fresh.find(crowd.spans(), {}, withClusters);
            ASSERT_NO_FATAL_FAILURE(expectSame(set, expected)) << "seed " << seed << ", step " << step;
            for (std::size_t b = 0; b < Crowd::kCount; ++b) {
                ASSERT_EQ(kept.matters(b), fresh.matters(b));
                dropped += !fresh.matters(b);
            }
            contacts += set.contacts.size();
        }
    }
    EXPECT_GT(contacts, 10000u);
    EXPECT_GT(dropped, 20u);
}

// What nobody asks for is set aside and comes back as it was, but for what has moved in between.
TEST(ContactFinder, WhatLiesStillComesBack) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Crowd crowd(seed);
        ContactFinder kept;
        kept.reset(crowd.shapes, Crowd::kLedFirst, {});
        for (std::uint64_t step = 0; step < 12; ++step) {
            std::vector<std::uint8_t> stirring(Crowd::kCount, step % 2 == 0 ? 1 : 0);
            stirring[(seed + step) % Crowd::kLedFirst] = 1;
            if (step % 4 == 2) crowd.x[step % Crowd::kLedFirst][0].y() += 1e-3;
            ContactFinder fresh;
            fresh.reset(crowd.shapes, Crowd::kLedFirst, {});
            for (ContactFinder* finder : {&kept, &fresh}) finder->setStirring(stirring);
            const bool withClusters = step % 3 == 0;
            const ContactSet& set = kept.find(crowd.spans(), {}, withClusters);
            ASSERT_NO_FATAL_FAILURE(expectSame(set, fresh.find(crowd.spans(), {}, withClusters))) << "seed " << seed << ", step " << step;
        }
    }
}

TEST(ContactFinder, WhatIsLedDoesNotMeetWhatIsLed) {
    Crowd crowd(3);
    crowd.x[13] = crowd.x[12];
    ContactFinder finder;
    finder.reset(crowd.shapes, Crowd::kLedFirst, {});
    for (const TetContact& c : finder.find(crowd.spans(), {}, false).contacts) EXPECT_LT(c.bodyA, 12);
    EXPECT_FALSE(finder.set().contacts.empty());
}

// The way is short beside the moving body's own tets, but not beside those of a plate that stands still, be it free or led.
TEST(ContactFinder, ABlockDoesNotGoThroughAThinPlateThatStands) {
    constexpr double kGap = 0.001, kThickness = 0.01, kWay = 0.08;
    for (const std::size_t ledFirst : {std::size_t{1}, std::size_t{2}}) {
        std::vector<std::shared_ptr<const ContactShape>> shapes;
        std::vector<std::vector<Vec3>> start;
        const auto add = [&](TetMesh mesh, const Vec3& at) {
            Body body;
            body.mesh = std::move(mesh);
            for (Vec3& p : body.mesh.rest) p += at;
            body.materials.resize(1);
            const auto built = buildBody(std::move(body));
            shapes.push_back(std::make_shared<const ContactShape>(buildContactShape(*built)));
            start.push_back(built->mesh.rest);
        };
        add(testing::makeBox(1, 1, 1, Vec3(1, 1, 1)), Vec3(0, kThickness + kGap, 0));
        add(testing::makeBox(8, 1, 8, Vec3(2, kThickness, 2)), Vec3(-0.5, 0, -0.5));
        std::vector<std::vector<Vec3>> end = start;
        for (Vec3& p : end[0]) p.y() -= kWay;
        ContactFinder finder;
        finder.reset(shapes, ledFirst, {});
        std::vector<double> share(2, -1.0);
        finder.safeShares({start.begin(), start.end()}, {end.begin(), end.end()}, share);
        EXPECT_LE(share[0] * kWay, kGap + 0.5 * kThickness);
        EXPECT_GT(share[0], 0);
        EXPECT_EQ(share[1], 1.0);
    }
}

}  // namespace sunder
