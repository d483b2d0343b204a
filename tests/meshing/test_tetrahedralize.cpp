#include "core/meshing/tetrahedralize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <ostream>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/meshing/tetgen.h"
#include "core/surface/boundary_surface.h"
#include "tests/meshing/test_obj.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::joined;
using testing::makeBoxSurface;
using testing::makeSphere;

Geometry sphereGeometry(int subdivisions = 3) { return geometryFromTriMesh(makeSphere(subdivisions, 1.0)); }

TetrahedralizeOptions withMethod(MeshingMethod method) {
    TetrahedralizeOptions options;
    options.method = method;
    options.targetTets = 8000;
    return options;
}

bool mentions(const TetrahedralizeResult& r, const std::string& word) {
    return r.explanation().find(word) != std::string::npos;
}

/// Attributes of every class, linear in position where they are numbers.
Geometry paintedSphere() {
    Geometry g = sphereGeometry();
    // One at a time: adding an attribute moves the ones before it.
    auto& height = g.points.add<float>("height", g.pointCount());
    for (std::size_t p = 0; p < g.pointCount(); ++p) height[p] = static_cast<float>(g.positions[p][2]);
    auto& where = g.points.add<double>("where", g.pointCount(), 3, AttributeMeaning::kPoint);
    for (std::size_t p = 0; p < g.pointCount(); ++p)
        for (int k = 0; k < 3; ++k) where[3 * p + k] = g.positions[p][k];
    Group& top = g.points.addGroup("top", g.pointCount());
    for (std::size_t p = 0; p < g.pointCount(); ++p) top.members[p] = g.positions[p][2] > 0;
    auto& uv = g.vertices.add<float>("uv", g.vertexCount(), 2);
    for (std::size_t v = 0; v < g.vertexCount(); ++v)
        uv[2 * v] = static_cast<float>(g.positions[g.vertexPoint[v]][0]);
    auto& name = g.primitives.add<std::string>("name", g.primitiveCount());
    for (std::size_t p = 0; p < g.primitiveCount(); ++p)
        name[p] = g.positions[g.primitivePoints(p)[0]][0] > 0 ? "right" : "left";
    g.detail.add<std::string>("note", 1)[0] = "kept";
    return g;
}

void expectAttributesFollow(const TetrahedralizeResult& r, double surfaceTolerance) {
    r.attributes.vertices.validate(r.mesh.vertexCount(), "vertices");
    r.attributes.tets.validate(r.mesh.tetCount(), "tets");
    const auto& where = *r.attributes.vertices.find("where")->as<double>();
    const auto& height = *r.attributes.vertices.find("height")->as<float>();
    const auto& uv = *r.attributes.vertices.find("uv")->as<float>();
    const Group& top = *r.attributes.vertices.findGroup("top");
    for (const std::int32_t v : extractBoundary(r.mesh).vertices) {
        const Vec3& p = r.mesh.rest[v];
        EXPECT_LT((Vec3(where[3 * v], where[3 * v + 1], where[3 * v + 2]) - p).norm(), surfaceTolerance);
        EXPECT_NEAR(height[v], p[2], surfaceTolerance + 1e-6);
        EXPECT_NEAR(uv[2 * v], p[0], surfaceTolerance + 1e-6);
        if (std::abs(p[2]) > 0.2) {
            EXPECT_EQ(top.members[v] != 0, p[2] > 0);
        }
    }
    const auto& name = *r.attributes.tets.find("name")->as<std::string>();
    for (std::size_t t = 0; t < r.mesh.tetCount(); ++t) {
        const Tet& c = r.mesh.tets[t];
        const double x =
            (r.mesh.rest[c[0]] + r.mesh.rest[c[1]] + r.mesh.rest[c[2]] + r.mesh.rest[c[3]])[0] / 4;
        if (std::abs(x) > 0.2) {
            EXPECT_EQ(name[t], x > 0 ? "right" : "left");
        }
    }
    EXPECT_EQ(r.attributes.detail.find("note")->as<std::string>()->at(0), "kept");
}

