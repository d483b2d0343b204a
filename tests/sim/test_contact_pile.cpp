#include "core/base/parallel.h"
#include "core/sim/snapshot.h"
#include "tests/sim/pile.h"

namespace sunder {

using namespace testing;

namespace {
StepSettings pileSettings() {
    StepSettings settings;
    settings.newtonTolerance = settings.linearTolerance = 1e-3;
    return settings;
}

/// Nothing escapes, the energy never rises, and all comes to rest; returns when.
double expectRests(const PileOptions& options, const StepSettings& settings, double duration) {
    WorldState world = makePile(options);
    const double w = binWidth(options), shards = options.across * options.across * options.high;
    refreshEnergy(world, settings);
    const double scale = world.energy.kinetic + shards * 9.81 * options.size;  // J, about what the fall turns over
    double before = world.energy.mechanical(), largestRise = 0, restAt = 0;
    run(world, settings, duration, static_cast<int>(24 * duration), [&](const StepReport& r) {
        largestRise = std::max(largestRise, r.energy.mechanical() - before);
        before = r.energy.mechanical();
        for (std::size_t b = 5; b < world.bodies.size(); ++b) {
            const Vec3 c = massCentre(world.bodies[b]);
            ASSERT_TRUE(c.allFinite());
            ASSERT_GT(c.y(), 0) << "body " << b;
            ASSERT_LT(std::max(std::abs(c.x()), std::abs(c.z())), w) << "body " << b;
        }
        if (fastest(world) > 0.01) restAt = world.time;
    });
    figure("largest rise of the energy in a frame over the turnover, seed " + std::to_string(options.seed), largestRise / scale);
    figure("last time with a vertex faster than 1 cm/s, seed " + std::to_string(options.seed), restAt, "s");
    EXPECT_LT(largestRise, 1e-3 * scale);
    EXPECT_LT(fastest(world), 0.01);
    return restAt;
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

// Half a second of a thousand shards, most of which have met something by then.
TEST(ContactPile, SameBytesOfAThousandShards) {
    PileOptions options;
    options.cells = {1, 1, 1};
    options.across = options.high = 10;
    options.youngs = 2e7;
    expectSameBytes(options, pileSettings(), 8, 4);
}

}  // namespace sunder
