#include "core/sim/collider_track.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace sunder {
namespace {

/// A square sheet of n x n cells; with `turn` the other diagonals.
ColliderSurface sheet(int n, double height, double bend, bool turn = false) {
    ColliderSurface s;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) s.positions.emplace_back(i, height + bend * i * j, j);
    const auto at = [&](int i, int j) { return static_cast<std::int32_t>(i * (n + 1) + j); };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (turn) {
                s.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
                s.triangles.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
            } else {
                s.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
                s.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
            }
        }
    return s;
}

double timeOf(std::size_t frame) { return static_cast<double>(frame) / 24; }

/// Still, then moved and bent, then of other topologies, then still again, and back where it began.
std::vector<ColliderSurface> shownSurfaces() {
    return {sheet(2, 0, 0),       sheet(2, 0, 0),          sheet(2, 0.125, 0.01),   sheet(2, 0.5, 0.02),     sheet(2, 0.5, 0.02), sheet(3, 0.6, 0.02),
            sheet(3, 0.7, 0.02),  sheet(3, 0.7, 0, true),  sheet(2, 0.8, 0),        sheet(2, 0.8, 0),        sheet(2, 0.9, 0),    sheet(2, 0.8, 0),
            sheet(2, 0.8, 0)};
}

Collider inputOf(std::vector<Collider::Key> keys) {
    Collider input;
    input.name = "sheet";
    input.keys = std::move(keys);
    return input;
}

std::shared_ptr<const Collider> wholeCollider(const std::vector<ColliderSurface>& surfaces) {
    std::vector<Collider::Key> keys;
    for (std::size_t f = 0; f < surfaces.size(); ++f) keys.push_back({timeOf(f), surfaces[f]});
    return buildCollider(inputOf(std::move(keys)));
}

void expectSameStep(const Collider& a, const Collider& b, double from, double to) {
    for (const double share : {0.0, 0.3, 0.999, 1.0}) {
        const double time = share == 1 ? to : from + share * (to - from);
        const std::size_t sa = a.stretchAt(from), sb = b.stretchAt(from);
        EXPECT_EQ(a.earlier + static_cast<int>(sa), b.earlier + static_cast<int>(sb)) << time;
        EXPECT_EQ(a.stretches[sa].time.front() == from, b.stretches[sb].time.front() == from) << time;  // what wakes sleepers
        EXPECT_EQ(a.stretches[sa].vertices.front(), b.stretches[sb].vertices.front()) << time;          // what thickness goes by
        EXPECT_EQ(a.stretches[sa].slab.tets, b.stretches[sb].slab.tets);
        EXPECT_EQ(a.stretches[sa].shape.area, b.stretches[sb].shape.area);
        std::vector<Vec3> xa, va, xb, vb;
        a.place(sa, time, from, xa, va);
        b.place(sb, time, from, xb, vb);
        EXPECT_EQ(xa, xb) << time;
        EXPECT_EQ(va, vb) << time;
    }
}

TEST(ColliderTrack, StepByStepItIsTheColliderOfAllFrames) {
    const std::vector<ColliderSurface> surfaces = shownSurfaces();
    const auto whole = wholeCollider(surfaces);
    std::vector<ColliderTrack> tracks = trackColliders({buildCollider(inputOf({{0, surfaces[0]}}))}, 0, {});
    for (std::size_t f = 1; f < surfaces.size(); ++f) {
        Collider input = inputOf({{0, surfaces[f]}});
        followTrack({tracks, timeOf(f - 1), timeOf(f)}, input);
        EXPECT_LE(input.keys.size(), 4u);
        const auto made = buildCollider(std::move(input));
        expectSameStep(*made, *whole, timeOf(f - 1), timeOf(f));
        tracks = loadTracks(saveTracks(trackColliders({made}, timeOf(f), tracks)));
    }
}

TEST(ColliderTrack, WhatStandsStillHasOneKeyAndIsShared) {
    const auto still = buildCollider(inputOf({{0, sheet(2, 0, 0)}}));
    const std::vector<ColliderTrack> first = trackColliders({still}, 0, {});
    Collider input = inputOf({{0, sheet(2, 0, 0)}});
    followTrack({first, timeOf(5), timeOf(6)}, input);
    EXPECT_EQ(input.keys.size(), 1u);
    const auto later = buildCollider(std::move(input));
    EXPECT_FALSE(later->moves());
    const std::vector<ColliderTrack> second = trackColliders({later}, timeOf(6), first);
    EXPECT_EQ(second[0].first.get(), first[0].first.get());
    EXPECT_EQ(second[0].last.get(), first[0].first.get());
    EXPECT_LT(memoryOf(second), 9 * sizeof(Vec3) + 8 * sizeof(Tri));  // a part of it is counted with the track before
}

