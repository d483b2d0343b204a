#include "core/sim/cache_departed.h"

#include <Eigen/Geometry>
#include <map>
#include <set>

#include "core/io/geometry_io.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/cache_debris.h"
#include "core/sim/cache_pieces.h"
#include "core/sim/cache_surface.h"
#include "core/sim/cache_topology.h"
#include "core/sim/frame_particles.h"
#include "core/sim/scene_frame.h"
#include "tests/sim/struck_slab.h"

namespace sunder {
namespace {
using namespace testing;

constexpr int kFrames = 16;

/// Frames of a slab that is struck, as files have them: with its small pieces as particles, and what becomes of those frames.
struct Shot {
    std::vector<WorldState> worlds;
    std::vector<Geometry> files, restored;
    std::vector<CacheFrame> frames;
    std::size_t firstWithParticles = 0;
};

const Shot& shot() {
    static const Shot all = [] {
        Shot s;
        WorldState world = struckSlab(slabMaterial());
        const StepSettings settings = slabSettings(Integrator::kImplicit, SmallPieces::kParticles);
        Workspace workspace;
        DepartedPieces departed;
        for (int f = 1; f <= kFrames; ++f) {
            s.worlds.push_back(world);
            s.files.push_back(decodeGeometry(encodeGeometry(frameGeometry(world, f), GeometryFormat::kBgeoSc), GeometryFormat::kBgeoSc, "frame"));
            s.restored.push_back(departed.restore(s.files.back()));
            s.frames.push_back(makeCacheFrame(s.restored.back()));
            if (!s.files.back().points.findGroup(kParticleGroup)) s.firstWithParticles = s.files.size();
            const StepReport report = step(world, 0.005, settings, workspace);
            EXPECT_FALSE(report.failed) << report.message;
        }
        return s;
    }();
    return all;
}

std::vector<std::int64_t> idsOf(const AttributeSet& set, std::size_t count) {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int64_t>(set.find("id")->number(i)));
    return ids;
}

std::vector<std::uint8_t> departedTets(const Geometry& g) {
    const Group* group = g.primitives.findGroup(kDepartedGroup);
    return group ? group->members : std::vector<std::uint8_t>(g.primitiveCount(), 0);
}

double restVolume(const CacheFrame& frame) {
    double sum = 0;
    for (const Tet& t : frame.tets) {
        const auto p = [&](std::size_t c) -> const Vec3& { return frame.rest[static_cast<std::size_t>(t[c])]; };
        sum += signedVolume(p(0), p(1), p(2), p(3));
    }
    return sum;
}

TEST(DepartedPieces, LeaveFromSomeFrameOnAndMoreAndMore) {
    ASSERT_GT(shot().firstWithParticles, 0u);
    ASSERT_LT(shot().firstWithParticles + 2, shot().files.size()) << "too late to see more leave";
    std::set<std::size_t> counts;
    for (const WorldState& world : shot().worlds) counts.insert(world.particles.size());
    EXPECT_GE(counts.size(), 3u) << "all of them leave at once";
}

TEST(DepartedPieces, FramesHaveAllOfTheSolidAtAllTimes) {
    const Shot& s = shot();
    for (std::size_t f = 0; f < s.frames.size(); ++f) {
        EXPECT_NEAR(restVolume(s.frames[f]), restVolume(s.frames[0]), 1e-6 * restVolume(s.frames[0])) << f;
        std::size_t departed = 0;
        for (const std::uint8_t d : departedTets(s.restored[f])) departed += d;
        EXPECT_EQ(departed > 0, f >= s.firstWithParticles) << f;
        EXPECT_EQ(s.restored[f].primitiveCount(), s.files[f].countOf(PrimitiveKind::kTet) + departed);
        EXPECT_FALSE(s.restored[f].points.findGroup(kParticleGroup));
        for (std::size_t later = f; later < s.frames.size(); ++later) EXPECT_NO_THROW(findAncestry(s.frames[f], s.frames[later])) << f << " in " << later;
    }
}

TEST(DepartedPieces, WhatStaysIsAsTheFrameHasIt) {
    const Shot& s = shot();
    const std::size_t f = s.files.size() - 1;
    const Geometry plain = tetsOf(s.files[f]);
    std::map<std::int64_t, std::size_t> place;
    const std::vector<std::int64_t> all = idsOf(s.restored[f].points, s.restored[f].pointCount());
    for (std::size_t i = 0; i < all.size(); ++i) place[all[i]] = i;
    EXPECT_EQ(place.size(), all.size()) << "an id stands twice";
    const std::vector<std::int64_t> sought = idsOf(plain.points, plain.pointCount());
    for (std::size_t i = 0; i < sought.size(); ++i) {
        ASSERT_TRUE(place.count(sought[i]));
        const std::size_t k = place[sought[i]];
        EXPECT_EQ(s.restored[f].positions[k], plain.positions[i]);
        EXPECT_FALSE(s.restored[f].points.findGroup(kDepartedGroup)->members[k]);
        for (const char* name : {"v", "mass", "damage", "restP"})
            for (int c = 0; c < plain.points.find(name)->tupleSize; ++c)
                EXPECT_EQ(s.restored[f].points.find(name)->number(k, c), plain.points.find(name)->number(i, c)) << name;
    }
}

/// Points of departed pieces of a frame by the particle, which goes by the first point.
std::map<std::int32_t, std::vector<std::int32_t>> pointsOfParticles(const Geometry& g) {
    std::map<std::string, std::set<std::int32_t>> byName;
    const std::vector<std::uint8_t> departed = departedTets(g);
    for (std::size_t t = 0; t < g.primitiveCount(); ++t)
        if (departed[t])
            for (const std::int32_t p : g.primitivePoints(t)) byName[(*g.primitives.find("name")->as<std::string>())[t]].insert(p);
    std::map<std::int32_t, std::vector<std::int32_t>> out;
    const std::vector<std::int64_t> ids = idsOf(g.points, g.pointCount());
    for (const auto& [name, points] : byName) {
        std::vector<std::int32_t> list(points.begin(), points.end());
        const auto least = std::min_element(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) { return ids[static_cast<std::size_t>(a)] < ids[static_cast<std::size_t>(b)]; });
        out[*least] = list;
    }
    return out;
}

