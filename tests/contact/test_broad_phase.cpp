#include "core/contact/broad_phase.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "tests/contact/broad_scene.h"

namespace sunder::broad_test {
namespace {

PairList tight(BroadPhase& broad, const BroadScene& scene) {
    PairList pairs;
    const auto motion = scene.motion();
    broad.update(motion);
    broad.tightPairs(motion, pairs);
    return pairs;
}

BroadScene twoSheets(int size, double apart) {
    BroadScene scene;
    for (int b = 0; b < 2; ++b) {
        scene.bodies.push_back(makeBody(Layout::kMesh, size, b));
        for (Vec3& p : scene.bodies[b].x) p += Vec3(0.1 * b, 0, apart * b);
        scene.bodies[b].xEnd = scene.bodies[b].x;
    }
    return scene;
}

/// 200 scenes of all kinds; each walks at random and is edited, and is compared with all against all after
/// every step.
TEST(BroadPhase, EqualsAllAgainstAll) {
    std::size_t pairs = 0, kept = 0, patched = 0, fresh = 0, rebuilt = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        BroadScene scene = makeScene(seed);
        BroadPhase broad;
        scene.addTo(broad);
        for (int step = 0; step < 12; ++step) {
            const PairList expected = bruteForcePairs(scene);
            ASSERT_EQ(difference(tight(broad, scene), expected), "") << "seed " << seed << " step " << step;
            ASSERT_EQ(missing(expected, broad.candidates()), "") << "seed " << seed << " step " << step;
            pairs += expected.pairs.size();
            kept += broad.work().keptLists;
            patched += broad.work().patchedLists;
            fresh += broad.work().freshLists;
            rebuilt += broad.work().rebuiltTrees;
            moveScene(scene, seed, step);
            if (step % 3 == 1) editScene(scene, broad, seed, step);
        }
    }
    // All ways through the code have been taken.
    EXPECT_GT(pairs, 100000u);
    EXPECT_GT(kept, 100u);
    EXPECT_GT(patched, 100u);
    EXPECT_GT(fresh, 100u);
    EXPECT_GT(rebuilt, 800u);
}

TEST(BroadPhase, LargeBodiesInTasks) {
    BroadScene scene = twoSheets(3000, 0.05);
    BroadPhase broad;
    scene.addTo(broad);
    for (int step = 0; step < 6; ++step) {
        ASSERT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "");
        moveScene(scene, 7, step);
        if (step == 2) editScene(scene, broad, 7, step);
    }
}

TEST(BroadPhase, SamePairsForAnyThreadCount) {
    std::vector<PairList> candidates;
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        BroadScene scene = twoSheets(2000, 0.05);
        BroadPhase broad;
        scene.addTo(broad);
        for (int step = 0; step < 4; ++step) {
            tight(broad, scene);
            moveScene(scene, 3, step);
            editScene(scene, broad, 3, step);
        }
        tight(broad, scene);
        candidates.push_back(broad.candidates());
        ASSERT_EQ(difference(candidates.back(), candidates.front()), "") << threads;
    }
    EXPECT_GT(candidates[0].pairs.size(), 1000u);
    setThreadCount(0);
}

TEST(BroadPhase, HistoryDoesNotMatter) {
    BroadScene scene = makeScene(11);
    BroadPhase old;
    scene.addTo(old);
    for (int step = 0; step < 30; ++step) {
        tight(old, scene);
        moveScene(scene, 11, step);
    }
    BroadPhase resumed;
    scene.addTo(resumed);
    const PairList after = tight(resumed, scene);
    EXPECT_EQ(difference(tight(old, scene), after), "");
    EXPECT_FALSE(after.pairs.empty());
}

