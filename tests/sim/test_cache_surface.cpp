#include "core/sim/cache_surface.h"

#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

TEST(CacheSurface, IsClosedAndInsideMatchesWhatCracksOpened) {
    for (const CacheFrame& frame : cachedFrames()) {
        const CacheSurface s = makeSurface(frame);
        s.geometry.validate();
        Vec3 all = Vec3::Zero(), inside = Vec3::Zero();
        double area = 0;
        std::size_t bits = 0;
        for (const std::uint8_t b : frame.insideFaces) bits += static_cast<std::size_t>(__builtin_popcount(b));
        EXPECT_EQ(s.geometry.primitives.findGroup("inside")->count(), bits);
        EXPECT_EQ(s.geometry.primitives.findGroup("outside")->count(), s.faces.size() - bits);
        for (std::size_t i = 0; i < s.faces.size(); ++i) {
            const auto rest = [&](std::size_t k) -> const Vec3& { return frame.rest[static_cast<std::size_t>(s.faces[i].vertices[k])]; };
            const Vec3 a = 0.5 * (rest(1) - rest(0)).cross(rest(2) - rest(0));
            all += a;
            area += a.norm();
            if (s.geometry.primitives.findGroup("inside")->members[i]) inside += a;
        }
        EXPECT_LT(all.norm(), 1e-6 * area);
        EXPECT_LT(inside.norm(), 1e-6 * area);
    }
}

TEST(CacheSurface, KeepsAttributesAndGivesInsideFacesTheirUv) {
    const CacheFrame& frame = cachedFrames().back();
    const CacheSurface s = makeSurface(frame);
    const Geometry& g = s.geometry;
    EXPECT_FALSE(g.points.find("uv"));
    const Attribute& uv = *g.vertices.find("uv");
    EXPECT_EQ(uv.meaning, AttributeMeaning::kTextureCoord);
    for (const char* name : {"paint", "v", "accel", "id", "parent", "parentweight", "restP"}) EXPECT_TRUE(g.points.find(name)) << name;
    const std::vector<std::string>& names = *g.primitives.find("name")->as<std::string>();
    for (std::size_t i = 0; i < s.faces.size(); ++i) {
        EXPECT_EQ(names[i], (*frame.geometry.primitives.find("name")->as<std::string>())[static_cast<std::size_t>(s.faces[i].tet)]);
        if (!g.primitives.findGroup("inside")->members[i]) {
            EXPECT_EQ(uv.number(3 * i), names[i] == "body0" ? 0 : 0.25);
            continue;
        }
        // in metres, seen along one axis: no longer than the edge, and of the area's sign and at least 1/sqrt(3) of its size
        const auto rest = [&](std::size_t k) -> const Vec3& { return frame.rest[static_cast<std::size_t>(s.faces[i].vertices[k])]; };
        const auto at = [&](std::size_t k) { return Vec2(uv.number(3 * i + k, 0), uv.number(3 * i + k, 1)); };
        const Vec2 a = at(1) - at(0), b = at(2) - at(0);
        const double area = 0.5 * (rest(1) - rest(0)).cross(rest(2) - rest(0)).norm(), shown = 0.5 * (a.x() * b.y() - a.y() * b.x());
        EXPECT_GE(shown, area / std::sqrt(3.0) - 1e-6);
        EXPECT_LE(shown, area + 1e-6);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_LE((at(k) - at((k + 1) % 3)).norm(), (rest(k) - rest((k + 1) % 3)).norm() + 1e-6);
    }
}

}  // namespace
}  // namespace sunder
