#include "core/sim/cache_pieces.h"

#include <map>

#include "core/sim/cache_topology.h"
#include "core/sim/measures.h"
#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

TEST(CachePieces, EveryPieceIsOneOfTheLastFrame) {
    const CachePieces pieces = collectPieces(cachedFrames().back());
    const WorldState& world = brokenFrames().worlds.back();
    EXPECT_EQ(pieces.name.size(), 1 + countPieces(world.bodies[1].body->mesh));
    double mass = 0, volume = 0;
    for (const std::vector<double>& list : pieces.mass)
        for (const double m : list) mass += m;
    for (const double v : pieces.volume) volume += v;
    double whole = 0;
    for (const WorldBody& b : brokenFrames().worlds.front().bodies)
        for (std::size_t t = 0; t < b.body->mesh.tetCount(); ++t) whole += restVolume(b.body->mesh, t);
    EXPECT_NEAR(volume, whole, 1e-5 * whole) << "of single precision";
    EXPECT_NEAR(mass, 1000 * whole, 1e-5 * 1000 * whole);
}

TEST(CachePieces, AMovedPieceIsFoundExactly) {
    CacheFrame last = cachedFrames().back();
    const CachePieces pieces = collectPieces(last);
    const Mat3 turn = Mat3(Eigen::AngleAxisd(2.5, Vec3(1, -2, 0.5).normalized()));
    const Vec3 shift(3, -1, 2), linear(1, 2, 3), spin(4, -5, 6);
    auto& v = *last.geometry.points.find("v")->as<float>();
    for (std::size_t i = 0; i < last.rest.size(); ++i) {
        last.geometry.positions[i] = shift + turn * last.rest[i];
        const Vec3 velocity = linear + spin.cross(last.geometry.positions[i]);
        for (int c = 0; c < 3; ++c) v[3 * i + static_cast<std::size_t>(c)] = static_cast<float>(velocity[c]);
    }
    for (const PieceMotion& m : fitPieces(pieces, last, last)) {
        EXPECT_LT((m.turn.toRotationMatrix() - turn).norm(), 1e-12);
        EXPECT_LT((m.centre - shift - turn * m.pivot).norm(), 1e-12 * kBarLength);
        EXPECT_LT(m.largestError, 1e-12 * kBarLength);
        EXPECT_LT((m.v - linear - spin.cross(m.centre)).norm(), 1e-5);
        EXPECT_LT((m.w - spin).norm(), 1e-4);
        EXPECT_TRUE(m.free);
    }
}

TEST(CachePieces, NoRotationNearTheFitIsBetter) {
    const std::vector<CacheFrame>& frames = cachedFrames();
    const CachePieces pieces = collectPieces(frames.back());
    for (const std::size_t f : {frames.size() / 2, frames.size() - 1}) {
        const Geometry g = onLastTopology(frames[f], frames.back());
        const std::vector<PieceMotion> motions = fitPieces(pieces, frames[f], frames.back());
        for (std::size_t p = 0; p < motions.size(); ++p) {
            const PieceMotion& m = motions[p];
            const auto meanSquare = [&](const Mat3& R) {
                double sum = 0, mass = 0;
                for (std::size_t k = 0; k < pieces.rest[p].size(); ++k) {
                    const Vec3 x = g.positions[static_cast<std::size_t>(pieces.points[p][k])];
                    sum += pieces.mass[p][k] * (x - m.centre - R * (pieces.rest[p][k] - m.pivot)).squaredNorm();
                    mass += pieces.mass[p][k];
                }
                return sum / mass;
            };
            const Mat3 R = m.turn.toRotationMatrix();
            const double best = meanSquare(R);
            EXPECT_NEAR(std::sqrt(best), m.error, 1e-9);
            for (int axis = 0; axis < 3; ++axis)
                for (const double angle : {-1e-2, 1e-2}) EXPECT_GT(meanSquare(Mat3(Eigen::AngleAxisd(angle, Vec3::Unit(axis))) * R), best);
        }
    }
}