/// While boxes hold nothing is searched; a step that leaves them must be noticed, however small.
TEST(BroadPhase, CachedListIsKeptWhileBoxesHoldAndNeverStale) {
    BroadScene scene = twoSheets(400, 0.8);
    const std::size_t n = scene.bodies[1].x.size();
    for (std::size_t v = 0; v < n; ++v) scene.bodies[1].v[v] = Vec3(0, 0, -0.5);
    BroadPhase broad;
    scene.addTo(broad);
    int quiet = 0, searched = 0;
    for (int step = 0; step < 300; ++step) {
        ASSERT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "") << step;
        (broad.work().dirtyElements == 0 ? quiet : searched)++;
        for (std::size_t v = 0; v < n; ++v) {
            if (step % 50 == 49)
                scene.bodies[1].v[v] = Vec3(randomRange(-1, 1, step, 0), 0, randomRange(-1, 1, step, 1));
            if (step % 70 == 69 && v % 40 == 0) scene.bodies[1].v[v] *= -3;
            scene.bodies[1].x[v] += 0.004 * scene.bodies[1].v[v];
        }
    }
    EXPECT_GT(quiet, 200);
    EXPECT_GT(searched, 5);
}

TEST(BroadPhase, FewMovedElementsArePatchedOnly) {
    BroadScene scene = twoSheets(2000, 0.3);
    BroadPhase broad;
    scene.addTo(broad);
    tight(broad, scene);
    EXPECT_EQ(broad.work().freshLists, 3u);
    scene.bodies[0].x[100] += Vec3(0, 0, 0.5);
    EXPECT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "");
    EXPECT_EQ(broad.work().staleVertices, 1u);
    EXPECT_EQ(broad.work().dirtyElements, 6u);
    EXPECT_EQ(broad.work().patchedLists, 2u);
    EXPECT_EQ(broad.work().keptLists, 1u);
    EXPECT_EQ(broad.work().freshLists + broad.work().rebuiltTrees, 0u);
}

TEST(BroadPhase, FewChangedElementsDoNotRebuild) {
    BroadScene scene = twoSheets(2000, 0.3);
    BroadPhase broad;
    scene.addTo(broad);
    tight(broad, scene);
    for (int step = 0; step < 20; ++step) {
        editScene(scene, broad, 5, step);
        ASSERT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "") << step;
        EXPECT_EQ(broad.work().rebuiltTrees + broad.work().freshLists, 0u);
        EXPECT_LE(broad.work().dirtyElements, 40u);
    }
}

/// 1,000 shards of 20 triangles in a grid; a few move.
TEST(BroadPhase, ManyBodies) {
    BroadScene scene;
    for (int b = 0; b < 1000; ++b) {
        SceneBody body = makeBody(Layout::kScattered, 20, b);
        for (Vec3& p : body.x) p = 0.55 * p + Vec3(b % 10, b / 10 % 10, b / 100);
        body.still = true;
        scene.bodies.push_back(body);
    }
    BroadPhase broad;
    scene.addTo(broad);
    const auto check = [&] { ASSERT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), ""); };
    check();
    tight(broad, scene);
    EXPECT_EQ(broad.work().patchedLists + broad.work().freshLists + broad.work().staleVertices, 0u);
    const std::size_t lists = broad.work().keptLists;
    for (const int b : {3, 555}) {
        scene.bodies[b].still = false;
        for (Vec3& p : scene.bodies[b].x) p += Vec3(0.4, 0, 0.4);
    }
    check();
    EXPECT_LT(broad.work().freshLists, 60u);
    EXPECT_GT(broad.work().keptLists, lists - 60);
}