TEST(Tetrahedralize, AttributesReachBoundaryAndInterior) {
    const Geometry painted = paintedSphere();
    // Cut points lie on the faces up to the rounding of a position and a parameter.
    expectAttributesFollow(tetrahedralize(painted, withMethod(MeshingMethod::kLattice)), 1e-12);
    if (!tetgenAvailable()) return;
    expectAttributesFollow(tetrahedralize(painted, withMethod(MeshingMethod::kTetgen)), 0.0 + 1e-15);
    TetrahedralizeOptions refined = withMethod(MeshingMethod::kTetgen);
    refined.keepBoundary = false;
    refined.maxSize = 0.3;
    expectAttributesFollow(tetrahedralize(painted, refined), 1e-12);
}

TEST(Tetrahedralize, AutoTakesTetgenForACleanSolid) {
    if (!tetgenAvailable()) GTEST_SKIP() << "built without TetGen";
    const TetrahedralizeResult r = tetrahedralize(sphereGeometry(), {});
    EXPECT_EQ(r.method, MeshingMethod::kTetgen);
    EXPECT_TRUE(r.diagnosis.findings.empty());
    EXPECT_TRUE(r.lostPrimitives.empty());
    EXPECT_GT(r.quality.smallestDihedral, 8 * M_PI / 180);
}

TEST(Tetrahedralize, AutoRepairsTheHarmlessFirst) {
    if (!tetgenAvailable()) GTEST_SKIP() << "built without TetGen";
    TriMesh mesh = makeSphere(2, 1.0);
    mesh.triangles.push_back(mesh.triangles[0]);
    mesh.positions.push_back(mesh.positions[4]);
    mesh.triangles.back()[0] = mesh.triangles.back()[0] == 4
                                   ? static_cast<std::int32_t>(mesh.vertexCount()) - 1
                                   : mesh.triangles.back()[0];
    std::swap(mesh.triangles[9][0], mesh.triangles[9][1]);
    struct : Monitor {
        std::vector<std::string> texts;
        void warn(const std::string& text) override { texts.push_back(text); }
    } monitor;
    const TetrahedralizeResult r = tetrahedralize(geometryFromTriMesh(mesh), {}, &monitor);
    EXPECT_EQ(r.method, MeshingMethod::kTetgen);
    EXPECT_GE(monitor.texts.size(), 2u);
    EXPECT_TRUE(mentions(r, "fused"));
}

TEST(Tetrahedralize, AutoExplainsAndFallsBack) {
    const TriMesh crossing =
        joined(makeSphere(3, 1.0), makeBoxSurface(Vec3(0.5, -0.3, -0.3), Vec3(2, 0.3, 0.3)));
    Geometry geometry = geometryFromTriMesh(crossing);
    const TetrahedralizeResult r = tetrahedralize(geometry, withMethod(MeshingMethod::kAuto));
    EXPECT_EQ(r.method, MeshingMethod::kLattice);
    EXPECT_TRUE(mentions(r, "tetgen was not used"));
    EXPECT_GE(r.quality.smallestDihedral, 8 * M_PI / 180);
    EXPECT_FALSE(r.buriedPrimitives.empty());
    addTetrahedralizeGroups(geometry, r);
    EXPECT_NE(geometry.primitives.findGroup("self_intersections"), nullptr);
    EXPECT_EQ(geometry.primitives.findGroup("buried_faces")->count(), r.buriedPrimitives.size());
    geometry.validate();
    EXPECT_THROW(tetrahedralize(geometry, withMethod(MeshingMethod::kTetgen)), Error);
}

TEST(Tetrahedralize, AutoSurvivesAHelperThatFails) {
    TetrahedralizeOptions options = withMethod(MeshingMethod::kAuto);
    options.helperPath = "/bin/false";
    const TetrahedralizeResult r = tetrahedralize(sphereGeometry(), options);
    EXPECT_EQ(r.method, MeshingMethod::kLattice);
    EXPECT_TRUE(mentions(r, "tetgen failed"));
}

