#include "core/meshing/lattice.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <ostream>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/meshing/lattice_stencil.h"
#include "core/meshing/surface_repair.h"
#include "core/meshing/tet_cleanup.h"
#include "core/meshing/tet_improve.h"
#include "tests/meshing/test_obj.h"
#include "tests/meshing/test_shapes.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::joined;
using testing::makeBoxSurface;
using testing::makeSphere;
constexpr double kDegree = M_PI / 180;

/// Farthest sample of the solid's surface from the half-winding surface, in cells: from a face of the input,
/// or where the input has a hole, from the place along the normal where the winding number passes one half.
double farthestFromHalfWinding(const LatticeMesh& lattice, const HalfWinding& solid) {
    const BoundarySurface skin = extractBoundary(lattice.mesh);
    const auto& x = lattice.mesh.rest;
    double farthest = 0;
    for (const Tri& t : skin.triangles)
        for (const Vec3& w : {Vec3(1, 1, 1), Vec3(4, 1, 1), Vec3(1, 4, 1), Vec3(1, 1, 4), Vec3(1, 0, 0),
                              Vec3(1, 1, 0), Vec3(0, 1, 1), Vec3(1, 0, 1)}) {
            const Vec3 p = (w[0] * x[t[0]] + w[1] * x[t[1]] + w[2] * x[t[2]]) / w.sum();
            const Vec3 n = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).normalized();
            double distance = std::sqrt(solid.tree().closest(p).distanceSq);
            for (double step = 0.02 * lattice.cellSize; step < distance; step += 0.02 * lattice.cellSize)
                if (solid.inside(p + step * n) != solid.inside(p - step * n)) distance = step;
            farthest = std::max(farthest, distance);
        }
    return farthest / lattice.cellSize;
}

void expectPromises(const TriMesh& surface, const LatticeOptions& options, double expectedVolume,
                    double volumeTolerance) {
    const HalfWinding solid(surface);
    const LatticeMesh lattice = meshLattice(surface, solid, options);
    ASSERT_NO_THROW(validate(lattice.mesh));
    const MeshQuality q = measureQuality(lattice.mesh);
    EXPECT_GE(q.smallestDihedral, 10.78 * kDegree);
    EXPECT_LE(q.largestDihedral, 164.75 * kDegree);
    EXPECT_LE(farthestFromHalfWinding(lattice, solid), 0.5);
    const testing::BoundaryCheck check = testing::checkBoundary(lattice.mesh);
    EXPECT_TRUE(check.closed);
    EXPECT_LT(check.volumeMismatch, 1e-10);
    EXPECT_NEAR(q.volume, expectedVolume, volumeTolerance * expectedVolume);
}

LatticeOptions cells(double size) {
    LatticeOptions options;
    options.cellSize = size;
    return options;
}

TEST(Lattice, SphereAtThreeSizes) {
    const TriMesh sphere = makeSphere(5, 1.0);
    const double volume = testing::enclosedVolume(sphere.positions, sphere.triangles);
    // Flat faces cut the ball short by a volume that falls with the square of the cell.
    for (const double cell : {0.3, 0.15, 0.075})
        expectPromises(sphere, cells(cell), volume, 0.6 * cell * cell);
}

TEST(Lattice, BoxThinRodAndOddAngle) {
    // Corners and edges are cut off: along 12 edges a prism of the order of a cell squared.
    expectPromises(makeBoxSurface(Vec3(0, 0, 0), Vec3(1, 1, 1)), cells(0.1), 1.0, 0.05);
    TriMesh rod = makeBoxSurface(Vec3(0, 0, 0), Vec3(4, 0.5, 0.5));
    const Eigen::AngleAxisd turn(0.7, Vec3(1, 2, 3).normalized());
    for (Vec3& p : rod.positions) p = turn * p;
    expectPromises(rod, cells(0.12), 1.0, 0.1);
}

struct Model {
    const char* name;
    double volume;  ///< of the closed models; of the others the winding number's own estimate is taken
};
void PrintTo(const Model& m, std::ostream* out) { *out << m.name; }

class LatticeOfModel : public ::testing::TestWithParam<Model> {};