TEST(ColliderTrack, TellsOfNewTopologiesAndOfLongWaysOnce) {
    const std::vector<ColliderTrack> tracks = trackColliders({buildCollider(inputOf({{0, sheet(2, 0, 0)}}))}, 0, {});
    const auto stepped = [&](const std::vector<ColliderTrack>& from, const ColliderSurface& surface, std::size_t f) {
        Collider input = inputOf({{0, surface}});
        followTrack({from, timeOf(f - 1), timeOf(f)}, input);
        return buildCollider(std::move(input));
    };
    const auto far = stepped(tracks, sheet(2, 50, 0), 1);
    ASSERT_EQ(far->warnings.size(), 1u);
    EXPECT_NE(far->warnings[0].find("goes 50 m up to"), std::string::npos) << far->warnings[0];
    const std::vector<ColliderTrack> there = trackColliders({far}, timeOf(1), tracks);
    EXPECT_TRUE(stepped(there, sheet(2, 50.1, 0), 2)->warnings.empty());  // though it is far from where it began
    const auto other = stepped(there, sheet(3, 50, 0), 2);
    ASSERT_EQ(other->warnings.size(), 1u);
    EXPECT_NE(other->warnings[0].find("has another topology at"), std::string::npos);
    EXPECT_TRUE(stepped(trackColliders({other}, timeOf(2), there), sheet(3, 50, 0), 3)->warnings.empty());
}

TEST(ColliderTrack, OneThatAppearsStandsStillUntilItMoves) {
    Collider input = inputOf({{0, sheet(2, 1, 0)}});
    followTrack({{}, timeOf(3), timeOf(4)}, input);
    ASSERT_EQ(input.keys.size(), 1u);
    EXPECT_EQ(input.keys[0].time, timeOf(4));
    std::vector<Vec3> x, v;
    buildCollider(std::move(input))->place(0, timeOf(3), timeOf(3), x, v);
    for (const Vec3& speed : v) EXPECT_EQ(speed, Vec3::Zero());
}

TEST(ColliderTrack, DamagedBytesAreRefused) {
    const std::vector<ColliderTrack> tracks = trackColliders({buildCollider(inputOf({{0, sheet(2, 0, 0)}}))}, 0, {});
    const std::vector<std::uint8_t> bytes = saveTracks(tracks);
    EXPECT_EQ(saveTracks(loadTracks(bytes)), bytes);
    for (const std::size_t size : {std::size_t{0}, std::size_t{9}, bytes.size() / 2, bytes.size() - 1}) EXPECT_THROW(loadTracks(Span<const std::uint8_t>(bytes).subspan(0, size)), Error) << size;
    std::vector<std::uint8_t> longer = bytes;
    longer.push_back(0);
    EXPECT_THROW(loadTracks(longer), Error);
    std::vector<std::uint8_t> wild = bytes;
    wild[bytes.size() - 4] = 100;  // of the last triangle
    EXPECT_THROW(loadTracks(wild), Error);
}

/// What a step sees at the time of a key must not depend on keys behind its end.
TEST(ColliderTrack, AtAKeyAStepHasTheSpeedOfItsOwnWay) {
    const auto whole = buildCollider(inputOf({{0, sheet(1, 0, 0)}, {0.5, sheet(1, 1, 0)}, {1, sheet(1, 4, 0)}}));
    std::vector<Vec3> x, v;
    const auto speedAt = [&](double time, double since) {
        whole->place(0, time, since, x, v);
        return v[0].y();
    };
    EXPECT_EQ(speedAt(0, 0), 2);
    EXPECT_EQ(speedAt(0.5, 0), 2);
    EXPECT_EQ(speedAt(0.5, 0.5), 6);
    EXPECT_EQ(speedAt(0.5 + 1e-13, 0), 2);  // sums of times round
    EXPECT_EQ(x[0], whole->stretches[0].vertices[1][0]);
    EXPECT_EQ(speedAt(0.5 + 1e-13, 0.5), 6);
    EXPECT_EQ(speedAt(1, 0.5), 6);
    EXPECT_EQ(speedAt(1, 1), 0);
    EXPECT_EQ(speedAt(2, 1), 0);
}

}  // namespace
}  // namespace sunder
