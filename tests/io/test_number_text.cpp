#include "core/io/number_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/random.h"

namespace sunder::testing {
namespace {

template <class T>
bool parses(const std::string& text, T& value) {
    const char* p = text.data();
    return parseNumber(p, text.data() + text.size(), value) && p == text.data() + text.size();
}

template <class T, class Bits>
void expectRoundTrips(std::uint64_t seed) {
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const auto bits = static_cast<Bits>(randomBits(seed, i));
        T value, back;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        std::string text;
        appendNumber(text, value);
        ASSERT_TRUE(parses(text, back)) << text;
        ASSERT_EQ(std::memcmp(&value, &back, sizeof value), 0) << text;
    }
}

TEST(NumberText, RandomBitsRoundTrip) {
    expectRoundTrips<float, std::uint32_t>(1);
    expectRoundTrips<double, std::uint64_t>(2);
}

TEST(NumberText, Spellings) {
    double d;
    EXPECT_TRUE(parses("+1.5e+3", d) && d == 1500);
    EXPECT_TRUE(parses(".5", d) && d == 0.5);
    EXPECT_TRUE(parses("-0", d) && d == 0 && std::signbit(d));
    EXPECT_TRUE(parses("inf", d) && d == std::numeric_limits<double>::infinity());
    EXPECT_TRUE(parses("-Infinity", d) && d == -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(parses("NaN", d) && std::isnan(d));
    for (const char* bad : {"", "x", "+", "-", "+-1", "1,5", "0x10"}) EXPECT_FALSE(parses(bad, d)) << bad;
}

TEST(NumberText, BeyondTheRange) {
    double d;
    float f;
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(parses("1e400", d) && d == infinity);
    EXPECT_TRUE(parses("-1e400", d) && d == -infinity);
    EXPECT_TRUE(parses("-1e-400", d) && d == 0 && std::signbit(d));
    EXPECT_TRUE(parses("1e99999999999999999999", d) && d == infinity);
    EXPECT_TRUE(parses("1" + std::string(400, '0'), d) && d == infinity);
    EXPECT_TRUE(parses("0." + std::string(400, '0') + "1", d) && d == 0);
    EXPECT_TRUE(parses("0." + std::string(400, '0') + "1e401", d) && d == 1);
    EXPECT_TRUE(parses("1e39", f) && std::isinf(f));
    EXPECT_TRUE(parses("1e-60", f) && f == 0);
}

TEST(NumberText, Integers) {
    std::int32_t i;
    std::int64_t l;
    std::uint8_t b;
    EXPECT_TRUE(parses("-2147483648", i) && i == std::numeric_limits<std::int32_t>::min());
    EXPECT_FALSE(parses("2147483648", i));
    EXPECT_TRUE(parses("9223372036854775807", l) && l == std::numeric_limits<std::int64_t>::max());
    EXPECT_FALSE(parses("9223372036854775808", l));
    EXPECT_TRUE(parses("3.0", i) && i == 3);
    EXPECT_TRUE(parses("2e3", i) && i == 2000);
    EXPECT_FALSE(parses("3.5", i));
    EXPECT_FALSE(parses("1e30", l));
    EXPECT_FALSE(parses("nan", i));
    EXPECT_TRUE(parses("255", b) && b == 255);
    EXPECT_FALSE(parses("256", b));
    EXPECT_FALSE(parses("-1", b));
}

TEST(NumberText, KnowsNoLocale) {
    const char* const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    const char* set = nullptr;
    for (const char* name : names)
        if (!set) set = std::setlocale(LC_ALL, name);
    double d;
    EXPECT_TRUE(parses("1.5", d) && d == 1.5);
    std::string text;
    appendNumber(text, 1.5);
    EXPECT_EQ(text, "1.5");
    std::setlocale(LC_ALL, "C");
    if (!set) GTEST_SKIP() << "no locale with a decimal comma is installed; tested in the C locale alone";
}

TEST(NumberText, NansKeepTheirPayload) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint32_t bits = 0x7f800001u +
                                   static_cast<std::uint32_t>(randomBits(3, i) % 0x7fffff) % 0x7ffffe +
                                   (static_cast<std::uint32_t>(i & 1) << 31);
        float value;
        std::memcpy(&value, &bits, 4);
        const float back = narrow(widen(value));
        EXPECT_EQ(std::memcmp(&back, &value, 4), 0) << std::hex << bits;
    }
}

TEST(NumberText, HalfPrecision) {
    EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
    EXPECT_EQ(halfToFloat(0xc000), -2.0f);
    EXPECT_EQ(halfToFloat(0x7bff), 65504.0f);
    EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
    EXPECT_EQ(halfToFloat(0x0400), 0x1p-14f);
    EXPECT_TRUE(std::signbit(halfToFloat(0x8000)));
    EXPECT_TRUE(std::isinf(halfToFloat(0x7c00)));
    EXPECT_TRUE(std::isnan(halfToFloat(0x7e00)));
}

}  // namespace
}  // namespace sunder::testing
