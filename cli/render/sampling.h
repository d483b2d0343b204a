#pragma once

#include <array>
#include <cstdint>

namespace sunder::render {

/// Sobol points in the order of a Z curve over the pixels, shuffled and scrambled as a tree (Owen): the
/// points of one pixel, of each 2 x 2 block, of each 4 x 4 block and so on are all evenly spread, and
/// neighbouring pixels have unlike points. A pure function of pixel, sample and purpose, so neither threads
/// nor time can change a picture.
namespace detail {

constexpr std::uint32_t reverseBits(std::uint32_t x) {
    x = (x >> 16) | (x << 16);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
}

/// Each bit may change as a function of the bits below it alone: on reversed bits, a random permutation of a
/// binary tree.
constexpr std::uint32_t permuteUpwards(std::uint32_t x, std::uint32_t seed) {
    x += seed;
    x ^= x * 0x5f356496u;
    x *= (seed >> 7) | 1u;
    x ^= x * 0xa3c1d1b2u;
    x *= 0x2c1b3c6du;
    x ^= x * 0x9e4a7d2cu;
    return x;
}

constexpr std::uint32_t permuteTree(std::uint32_t x, std::uint32_t seed) {
    return reverseBits(permuteUpwards(reverseBits(x), seed));
}

constexpr std::uint32_t spreadBits(std::uint32_t x) {
    x = (x | (x << 8)) & 0x00ff00ffu;
    x = (x | (x << 4)) & 0x0f0f0f0fu;
    x = (x | (x << 2)) & 0x33333333u;
    return (x | (x << 1)) & 0x55555555u;
}

/// Second Sobol dimension, a byte of the index at a time.
struct SobolTable {
    std::uint32_t part[4][256];

    constexpr SobolTable() : part() {
        std::uint32_t column[32] = {0x80000000u};
        for (int i = 1; i < 32; ++i) column[i] = column[i - 1] ^ (column[i - 1] >> 1);
        for (std::uint32_t b = 0; b < 4; ++b)
            for (std::uint32_t v = 0; v < 256; ++v)
                for (std::uint32_t i = 0; i < 8; ++i)
                    if (v >> i & 1u) part[b][v] ^= column[8 * b + i];
    }
    constexpr std::uint32_t operator()(std::uint32_t i) const {
        return part[0][i & 255u] ^ part[1][i >> 8 & 255u] ^ part[2][i >> 16 & 255u] ^ part[3][i >> 24];
    }
};
inline constexpr SobolTable kSobol;

}  // namespace detail

struct Sample2 {
    float u, v;  ///< in [0, 1)
};

/// Which decision a sample is for; each has its own scramble.
enum class Purpose : std::uint32_t { kPixel = 0x1b56c4e9u, kKey = 0x7f4a7c15u, kDome = 0x68bc21ebu };

/// Sample `index` of `count` in the pixel. `round` starts an independent set.
inline Sample2 sampleAt(std::uint32_t x, std::uint32_t y, std::uint32_t index, std::uint32_t count,
                        Purpose purpose, std::uint32_t round = 0) {
    const std::uint32_t seed = static_cast<std::uint32_t>(purpose) + round * 0x632be5abu;
    const std::uint32_t curve = detail::spreadBits(x) | detail::spreadBits(y) << 1;
    const std::uint32_t i = detail::permuteTree(curve * count + index, seed);
    const std::uint32_t u = detail::permuteUpwards(i, seed ^ 0xd1b54a35u);  // reversed twice is not at all
    const std::uint32_t v = detail::permuteTree(detail::kSobol(i), seed ^ 0x94d049bbu);
    constexpr float scale = 0x1.0p-24f;
    return {static_cast<float>(detail::reverseBits(u) >> 8) * scale, static_cast<float>(v >> 8) * scale};
}

}  // namespace sunder::render
