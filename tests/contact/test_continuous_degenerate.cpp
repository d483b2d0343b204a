#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/contact/continuous.h"
#include "core/spatial/triangle.h"
#include "tests/contact/exact_touch.h"

namespace sunder {
namespace {

using testing::Corners4;
using testing::TouchKind;

struct KnownTouch {
    Corners4 start, end;
    double time;  ///< of a touch, not always the first; a multiple of 1/16
};

/// Positions x at the touch and velocities v, all whole; the touch happens at k / 16.
KnownTouch knownTouch(const Corners4& x, const Corners4& v, double k) {
    KnownTouch m;
    for (int i = 0; i < 4; ++i) {
        m.start[i] = x[i] - k * v[i];
        m.end[i] = x[i] + (16 - k) * v[i];
    }
    m.time = k / 16;
    return m;
}

struct Draw {
    std::uint64_t seed, id;
    std::uint64_t next = 0;
    double whole(double size) { return std::floor(randomRange(-size, size + 1, seed, id, next++)); }
    Vec3 vector(double size, double step = 1) {
        const double x = whole(size), y = whole(size), z = whole(size);
        return step * Vec3(x, y, z);
    }
};

constexpr int kDegenerateKinds = 8;

/// Vertex 0 and triangle 1, 2, 3.
KnownTouch degenerateVertexFace(int kind, Draw draw) {
    Corners4 x, v;
    for (int i = 0; i < 4; ++i) x[i] = draw.vector(250, 4), v[i] = draw.vector(60);
    x[0] = 0.25 * (x[1] + x[2] + 2 * x[3]);
    switch (kind) {
        case 0:  // all in one plane
            for (int i = 0; i < 4; ++i) x[i].z() = v[i].z() = 0;
            break;
        case 1:
            x[0] = 0.5 * (x[1] + x[2]);
            break;  // on an edge
        case 2:
            x[0] = x[3];
            break;  // corner on corner
        case 3:     // a triangle that is always a segment
            x[3] = 2 * x[2] - x[1], v[3] = 2 * v[2] - v[1];
            x[0] = 0.5 * (x[1] + x[2]);
            break;
        case 4:
            v.fill(Vec3::Zero());
            break;
        case 5:  // a triangle that is always a point
            x[0] = x[2] = x[3] = x[1], v[2] = v[3] = v[1];
            break;
        case 6:  // sliding in the plane of a triangle at rest
            v[0] = 0.25 * (x[2] - x[1]), v[1] = v[2] = v[3] = Vec3::Zero();
            break;
        default:
            v[0] = v[1] = v[2] = v[3];
            break;  // all move together
    }
    return knownTouch(x, v, std::abs(draw.whole(16)));
}

/// Edges 0, 1 and 2, 3.
KnownTouch degenerateEdgeEdge(int kind, Draw draw) {
    Corners4 x, v;
    for (int i = 0; i < 4; ++i) x[i] = draw.vector(250, 4), v[i] = draw.vector(60);
    x[3] = x[0] + x[1] - x[2];
    switch (kind) {
        case 0:
            for (int i = 0; i < 4; ++i) x[i].z() = v[i].z() = 0;
            break;
        case 1:
            x[2] = 0.5 * (x[0] + x[1]), x[3] = draw.vector(250, 4);
            break;  // an end on the other edge
        case 2:
            x[2] = x[1], x[3] = draw.vector(250, 4);
            break;  // end on end
        case 3:     // always parallel
            x[2] = 0.5 * (x[0] + x[1]), x[3] = x[2] + 2 * (x[1] - x[0]), v[3] = v[2] + 2 * (v[1] - v[0]);
            break;
        case 4:
            v.fill(Vec3::Zero());
            break;
        case 5:  // the second has no length, ever
            x[2] = x[3] = 0.5 * (x[0] + x[1]), v[3] = v[2];
            break;
        case 6:  // always on one line
            x[2] = x[1], x[3] = x[1] + 0.5 * (x[1] - x[0]);
            v[0] = v[1] = v[2] = v[3];
            v[2] = v[3] = v[0] - 0.25 * (x[1] - x[0]);
            break;
        default:
            v[0] = v[1] = v[2] = v[3];
            break;
    }
    return knownTouch(x, v, std::abs(draw.whole(16)));
}

/// Bits of the coordinates stay: a scale of a power of two and a far, whole shift.
void place(KnownTouch& m, int id) {
    const double scale = id % 3 == 1 ? 0x1p-70 : 1;
    const Vec3 shift = id % 3 == 2 ? Vec3(0x1p40, -0x1p39, 0x1p40) : Vec3::Zero();
    for (int i = 0; i < 4; ++i) {
        m.start[i] = scale * m.start[i] + shift;
        m.end[i] = scale * m.end[i] + shift;
    }
}

TEST(ContinuousDegenerate, FindsEveryTouch) {
    int missed = 0, late = 0, checked = 0;
    for (int id = 0; id < 12000; ++id) {
        const TouchKind kind = id % 2 ? TouchKind::edgeEdge : TouchKind::vertexFace;
        const Draw draw{31, static_cast<std::uint64_t>(id)};
        const int which = (id / 2) % kDegenerateKinds;
        KnownTouch m = id % 2 ? degenerateEdgeEdge(which, draw) : degenerateVertexFace(which, draw);
        place(m, id / 16);
        ASSERT_TRUE(testing::touchesAt(kind, m.start, m.end, mpq_class(m.time))) << id;
        const auto found = id % 2 ? edgeEdgeTouch(m.start, m.end) : vertexFaceTouch(m.start, m.end);
        ++checked;
        if (!found)
            ++missed;
        else
            late += *found > m.time;
    }
    std::printf("degenerate: %d touch; missed %d, late %d\n", checked, missed, late);
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(late, 0);
}

/// A whole vector about as long as `length` along d, at least with a part along it.
Vec3 wholeAlong(const Vec3& d, double length) {
    const Vec3 v = (length / d.norm() * d).array().round();
    return v.dot(d) > 0 ? v : d;
}

/// Across both edges, or across the triangle; whole.
Vec3 acrossBoth(TouchKind kind, const Corners4& x) {
    const Vec3 n = kind == TouchKind::vertexFace ? (x[2] - x[1]).cross(x[3] - x[1]) : (x[1] - x[0]).cross(x[3] - x[2]);
    if (n != Vec3::Zero()) return n;
    const Vec3 along = x[1] - x[2] != Vec3::Zero() ? Vec3(x[1] - x[2]) : Vec3(x[1] - x[0]);
    return along.x() != 0 || along.y() != 0 ? Vec3(-along.y(), along.x(), 0) : Vec3(1, 0, 0);
}

/// Of whole coordinates, so exactly: along d one side is below the other at the start and at the end, and so all the way.
bool apartAlong(TouchKind kind, const KnownTouch& m, const Vec3& d) {
    const int first = kind == TouchKind::vertexFace ? 1 : 2;
    for (const Corners4* x : {&m.start, &m.end}) {
        double below = -HUGE_VAL, above = HUGE_VAL;
        for (int i = 0; i < 4; ++i) (i < first ? above = std::min(above, (*x)[i].dot(d)) : below = std::max(below, (*x)[i].dot(d)));
        if (!(below < above)) return false;
    }
    return true;
}

// Touches whose motion stays in a plane, slides, turns nothing or does not move at all, with one side lifted off the other for the whole way.
TEST(ContinuousDegenerate, RarelyAlarmsWithoutATouch) {
    for (const double gap : {1.0, 0x1p-10}) {  // of which all bits stay, in coordinates up to 2^40
        int clear = 0, alarms = 0;
        for (int id = 0; id < 12000; ++id) {
            const TouchKind kind = id % 2 ? TouchKind::edgeEdge : TouchKind::vertexFace;
            const Draw draw{35, static_cast<std::uint64_t>(id)};
            constexpr int kStayApart[] = {0, 4, 6, 7};
            const int which = kStayApart[(id / 2) % 4];
            KnownTouch m = id % 2 ? degenerateEdgeEdge(which, draw) : degenerateVertexFace(which, draw);
            const Vec3 d = which == 0 ? Vec3(0, 0, 1) : acrossBoth(kind, m.start);
            const Vec3 off = gap * (which == 0 ? d : wholeAlong(d, 8));
            for (int i = 0; i < (kind == TouchKind::vertexFace ? 1 : 2); ++i) m.start[i] += off, m.end[i] += off;
            if (!apartAlong(kind, m, d)) continue;
            place(m, id / 16);
            ++clear;
            alarms += (id % 2 ? edgeEdgeTouch(m.start, m.end) : vertexFaceTouch(m.start, m.end)).has_value();
        }
        std::printf("degenerate, %.2g apart: %d do not touch; false alarms %d\n", gap, clear, alarms);
        EXPECT_EQ(clear, 12000);
        EXPECT_LT(alarms, 0.001 * clear);
    }
}

const Corners4 kFlatTriangle{Vec3(0.25, 0.25, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

Corners4 withVertexAt(const Vec3& p) {
    Corners4 x = kFlatTriangle;
    x[0] = p;
    return x;
}

TEST(ContinuousDegenerate, HeadOnTimesAreGoodToRounding) {
    const auto t = vertexFaceTouch(kFlatTriangle, withVertexAt(Vec3(0.25, 0.25, -1)));
    ASSERT_TRUE(t);
    EXPECT_LE(*t, 0.5);
    EXPECT_NEAR(*t, 0.5, 1e-13);
    TouchOptions apart;
    apart.separation = 0.25;
    const auto s = vertexFaceTouch(kFlatTriangle, withVertexAt(Vec3(0.25, 0.25, -1)), apart);
    ASSERT_TRUE(s);
    EXPECT_LE(*s, 0.375);
    EXPECT_NEAR(*s, 0.375, 1e-13);
}

TEST(ContinuousDegenerate, TouchingAtTheStartIsTimeZero) {
    EXPECT_EQ(vertexFaceTouch(withVertexAt(Vec3(0.25, 0.25, 0)), kFlatTriangle), 0.0);
    EXPECT_EQ(vertexFaceTouch(withVertexAt(Vec3(0, 0, 0)), withVertexAt(Vec3(0, 0, 0))), 0.0);
    EXPECT_EQ(vertexFaceTouch(withVertexAt(Vec3::Constant(NAN)), kFlatTriangle), 0.0);
}

TEST(ContinuousDegenerate, SlidingAtATinyGapIsNoTouch) {
    const double gap = 0x1p-45;
    EXPECT_FALSE(vertexFaceTouch(withVertexAt(Vec3(0.1, 0.1, gap)), withVertexAt(Vec3(3, 0.4, gap))));
    EXPECT_FALSE(vertexFaceTouch(withVertexAt(Vec3(0.1, 0.1, gap)), withVertexAt(Vec3(0.1, 0.1, gap))));
    const Corners4 start{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(-4, 0, gap), Vec3(-2, 0, gap)};
    Corners4 end = start;
    end[2].x() = 2, end[3].x() = 4;
    EXPECT_FALSE(edgeEdgeTouch(start, end));
}

TEST(ContinuousDegenerate, MovingApartFromATinyGapIsNoTouch) {
    EXPECT_FALSE(vertexFaceTouch(withVertexAt(Vec3(0.25, 0.25, 1e-14)), kFlatTriangle));
}

TEST(ContinuousDegenerate, TheIterationCapIsEarlyNotLate) {
    TouchOptions once;
    once.iterations = 1;
    for (int id = 0; id < 2000; ++id) {
        const KnownTouch m = degenerateVertexFace(1, {33, static_cast<std::uint64_t>(id)});
        const auto t = vertexFaceTouch(m.start, m.end, once);
        ASSERT_TRUE(t);
        ASSERT_LE(*t, m.time);
    }
}

/// No distance below the separation before the time given, and just that distance at it.
TEST(ContinuousDegenerate, KeepsTheSeparation) {
    TouchOptions options;
    options.separation = 30;
    double deepest = 0, widest = 0;
    for (int id = 0; id < 4000; ++id) {
        const KnownTouch m = degenerateVertexFace(id % 3, {34, static_cast<std::uint64_t>(id)});
        const auto found = vertexFaceTouch(m.start, m.end, options);
        ASSERT_TRUE(found);
        ASSERT_LE(*found, m.time);
        if (*found == 0) continue;
        const auto distanceAt = [&](double t) {
            Corners4 x;
            for (int i = 0; i < 4; ++i) x[i] = (1 - t) * m.start[i] + t * m.end[i];
            return std::sqrt(closestPointOnTriangle(x[0], x[1], x[2], x[3]).distanceSq);
        };
        for (int k = 0; k < 50; ++k)
            deepest = std::max(deepest, options.separation - distanceAt(*found * k / 50));
        widest = std::max(widest, std::abs(distanceAt(*found) - options.separation));
    }
    std::printf("distance at the touch is off the separation by at most %.2g of it\n",
                widest / options.separation);
    EXPECT_LT(deepest, 1e-9 * options.separation);
    EXPECT_LT(widest, 1e-6 * options.separation);
}

}  // namespace
}  // namespace sunder