TEST(DepartedPieces, FollowTheirParticleWithoutTurning) {
    const Shot& s = shot();
    const std::size_t f = s.files.size() - 1, leftAt = s.firstWithParticles;
    const Geometry &now = s.restored[f], &then = s.restored[leftAt - 1];
    const auto pieces = pointsOfParticles(now);
    EXPECT_EQ(pieces.size(), s.worlds[f].particles.size());
    std::map<std::int64_t, std::size_t> thenOf;
    const std::vector<std::int64_t> thenIds = idsOf(then.points, then.pointCount()), ids = idsOf(now.points, now.pointCount());
    for (std::size_t i = 0; i < thenIds.size(); ++i) thenOf[thenIds[i]] = i;
    std::size_t compared = 0;
    for (const Particle& particle : s.worlds[f].particles) {
        const auto own = std::find_if(pieces.begin(), pieces.end(), [&](const auto& piece) { return ids[static_cast<std::size_t>(piece.first)] == particle.vertex * 2; });  // of two bodies
        ASSERT_TRUE(own != pieces.end());
        double mass = 0;
        Vec3 centre = Vec3::Zero();
        for (const std::int32_t p : own->second) {
            const auto k = static_cast<std::size_t>(p);
            mass += now.points.find("mass")->number(k);
            centre += now.points.find("mass")->number(k) * now.positions[k];
            for (int c = 0; c < 3; ++c) EXPECT_EQ(now.points.find("v")->number(k, c), static_cast<float>(particle.v[c]));
        }
        EXPECT_LT((centre / mass - particle.x).norm(), 1e-6);
        const auto& first = s.worlds[leftAt].particles;
        if (std::none_of(first.begin(), first.end(), [&](const Particle& p) { return p.vertex == particle.vertex; })) continue;
        const auto k0 = static_cast<std::size_t>(own->second[0]);
        const Vec3 way = now.positions[k0] - then.positions[thenOf.at(ids[k0])];
        EXPECT_GT(way.norm(), 0.01) << "it has not moved";
        for (const std::int32_t p : own->second) {
            const auto k = static_cast<std::size_t>(p);
            EXPECT_LT((now.positions[k] - then.positions[thenOf.at(ids[k])] - way).norm(), 1e-6);
            ++compared;
        }
    }
    EXPECT_GT(compared, 10u);
}

