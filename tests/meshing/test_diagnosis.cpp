#include "core/meshing/diagnosis.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "core/base/parallel.h"
#include "core/meshing/surface_topology.h"
#include "core/spatial/triangle.h"
#include "tests/meshing/test_obj.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::joined;
using testing::makeBoxSurface;
using testing::makeSphere;
using testing::reversed;

/// The names found, in order.
std::vector<std::string> names(const SurfaceDiagnosis& d) {
    std::vector<std::string> list;
    for (const Finding& f : d.findings) list.push_back(f.name);
    return list;
}
using Names = std::vector<std::string>;

TEST(Diagnosis, NothingToSayAboutACleanSphere) {
    const SurfaceDiagnosis d = diagnose(makeSphere(3, 1.0));
    EXPECT_TRUE(d.findings.empty()) << d.summary();
    EXPECT_TRUE(d.isCleanSolid());
    EXPECT_EQ(d.shellCount, 1);
    EXPECT_EQ(d.openShellCount, 0);
}

TEST(Diagnosis, NamesOpenEdgesOfAMissingFace) {
    TriMesh mesh = makeSphere(2, 1.0);
    const Tri gone = mesh.triangles[7];
    mesh.triangles.erase(mesh.triangles.begin() + 7);
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_EQ(names(d), Names{"open_edges"});
    std::vector<std::int32_t> expected(gone.begin(), gone.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(d.findings[0].count, 3u);
    EXPECT_EQ(d.findings[0].points, expected);
    EXPECT_EQ(d.findings[0].primitives.size(), 3u);
    EXPECT_EQ(d.openShellCount, 1);
    EXPECT_FALSE(d.isCleanSolid());
    const auto loops = findOpenLoops(mesh.triangles, buildEdgeTable(mesh.triangles));
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].size(), 3u);
}

TEST(Diagnosis, NamesAFinAsNonmanifoldEdge) {
    TriMesh mesh = makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1));
    mesh.positions.emplace_back(0.5, -1, -1);
    mesh.triangles.push_back({0, 1, 8});
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_EQ(names(d), (Names{"open_edges", "nonmanifold_edges"}));
    EXPECT_EQ(d.findings[1].edges, (std::vector<Edge>{{0, 1}}));
    EXPECT_EQ(d.findings[1].primitives.size(), 3u);
}

TEST(Diagnosis, NamesTwoBoxesThatShareAPoint) {
    TriMesh mesh =
        joined(makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1)), makeBoxSurface(Vec3(1, 1, 1), Vec3(2, 2, 2)));
    for (Tri& t : mesh.triangles)
        for (std::int32_t& v : t)
            if (v == 8) v = 7;
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_EQ(names(d), (Names{"nonmanifold_points", "duplicate_points", "unused_points"}));
    EXPECT_EQ(d.findings[0].points, std::vector<std::int32_t>{7});
    EXPECT_EQ(d.shellCount, 2);
}

TEST(Diagnosis, NamesCrossingShells) {
    const TriMesh mesh = joined(makeSphere(2, 1.0), makeBoxSurface(Vec3(0.5, -0.2, -0.2), Vec3(2, 0.2, 0.2)));
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_EQ(names(d), Names{"self_intersections"});
    EXPECT_GT(d.findings[0].primitives.size(), 4u);
    EXPECT_EQ(d.shellCount, 2);
}