TEST(CachePieces, TheFileSaysWhatBulletNeeds) {
    const std::vector<CacheFrame>& frames = cachedFrames();
    const CachePieces pieces = collectPieces(frames.back());
    const Geometry first = pieceGeometry(pieces, fitPieces(pieces, frames.front(), frames.back()), frames.front());
    const Geometry last = pieceGeometry(pieces, fitPieces(pieces, frames.back(), frames.back()), frames.back());
    first.validate();
    last.validate();
    for (const char* name :
         {"name", "active", "animated", "deforming", "v", "w", "orient", "pivot", "pscale", "scale", "restxform", "mass", "density", "computemass", "computecom", "inheritvelocity",
          "inertialtensorstiffness", "bullet_add_impact", "bullet_ignore", "bullet_angular_sleep_threshold", "bullet_linear_sleep_threshold", "bullet_want_deactivate", "bullet_sleeping", "age",
          "life", "dead", "fiterror", "fiterrormax"})
        EXPECT_TRUE(last.points.find(name)) << name;
    for (int c = 0; c < 16; ++c) EXPECT_EQ(last.points.find("restxform")->number(1, c), c % 5 == 0 ? 1 : 0);
    for (const char* name : {"computemass", "computecom", "dead", "bullet_ignore"}) EXPECT_EQ(last.points.find(name)->number(0), 0) << name;
    EXPECT_GT(last.points.find("life")->number(0), 1e6);
    for (std::size_t p = 0; p < pieces.name.size(); ++p) {
        EXPECT_EQ(first.points.find("active")->number(p), p == 0 ? 1 : 0) << "the box is whole, the bar is not broken yet";
        EXPECT_EQ(last.points.find("active")->number(p), 1);
        EXPECT_NEAR(last.points.find("density")->number(p), 1000, 1);
        EXPECT_LE(last.points.find("fiterror")->number(p), last.points.find("fiterrormax")->number(p));
    }
    EXPECT_LT(first.detail.find("fiterrormax")->number(0), 1e-6 * kBarLength) << "at the start all is at rest";
    std::printf("    fit errors of the last frame: %.3g m rms, %.3g m largest\n", last.detail.find("fiterror")->number(0), last.detail.find("fiterrormax")->number(0));
}

TEST(CachePieces, SplitPiecesAreClosedAndTogetherTheWhole) {
    const CacheFrame& last = cachedFrames().back();
    const CachePieces pieces = collectPieces(last);
    const Geometry rest = restPieces(last);
    const std::vector<Geometry> parts = splitPieces(rest, pieces);
    ASSERT_EQ(parts.size(), pieces.name.size());
    std::size_t primitives = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Geometry& g = parts[p];
        g.validate();
        primitives += g.primitiveCount();
        for (const std::string& name : *g.primitives.find("name")->as<std::string>()) EXPECT_EQ(name, pieces.name[p]);
        EXPECT_EQ(g.primitives.groups.size(), rest.primitives.groups.size());
        EXPECT_EQ(g.vertices.find("uv")->elementCount(), g.vertexCount());
        // each side of a triangle is that of another, and together they hold the volume of the piece
        std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
        double volume = 0;
        for (std::size_t i = 0; i < g.primitiveCount(); ++i) {
            const Span<const std::int32_t> c = g.primitivePoints(i);
            for (std::size_t k = 0; k < 3; ++k) sides[{c[k], c[(k + 1) % 3]}] += 1;
            const auto at = [&](std::size_t k) -> const Vec3& { return g.positions[static_cast<std::size_t>(c[k])]; };
            volume += at(0).dot(at(1).cross(at(2))) / 6;
        }
        for (const auto& [side, count] : sides) EXPECT_EQ(count, (sides.count({side.second, side.first}) ? sides.at({side.second, side.first}) : 0)) << pieces.name[p];
        EXPECT_NEAR(volume, pieces.volume[p], 1e-5 * pieces.volume[p] + 1e-9);
    }
    EXPECT_EQ(primitives, rest.primitiveCount());
}

}  // namespace
}  // namespace sunder