TEST_P(LatticeOfModel, KeepsItsPromises) {
    const std::string path = testing::modelPath(std::string(GetParam().name) + ".obj");
    if (path.empty()) GTEST_SKIP() << "the models are absent";
    const TriMesh surface = repairSurface(testing::loadObj(path)).mesh;
    const double volume =
        GetParam().volume > 0 ? GetParam().volume : HalfWinding(surface).estimateVolume(50000);
    LatticeOptions options;
    options.targetTets = 10000;
    // Ears, horns and hooves thinner than a cell are lost at this size: a few parts in a hundred.
    expectPromises(surface, options, volume, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Models, LatticeOfModel,
                         ::testing::Values(Model{"spot", 0.718259}, Model{"cow", 53.5674},
                                           Model{"rocker-arm", 0.0425136}, Model{"stanford-bunny", 0},
                                           Model{"teapot", 0}, Model{"suzanne", 0}));

TEST(Lattice, StencilsKeepTheirAnglesForAnySigns) {
    // A random field on the lattice: every stencil, every warp, far more of the awkward ones than a smooth
    // surface has.
    TriMesh soup;
    for (std::uint64_t i = 0; i < 60; ++i) {
        const auto r = [&](int d) { return randomRange(-1, 1, 21, i, d); };
        TriMesh ball = makeSphere(1, 0.12 + 0.05 * r(3));
        for (Vec3& p : ball.positions) p += Vec3(r(0), r(1), r(2));
        soup = joined(soup, ball);
    }
    const HalfWinding solid(soup);
    const LatticeMesh lattice = meshLattice(soup, solid, cells(0.11));
    validate(lattice.mesh);
    EXPECT_GE(measureQuality(lattice.mesh).smallestDihedral, 10.78 * kDegree);
    EXPECT_TRUE(testing::checkBoundary(lattice.mesh).closed);
    EXPECT_LT(testing::checkBoundary(lattice.mesh).volumeMismatch, 1e-10);
}

TEST(Lattice, InsideOutCountsByAmount) {
    const TriMesh sphere = makeSphere(3, 1.0), turned = testing::reversed(sphere);
    const HalfWinding a(sphere), b(turned);
    const LatticeMesh one = meshLattice(sphere, a, cells(0.2)), other = meshLattice(turned, b, cells(0.2));
    EXPECT_EQ(one.mesh.tets, other.mesh.tets);
}

TEST(Lattice, BridgesAHoleAndNamesIt) {
    TriMesh sphere = makeSphere(4, 1.0);
    auto& triangles = sphere.triangles;
    triangles.erase(std::remove_if(triangles.begin(), triangles.end(),
                                   [&](const Tri& t) { return sphere.positions[t[0]][2] > 0.9; }),
                    triangles.end());
    const HalfWinding solid(sphere);
    const LatticeMesh lattice = meshLattice(sphere, solid, cells(0.15));
    EXPECT_LE(farthestFromHalfWinding(lattice, solid), 0.5);
    const LatticeLosses losses = findLosses(sphere, solid, lattice.mesh, 0.075);
    ASSERT_EQ(losses.closedHoles.size(), 1u);
    EXPECT_GT(losses.closedHoles[0].size(), 10u);
    for (const std::int32_t v : losses.closedHoles[0]) EXPECT_GT(sphere.positions[v][2], 0.7);
    EXPECT_TRUE(losses.buried.empty());
}

TEST(Lattice, NamesWhatIsLostAndWhatIsBuried) {
    const TriMesh ball = makeSphere(3, 1.0);
    const TriMesh needle = makeBoxSurface(Vec3(0.5, -0.01, -0.01), Vec3(2, 0.01, 0.01)),
                  core = makeSphere(1, 0.3);
    const TriMesh all = joined(joined(ball, needle), core);
    const HalfWinding solid(all);
    const LatticeMesh lattice = meshLattice(all, solid, cells(0.2));
    const LatticeLosses losses = findLosses(all, solid, lattice.mesh, 0.1);
    const auto ballEnd = static_cast<std::int32_t>(ball.triangleCount()), needleEnd = ballEnd + 12;
    ASSERT_FALSE(losses.lost.empty());
    for (const std::int32_t t : losses.lost) EXPECT_TRUE(t >= ballEnd && t < needleEnd) << t;
    EXPECT_EQ(losses.buried.size(),
              core.triangleCount() + 2);  // the core, and the needle's end cap inside the ball
    for (const std::int32_t t : losses.buried) EXPECT_GE(t, ballEnd);
}

TEST(Lattice, DropsDustButKeepsSmallShells) {
    const TriMesh ball = makeSphere(3, 1.0);
    TriMesh crumb = makeSphere(2, 0.12);
    for (Vec3& p : crumb.positions) p += Vec3(1.5, 0, 0);
    const TriMesh both = joined(ball, crumb);
    const HalfWinding solid(both);
    EXPECT_EQ(meshLattice(both, solid, cells(0.15)).removedPieces, 0);
    LatticeOptions strict = cells(0.15);
    strict.minComponentVolume = 0.1;
    const LatticeMesh lattice = meshLattice(both, solid, strict);
    EXPECT_EQ(lattice.removedPieces, 1);
    EXPECT_EQ(measurePieces(lattice.mesh).size(), 1u);
    EXPECT_GT(lattice.removedVolume, 0);
}

TEST(Lattice, TargetCountIsMetRoughly) {
    const TriMesh sphere = makeSphere(4, 1.0);
    const HalfWinding solid(sphere);
    for (const int target : {2000, 20000, 100000}) {
        LatticeOptions options;
        options.targetTets = target;
        const auto count = static_cast<double>(meshLattice(sphere, solid, options).mesh.tetCount());
        EXPECT_NEAR(count / target, 1, 0.25) << target;
    }
}

TEST(Lattice, SameBytesForAnyThreadCount) {
    const TriMesh sphere = makeSphere(4, 1.0);
    const HalfWinding reference(sphere);
    const LatticeMesh expected = meshLattice(sphere, reference, cells(0.1));
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        const HalfWinding solid(sphere);
        const LatticeMesh lattice = meshLattice(sphere, solid, cells(0.1));
        ASSERT_EQ(lattice.mesh.tets, expected.mesh.tets);
        ASSERT_EQ(std::memcmp(lattice.mesh.rest.data(), expected.mesh.rest.data(),
                              expected.mesh.vertexCount() * sizeof(Vec3)),
                  0);
    }
    setThreadCount(0);
}

