#include <gtest/gtest.h>

#include <cmath>

#include "cli/render/legend.h"
#include "cli/render/view.h"

namespace sunder::render {
namespace {

RenderOptions dataOptions() {
    RenderOptions o;
    o.attribute = "stress";
    o.unit = "Pa";
    return o;
}

Image greyPage(const RenderOptions& o) {
    Image image(o.width, o.height);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{220});
    return image;
}

TEST(Legend, numbersShareAPrefix) {
    const LegendNumbers n = legendNumbers({-1.5e6, 4.5e6}, "Pa");
    EXPECT_EQ(n.unit, "MPa");
    EXPECT_EQ(n.labels[0], "-1.50");
    EXPECT_EQ(n.labels[1], "0.00");
    EXPECT_EQ(n.labels[4], "4.50");
}

TEST(Legend, numbersWithoutAUnitStayPlainOrGetAPower) {
    EXPECT_EQ(legendNumbers({0, 1}, "").unit, "");
    EXPECT_EQ(legendNumbers({0, 1}, "").labels[1], "0.25");
    EXPECT_EQ(legendNumbers({0, 2e7}, "").unit, "x 10^6");
    EXPECT_EQ(legendNumbers({0, 2e7}, "").labels[4], "20.0");
    EXPECT_EQ(legendNumbers({0, 8000}, "").labels[4], "8000");
}

TEST(Legend, smallAndNarrowRangesKeepTheirDigits) {
    EXPECT_EQ(legendNumbers({0, 2e-5}, "m").unit, "\xc2\xb5m");
    EXPECT_EQ(legendNumbers({0, 2e-5}, "m").labels[4], "20.0");
    const LegendNumbers narrow = legendNumbers({100, 100.04}, "K");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NE(narrow.labels[i], narrow.labels[i + 1]);
}

TEST(Legend, barShowsTheMapFromLowToHigh) {
    const RenderOptions o = dataOptions();
    Image image = greyPage(o);
    drawLegend(image, o, {0, 1}, false);
    const LegendLayout l = legendLayout(o);
    for (int y = l.barY0; y < l.barY1; ++y) {
        const Color expected = colorAt(o.colorMap, 1 - (y + 0.5 - l.barY0) / (l.barY1 - l.barY0));
        EXPECT_LT((image.color((l.barX0 + l.barX1) / 2, y) - expected).cwiseAbs().maxCoeff(), 0.5001 / 255);
    }
}

TEST(Legend, textStandsBesideAndAboveTheBarInsideItsSpace) {
    const RenderOptions o = dataOptions();
    Image image = greyPage(o);
    drawLegend(image, o, {0, 12e6}, false);
    const LegendLayout l = legendLayout(o);
    const auto inkIn = [&](int x0, int y0, int x1, int y1) {
        int ink = 0;
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) ink += image.pixel(x, y)[0] < 100;
        return ink;
    };
    for (int i = 0; i < 5; ++i) {
        const int y = l.barY1 - i * (l.barY1 - l.barY0) / 4;
        EXPECT_GT(inkIn(l.barX1 + 6, y - 8, o.width, y + 8), 20) << i;
    }
    EXPECT_GT(inkIn(l.barX0, l.barY0 - 50, o.width, l.barY0 - 4), 40);
    EXPECT_EQ(inkIn(0, 0, o.width - static_cast<int>(legendWidth(o)), o.height), 0);
    EXPECT_EQ(inkIn(o.width - 3, 0, o.width, o.height), 0);
}

TEST(Legend, explainsTheWarningColourOnlyWhereItOccurs) {
    const RenderOptions o = dataOptions();
    const auto warningPixels = [&](bool hasNan) {
        Image image = greyPage(o);
        drawLegend(image, o, {0, 1}, hasNan);
        int count = 0;
        for (int y = 0; y < o.height; ++y)
            for (int x = 0; x < o.width; ++x) count += (image.color(x, y) - kWarningColor).norm() < 0.01;
        return count;
    };
    EXPECT_EQ(warningPixels(false), 0);
    EXPECT_GT(warningPixels(true), 50);
}

TEST(Legend, longNamesAreShortened) {
    RenderOptions o = dataOptions();
    o.attribute = std::string(300, 'w');
    Image image = greyPage(o);
    drawLegend(image, o, {0, 1}, false);
    for (int y = 0; y < o.height; ++y) EXPECT_GT(image.pixel(o.width / 2, y)[0], 200);
}

TEST(Legend, captionIsAtTheBottomLeft) {
    const RenderOptions o;
    Image image = greyPage(o);
    drawCaption(image, o, "frame 24   1.00 s");
    int inside = 0, outside = 0;
    for (int y = 0; y < o.height; ++y)
        for (int x = 0; x < o.width; ++x)
            if (image.pixel(x, y)[0] < 100) ++(x < 250 && y > o.height - 60 ? inside : outside);
    EXPECT_GT(inside, 100);
    EXPECT_EQ(outside, 0);
}

}  // namespace
}  // namespace sunder::render
