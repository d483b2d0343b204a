#include "core/sim/frame_lineage.h"

#include <map>
#include <set>

#include "core/mesh/adjacency.h"
#include "core/sim/measures.h"
#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

const std::vector<std::string>& namesOf(const Geometry& g) { return *g.primitives.find("name")->as<std::string>(); }

TEST(FrameLineage, TheBarOfTheseTestsBreaksBitByBit) {
    const BrokenFrames& broken = brokenFrames();
    std::set<std::size_t> counts;
    for (const WorldState& w : broken.worlds) counts.insert(countPieces(w.bodies[1].body->mesh));
    std::printf("    %zu tets at first, %zu at last, %zu pieces, %zu vertices\n", broken.worlds.front().bodies[1].body->mesh.tetCount(),
                broken.worlds.back().bodies[1].body->mesh.tetCount(), *counts.rbegin(), broken.worlds.back().bodies[1].body->mesh.vertexCount());
    EXPECT_EQ(*counts.begin(), 1u);
    EXPECT_GE(counts.size(), 3u);
}

TEST(FrameLineage, BreakingKeepsTheMassOfEveryPiece) {
    for (const WorldState& world : brokenFrames().worlds) {
        const Body& body = *world.bodies[1].body;
        std::vector<double> mass(body.mesh.vertexCount(), 0);
        for (std::size_t t = 0; t < body.mesh.tetCount(); ++t)
            for (const std::int32_t v : body.mesh.tets[t]) mass[static_cast<std::size_t>(v)] += 1000 * restVolume(body.mesh, t) / 4;
        for (std::size_t v = 0; v < mass.size(); ++v) EXPECT_NEAR(body.mass[v], mass[v], 1e-12 * mass[v]);
    }
}

TEST(FrameLineage, IdsAreUniqueAndStayWithTheirVertex) {
    const BrokenFrames& broken = brokenFrames();
    std::map<std::int64_t, Vec3> restOf;
    for (const Geometry& g : broken.frames) {
        g.validate();
        std::set<std::int64_t> seen;
        const Attribute& id = *g.points.find("id");
        for (std::size_t i = 0; i < g.pointCount(); ++i) {
            EXPECT_TRUE(seen.insert((*id.as<std::int64_t>())[i]).second);
            const auto place = restOf.emplace((*id.as<std::int64_t>())[i], vectorOf(*g.points.find("restP"), i)).first;
            EXPECT_EQ(place->second, vectorOf(*g.points.find("restP"), i));
        }
        EXPECT_GE(seen.size(), broken.frames.front().pointCount());
    }
}

TEST(FrameLineage, RestPositionsFollowFromParentsAndWeights) {
    const Geometry& g = brokenFrames().frames.back();
    std::map<std::int64_t, std::size_t> number;
    std::size_t made = 0;
    for (std::size_t i = 0; i < g.pointCount(); ++i) {
        number[static_cast<std::int64_t>(g.points.find("id")->number(i))] = i;
        const Attribute& parent = *g.points.find("parent");
        const std::size_t a = number.at(static_cast<std::int64_t>(parent.number(i, 0))), b = number.at(static_cast<std::int64_t>(parent.number(i, 1)));
        const double w = g.points.find("parentweight")->number(i);
        const Attribute& rest = *g.points.find("restP");
        EXPECT_LT((vectorOf(rest, i) - (1 - w) * vectorOf(rest, a) - w * vectorOf(rest, b)).norm(), 1e-6);
        made += a != i;
    }
    EXPECT_GT(made, 20u);
}

TEST(FrameLineage, PiecesThatHoldByFacesAreThoseThatShareVertices) {
    for (const WorldState& world : brokenFrames().worlds) {
        const TetMesh& mesh = world.bodies[1].body->mesh;
        const std::vector<std::int32_t> piece = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
        EXPECT_EQ(static_cast<std::size_t>(*std::max_element(piece.begin(), piece.end())) + 1, countPieces(mesh));
        const std::vector<std::string> names = pieceNames(*world.bodies[1].body);
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), countPieces(mesh));
        EXPECT_EQ(names[0], "body1");
    }
}

TEST(FrameLineage, NamesOfPiecesAreNeverReused) {
    const BrokenFrames& broken = brokenFrames();
    // a name that is there stays, and means a part of what it meant
    std::map<std::string, std::set<std::int64_t>> before;
    for (const Geometry& g : broken.frames) {
        std::map<std::string, std::set<std::int64_t>> now;
        std::map<std::int64_t, std::int64_t> parent;
        for (std::size_t p = 0; p < g.primitiveCount(); ++p) {
            const auto id = static_cast<std::int64_t>(g.primitives.find("id")->number(p));
            parent[id] = static_cast<std::int64_t>(g.primitives.find("parent")->number(p));
            now[namesOf(g)[p]].insert(id);
        }
        for (const auto& [name, tets] : before) {
            ASSERT_TRUE(now.count(name)) << name;
            std::set<std::int64_t> all = tets;  // and what was cut from them since
            for (const auto& [id, from] : parent)
                if (all.count(from)) all.insert(id);
            for (const std::int64_t id : now[name]) EXPECT_TRUE(all.count(id)) << name;
        }
        before = std::move(now);
    }
}

TEST(FrameLineage, InsideFacesAreOnTheBoundaryAndInPairs) {
    const BrokenFrames& broken = brokenFrames();
    const Body& body = *broken.worlds.back().bodies[1].body;
    const Geometry& g = broken.frames.back();
    const std::size_t firstTet = broken.worlds.back().bodies[0].body->mesh.tetCount();
    const auto neighbors = buildTetNeighbors(body.mesh.tets, body.mesh.vertexCount());
    Vec3 sum = Vec3::Zero();  // of the area at rest: both sides of a crack face each other
    double area = 0;
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (!(static_cast<int>(g.primitives.find("insidefaces")->number(firstTet + t)) & 1 << f)) continue;
            EXPECT_LT(neighbors[t][static_cast<std::size_t>(f)], 0);
            const auto rest = [&](int c) -> const Vec3& { return body.mesh.rest[static_cast<std::size_t>(body.mesh.tets[t][static_cast<std::size_t>(kTetFaces[f][c])])]; };
            const Vec3 a = 0.5 * (rest(1) - rest(0)).cross(rest(2) - rest(0));
            sum += a;
            area += a.norm();
        }
    EXPECT_GT(area, 1);
    EXPECT_LT(sum.norm(), 1e-12 * area);
}

}  // namespace
}  // namespace sunder
