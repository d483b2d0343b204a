#pragma once

#include "tests/sim/pile.h"

/// What a pile has to do.
namespace sunder::testing {

inline StepSettings pileSettings() {
    StepSettings settings;
    settings.newtonTolerance = settings.linearTolerance = 1e-3;
    return settings;
}

/// How far the vertex of a shard that is farthest out of the bin is beyond its floor or a side, m.
inline double deepestVertex(const WorldState& world, const PileOptions& options) {
    const double w = binWidth(options);
    double deepest = -HUGE_VAL;
    for (std::size_t b = 5; b < world.bodies.size(); ++b)
        for (const Vec3& p : world.bodies[b].state->x)
            deepest = std::max({deepest, -p.y(), std::abs(p.x()) - w, std::abs(p.z()) - w});
    return deepest;
}

/// Nothing escapes, the energy never rises above its least so far, and all comes to rest; returns when. A
/// vertex may be in a slab of the bin by half of its thickness at most, that is from where contact would push
/// it out on the far side.
inline double expectRests(const PileOptions& options, const StepSettings& settings, double duration) {
    WorldState world = makePile(options);
    const double shards = options.across * options.across * options.high;
    refreshEnergy(world, settings);
    const double scale =
        world.energy.kinetic + shards * 9.81 * options.size;  // J, about what the fall turns over
    double least = world.energy.mechanical(), largestRise = 0, restAt = 0, deepest = -HUGE_VAL;
    run(world, settings, duration, static_cast<int>(24 * duration), [&](const StepReport& r) {
        largestRise = std::max(largestRise, r.energy.mechanical() - least);
        least = std::min(least, r.energy.mechanical());
        for (std::size_t b = 5; b < world.bodies.size(); ++b)
            ASSERT_TRUE(massCentre(world.bodies[b]).allFinite()) << "body " << b;
        deepest = std::max(deepest, deepestVertex(world, options));
        if (fastest(world) > 0.01) restAt = world.time;
    });
    figure("largest rise of the energy above its least so far over the turnover, seed " +
               std::to_string(options.seed),
           largestRise / scale);
    figure("deepest vertex in the bin, seed " + std::to_string(options.seed), deepest, "m");
    figure("last time with a vertex faster than 1 cm/s, seed " + std::to_string(options.seed), restAt, "s");
    EXPECT_LT(largestRise, 1e-3 * scale);
    EXPECT_LT(deepest, 0.25 * options.size);
    EXPECT_LT(fastest(world), 0.01);
    return restAt;
}

}  // namespace sunder::testing