TEST(Tetrahedralize, CavityStaysEmpty) {
    const TriMesh hollow = joined(makeSphere(3, 1.0), testing::reversed(makeSphere(3, 0.5)));
    const double volume = testing::enclosedVolume(hollow.positions, hollow.triangles);
    for (const MeshingMethod method : {MeshingMethod::kTetgen, MeshingMethod::kLattice}) {
        if (method == MeshingMethod::kTetgen && !tetgenAvailable()) continue;
        const TetrahedralizeResult r = tetrahedralize(geometryFromTriMesh(hollow), withMethod(method));
        EXPECT_NEAR(r.quality.volume, volume, (method == MeshingMethod::kTetgen ? 1e-10 : 0.03) * volume);
    }
}

TEST(Tetrahedralize, SizingAttributeAndMaxSize) {
    if (!tetgenAvailable()) GTEST_SKIP() << "built without TetGen";
    Geometry g = sphereGeometry(2);
    auto& size = g.points.add<float>("size", g.pointCount());
    for (std::size_t p = 0; p < g.pointCount(); ++p) size[p] = g.positions[p][0] < 0 ? 0.1f : 0.4f;
    TetrahedralizeOptions options = withMethod(MeshingMethod::kTetgen);
    options.keepBoundary = false;
    options.sizingAttribute = "size";
    const TetMesh mesh = tetrahedralize(g, options).mesh;
    std::size_t left = 0, right = 0;
    for (const Tet& t : mesh.tets) {
        left += mesh.rest[t[0]][0] < -0.5;
        right += mesh.rest[t[0]][0] > 0.5;
    }
    // A quarter of the edge length is 64 times the tets; TetGen stays within a factor of two of a length,
    // that is 8.
    EXPECT_GT(left, 8 * right);
    options.sizingAttribute = "sise";
    EXPECT_THROW(tetrahedralize(g, options), Error);
    size[3] = -1;
    options.sizingAttribute = "size";
    EXPECT_THROW(tetrahedralize(g, options), Error);
}

struct Model {
    const char* name;
    MeshingMethod method;  ///< that auto should end with
    std::size_t holes;     ///< that the lattice should bridge
};
void PrintTo(const Model& m, std::ostream* out) { *out << m.name; }

class AutoOnModel : public ::testing::TestWithParam<Model> {};

TEST_P(AutoOnModel, MakesASoundSolid) {
    const std::string path = testing::modelPath(std::string(GetParam().name) + ".obj");
    if (path.empty()) GTEST_SKIP() << "the models are absent";
    const TetrahedralizeResult r = tetrahedralize(testing::loadObj(path), {});
    ASSERT_NO_THROW(validate(r.mesh));
    EXPECT_EQ(r.method, tetgenAvailable() ? GetParam().method : MeshingMethod::kLattice);
    EXPECT_EQ(r.quality.slivers > 0, mentions(r, "under 5 degrees"));
    const testing::BoundaryCheck check = testing::checkBoundary(r.mesh);
    EXPECT_TRUE(check.closed);
    EXPECT_LT(check.volumeMismatch, 1e-10);
    if (r.method != MeshingMethod::kLattice) return;
    EXPECT_GE(r.quality.smallestDihedral, 8 * M_PI / 180);
    EXPECT_LE(r.surfaceDistance, 0.5 * r.cellSize);
    EXPECT_EQ(r.closedHoles.size(), GetParam().holes);
}

INSTANTIATE_TEST_SUITE_P(Models, AutoOnModel,
                         ::testing::Values(Model{"spot", MeshingMethod::kTetgen, 0},
                                           Model{"rocker-arm", MeshingMethod::kTetgen, 0},
                                           Model{"cow", MeshingMethod::kLattice, 0},
                                           Model{"stanford-bunny", MeshingMethod::kLattice, 5},
                                           Model{"teapot", MeshingMethod::kLattice, 5},
                                           Model{"suzanne", MeshingMethod::kLattice, 2}));