TEST(BroadPhase, BodiesComeAndGoAndChangeTheirMinds) {
    BroadScene scene = makeScene(23);
    while (scene.bodies.size() < 4) scene.bodies.push_back(makeBody(Layout::kTets, 60, scene.bodies.size()));
    for (SceneBody& body : scene.bodies) body.settings.mask = body.settings.group = 1;
    BroadPhase broad;
    scene.addTo(broad);
    tight(broad, scene);
    scene.bodies[1].settings.mask = 0;
    scene.bodies[2].settings.self = SelfContact::kAll;
    scene.bodies[3].settings.thickness = 0.2;
    for (int b = 1; b < 4; ++b) broad.setBody(b, scene.bodies[b].settings);
    for (SceneBody& body : scene.bodies) body.still = true;
    EXPECT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "");
    broad.removeBody(2);
    scene.bodies[2] = {};
    scene.bodies.push_back(makeBody(Layout::kScattered, 50, 99));
    broad.addBody(scene.bodies.back().settings, scene.bodies.back().elements, scene.bodies.back().pieces);
    EXPECT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "");
}

TEST(BroadPhase, NewRulesAreAppliedToBodiesThatDoNotMove) {
    BroadScene scene = twoSheets(400, 0.1);
    for (SceneBody& body : scene.bodies) body.settings.self = SelfContact::kBetweenPieces;
    BroadPhase broad;
    scene.addTo(broad);
    tight(broad, scene);
    for (SceneBody& body : scene.bodies) body.still = true;
    for (int rule = 0; rule < 5; ++rule) {
        ContactBody& settings = scene.bodies[rule % 2].settings;
        if (rule == 0) settings.self = SelfContact::kAll;
        if (rule == 1) settings.mask = 0;
        if (rule == 2) settings.skipNeighbors = false;
        if (rule == 3) settings.mask = 1;
        if (rule == 4) settings.self = SelfContact::kNone;
        broad.setBody(rule % 2, settings);
        EXPECT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "") << rule;
        EXPECT_EQ(broad.work().staleVertices, 0u);
    }
}

TEST(BroadPhase, PositionsThatAreNotFiniteAreRefusedAndNothingChanges) {
    BroadScene scene = twoSheets(200, 0.1);
    BroadPhase broad;
    scene.addTo(broad);
    const PairList before = tight(broad, scene);
    for (const double bad : {std::nan(""), 1.0 / 0.0, -1.0 / 0.0, 1e300})
        for (const bool atEnd : {false, true}) {
            BroadScene broken = scene;
            broken.bodies[0].x[3] += Vec3(5, 0, 0);
            broken.bodies[1].swept = true;
            (atEnd ? broken.bodies[1].xEnd : broken.bodies[1].x)[7][2] = bad;
            try {
                broad.update(broken.motion());
                FAIL() << bad;
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find("vertex 7 of body 1"), std::string::npos)
                    << error.what();
                EXPECT_FALSE(error.remedy().empty());
            }
            EXPECT_EQ(difference(tight(broad, scene), before), "");
            EXPECT_EQ(broad.work().dirtyElements, 0u);
        }
    scene.bodies[0].x.pop_back();
    EXPECT_THROW(broad.update(scene.motion()), Error);
    EXPECT_THROW(broad.update({}), Error);
}

TEST(BroadPhase, TooManyPairsAreAnErrorAndTheNextUpdateRecovers) {
    BroadScene scene = twoSheets(2000, 0.3), collapsed = scene;
    BroadPhaseSettings settings;
    settings.mostPairs = 1500000;
    BroadPhase broad(settings);
    scene.addTo(broad);
    tight(broad, scene);
    for (SceneBody& body : collapsed.bodies) body.x.assign(body.x.size(), Vec3(1, 2, 3));
    EXPECT_THROW(tight(broad, collapsed), Error);
    EXPECT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "");
    EXPECT_EQ(difference(tight(broad, scene), bruteForcePairs(scene)), "");
}

TEST(BroadPhase, NoBodiesAndNoElements) {
    BroadPhase broad;
    EXPECT_TRUE(broad.update({}).pairs.empty());
    broad.addBody({}, {});
    const std::vector<BodyMotion> motion(1);
    EXPECT_TRUE(broad.update(motion).pairs.empty());
    PairList pairs;
    broad.tightPairs(motion, pairs);
    EXPECT_TRUE(pairs.ranges.empty());
}

}  // namespace
}  // namespace sunder::broad_test
