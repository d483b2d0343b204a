#include "core/base/parallel.h"
#include "core/sim/snapshot.h"
#include "tests/sim/pile.h"

namespace sunder {

using namespace testing;

// Nothing escapes, the energy never rises, and all comes to rest.
TEST(ContactPile, ShardsComeToRestInABin) {
    for (const std::uint64_t seed : {1, 2}) {
        PileOptions options;
        options.across = 2;
        options.high = 3;
        options.seed = seed;
        WorldState world = makePile(options);
        StepSettings settings;
        settings.sleepSpeed = 0;  // it shall rest by itself
        settings.newtonTolerance = settings.linearTolerance = 1e-3;
        const double w = binWidth(options);
        refreshEnergy(world, settings);
        const double scale = world.energy.kinetic + 12 * 9.81 * options.size;  // J, about what the fall turns over
        double before = world.energy.mechanical(), largestRise = 0, speed = 0;
        double restAt = 0;
        run(world, settings, 2, 48, [&](const StepReport& r) {
            largestRise = std::max(largestRise, r.energy.mechanical() - before);
            before = r.energy.mechanical();
            for (std::size_t b = 5; b < world.bodies.size(); ++b) {
                const Vec3 c = massCentre(world.bodies[b]);
                ASSERT_TRUE(c.allFinite());
                ASSERT_GT(c.y(), 0) << "body " << b;
                ASSERT_LT(std::max(std::abs(c.x()), std::abs(c.z())), w) << "body " << b;
            }
            speed = fastest(world);
            if (speed > 0.01) restAt = world.time;
        });
        figure("largest rise of the energy in a frame over the turnover, seed " + std::to_string(seed), largestRise / scale);
        figure("last time with a vertex faster than 1 cm/s, seed " + std::to_string(seed), restAt, "s");
        EXPECT_LT(largestRise, 1e-3 * scale);
        EXPECT_LT(speed, 0.01);
    }
}

TEST(ContactPile, SameBytesForAnyThreadCountAndAfterAResume) {
    PileOptions options;
    options.across = 2;
    options.high = 3;
    StepSettings settings;
    settings.newtonTolerance = settings.linearTolerance = 1e-3;
    settings.sleepTime = 0.1;
    std::vector<std::vector<std::uint8_t>> bytes;
    const int threads = threadCount();
    for (const int count : {1, 2, 7}) {
        setThreadCount(count);
        WorldState world = makePile(options);
        run(world, settings, 0.5, 12);
        if (count == 7) world = loadSnapshot(saveSnapshot(world));
        run(world, settings, 0.25, 6);
        bytes.push_back(saveSnapshot(world));
    }
    setThreadCount(threads);
    EXPECT_TRUE(bytes[0] == bytes[1]);
    EXPECT_TRUE(bytes[0] == bytes[2]);
}

}  // namespace sunder
