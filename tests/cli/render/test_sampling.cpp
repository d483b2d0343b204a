#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cli/render/lighting.h"
#include "cli/render/sampling.h"

namespace sunder::render {
namespace {

/// 256 points of a block of pixels: each of 16 x 16 cells must hold exactly one.
void expectOnePointACell(std::uint32_t x0, std::uint32_t y0, std::uint32_t side, std::uint32_t count,
                         Purpose purpose) {
    std::vector<int> cells(256, 0);
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x)
            for (std::uint32_t i = 0; i < count; ++i) {
                const Sample2 s = sampleAt(x0 + x, y0 + y, i, count, purpose);
                ++cells[static_cast<std::size_t>(s.u * 16) + 16 * static_cast<std::size_t>(s.v * 16)];
            }
    for (const int c : cells) EXPECT_EQ(c, 1);
}

TEST(Sampling, blocksOfPixelsAreEvenlySpread) {
    for (const Purpose purpose : {Purpose::kPixel, Purpose::kKey, Purpose::kDome})
        for (std::uint32_t block = 0; block < 5; ++block) {
            expectOnePointACell(16 * block, 32, 16, 1, purpose);
            expectOnePointACell(8 * block, 504, 8, 4, purpose);
            expectOnePointACell(4 * block, 64, 4, 16, purpose);
        }
}

TEST(Sampling, neighboursPurposesAndRoundsHaveTheirOwnPoints) {
    const Sample2 a = sampleAt(7, 9, 0, 8, Purpose::kKey), b = sampleAt(8, 9, 0, 8, Purpose::kKey);
    const Sample2 c = sampleAt(7, 9, 0, 8, Purpose::kDome), d = sampleAt(7, 9, 0, 8, Purpose::kKey, 1);
    EXPECT_NE(a.u, b.u);
    EXPECT_NE(a.u, c.u);
    EXPECT_NE(a.u, d.u);
}

TEST(Lighting, cosineSamplesHaveTheCosinesMoments) {
    const Float3 n = Float3(0.3f, -0.8f, 0.5f).normalized();
    Float3 mean = Float3::Zero();
    for (std::uint32_t i = 0; i < 4096; ++i)
        mean += sampleCosine(n, sampleAt(0, 0, i, 4096, Purpose::kDome)) / 4096;
    EXPECT_LT((mean - 2.0f / 3 * n).norm(), 2e-3);  // 4096 even points: error of order 1 / 4096^(3/4)
}

TEST(Lighting, openSurfaceReceivesTheDomesMean) {
    RenderOptions options;
    const Lighting lighting(options, Projection(Camera(), 96, 54));
    for (const Float3& n :
         {Float3(0, 1, 0), Float3(1, 0, 0), Float3(0, 0, 1), Float3(-0.6f, 0, 0.8f), Float3(0, -1, 0)}) {
        Float3 mean = Float3::Zero();
        for (std::uint32_t i = 0; i < 4096; ++i)
            mean += lighting.dome(sampleCosine(n, sampleAt(0, 0, i, 4096, Purpose::kDome))) / 4096;
        // nine harmonics give irradiance within 9 % of any light (Ramamoorthi and Hanrahan, 2001)
        EXPECT_NEAR(lighting.domeIrradiance(n).y(), mean.y(), 0.09f * mean.y());
    }
}

TEST(Lighting, keyDirectionsStayInTheDisc) {
    RenderOptions options;
    const Lighting lighting(options, Projection(Camera(), 96, 54));
    const auto limit = static_cast<float>(std::cos(options.light.keyRadius)) - 1e-5f;
    for (std::uint32_t i = 0; i < 500; ++i)
        EXPECT_GE(lighting.sampleKey(sampleAt(3, 4, i, 512, Purpose::kKey)).dot(lighting.keyDirection()),
                  limit);
}

}  // namespace
}  // namespace sunder::render
