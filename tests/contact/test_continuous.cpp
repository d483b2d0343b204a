#include "core/contact/continuous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/contact/exact_touch.h"

namespace sunder {
namespace {

using testing::Corners4;
using testing::TouchKind;
using testing::Verdict;

struct Moving {
    Corners4 start, end;
};

std::optional<double> touchOf(TouchKind kind, const Moving& m, const TouchOptions& options = {}) {
    return kind == TouchKind::vertexFace ? vertexFaceTouch(m.start, m.end, options)
                                         : edgeEdgeTouch(m.start, m.end, options);
}

double wholeNumber(double size, std::uint64_t seed, std::uint64_t id, int draw) {
    return std::floor(randomRange(-size, size + 1, seed, id, static_cast<std::uint64_t>(draw)));
}

Moving randomMotion(std::uint64_t seed, std::uint64_t id) {
    Moving m;
    for (int i = 0; i < 12; ++i) {
        m.start[i / 3][i % 3] = wholeNumber(1000, seed, id, i);
        m.end[i / 3][i % 3] = wholeNumber(1000, seed, id, 12 + i);
    }
    return m;
}

/// Positions x at time k / 17 and velocities v.
Moving motionThrough(const Corners4& x, const Corners4& v, double k) {
    Moving m;
    for (int i = 0; i < 4; ++i) {
        m.start[i] = x[i] - k * v[i];
        m.end[i] = x[i] + (17 - k) * v[i];
    }
    return m;
}

struct Draws {
    Corners4 x, v;
    double k, w;  ///< whole: 1..16 and 1..3
};
Draws drawCorners(std::uint64_t seed, std::uint64_t id, double speed) {
    Draws d;
    for (int i = 0; i < 12; ++i) {
        d.x[i / 3][i % 3] = 4 * wholeNumber(250, seed, id, i);
        d.v[i / 3][i % 3] = wholeNumber(speed, seed, id, 12 + i);
    }
    d.k = std::floor(randomRange(1, 17, seed, id, 30));
    d.w = std::floor(randomRange(1, 4, seed, id, 31));
    return d;
}

/// Corner 0 lies inside the triangle at k / 17, or the edges cross.
Moving touchingMotion(TouchKind kind, std::uint64_t seed, std::uint64_t id, double speed) {
    Draws d = drawCorners(seed, id, speed);
    Corners4& x = d.x;
    if (kind == TouchKind::vertexFace)
        x[0] = 0.25 * (x[1] + x[2] + x[3] + x[static_cast<int>(d.w)]);
    else
        x[3] = 0.5 * (d.w * x[0] + (4 - d.w) * x[1]) - x[2];
    return motionThrough(x, d.v, d.k);
}

/// Coordinates of 30 bits; a corner passes one of the other side at a billionth of their size.
Moving nearMiss(TouchKind kind, std::uint64_t seed, std::uint64_t id) {
    Draws d = drawCorners(seed, id, 60);
    for (int i = 0; i < 4; ++i) {
        d.x[i] *= 0x1p20;
        d.v[i] *= 0x1p20;
    }
    const Vec3 off(wholeNumber(2, seed, id, 40), wholeNumber(2, seed, id, 41), wholeNumber(2, seed, id, 42));
    if (kind == TouchKind::vertexFace)
        d.x[0] = d.x[1] + off;
    else
        d.x[2] = d.x[0] + off;
    return motionThrough(d.x, d.v, d.k);
}

struct Tally {
    int touches = 0, clear = 0, undecided = 0, missed = 0, late = 0, falseAlarms = 0;
    std::vector<double> early;  ///< exact minus given time
    void print(const char* what) {
        std::sort(early.begin(), early.end());
        std::printf("%s: %d touch, %d do not, %d undecided; missed %d, late %d, false alarms %d\n", what,
                    touches, clear, undecided, missed, late, falseAlarms);
        if (!early.empty())
            std::printf("    early by %.2g in the middle, %.2g at 99 %%, %.2g at most\n",
                        early[early.size() / 2], early[early.size() * 99 / 100], early.back());
    }
};

void count(Tally& tally, TouchKind kind, const Moving& m, const TouchOptions& options = {}) {
    const testing::ExactTouch exact = exactTouch(kind, m.start, m.end);
    const std::optional<double> found = touchOf(kind, m, options);
    if (exact.verdict == Verdict::undecided) {
        ++tally.undecided;
    } else if (exact.verdict == Verdict::noTouch) {
        ++tally.clear;
        tally.falseAlarms += found.has_value();
    } else {
        ++tally.touches;
        if (!found) {
            ++tally.missed;
            return;
        }
        tally.late += mpq_class(*found) > exact.lower;
        tally.early.push_back(mpq_class(exact.lower - mpq_class(*found)).get_d());
    }
}

void expectConservative(Tally& tally, const char* what) {
    tally.print(what);
    EXPECT_EQ(tally.missed, 0);
    EXPECT_EQ(tally.late, 0);
}

TEST(Continuous, FindsEveryVertexFaceTouch) {
    Tally tally;
    for (int id = 0; id < 50000; ++id)
        count(tally, TouchKind::vertexFace, touchingMotion(TouchKind::vertexFace, 21, id, id % 2 ? 60 : 6));
    expectConservative(tally, "vertex and face, made to touch");
    EXPECT_EQ(tally.touches, 50000);  // all of them, so that both kinds make 100,000
}

TEST(Continuous, FindsEveryEdgeEdgeTouch) {
    Tally tally;
    for (int id = 0; id < 50000; ++id)
        count(tally, TouchKind::edgeEdge, touchingMotion(TouchKind::edgeEdge, 22, id, id % 2 ? 60 : 6));
    expectConservative(tally, "edges, made to touch");
    EXPECT_EQ(tally.touches, 50000);  // all of them, so that both kinds make 100,000
}

TEST(Continuous, RarelyAlarmsWithoutATouch) {
    for (const TouchKind kind : {TouchKind::vertexFace, TouchKind::edgeEdge}) {
        Tally tally;
        for (int id = 0; id < 30000; ++id) count(tally, kind, randomMotion(23, id));
        expectConservative(tally,
                           kind == TouchKind::vertexFace ? "vertex and face, random" : "edges, random");
        EXPECT_LT(tally.falseAlarms, 0.001 * tally.clear);
    }
}

TEST(Continuous, TellsNearMissesFromTouches) {
    for (const TouchKind kind : {TouchKind::vertexFace, TouchKind::edgeEdge}) {
        Tally tally;
        for (int id = 0; id < 10000; ++id) count(tally, kind, nearMiss(kind, 24, id));
        expectConservative(
            tally, kind == TouchKind::vertexFace ? "vertex at a corner, near" : "ends of edges, near");
        EXPECT_LT(tally.falseAlarms, 0.001 * tally.clear);
    }
}

}  // namespace
}  // namespace sunder
