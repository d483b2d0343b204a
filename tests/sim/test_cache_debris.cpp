#include "core/sim/cache_debris.h"

#include <set>

#include "core/base/error.h"
#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

TEST(CacheDebris, StandsForTheAreaThatOpened) {
    DebrisOptions options;
    options.density = 20000;
    options.speed = 0.5;
    options.seed = 7;
    DebrisSource source(options), again(options);
    CrackHistory cracks;
    double emitted = 0, opened = 0;
    std::set<std::int64_t> ids;
    for (const CacheFrame& frame : cachedFrames()) {
        cracks.add(frame);
        const Geometry g = source.emit(cracks);
        g.validate();
        EXPECT_EQ(g.positions, again.emit(cracks).positions);
        for (std::size_t i = 0; i < g.pointCount(); ++i) {
            emitted += g.points.find("area")->number(i);
            EXPECT_GE(g.points.find("age")->number(i), 0);
            EXPECT_LT(g.points.find("age")->number(i), 1.0 / 96);
            EXPECT_NEAR(vectorOf(*g.points.find("N"), i).norm(), 1, 1e-6);
            EXPECT_TRUE(ids.insert(static_cast<std::int64_t>(g.points.find("id")->number(i))).second);
        }
        for (std::size_t t = 0; t < frame.tets.size(); ++t)
            for (int f = 0; f < 4; ++f)
                if (cracks.isNew(t, f)) {
                    const auto x = [&](int c) -> const Vec3& { return frame.geometry.positions[static_cast<std::size_t>(frame.tets[t][static_cast<std::size_t>(kTetFaces[f][c])])]; };
                    opened += 0.5 * (x(1) - x(0)).cross(x(2) - x(0)).norm();
                }
    }
    EXPECT_GT(opened, 1);
    EXPECT_NEAR(emitted, opened, 0.01 * opened) << "faces are rounded to whole points at random";
    options.density = -1;
    EXPECT_THROW(DebrisSource{options}, Error);
}

}  // namespace
}  // namespace sunder
