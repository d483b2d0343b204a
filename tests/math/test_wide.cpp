#include "core/math/wide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/math/wide_io.h"

namespace sunder {

namespace {
bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

Wide4d four(double a, double b, double c, double d) { return Wide4d(Wide4d::Vector{a, b, c, d}); }

template <class WideFunction, class ScalarFunction>
void expectLanes(Wide4d a, Wide4d b, WideFunction&& wide, ScalarFunction&& scalar) {
    const Wide4d result = wide(a, b);
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(sameBits(result[i], scalar(a[i], b[i])))
            << a[i] << " and " << b[i] << " give " << result[i];
}
}  // namespace

TEST(Wide, HasTheBitsOfScalarArithmetic) {
    const auto same = [](auto&& f, Wide4d a, Wide4d b) { expectLanes(a, b, f, f); };
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::uint64_t id = 0; id < 1000; ++id) {
        Wide4d a, b;
        for (int i = 0; i < 4; ++i) {
            a.set(i, randomRange(-1, 1, 1, id, static_cast<std::uint64_t>(i)) *
                         std::pow(10.0, randomRange(-300, 300, 2, id)));
            b.set(i, randomRange(-1, 1, 3, id, static_cast<std::uint64_t>(i)));
        }
        if (id == 0) a = four(-0.0, 0.0, -infinity, 5e-324), b = four(0.0, -0.0, 1.0, -1.0);
        same([](auto x, auto y) { return x + y; }, a, b);
        same([](auto x, auto y) { return x * y - x / y; }, a, b);
        same([](auto x, auto y) { return min(x, y); }, a, b);
        same([](auto x, auto y) { return max(x, y); }, a, b);
        same([](auto x, auto y) { return copysign(x, y); }, a, b);
        same([](auto x, auto) { return sqrt(abs(x)); }, a, b);
        same([](auto x, auto y) { return select(x < y, x, y); }, a, b);
        same([](auto x, auto y) { return select(x >= y, x, y); }, a, b);
    }
}

TEST(Wide, FusedProductsRoundOnce) {
    for (std::uint64_t id = 0; id < 1000; ++id) {
        Wide4d a, b, c;
        for (int lane = 0; lane < 4; ++lane) {
            a.set(lane, randomRange(-2, 2, 5, id, static_cast<std::uint64_t>(lane)));
            b.set(lane, randomRange(-2, 2, 6, id, static_cast<std::uint64_t>(lane)));
            c.set(lane, -a[lane] * b[lane]);  // what is left is the rounding of the product, which two roundings would lose
        }
        const Wide4d sum = fma(a, b, c), difference = fnma(a, b, -c);
        for (int lane = 0; lane < 4; ++lane) {
            EXPECT_EQ(sum[lane], std::fma(a[lane], b[lane], c[lane]));
            EXPECT_EQ(difference[lane], std::fma(-a[lane], b[lane], -c[lane]));
        }
    }
}

TEST(Wide, BroadcastKeepsTheSignOfZero) { EXPECT_TRUE(std::signbit(Wide4d(-0.0)[2])); }

TEST(Wide, FindsPowersOfTwo) {
    for (const double a : {1.0, 1.5, 0.75, 3e-300, 7e300, 0x1p-1022, 0x1.8p1022}) {
        const double power = floorPowerOfTwo(a);
        EXPECT_LE(power, a);
        EXPECT_GT(2 * power, a);
        EXPECT_EQ(power * inversePowerOfTwo(power), 1.0);
        EXPECT_EQ(floorPowerOfTwo(Wide4d(a))[3], power);
        EXPECT_EQ(inversePowerOfTwo(Wide4d(power))[1], 1 / power);
    }
}

TEST(Wide, MasksReduce) {
    const Wide4d a = four(1, 2, 3, 4);
    EXPECT_TRUE((a > Wide4d(3.0)).any());
    EXPECT_FALSE((a > Wide4d(4.0)).any());
    EXPECT_TRUE((a > Wide4d(0.0)).all());
    EXPECT_FALSE((a > Wide4d(1.0)).all());
    EXPECT_TRUE(((a > Wide4d(3.0)) | !(a > Wide4d(3.0))).all());
    EXPECT_FALSE(((a > Wide4d(3.0)) & (a <= Wide4d(3.0))).any());
}

TEST(Wide, LoadsAndStoresStructures) {
    double structures[4][11], copy[4][11] = {};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 11; ++k) structures[i][k] = 100 * i + k;
    Wide4d lanes[11];
    loadFour<11>(structures[0], 11, lanes);
    for (int k = 0; k < 11; ++k)
        for (int i = 0; i < 4; ++i) EXPECT_EQ(lanes[k][i], structures[i][k]);
    storeFour<11>(lanes, copy[0], 11);
    EXPECT_EQ(std::memcmp(structures, copy, sizeof(copy)), 0);
}

}  // namespace sunder
