#include <gtest/gtest.h>

#include <cmath>

#include "cli/render/color_map.h"
#include "core/base/error.h"

namespace sunder::render {
namespace {

constexpr int kSteps = 64;

double stepLength(ColorMap map, int i) {
    return (okLabFromSrgb(colorAt(map, (i + 1.0) / kSteps)) - okLabFromSrgb(colorAt(map, i * 1.0 / kSteps)))
        .norm();
}

TEST(ColorMap, equalStepsLookEqual) {
    for (const ColorMap map : {ColorMap::kSequential, ColorMap::kHeat, ColorMap::kDiverging}) {
        double mean = 0;
        for (int i = 0; i < kSteps; ++i) mean += stepLength(map, i) / kSteps;
        // a chord across a bend of the path is shorter than the path; bends are a few degrees a step
        for (int i = 0; i < kSteps; ++i)
            EXPECT_NEAR(stepLength(map, i), mean, 0.08 * mean) << static_cast<int>(map) << " " << i;
    }
}

TEST(ColorMap, sequentialMapsGetLighterThroughout) {
    for (const ColorMap map : {ColorMap::kSequential, ColorMap::kHeat})
        for (int i = 0; i < kSteps; ++i)
            EXPECT_LT(okLabFromSrgb(colorAt(map, i * 1.0 / kSteps))[0],
                      okLabFromSrgb(colorAt(map, (i + 1.0) / kSteps))[0]);
}

TEST(ColorMap, divergingIsWhiteInTheMiddleAndAlikeAtBothEnds) {
    const Eigen::Vector3d middle = okLabFromSrgb(colorAt(ColorMap::kDiverging, 0.5));
    EXPECT_LT(std::hypot(middle[1], middle[2]), 0.02);
    EXPECT_GT(middle[0], 0.9);
    EXPECT_NEAR(okLabFromSrgb(colorAt(ColorMap::kDiverging, 0))[0],
                okLabFromSrgb(colorAt(ColorMap::kDiverging, 1))[0], 0.01);
}

TEST(ColorMap, clampsAndWarns) {
    EXPECT_EQ(colorAt(ColorMap::kSequential, -3), colorAt(ColorMap::kSequential, 0));
    EXPECT_EQ(colorAt(ColorMap::kSequential, 7), colorAt(ColorMap::kSequential, 1));
    EXPECT_EQ(colorAt(ColorMap::kHeat, std::nan("")), kWarningColor);
}

TEST(ColorMap, neighbouringCategoriesDiffer) {
    for (int k = -3; k < 40; ++k)
        for (int other = k + 1; other < k + 4; ++other)
            EXPECT_GT((okLabFromSrgb(categoryColor(k)) - okLabFromSrgb(categoryColor(other))).norm(), 0.05)
                << k << " " << other;
    EXPECT_EQ(categoryColor(5), categoryColor(5 + kCategoryCount));
}

TEST(ColorMap, encodingRoundTrips) {
    for (double v = 0; v <= 1; v += 0.01) {
        const Color c(v, 1 - v, v * v);
        EXPECT_LT((srgbFromLinear(linearFromSrgb(c)) - c).norm(),
                  1e-7);  // the standard's two pieces meet to 1e-8
    }
}

TEST(ColorMap, namesAreFoundOrSuggested) {
    EXPECT_EQ(colorMapNamed("diverging"), ColorMap::kDiverging);
    try {
        colorMapNamed("diverign");
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(e.remedy().find("diverging"), std::string::npos);
    }
}

}  // namespace
}  // namespace sunder::render
