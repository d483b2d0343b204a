#include "core/spatial/predicates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"

namespace sunder {
namespace {

__extension__ typedef __int128 Wide;
using IntPoint = std::array<std::int64_t, 3>;

int sign(Wide v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/// Exact while coordinates stay below 2^40: differences have 41 bits and the sum of six products fewer than
/// 127.
int exactOrient3d(const IntPoint& a, const IntPoint& b, const IntPoint& c, const IntPoint& d) {
    Wide p[3], q[3], r[3];
    for (int k = 0; k < 3; ++k) p[k] = b[k] - a[k], q[k] = c[k] - a[k], r[k] = d[k] - a[k];
    return sign(p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                p[2] * (q[0] * r[1] - q[1] * r[0]));
}

int exactOrient2d(const IntPoint& a, const IntPoint& b, const IntPoint& c) {
    return sign(Wide(b[0] - a[0]) * (c[1] - a[1]) - Wide(b[1] - a[1]) * (c[0] - a[0]));
}

Vec3 real(const IntPoint& p) { return {double(p[0]), double(p[1]), double(p[2])}; }
Vec2 real2(const IntPoint& p) { return {double(p[0]), double(p[1])}; }

IntPoint randomPoint(std::uint64_t id, int which, std::int64_t range) {
    IntPoint p;
    for (int k = 0; k < 3; ++k)
        p[k] = static_cast<std::int64_t>(randomBits(7, id, which * 3 + k) % (2 * range + 1)) - range;
    return p;
}

/// The fourth point on or one unit off the plane of the other three, far out, where plain evaluation guesses.
IntPoint nearlyCoplanar(const IntPoint& a, const IntPoint& b, const IntPoint& c, std::uint64_t id) {
    const auto s = static_cast<std::int64_t>(randomBits(8, id, 0) % 15) - 7,
               t = static_cast<std::int64_t>(randomBits(8, id, 1) % 15) - 7;
    IntPoint d;
    for (int k = 0; k < 3; ++k) d[k] = a[k] + s * (b[k] - a[k]) + t * (c[k] - a[k]);
    d[id % 3] += static_cast<std::int64_t>(randomBits(8, id, 2) % 3) - 1;
    return d;
}

TEST(Predicates, Orient3dAgreesWithIntegersWhereCoplanarOrNearly) {
    int zero = 0;
    for (std::uint64_t id = 0; id < 200000; ++id) {
        const std::int64_t range = id % 2 ? 3 : (std::int64_t{1} << 35);
        const IntPoint a = randomPoint(id, 0, range), b = randomPoint(id, 1, range),
                       c = randomPoint(id, 2, range);
        const IntPoint d = nearlyCoplanar(a, b, c, id);
        const int expected = exactOrient3d(a, b, c, d);
        zero += expected == 0;
        ASSERT_EQ(orient3d(real(a), real(b), real(c), real(d)), expected) << id;
    }
    EXPECT_GT(zero, 50000);
}

TEST(Predicates, Orient2dAgreesWithIntegers) {
    for (std::uint64_t id = 0; id < 200000; ++id) {
        const IntPoint a = randomPoint(id, 0, std::int64_t{1} << 50),
                       b = randomPoint(id, 1, std::int64_t{1} << 50);
        IntPoint c;
        for (int k = 0; k < 2; ++k)
            c[k] = a[k] + 3 * (b[k] - a[k]) + static_cast<std::int64_t>(randomBits(9, id, k) % 3) - 1;
        ASSERT_EQ(orient2d(real2(a), real2(b), real2(c)), exactOrient2d(a, b, c)) << id;
    }
}

TEST(Predicates, SignSurvivesScalingToTheEndsOfTheRange) {
    for (std::uint64_t id = 0; id < 20000; ++id) {
        const IntPoint a = randomPoint(id, 0, 1 << 20), b = randomPoint(id, 1, 1 << 20),
                       c = randomPoint(id, 2, 1 << 20);
        const IntPoint d = nearlyCoplanar(a, b, c, id);
        const int expected = exactOrient3d(a, b, c, d);
        for (const double s : {0x1.0p-1020, 0x1.0p-500, 0x1.0p950})
            ASSERT_EQ(orient3d(s * real(a), s * real(b), s * real(c), s * real(d)), expected)
                << id << " scale " << s;
    }
}

TEST(Predicates, AntisymmetricOnNeighbouringDoubles) {
    // The classic picture of failing predicates: points a few units in the last place around a diagonal.
    const Vec2 b(12, 12), c(24, 24);
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) {
            const Vec2 a(0.5 + i * 0x1.0p-53, 0.5 + j * 0x1.0p-53);
            const int s = orient2d(a, b, c);
            ASSERT_EQ(s, -orient2d(b, a, c));
            ASSERT_EQ(s, orient2d(b, c, a));
            // With b and c on the diagonal the determinant is 12 (y - x).
            ASSERT_EQ(s, (j > i) - (j < i));
        }
}

}  // namespace
}  // namespace sunder