TEST(DepartedPieces, OneTopologyHasThemInAllFrames) {
    const Shot& s = shot();
    std::size_t before = 0;
    for (const CacheFrame& frame : s.frames) {
        const Geometry g = onLastTopology(frame, s.frames.back());
        EXPECT_EQ(g.vertexPoint, onLastTopology(s.frames[0], s.frames.back()).vertexPoint);
        ASSERT_TRUE(g.primitives.findGroup(kDepartedGroup));
        ASSERT_TRUE(g.points.findGroup(kDepartedGroup));
        const std::size_t departed = g.primitives.findGroup(kDepartedGroup)->count();
        EXPECT_GE(departed, before) << "one has come back";
        before = departed;
        EXPECT_NO_THROW(makeCacheFrame(g)) << "all others take what this made";
    }
    EXPECT_GT(before, 0u);
    const Geometry first = onLastTopology(s.frames[0], s.frames.back());
    EXPECT_EQ(first.primitives.findGroup(kDepartedGroup)->count(), 0u);
}

TEST(DepartedPieces, ArePiecesThatMoveOn) {
    const Shot& s = shot();
    const CachePieces pieces = collectPieces(s.frames.back());
    std::size_t departs = 0;
    for (const std::uint8_t d : pieces.departs) departs += d;
    EXPECT_EQ(departs, s.worlds.back().particles.size());
    std::vector<PieceMotion> earlier;
    for (std::size_t f = s.firstWithParticles; f < s.frames.size(); ++f) {
        const std::vector<PieceMotion> motions = fitPieces(pieces, s.frames[f], s.frames.back());
        std::size_t gone = 0;
        for (std::size_t p = 0; p < motions.size(); ++p) {
            gone += motions[p].departed;
            if (!motions[p].departed) continue;
            EXPECT_TRUE(motions[p].free);
            EXPECT_LT(motions[p].w.norm(), 1e-4 * motions[p].v.norm() / 0.01) << "it turns";
            if (!earlier.empty() && earlier[p].departed) {
                EXPECT_LT(motions[p].turn.angularDistance(earlier[p].turn), 1e-4);
            }
        }
        EXPECT_EQ(gone, s.worlds[f].particles.size());
        const Geometry g = pieceGeometry(pieces, motions, s.frames[f]);
        ASSERT_TRUE(g.points.findGroup(kDepartedGroup));
        EXPECT_EQ(g.points.findGroup(kDepartedGroup)->count(), gone);
        earlier = motions;
    }
    EXPECT_EQ(pieceGeometry(pieces, fitPieces(pieces, s.frames[0], s.frames.back()), s.frames[0]).points.findGroup(kDepartedGroup)->count(), 0u);
}

TEST(DepartedPieces, HaveASkinAndTheirCracksOpenOnce) {
    const Shot& s = shot();
    CrackHistory cracks;
    DebrisSource debris({2000, 0, 1});
    std::vector<std::size_t> points;
    for (const CacheFrame& frame : s.frames) {
        cracks.add(frame);
        points.push_back(debris.emit(cracks).pointCount());
        const CacheSurface surface = makeSurface(cracks.frame());
        if (const Group* departed = frame.geometry.primitives.findGroup(kDepartedGroup)) {
            EXPECT_GT(departed->count(), 0u);
            EXPECT_GT(surface.geometry.primitives.findGroup(kDepartedGroup)->count(), 0u);
        }
    }
    EXPECT_GT(points[s.firstWithParticles - 1], 0u) << "what cracks open is seen before it leaves";
    for (std::size_t t = 0; t < s.frames.back().tets.size(); ++t)
        for (int f = 0; f < 4; ++f)
            if (departedTets(s.restored.back())[t] && s.frames.back().isOpen(t, f)) {
                EXPECT_GT(cracks.age(t, f), 0) << "leaving is no crack";
            }
}

TEST(DepartedPieces, WhatLeftBeforeTheFirstFrameStaysAway) {
    const Shot& s = shot();
    DepartedPieces departed;
    const std::size_t f = s.firstWithParticles;
    const Geometry first = departed.restore(s.files[f]);
    EXPECT_EQ(first.primitiveCount(), s.files[f].countOf(PrimitiveKind::kTet));
    EXPECT_FALSE(first.primitives.findGroup(kDepartedGroup));
    EXPECT_NO_THROW(makeCacheFrame(first));
    CrackHistory cracks;
    cracks.add(makeCacheFrame(first));
    for (std::size_t later = f + 1; later < s.files.size(); ++later) EXPECT_NO_THROW(cracks.add(makeCacheFrame(departed.restore(s.files[later]))));
}

TEST(DepartedPieces, NeedTheFrameBeforeTheyLeft) {
    const Shot& s = shot();
    DepartedPieces departed;
    departed.restore(s.files[0]);
    try {
        departed.restore(s.files.back());
        FAIL() << "pieces that no frame has shown came back";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("between two frames"), std::string::npos) << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

}  // namespace
}  // namespace sunder
