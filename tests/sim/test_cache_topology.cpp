#include "core/sim/cache_topology.h"

#include "core/sim/cache_cracks.h"
#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

TEST(CacheTopology, EveryVertexOfEveryFrameIsWhereItWas) {
    const CacheFrame& last = cachedFrames().back();
    double worst = 0;
    for (std::size_t f = 0; f < cachedFrames().size(); ++f) {
        const Geometry constant = onLastTopology(cachedFrames()[f], last);
        constant.validate();
        EXPECT_EQ(constant.pointCount(), last.geometry.pointCount());
        EXPECT_EQ(constant.vertexPoint, last.geometry.vertexPoint);
        EXPECT_EQ(constant.detail.find("frame")->number(0), static_cast<double>(f + 1));
        const Geometry& frame = brokenFrames().frames[f];
        for (std::size_t i = 0; i < frame.pointCount(); ++i) {
            const auto at = static_cast<std::size_t>(last.pointOf.at(static_cast<std::int64_t>(frame.points.find("id")->number(i))));
            worst = std::max(worst, (constant.positions[at] - frame.positions[i]).norm());
            EXPECT_EQ(vectorOf(*constant.points.find("v"), at), vectorOf(*frame.points.find("v"), i));
            EXPECT_EQ(vectorOf(*constant.points.find("accel"), at), vectorOf(*frame.points.find("accel"), i));
        }
    }
    std::printf("    farthest: %.2g of the size\n", worst / kBarLength);
    EXPECT_LT(worst, 1e-6 * kBarLength);
}

// values at corners that are linear in the rest shape stay so, and come from the tet that a tet was cut from
TEST(CacheTopology, CornersHaveWhatTheirTetHadThere) {
    const CacheFrame& last = cachedFrames().back();
    CacheFrame frame = cachedFrames()[3];
    Geometry& g = frame.geometry;
    const Vec3 slope(1, -2, 0.5);
    g.vertices.attributes.reserve(3);
    auto& linear = g.vertices.add<double>("linear", g.vertexCount(), 2);
    auto& tet = g.vertices.add<std::int32_t>("tet", g.vertexCount());
    auto& name = g.vertices.add<std::string>("name", g.vertexCount());
    for (std::size_t v = 0; v < g.vertexCount(); ++v) {
        const Vec3& rest = frame.rest[static_cast<std::size_t>(frame.tets[v / 4][v % 4])];
        linear[2 * v] = slope.dot(rest);
        linear[2 * v + 1] = slope.dot(rest) + static_cast<double>(v / 4);
        tet[v] = static_cast<std::int32_t>(v / 4);
        name[v] = "tet" + std::to_string(v / 4);
    }
    const Geometry constant = onLastTopology(frame, last);
    constant.validate();
    const Ancestry ancestry = findAncestry(frame, last);
    std::size_t cut = 0;
    for (std::size_t v = 0; v < constant.vertexCount(); ++v) {
        const std::int32_t from = ancestry.tet[v / 4];
        const auto point = static_cast<std::size_t>(last.tets[v / 4][v % 4]);
        cut += static_cast<std::size_t>(ancestry.point[point]) >= frame.pointId.size() ? 1 : 0;
        const double expected = slope.dot(last.rest[point]);
        EXPECT_NEAR(constant.vertices.find("linear")->number(v, 0), expected, 2e-6 * kBarLength) << v;
        EXPECT_NEAR(constant.vertices.find("linear")->number(v, 1), expected + from, 2e-6 * kBarLength) << v;
        EXPECT_EQ(constant.vertices.find("tet")->number(v), from) << v;
        EXPECT_EQ((*constant.vertices.find("name")->as<std::string>())[v], "tet" + std::to_string(from)) << v;
    }
    EXPECT_GT(cut, 50u);
}

TEST(CacheTopology, CracksOpenWhenTheyDid) {
    CrackHistory simulated, constant;
    for (const CacheFrame& frame : cachedFrames()) {
        simulated.add(frame);
        constant.add(makeCacheFrame(onLastTopology(frame, cachedFrames().back())));
        double areas[2] = {0, 0};  // of what is new; the one may be in smaller triangles than the other
        for (const CrackHistory* cracks : {&simulated, &constant}) {
            const CacheFrame& f = cracks->frame();
            for (std::size_t t = 0; t < f.tets.size(); ++t)
                for (int face = 0; face < 4; ++face) {
                    if (!cracks->isNew(t, face)) continue;
                    const auto rest = [&](int c) -> const Vec3& { return f.rest[static_cast<std::size_t>(f.tets[t][static_cast<std::size_t>(kTetFaces[face][c])])]; };
                    areas[cracks == &constant] += 0.5 * (rest(1) - rest(0)).cross(rest(2) - rest(0)).norm();
                }
        }
        EXPECT_NEAR(areas[0], areas[1], 1e-5 * (1 + areas[0]));
    }
    EXPECT_EQ(constant.frame().openFaces, constant.frame().insideFaces) << "in the end all are open";
}

TEST(CacheTopology, EveryTetOfTheLastFrameMovesWithTheTetItWasCutFrom) {
    const CacheFrame& last = cachedFrames().back();
    double worst = 0;
    std::size_t later = 0;
    for (const CacheFrame& frame : cachedFrames()) {
        const Geometry constant = onLastTopology(frame, last);
        const Ancestry ancestry = findAncestry(frame, last);
        later += ancestry.added.size();
        for (std::size_t t = 0; t < last.tets.size(); ++t) {
            const Tet& from = frame.tets[static_cast<std::size_t>(ancestry.tet[t])];
            Mat3 rest, now;
            for (std::size_t k = 0; k < 3; ++k) {
                rest.col(static_cast<Eigen::Index>(k)) = frame.rest[static_cast<std::size_t>(from[k + 1])] - frame.rest[static_cast<std::size_t>(from[0])];
                now.col(static_cast<Eigen::Index>(k)) = frame.geometry.positions[static_cast<std::size_t>(from[k + 1])] - frame.geometry.positions[static_cast<std::size_t>(from[0])];
            }
            const Mat3 F = now * rest.inverse();
            for (const std::int32_t v : last.tets[t]) {
                const Vec3 place = frame.geometry.positions[static_cast<std::size_t>(from[0])] + F * (last.rest[static_cast<std::size_t>(v)] - frame.rest[static_cast<std::size_t>(from[0])]);
                worst = std::max(worst, (constant.positions[static_cast<std::size_t>(v)] - place).norm());
            }
        }
    }
    EXPECT_GT(later, 100u);
    std::printf("    farthest: %.2g of the size\n", worst / kBarLength);
    EXPECT_LT(worst, 1e-5 * kBarLength) << "single precision, over the altitudes of small tets";
}

}  // namespace
}  // namespace sunder
