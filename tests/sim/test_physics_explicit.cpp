#include "tests/sim/physics_fixture.h"

/// The explicit step's bounds: nothing may grow, and nothing may have to be taken back, where theory says
/// that it is stable.
namespace sunder {

using namespace testing;

// The bound is 2 / omega (sqrt(1 + r^2) - r) with r = damping rate / omega, from the eigenvalue -1 of the
// step's matrix: a step that is a little below it is stable and one a little above is not, at any damping.
TEST(ExplicitStep, StaysStableAtAnyDamping) {
    for (const double damping : {0.0, 1e-4, 1e-3, 1e-2, 1e-1}) {
        Material material = elastic(
            1e5, 0, 1000, ElasticLawId::kGreen);  // without lambda the element bound is exact for one tet
        material.stiffnessDamping = damping;
        TetMesh mesh;
        mesh.rest = {{0, 0, 0}, {0.5, 0, 0}, {0.1, 0.4, 0}, {0, 0.1, 0.3}};
        mesh.tets = {{0, 1, 2, 3}};
        WorldState world = makeWorld(makeBody(std::move(mesh), material));
        editState(world, [](BodyState& s) {
            for (Vec3& x : s.x) x.x() *= 1.01;
        });
        const double before = elasticEnergyOf(world);
        StepSettings settings = spaceSettings(Integrator::kExplicit);
        settings.courant = 0.98;
        settings.energyTolerance =
            10;  // near the limit the energy of a stable mode swings by more than any tolerance
        int rejected = 0;
        double largest = 0;
        run(world, settings, 0.2, 4, [&](const StepReport& r) {
            rejected += r.rejected;
            largest = std::max(largest, r.energy.kinetic + r.energy.elastic);
        });
        EXPECT_EQ(rejected, 0) << damping;
        EXPECT_LE(largest, 1.01 * before) << damping;
    }
}

// A block that is let go squashed to half or less of its length. Without a bound that follows the shape,
// `viscoelastic` gains many times its energy. The watch shortens steps in proportion once the gain passes
// energyTolerance (2 percent), which holds it to a few times that.
TEST(ExplicitStep, ViolentMotionGainsLittleEnergy) {
    for (const ElasticLaw& law : elasticLaws())
        for (const double squash : {0.7, 0.5, 0.35})
            for (const int n : {2, 6}) {
                WorldState world =
                    makeWorld(makeBody(makeBox(n, n, n, Vec3(1, 1, 1)), elastic(1e5, 0.3, 1000, law.id)));
                editState(world, [&](BodyState& s) {
                    for (Vec3& x : s.x) x.x() *= squash;
                });
                const double before = elasticEnergyOf(world);
                double most = 0, least = 1e300;
                int steps = 0;
                run(world, spaceSettings(Integrator::kExplicit), 2, 48, [&](const StepReport& r) {
                    most = std::max(most, (r.energy.kinetic + r.energy.elastic) / before);
                    least = std::min(least, (r.energy.kinetic + r.energy.elastic) / before);
                    steps += r.steps;
                    EXPECT_NEAR(r.energy.numerical, before - r.energy.mechanical(),
                                1e-9 * before);  // it is in the books
                });
                EXPECT_LT(most, 1.1) << law.name << " " << squash << " " << n;
                EXPECT_GT(least, 0.85) << law.name << " " << squash << " " << n;
                if (squash == 0.5)
                    figure(std::string("most energy, ") + law.name + ", cells " + std::to_string(n), most);
            }
}

}  // namespace sunder
