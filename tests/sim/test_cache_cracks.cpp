#include "core/sim/cache_cracks.h"

#include "core/sim/cache_surface.h"
#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

TEST(CacheCracks, AgesGrowWithTimeAndNeverStartAgain) {
    CrackHistory cracks;
    double newArea = 0, insideArea = 0;
    for (const CacheFrame& frame : cachedFrames()) {
        cracks.add(frame);
        insideArea = 0;
        for (std::size_t t = 0; t < frame.tets.size(); ++t)
            for (int f = 0; f < 4; ++f) {
                EXPECT_EQ(frame.isInside(t, f), cracks.age(t, f) >= 0);
                const auto rest = [&](int c) -> const Vec3& { return frame.rest[static_cast<std::size_t>(frame.tets[t][static_cast<std::size_t>(kTetFaces[f][c])])]; };
                const double area = 0.5 * (rest(1) - rest(0)).cross(rest(2) - rest(0)).norm();
                newArea += cracks.isNew(t, f) ? area : 0;
                insideArea += frame.isInside(t, f) ? area : 0;
            }
        // what is open is what has opened, each part once, however often it was cut since
        EXPECT_NEAR(newArea, insideArea, 1e-5 * (1 + insideArea));
    }
    EXPECT_GT(insideArea, 1);
}

TEST(CacheCracks, SidesOfACrackThatPartHaveAPositiveSpeed) {
    CrackHistory cracks;
    double flux = 0, edges = 0;
    for (const CacheFrame& frame : cachedFrames()) {
        cracks.add(frame);
        CacheSurface s = makeSurface(frame);
        addCracks(s, cracks);
        const Geometry& g = s.geometry;
        g.validate();
        EXPECT_EQ(g.primitives.findGroup("crackedges")->count(), g.countOf(PrimitiveKind::kCurve));
        EXPECT_EQ(g.countOf(PrimitiveKind::kCurve) > 0, g.primitives.findGroup("inside")->count() > 0);
        edges += static_cast<double>(g.countOf(PrimitiveKind::kCurve));
        for (std::size_t p = 0; p < g.primitiveCount(); ++p) {
            const bool opened = g.primitiveKind[p] == PrimitiveKind::kCurve || g.primitives.findGroup("inside")->members[p];
            EXPECT_EQ(opened, g.primitives.find("age")->number(p) >= 0);
            if (opened) flux += g.primitives.find("openingspeed")->number(p);
        }
    }
    EXPECT_GT(edges, 100);
    EXPECT_GT(flux, 0) << "the bar is torn apart";
}

TEST(CacheCracks, OpeningSpeedOfTwoSidesThatPart) {
    CacheFrame frame = cachedFrames().back();
    // every piece moves with a velocity of its own, so the opening at a face of two pieces is known
    auto& v = *frame.geometry.points.find("v")->as<float>();
    const std::vector<std::string>& names = *frame.geometry.primitives.find("name")->as<std::string>();
    for (std::size_t t = 0; t < frame.tets.size(); ++t)
        for (const std::int32_t i : frame.tets[t]) {
            const bool isFirst = names[t] == "body1";
            v[3 * static_cast<std::size_t>(i)] = isFirst ? -1.0f : 1.0f;
            v[3 * static_cast<std::size_t>(i) + 1] = v[3 * static_cast<std::size_t>(i) + 2] = 0;
        }
    for (const Vec3& w : openingVelocities(frame)) {
        EXPECT_LE(std::abs(w.x()), 2);
        EXPECT_EQ(w.y(), 0);
    }
    const std::vector<Vec3> w = openingVelocities(frame);
    double parting = 0;
    for (std::size_t t = 0; t < frame.tets.size(); ++t)
        for (const std::int32_t i : frame.tets[t]) {
            EXPECT_TRUE(names[t] == "body1" ? w[static_cast<std::size_t>(i)].x() >= 0 : w[static_cast<std::size_t>(i)].x() <= 0);
            parting = std::max(parting, w[static_cast<std::size_t>(i)].x());
        }
    EXPECT_EQ(parting, 2);
}

}  // namespace
}  // namespace sunder
