#include "core/base/parallel.h"
#include "core/sim/snapshot.h"
#include "tests/sim/pile_rest.h"

namespace sunder {

using namespace testing;

namespace {
/// Of every body.
std::vector<std::uint8_t> whoSleeps(const WorldState& world) {
    std::vector<std::uint8_t> asleep;
    for (const WorldBody& b : world.bodies) asleep.push_back(b.state->sleep.asleep ? 1 : 0);
    return asleep;
}

/// For 1, 2 and 7 threads, of which the last are stopped after some frames and go on from a snapshot.
void expectSameBytes(const PileOptions& options, const StepSettings& settings, int frames, int more) {
    std::vector<std::vector<std::uint8_t>> bytes;
    const int threads = threadCount();
    for (const int count : {1, 2, 7}) {
        setThreadCount(count);
        WorldState world = makePile(options);
        run(world, settings, frames / 24.0, frames);
        if (count == 7) world = loadSnapshot(saveSnapshot(world));
        run(world, settings, more / 24.0, more);
        bytes.push_back(saveSnapshot(world));
    }
    setThreadCount(threads);
    EXPECT_TRUE(bytes[0] == bytes[1]);
    EXPECT_TRUE(bytes[0] == bytes[2]);
}
}  // namespace

TEST(ContactPile, ShardsComeToRestInABin) {
    for (const std::uint64_t seed : {1, 2}) {
        PileOptions options;
        options.across = 2;
        options.high = 3;
        options.seed = seed;
        StepSettings settings = pileSettings();
        settings.sleepSpeed = 0;  // they shall rest by themselves
        expectRests(options, settings, 5);
    }
}

TEST(ContactPile, TenJitteredStartsComeToRest) {
    double latest = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        PileOptions options;
        options.cells = {1, 1, 2};
        options.across = 3;
        options.high = 3;
        options.youngs = 2e7;
        options.seed = seed;
        latest = std::max(latest, expectRests(options, pileSettings(), 10));
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
    figure("the last of ten at rest after", latest, "s");
}

TEST(ContactPile, SameBytesForAnyThreadCountAndAfterAResume) {
    PileOptions options;
    options.across = 2;
    options.high = 3;
    StepSettings settings = pileSettings();
    settings.sleepTime = 0.1;
    expectSameBytes(options, settings, 12, 6);
}

// Half a second of a thousand shards, most of which have met something by then. In its last quarter whatever touches something soon falls asleep, to be hit and woken by what comes after it. Stopped
// and gone on with in the middle of that with 1, 2 and 7 threads, with 7 before it as well.
TEST(ContactPile, SameBytesOfAThousandShards) {
    PileOptions options;
    options.cells = {1, 1, 1};
    options.across = options.high = 10;
    options.youngs = 2e7;
    StepSettings drowsy = pileSettings();
    drowsy.sleepSpeed = 1;
    drowsy.sleepTime = 0.05;
    std::vector<std::uint8_t> whole;
    const int threads = threadCount();
    for (const int count : {1, 2, 7}) {
        setThreadCount(count);
        WorldState world = makePile(options);
        run(world, pileSettings(), 8 / 24.0, 8);
        if (count == 7) world = loadSnapshot(saveSnapshot(world));
        run(world, drowsy, 3 / 24.0, 3);
        const std::vector<std::uint8_t> middle = saveSnapshot(world);
        const std::vector<std::uint8_t> asleep = whoSleeps(world);
        if (count == 1) {
            run(world, drowsy, 3 / 24.0, 3);
            whole = saveSnapshot(world);
            const std::vector<std::uint8_t> later = whoSleeps(world);
            int woken = 0;
            for (std::size_t b = 0; b < later.size(); ++b) woken += asleep[b] && !later[b] ? 1 : 0;
            figure("asleep in the middle", static_cast<double>(std::count(asleep.begin(), asleep.end(), 1)));
            figure("asleep at the end", static_cast<double>(std::count(later.begin(), later.end(), 1)));
            figure("woken between", woken);
            EXPECT_GT(std::count(asleep.begin(), asleep.end(), 1), 100);
            EXPECT_GT(woken, 0);
        }
        world = loadSnapshot(middle);
        run(world, drowsy, 3 / 24.0, 3);
        EXPECT_TRUE(saveSnapshot(world) == whole) << count << " threads";
    }
    setThreadCount(threads);
}

}  // namespace sunder
