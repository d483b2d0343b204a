#include "core/io/compress.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/io/samples.h"

namespace sunder::testing {
namespace {

std::vector<std::uint8_t> noise(std::size_t size, std::uint64_t seed) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::uint8_t>(randomBits(seed, i / 3) >> i % 5);
    return bytes;
}

Source sourceOf(const std::vector<std::uint8_t>& bytes) { return {"memory", bytes, false}; }

TEST(Compress, BothWaysAtAllSizes) {
    for (const std::size_t size : {1, 100, 1 << 20, (1 << 20) + 1, 3 << 20, (3 << 20) - 1}) {
        const auto raw = noise(size, size);
        EXPECT_EQ(decompressSeekable(sourceOf(compressSeekable(raw)), {}), raw);
        EXPECT_EQ(decompressGzip(sourceOf(compressGzip(raw)), {}), raw);
    }
}

TEST(Compress, GzipOfSeveralMembers) {
    auto joined = compressGzip(bytesOf("first "));
    const auto second = compressGzip(bytesOf("second"));
    joined.insert(joined.end(), second.begin(), second.end());
    EXPECT_EQ(textOf(decompressGzip(sourceOf(joined), {})), "first second");
}

TEST(Compress, BombIsRefused) {
    const std::vector<std::uint8_t> zeros(std::size_t{20} << 20, 0);
    const auto gzip = compressGzip(zeros), seekable = compressSeekable(zeros);
    ASSERT_LT(gzip.size(), zeros.size() / 200);
    ReadLimits limits;
    limits.maxInflation = 100;
    limits.freeBytes = std::uint64_t{1} << 20;
    EXPECT_THROW(decompressGzip(sourceOf(gzip), limits), Error);  // more than 100 times the file
    limits.maxInflation = 2000;
    EXPECT_EQ(decompressGzip(sourceOf(gzip), limits).size(), zeros.size());
    limits.maxBytes = std::uint64_t{1} << 20;
    EXPECT_THROW(decompressGzip(sourceOf(gzip), limits), Error);
    EXPECT_THROW(decompressSeekable(sourceOf(seekable), limits), Error);
}

TEST(Compress, DamagedIndexIsAnError) {
    const auto good = compressSeekable(noise(3 << 20, 5));
    const std::size_t end = good.size();
    // the last 44 bytes: two block ends, block size, last size, index length, magic
    for (std::size_t i = end - 44; i < end; ++i)
        for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
            auto bad = good;
            bad[i] ^= flip;
            EXPECT_THROW(decompressSeekable(sourceOf(bad), {}), Error) << "byte " << i << " of " << end;
        }
}

}  // namespace
}  // namespace sunder::testing