TEST(Diagnosis, SelfIntersectionsAgreeWithAllPairs) {
    const TriMesh mesh = joined(makeSphere(2, 1.0), makeBoxSurface(Vec3(0.5, -0.3, -0.2), Vec3(2, 0.2, 0.2)));
    std::vector<std::int32_t> corner(mesh.vertexCount());
    for (std::size_t i = 0; i < corner.size(); ++i) corner[i] = static_cast<std::int32_t>(i);
    const auto found = findSelfIntersections(mesh.positions, mesh.triangles, corner);
    std::vector<Edge> expected;
    const auto corners = [&](std::int32_t i) {
        const Tri& t = mesh.triangles[i];
        return std::array<Vec3, 3>{mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    };
    // Triangles of different shells share no corner, and a sphere or box does not cross itself.
    for (std::int32_t i = 0; i < 320; ++i)
        for (std::int32_t j = 320; j < 332; ++j)
            if (trianglesMeet(corners(i), corners(j))) expected.push_back({i, j});
    EXPECT_EQ(found, expected);
    EXPECT_GT(found.size(), 10u);
}

TEST(Diagnosis, NamesFacesFoldedOntoEachOther) {
    // A box whose lid hangs together with a flap lying flat in the lid's plane, seen from a shared edge and a
    // shared corner.
    TriMesh mesh;
    mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.9, 0.9, 0)};
    mesh.triangles = {{0, 1, 2}, {0, 1, 3}};
    EXPECT_TRUE(diagnose(mesh).has(FindingKind::kSelfIntersections));
    mesh.positions[3] = Vec3(0.5, -1, 0);
    EXPECT_FALSE(diagnose(mesh).has(FindingKind::kSelfIntersections));
}

TEST(Diagnosis, NamesDegenerateFaces) {
    TriMesh mesh = makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1));
    mesh.positions.emplace_back(0.5, 0.5, 2);
    mesh.positions.emplace_back(0.75, 0.75, 3);
    mesh.positions.emplace_back(1, 1, 4);
    mesh.triangles.push_back({8, 9, 10});
    mesh.triangles.push_back({3, 3, 5});
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_TRUE(d.has(FindingKind::kDegenerateFaces));
    EXPECT_EQ(d.find(FindingKind::kDegenerateFaces)->primitives, (std::vector<std::int32_t>{12, 13}));
}

TEST(Diagnosis, NamesDuplicateFacesAndPoints) {
    TriMesh mesh = makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1));
    const Tri copy{mesh.triangles[3][1], mesh.triangles[3][2], mesh.triangles[3][0]};
    mesh.triangles.push_back(copy);
    mesh.positions.push_back(mesh.positions[2]);
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_EQ(names(d), (Names{"duplicate_faces", "duplicate_points", "unused_points"}));
    EXPECT_EQ(d.findings[0].primitives, std::vector<std::int32_t>{12});
    EXPECT_EQ(d.findings[1].points, std::vector<std::int32_t>{8});
}

TEST(Diagnosis, NamesPointsThatAreNotNumbers) {
    TriMesh mesh = makeSphere(1, 1.0);
    mesh.positions[3][1] = std::nan("");
    mesh.positions[5][0] = std::numeric_limits<double>::infinity();
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_TRUE(d.has(FindingKind::kNotFinitePoints));
    EXPECT_EQ(d.find(FindingKind::kNotFinitePoints)->points, (std::vector<std::int32_t>{3, 5}));
}

TEST(Diagnosis, NamesFlippedFaces) {
    TriMesh mesh = makeSphere(2, 1.0);
    std::swap(mesh.triangles[11][0], mesh.triangles[11][1]);
    std::swap(mesh.triangles[90][0], mesh.triangles[90][1]);
    const SurfaceDiagnosis d = diagnose(mesh);
    ASSERT_EQ(names(d), Names{"flipped_faces"});
    EXPECT_EQ(d.findings[0].primitives, (std::vector<std::int32_t>{11, 90}));
}

TEST(Diagnosis, TellsInsideOutFromACavity) {
    EXPECT_EQ(names(diagnose(reversed(makeSphere(2, 1.0)))), Names{"inside_out_shells"});
    // A reversed shell inside a solid is a cavity and right; beside it, wrong.
    EXPECT_EQ(names(diagnose(joined(makeSphere(2, 2.0), reversed(makeSphere(2, 1.0))))), Names{});
    TriMesh beside = reversed(makeSphere(2, 1.0));
    for (Vec3& p : beside.positions) p += Vec3(5, 0, 0);
    const SurfaceDiagnosis d = diagnose(joined(makeSphere(2, 2.0), beside));
    ASSERT_EQ(names(d), Names{"inside_out_shells"});
    EXPECT_EQ(d.findings[0].primitives.front(), 320);
    EXPECT_EQ(d.findings[0].count, 320u);
    // The whole nest inside out: both shells are wrong.
    EXPECT_EQ(diagnose(joined(reversed(makeSphere(2, 2.0)), makeSphere(2, 1.0))).findings.at(0).count, 640u);
}

