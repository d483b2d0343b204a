#include "core/meshing/tetgen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/timer.h"
#include "core/meshing/tet_improve.h"
#include "core/surface/boundary_surface.h"
#include "tests/meshing/test_obj.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::makeBoxSurface;
using testing::makeSphere;

#define REQUIRE_TETGEN() \
    if (!tetgenAvailable()) GTEST_SKIP() << "built without TetGen"

double meanEdge(const TetMesh& mesh, bool (*where)(const Vec3&)) {
    double sum = 0;
    int count = 0;
    for (const Tet& t : mesh.tets)
        for (const auto& e : kTetEdges) {
            const Vec3 &a = mesh.rest[t[e[0]]], &b = mesh.rest[t[e[1]]];
            if (!where(0.5 * (a + b))) continue;
            sum += (a - b).norm();
            ++count;
        }
    return sum / count;
}

TEST(Tetgen, KeepsTheBoundaryToTheBit) {
    REQUIRE_TETGEN();
    const TriMesh sphere = makeSphere(3, 1.0);
    const TetMesh mesh = meshTetgen(sphere, {});
    validate(mesh);
    const BoundarySurface skin = extractBoundary(mesh);
    EXPECT_EQ(skin.triangles.size(), sphere.triangleCount());
    ASSERT_EQ(skin.vertices.size(), sphere.vertexCount());
    for (std::size_t v = 0; v < sphere.vertexCount(); ++v) EXPECT_EQ(mesh.rest[v], sphere.positions[v]);
    EXPECT_NEAR(measureQuality(mesh).volume, testing::enclosedVolume(sphere.positions, sphere.triangles),
                1e-12);
}

TEST(Tetgen, RefinedBoundaryHasMoreVerticesAndTheSameVolume) {
    REQUIRE_TETGEN();
    TetgenOptions options;
    options.keepBoundary = false;
    options.maxVolume = 1e-3;
    const TetMesh mesh = meshTetgen(makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1)), options);
    EXPECT_GT(extractBoundary(mesh).vertices.size(), 100u);
    EXPECT_NEAR(measureQuality(mesh).volume, 1, 1e-12);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) ASSERT_LE(restVolume(mesh, t), 1e-3 * (1 + 1e-9));
}

TEST(Tetgen, SmallVolumeLimitIsUnderstood) {
    REQUIRE_TETGEN();
    TetgenOptions options;
    options.keepBoundary = false;
    options.maxVolume = 2e-10;  // is written with an exponent
    const TetMesh mesh = meshTetgen(makeBoxSurface(Vec3(0, 0, 0), Vec3(0.01, 0.01, 0.01)), options);
    EXPECT_GT(mesh.tetCount(), 5000u);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) ASSERT_LE(restVolume(mesh, t), 2e-10 * (1 + 1e-9));
}

TEST(Tetgen, SizesFollowTheField) {
    REQUIRE_TETGEN();
    const TriMesh sphere = makeSphere(2, 1.0);
    TetgenOptions options;
    options.keepBoundary = false;
    for (const Vec3& p : sphere.positions) options.sizes.push_back(p[0] < 0 ? 0.1 : 0.4);
    const TetMesh mesh = meshTetgen(sphere, options);
    const double fine = meanEdge(mesh, [](const Vec3& p) { return p[0] < -0.5; });
    const double coarse = meanEdge(mesh, [](const Vec3& p) { return p[0] > 0.5; });
    // Sizes are upper bounds met within the factor of two that splitting an edge leaves.
    EXPECT_LT(fine, 0.15);
    EXPECT_GT(fine, 0.05);
    EXPECT_GT(coarse, 0.2);
    EXPECT_LT(coarse, 0.6);
    // Halving the field everywhere halves the edges.
    TetgenOptions half = options;
    for (double& s : half.sizes) s *= 0.5;
    const double halved = meanEdge(meshTetgen(sphere, half), [](const Vec3& p) { return p[0] < -0.5; });
    EXPECT_NEAR(halved / fine, 0.5, 0.1);
}