TEST(Lattice, RefusesEmptySolidsAndHugeGrids) {
    TriMesh sheet;
    sheet.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 1e-6)};
    sheet.triangles = {{0, 1, 2}, {1, 3, 2}};
    const HalfWinding solid(sheet);
    EXPECT_THROW(meshLattice(sheet, solid, {}), Error);
    const TriMesh sphere = makeSphere(2, 1.0);
    const HalfWinding ball(sphere);
    EXPECT_THROW(meshLattice(sphere, ball, cells(1e-5)), Error);
}

TEST(Lattice, StopsWhenAsked) {
    struct : Monitor {
        int polls = 0;
        bool cancelled() override { return ++polls > 3; }
    } monitor;
    const TriMesh sphere = makeSphere(3, 1.0);
    const HalfWinding solid(sphere);
    EXPECT_THROW(meshLattice(sphere, solid, cells(0.05), &monitor), Cancelled);
}

TEST(TetCleanup, PinchedPartsComeApart) {
    // Two tets that share an edge, two more that share a vertex.
    TetMesh mesh;
    mesh.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, -1, 0), Vec3(0, -1, -1)};
    mesh.tets = {{0, 1, 2, 3}, {0, 1, 5, 4}};
    if (restVolume(mesh, 1) < 0) std::swap(mesh.tets[1][2], mesh.tets[1][3]);
    std::vector<std::int32_t> parents;
    EXPECT_EQ(splitPinchedVertices(mesh, &parents), 2u);
    EXPECT_EQ(parents, (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(measurePieces(mesh).size(), 2u);
    TetMesh box = testing::makeBox(2, 2, 2, Vec3(1, 1, 1));
    EXPECT_EQ(splitPinchedVertices(box), 0u);
}

}  // namespace
}  // namespace sunder
