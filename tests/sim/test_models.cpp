#include <gtest/gtest.h>

#include <iostream>

#include "core/io/geometry_io.h"
#include "core/meshing/tetrahedralize.h"
#include "tests/sim/sim_fixture.h"

namespace sunder {

using namespace testing;

namespace {
/// As an artist would drop a model in: any size and place, made of soft rubber, on the ground below it.
WorldState makeDroppedModel(const TetMesh& mesh, StepSettings& settings) {
    Vec3 low = mesh.rest[0], high = low;
    for (const Vec3& p : mesh.rest) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    Material material;
    material.name = "soft";
    material.law = ElasticLawId::kNeoHookean;
    material.density = 1000;
    const double size = (high - low).norm();
    // so soft that the model sags visibly under its own weight, whatever its size
    material.youngs = 50 * material.density * 9.81 * size;
    material.poisson = 0.4;
    material.stiffnessDamping = 1e-3;
    settings.ground.enabled = true;
    settings.ground.point.y() = low.y() - 0.05 * size;
    return makeWorld(makeBody(mesh, material));
}
}  // namespace

class Models : public ::testing::TestWithParam<const char*> {};

TEST_P(Models, MeshesByAutoAndSimulates24FramesWithoutAnInvertedTet) {
    const std::string path = modelPath(GetParam());
    if (path.empty()) GTEST_SKIP() << "../shared/models/" << GetParam() << " is not there";
    TetrahedralizeOptions options;
    options.targetTets = 6000;
    const TetrahedralizeResult meshed = tetrahedralize(readGeometry(path), options);
    validate(meshed.mesh);
    StepSettings settings;
    settings.newtonTolerance = 1e-3;  // what a preview needs; the question here is whether a tet turns over
    settings.linearTolerance = 1e-3;
    WorldState world = makeDroppedModel(meshed.mesh, settings);
    Workspace workspace;
    double smallest = 1;
    for (int frame = 1; frame <= 24; ++frame) {
        const StepReport report = step(world, 1.0 / 24, settings, workspace);
        ASSERT_FALSE(report.failed) << report.message;
        ASSERT_GT(report.smallestDetF, 0) << "frame " << frame;
        smallest = std::min(smallest, report.smallestDetF);
    }
    std::cout << GetParam() << ": " << nameOf(meshed.method) << ", " << meshed.mesh.tetCount() << " tets, smallest det F " << smallest << "\n";
}

INSTANTIATE_TEST_SUITE_P(All, Models,
                         ::testing::Values("spot.obj", "cow.obj", "stanford-bunny.obj", "teapot.obj", "suzanne.obj", "rocker-arm.obj"));

}  // namespace sunder