TEST(Tetgen, CleanModels) {
    REQUIRE_TETGEN();
    for (const char* name : {"spot", "rocker-arm"}) {
        const std::string path = testing::modelPath(std::string(name) + ".obj");
        if (path.empty()) GTEST_SKIP() << "the models are absent";
        const TriMesh surface = triMeshFromGeometry(testing::loadObj(path));
        const TetMesh mesh = meshTetgen(surface, {});
        validate(mesh);
        const double volume = testing::enclosedVolume(surface.positions, surface.triangles);
        EXPECT_NEAR(measureQuality(mesh).volume, volume, 1e-10 * volume);
        EXPECT_EQ(extractBoundary(mesh).triangles.size(), surface.triangleCount());
    }
}

/// Crossing shells make TetGen stop or crash; either way the host gets an Error.
TEST(Tetgen, TroubleBecomesAnError) {
    REQUIRE_TETGEN();
    EXPECT_THROW(meshTetgen(testing::joined(makeSphere(2, 1.0),
                                            makeBoxSurface(Vec3(0.5, -0.3, -0.2), Vec3(2, 0.2, 0.2))),
                            {}),
                 Error);
    const std::string cow = testing::modelPath("cow.obj");
    if (cow.empty()) GTEST_SKIP() << "the models are absent";
    EXPECT_THROW(meshTetgen(triMeshFromGeometry(testing::loadObj(cow)), {}), Error);
}

TEST(Tetgen, HelperThatFailsBecomesAnError) {
    TetgenOptions options;
    options.helperPath = "/bin/false";
    EXPECT_THROW(meshTetgen(makeSphere(1, 1.0), options), Error);
    options.helperPath = "/bin/true";  // ends well but says nothing
    EXPECT_THROW(meshTetgen(makeSphere(1, 1.0), options), Error);
    options.helperPath = "/nonexistent";
    EXPECT_THROW(meshTetgen(makeSphere(1, 1.0), options), Error);
}

TEST(Tetgen, MemoryLimitBecomesAnError) {
    REQUIRE_TETGEN();
    TetgenOptions options;
    options.maxVolume = 1e-6;
    options.memoryLimit = 60e6;
    EXPECT_THROW(meshTetgen(makeSphere(3, 1.0), options), Error);
}

TEST(Tetgen, TimeLimitBecomesAnError) {
    REQUIRE_TETGEN();
    TetgenOptions options;
    options.maxVolume = 1e-8;
    options.timeLimit = 0.3;
    const Timer timer;
    try {
        meshTetgen(makeSphere(3, 1.0), options);
        FAIL() << "it should not have ended";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("longer than"), std::string::npos) << error.what();
    }
    EXPECT_LT(timer.seconds(), 1.3);
}

TEST(Tetgen, CancellationEndsTheHelperWithinASecond) {
    REQUIRE_TETGEN();
    struct : Monitor {
        Timer timer;
        double asked = 0;
        bool cancelled() override {
            if (timer.seconds() < 0.3) return false;
            if (asked == 0) asked = timer.seconds();
            return true;
        }
    } monitor;
    TetgenOptions options;
    options.maxVolume = 1e-8;  // would take minutes
    EXPECT_THROW(meshTetgen(makeSphere(3, 1.0), options, &monitor), Cancelled);
    EXPECT_LT(monitor.timer.seconds() - monitor.asked, 1.0);
}

TEST(Tetgen, HelperIsFoundThroughTheVariable) {
    setenv("SUNDER_TETGEN_HELPER", "/bin/false", 1);
    EXPECT_EQ(findTetgenHelper(), "/bin/false");
    unsetenv("SUNDER_TETGEN_HELPER");
    EXPECT_EQ(findTetgenHelper("/bin/true"), "/bin/true");
}

TEST(Tetgen, CanBeSwitchedOff) {
    setenv("SUNDER_TETGEN_HELPER", "none", 1);
    EXPECT_FALSE(tetgenAvailable());
    EXPECT_THROW(findTetgenHelper(), Error);
    EXPECT_EQ(findTetgenHelper("/bin/true"), "/bin/true");
    unsetenv("SUNDER_TETGEN_HELPER");
}

}  // namespace
}  // namespace sunder
