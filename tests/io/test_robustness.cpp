// The fuzzers' corpus and thousands of deterministic damages of it through every reader: a valid geometry or
// a clear Error.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/io/compress.h"
#include "core/io/file.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"

namespace sunder::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Seed {
    std::string name;
    GeometryFormat format;
    Bytes bytes;
};

std::vector<Seed> corpus() {
    std::vector<Seed> seeds;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SUNDER_FUZZ_CORPUS)) {
        if (!entry.is_regular_file()) continue;
        const std::string folder = entry.path().parent_path().filename().string();
        seeds.push_back(
            {entry.path().string(), formatOfPath("x." + folder), readFile(entry.path().string())});
    }
    std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
    return seeds;
}

/// Small limits, so that a damage that asks for much is refused at once.
ReadLimits tightLimits() {
    ReadLimits limits;
    limits.maxBytes = std::uint64_t{64} << 20;
    limits.freeBytes = std::uint64_t{1} << 20;
    return limits;
}

/// One to four edits: change, insert, delete, repeat or overwrite with an extreme number.
Bytes damaged(Bytes bytes, std::uint64_t seed) {
    std::uint64_t draw = 0;
    const auto random = [&](std::uint64_t below) {
        return below == 0 ? 0 : randomBits(seed, 17, draw++) % below;
    };
    for (std::uint64_t edits = 1 + random(4); edits > 0 && !bytes.empty(); --edits) {
        const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(random(bytes.size()));
        const auto length = static_cast<std::ptrdiff_t>(
            random(std::min<std::uint64_t>(64, static_cast<std::uint64_t>(bytes.end() - at)) + 1));
        switch (random(6)) {
            case 0:
                *at ^= static_cast<std::uint8_t>(1u << random(8));
                break;
            case 1:
                *at = static_cast<std::uint8_t>(random(256));
                break;
            case 2:
                bytes.erase(at, at + length);
                break;
            case 3:
                bytes.insert(at,
                             static_cast<std::uint8_t>("0123456789-.,[]{}\" \n\xff\xf8\x40\x5b"[random(24)]));
                break;
            case 4: {
                const Bytes copy(at, at + length);
                bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random(bytes.size())), copy.begin(),
                             copy.end());
                break;
            }
            default:
                std::fill(at, at + std::min<std::ptrdiff_t>(length, 8),
                          static_cast<std::uint8_t>(random(2) ? 0xff : 0x7f));
        }
    }
    return bytes;
}

/// True if it was read; an Error is as good, anything else is a failure of the test.
bool survives(const Bytes& bytes, GeometryFormat format) {
    try {
        decodeGeometry(bytes, format, "damaged", nullptr, tightLimits()).validate();
        return true;
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
        return false;
    }
}

TEST(Robustness, CorpusIsReadAndWrittenAgain) {
    const std::vector<Seed> seeds = corpus();
    ASSERT_GE(seeds.size(), 14u);
    for (const Seed& seed : seeds) {
        SCOPED_TRACE(seed.name);
        const Geometry geometry = decodeGeometry(seed.bytes, seed.format, seed.name);
        const Bytes once = encodeBgeo(geometry, {true});
        EXPECT_EQ(difference(geometry, decodeGeometry(once, GeometryFormat::kBgeo, "again")), "");
    }
}

TEST(Robustness, DamagedFiles) {
    std::size_t read = 0, refused = 0;
    for (const Seed& seed : corpus()) {
        SCOPED_TRACE(seed.name);
        for (std::uint64_t i = 0; i < 1500; ++i)
            ++(survives(damaged(seed.bytes, i), seed.format) ? read : refused);
    }
    // damage that changes nothing but numbers is read, most is refused: both happen, or the damages test
    // nothing
    EXPECT_GT(read, 1000u);
    EXPECT_GT(refused, 1000u);
}

TEST(Robustness, DamageBehindTheCompression) {
    for (const Seed& seed : corpus()) {
        if (seed.format != GeometryFormat::kBgeo || isGzip(seed.bytes) || isSeekable(seed.bytes)) continue;
        SCOPED_TRACE(seed.name);
        for (std::uint64_t i = 0; i < 200; ++i) {
            const Bytes bad = damaged(seed.bytes, 10000 + i);
            if (bad.empty()) continue;
            survives(compressSeekable(bad), GeometryFormat::kBgeoSc);
            survives(compressGzip(bad), GeometryFormat::kBgeoGz);
        }
    }
}

TEST(Robustness, EveryTruncationOfTheCorpus) {
    for (const Seed& seed : corpus()) {
        SCOPED_TRACE(seed.name);
        const std::size_t step = std::max<std::size_t>(1, seed.bytes.size() / 500);
        for (std::size_t size = 0; size < seed.bytes.size(); size += step)
            survives(Bytes(seed.bytes.begin(), seed.bytes.begin() + static_cast<std::ptrdiff_t>(size)),
                     seed.format);
    }
}

TEST(Robustness, FilesOfAnotherFormat) {
    for (const Seed& seed : corpus())
        for (const GeometryFormat format :
             {GeometryFormat::kBgeo, GeometryFormat::kObj, GeometryFormat::kPly, GeometryFormat::kStl})
            survives(seed.bytes, format);
}

}  // namespace
}  // namespace sunder::testing
