#include "core/fem/sparse_system.h"
#include "core/solve/linear_solver.h"
#include "tests/sim/beam_theory.h"
#include "tests/sim/physics_fixture.h"

/// A cantilever of 5 x 1 x 0.5 m, clamped at x = 0, under an end load along y, against Timoshenko's beam.
namespace sunder {

using namespace testing;

namespace {
Beam cantileverTheory(double poisson) { return {5, 1, 0.5, 1e6, poisson, 1000}; }

/// The clamped beam with `cells` cubes over its height. The load of `load` N is spread over the end face by
/// the face's area shares.
Body makeCantilever(int cells, double poisson, double load) {
    const Beam theory = cantileverTheory(poisson);
    Body body =
        makeBody(makeBox(5 * cells, cells, cells / 2, Vec3(theory.length, theory.height, theory.width)),
                 elastic(theory.youngs, poisson));
    pinWhere(body, [](const Vec3& p) { return p.x() == 0; });
    body.force.assign(body.mesh.vertexCount(), Vec3::Zero());
    const double cell = theory.height / cells;
    for (std::size_t i = 0; i < body.force.size(); ++i) {
        const Vec3& p = body.mesh.rest[i];
        if (p.x() < theory.length) continue;
        const double y = p.y() == 0 || p.y() == theory.height ? 0.5 : 1,
                     z = p.z() == 0 || p.z() == theory.width ? 0.5 : 1;
        body.force[i].y() = load * y * z * cell * cell / theory.area();
    }
    return body;
}

/// Mean displacement of the end face along y, weighted with the load.
double tipDisplacement(const Body& body, Span<const Vec3> u) {
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        sum += body.force[i].y() * u[i].y();
        weight += body.force[i].y();
    }
    return sum / weight;
}

/// K u = f with the stiffness at rest.
double staticTip(int cells, double poisson) {
    const auto body = buildBody(makeCantilever(cells, poisson, 1));
    const SparsePattern pattern = buildSparsePattern(body->elements);
    BlockMatrix matrix;
    matrix.pattern = &pattern;
    AssembleScratch scratch;
    assembleStiffness(body->elements, body->mesh.rest, {}, {}, scratch, matrix);
    std::vector<std::uint8_t> fixed(body->mesh.vertexCount(), 0);
    for (const std::int32_t i : body->constraints.hard[0].vertices) fixed[static_cast<std::size_t>(i)] = 1;
    const auto solver = makeDirectSolver();
    EXPECT_TRUE(solver->factor(matrix, fixed));
    std::vector<Vec3> u(body->mesh.vertexCount(), Vec3::Zero());
    LinearSettings settings;
    settings.tolerance = 1e-8;
    const LinearReport report = solver->solve(body->force, u, settings);
    EXPECT_TRUE(report.converged) << report.message;
    return tipDisplacement(*body, u);
}
}  // namespace

// Galerkin: the compliance error of linear tets falls with the square of the cell, as share C h^2 / (1 + C
// h^2). The order is read off the stiffness (one over the tip), where that does not saturate; the corners of
// the clamped face, where the stress is singular, keep it a little below 2. Poisson's contraction, held back
// at the clamp, which beam theory does not know, makes the limit stiffer than theory by about (height /
// length)^2 nu^2 / 10.
TEST(Cantilever, ConvergesToBeamTheory) {
    const double exact = cantileverTheory(0.3).tipDeflection(1);
    double tip[4];
    for (int k = 0; k < 4; ++k) {
        tip[k] = staticTip(2 << k, 0.3) / exact;
        figure("tip share of theory, cells " + std::to_string(2 << k), tip[k]);
    }
    const double order = std::log2((1 / tip[1] - 1 / tip[2]) / (1 / tip[2] - 1 / tip[3]));
    const double limit = 1 / (1 / tip[3] - (1 / tip[2] - 1 / tip[3]) / (std::pow(2, order) - 1));
    figure("observed order, stiffness", order);
    figure("observed order, tip", std::log2((tip[2] - tip[1]) / (tip[3] - tip[2])));
    figure("extrapolated share of theory", limit);
    for (int k = 0; k < 3; ++k) EXPECT_LT(tip[k], tip[k + 1]);  // Galerkin is too stiff on every mesh
    EXPECT_NEAR(order, 2, 0.25);
    EXPECT_NEAR(tip[3], 1, 0.03);
    EXPECT_NEAR(limit, 1, 0.01);
}

// The stepper's own rest state under the same load: backward Euler with steps far longer than any period
// falls into equilibrium. At 1e-4 of the length the geometry is linear to about the square of that.
TEST(Cantilever, StepperSettlesWhereTheStaticSolveDoes) {
    for (const ElasticLaw& law : elasticLaws()) {
        const double load = 1e-4 * 5 / cantileverTheory(0.3).tipDeflection(1);
        Body body = makeCantilever(4, 0.3, load);
        body.materials[0].law = law.id;
        WorldState world = makeWorld(std::move(body));
        StepSettings settings = spaceSettings(Integrator::kImplicit);
        settings.newtonTolerance = 1e-9;
        run(world, settings, 3e4, 3);
        std::vector<Vec3> u = world.bodies[0].state->x;
        for (std::size_t i = 0; i < u.size(); ++i) u[i] -= world.bodies[0].body->mesh.rest[i];
        EXPECT_NEAR(tipDisplacement(*world.bodies[0].body, u) / (load * staticTip(4, 0.3)), 1, 1e-5)
            << law.name;
    }
}

// Linear tets of nearly incompressible material lock in bending: a tet can only bend by changing its volume,
// at a cost that grows with lambda. The more so the nearer Poisson's ratio is to a half; refinement still
// leads to beam theory, but over ever smaller cells. docs/validation.md has the figures.
TEST(Cantilever, NearlyIncompressibleLocksByHowMuch) {
    double coarser[3] = {1, 1, 1};  // shares at the ratio before, by mesh
    for (const double poisson : {0.4, 0.45, 0.49, 0.499}) {
        double before = 0;
        for (int k = 0; k < 3; ++k) {
            const int cells = 4 << k;
            const double share = staticTip(cells, poisson) / cantileverTheory(poisson).tipDeflection(1);
            figure("tip share of theory, poisson " + std::to_string(poisson).substr(0, 5) + ", cells " +
                       std::to_string(cells),
                   share);
            EXPECT_LT(share, 1);           // too stiff, never too soft
            EXPECT_LT(share, coarser[k]);  // locks the more, the nearer to a half
            EXPECT_GT(share, before);      // and the less, the finer
            before = coarser[k] = share;
        }
    }
}

}  // namespace sunder