TEST(Tetrahedralize, SameBytesForAnyThreadCount) {
    Geometry g = paintedSphere();
    for (const MeshingMethod method : {MeshingMethod::kLattice, MeshingMethod::kTetgen}) {
        if (method == MeshingMethod::kTetgen && !tetgenAvailable()) continue;
        const TetrahedralizeResult reference = tetrahedralize(g, withMethod(method));
        for (const int threads : {1, 2, 7}) {
            setThreadCount(threads);
            const TetrahedralizeResult r = tetrahedralize(g, withMethod(method));
            ASSERT_EQ(r.mesh.tets, reference.mesh.tets);
            ASSERT_EQ(std::memcmp(r.mesh.rest.data(), reference.mesh.rest.data(),
                                  r.mesh.vertexCount() * sizeof(Vec3)),
                      0);
            ASSERT_EQ(*r.attributes.vertices.find("where")->as<double>(),
                      *reference.attributes.vertices.find("where")->as<double>());
        }
        setThreadCount(0);
    }
}

void expectRefused(const Geometry& g, const TetrahedralizeOptions& options, const std::string& word) {
    try {
        tetrahedralize(g, options);
        FAIL() << "accepted, though it should speak of " << word;
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST(Tetrahedralize, BadInputIsRefusedWithARemedy) {
    expectRefused(Geometry{}, {}, "empty");
    TriMesh one;
    one.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    one.triangles = {{0, 1, 2}};
    expectRefused(geometryFromTriMesh(one), {}, "plane");
    Geometry nan = sphereGeometry(1);
    nan.positions[5][1] = std::nan("");
    expectRefused(nan, {}, "point 5");
    Geometry points = sphereGeometry(1);
    points.primitiveKind.assign(points.primitiveCount(), PrimitiveKind::kCurve);
    expectRefused(points, {}, "no polygons");
    TetrahedralizeOptions options;
    options.cellSize = -1;
    expectRefused(sphereGeometry(1), options, "cellSize");
    options = {};
    options.radiusEdgeRatio = 0.5;
    expectRefused(sphereGeometry(1), options, "radiusEdgeRatio");
    // Not flat, but enclosing nothing either.
    TriMesh sheet = one;
    sheet.positions.emplace_back(1, 1, 1e-6);
    sheet.triangles.push_back({1, 3, 2});
    expectRefused(geometryFromTriMesh(sheet), {}, "encloses next to nothing");
}

// what takes long is cut up: how often Escape is asked for grows with the mesh, in the transfer of attributes, too
TEST(Tetrahedralize, AsksForEscapeAllTheWay) {
    struct Counter : Monitor {
        double now = 0;
        std::map<double, int> polls;  // by the progress told last
        bool cancelled() override {
            ++polls[now];
            return false;
        }
        void progress(double fraction) override { now = fraction; }
    };
    Counter plain, painted;
    TetrahedralizeOptions options = withMethod(MeshingMethod::kLattice);
    options.targetTets = 60000;
    const TetrahedralizeResult r = tetrahedralize(sphereGeometry(), options, &plain);
    tetrahedralize(paintedSphere(), options, &painted);
    const auto looks = [](std::size_t elements) { return static_cast<int>(elements / 8192); };
    EXPECT_GE(painted.polls[0.9] - plain.polls[0.9], looks(r.mesh.tetCount()) + looks(r.mesh.vertexCount()));
    EXPECT_GT(looks(r.mesh.tetCount()), 5);
    for (Counter* c : {&plain, &painted}) {
        EXPECT_GT(c->polls[0.2], 20) << "lattice";
        EXPECT_GT(c->polls[0.7], 0) << "losses";
    }
}

TEST(Tetrahedralize, MethodNames) {
    EXPECT_EQ(meshingMethodFromName("lattice"), MeshingMethod::kLattice);
    EXPECT_STREQ(nameOf(MeshingMethod::kTetgen), "tetgen");
    EXPECT_THROW(meshingMethodFromName("latice"), Error);
}

}  // namespace
}  // namespace sunder