TEST(Diagnosis, NamesAOneSidedBand) {
    TriMesh band;
    constexpr int kCount = 12;
    for (int i = 0; i < kCount; ++i) {
        const double a = 2 * M_PI * i / kCount;
        const Vec3 radial(std::cos(a), std::sin(a), 0),
            across = std::cos(a / 2) * radial + std::sin(a / 2) * Vec3(0, 0, 1);
        band.positions.push_back(3 * radial + 0.5 * across);
        band.positions.push_back(3 * radial - 0.5 * across);
    }
    for (std::int32_t i = 0; i < kCount; ++i) {
        const std::int32_t a = 2 * i, b = 2 * i + 1, n = 2 * ((i + 1) % kCount);
        const std::int32_t c = i + 1 < kCount ? n : n + 1,
                           d = i + 1 < kCount ? n + 1 : n;  // the ends are joined crosswise
        band.triangles.push_back({a, b, c});
        band.triangles.push_back({b, d, c});
    }
    EXPECT_TRUE(diagnose(band).has(FindingKind::kTwistedShells));
}

TEST(Diagnosis, GroupsMarkTheElements) {
    TriMesh mesh = makeSphere(2, 1.0);
    mesh.triangles.erase(mesh.triangles.begin());
    Geometry geometry = geometryFromTriMesh(mesh);
    addDiagnosisGroups(geometry, diagnose(geometry), "bad_");
    ASSERT_NE(geometry.points.findGroup("bad_open_edges"), nullptr);
    EXPECT_EQ(geometry.points.findGroup("bad_open_edges")->count(), 3u);
    EXPECT_EQ(geometry.primitives.findGroup("bad_open_edges")->count(), 3u);
    geometry.validate();
}

TEST(Diagnosis, EmptyMeshIsNoSolid) {
    EXPECT_FALSE(diagnose(TriMesh{}).isCleanSolid());
    EXPECT_EQ(diagnose(TriMesh{}).shellCount, 0);
}

TEST(Diagnosis, SameFindingsForAnyThreadCount) {
    const TriMesh mesh = joined(makeSphere(4, 1.0), makeBoxSurface(Vec3(0.5, -0.2, -0.2), Vec3(2, 0.2, 0.2)));
    const SurfaceDiagnosis reference = diagnose(mesh);
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        const SurfaceDiagnosis d = diagnose(mesh);
        ASSERT_EQ(d.findings.size(), reference.findings.size());
        for (std::size_t i = 0; i < d.findings.size(); ++i) {
            EXPECT_EQ(d.findings[i].primitives, reference.findings[i].primitives);
            EXPECT_EQ(d.findings[i].count, reference.findings[i].count);
        }
    }
    setThreadCount(0);
}

TEST(Diagnosis, KnowsTheModels) {
    const auto examine = [](const char* name) {
        const std::string path = testing::modelPath(std::string(name) + ".obj");
        return path.empty() ? std::optional<SurfaceDiagnosis>() : diagnose(testing::loadObj(path));
    };
    const auto spot = examine("spot");
    if (!spot) GTEST_SKIP() << "the models are absent";
    EXPECT_TRUE(spot->findings.empty()) << spot->summary();
    EXPECT_TRUE(examine("rocker-arm")->isCleanSolid());
    EXPECT_EQ(examine("cow")->openShellCount, 0);
    EXPECT_TRUE(examine("stanford-bunny")->has(FindingKind::kOpenEdges));
    const auto teapot = examine("teapot");
    EXPECT_TRUE(teapot->has(FindingKind::kOpenEdges));
    EXPECT_TRUE(teapot->has(FindingKind::kSelfIntersections));
    EXPECT_GT(teapot->shellCount, 1);
    const auto suzanne = examine("suzanne");
    EXPECT_TRUE(suzanne->has(FindingKind::kOpenEdges));
    EXPECT_GT(suzanne->shellCount, 1);
}

}  // namespace
}  // namespace sunder
