#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "cli/render/font.h"
#include "core/base/hash.h"

namespace sunder::render {
namespace {

Image whitePage(int width, int height) {
    Image image(width, height);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{255});
    return image;
}

TextStyle black(double unit) {
    TextStyle style;
    style.unit = unit;
    style.color = Color::Zero();
    style.haloStrength = 0;
    return style;
}

Image pageWith(const std::string& text, double unit = 2) {
    Image image = whitePage(60, 40);
    drawText(image, 10, 30, text, black(unit));
    return image;
}

TEST(Font, drawsTheStrokesOfAnL) {
    const Image page = pageWith("L");
    EXPECT_LT(page.pixel(10, 22)[0],
              40);  // the stem stands at x = 10 and runs from the baseline up 14 pixels
    EXPECT_LT(page.pixel(14, 30)[0], 140);  // the foot lies on the baseline
    EXPECT_EQ(page.pixel(15, 20)[0], 255);  // nothing inside the angle
    EXPECT_EQ(page.pixel(10, 12)[0], 255);  // nothing above the capital
    EXPECT_LT(page.pixel(10, 17)[0], 140);
}

TEST(Font, allPrintableCharactersHaveInkInsideTheirWidth) {
    for (char c = '!'; c <= '~'; ++c) {
        const Image page = pageWith(std::string(1, c));
        const int right = 10 + static_cast<int>(textWidth(std::string(1, c), 2)) + 2;
        int ink = 0, outside = 0;
        for (int y = 0; y < page.height; ++y)
            for (int x = 0; x < page.width; ++x) {
                const bool isDark = page.pixel(x, y)[0] < 128;
                ink += isDark;
                outside += isDark && (x < 8 || x > right || y < 14 || y > 36);
            }
        EXPECT_GT(ink, 3) << c;
        EXPECT_EQ(outside, 0) << c;
    }
}

TEST(Font, charactersAreToldApart) {
    std::set<std::uint64_t> drawings;
    std::string alike;
    for (char c = '!'; c <= '~'; ++c)
        if (!drawings.insert(hashVector(pageWith(std::string(1, c)).rgb)).second) alike += c;
    EXPECT_EQ(alike, "Ol");  // as 0 and I in most fonts without serifs
}

TEST(Font, characterWithoutADrawingIsABox) {
    EXPECT_EQ(pageWith("\xe2\x82\xac").rgb, pageWith("\x01").rgb);
    EXPECT_NE(pageWith("\xc2\xb5").rgb, pageWith("\x01").rgb);  // but the unit prefix micro has one
}

TEST(Font, widthGrowsByTheNextGlyphAndItsGap) {
    EXPECT_NEAR(textWidth("HH", 3), 2 * textWidth("H", 3) + 2 * 3, 1e-9);
    EXPECT_EQ(textWidth("", 3), 0);
    EXPECT_NEAR(textWidth("abc", 4), 2 * textWidth("abc", 2), 1e-9);
}

TEST(Font, textBeyondThePictureIsCutOff) {
    Image image = whitePage(20, 20);
    drawText(image, -15, 5, "outside and across", black(3));
    drawText(image, 15, 100, "below", black(3));
    EXPECT_TRUE(std::any_of(image.rgb.begin(), image.rgb.end(), [](std::uint8_t v) { return v < 128; }));
}

}  // namespace
}  // namespace sunder::render
