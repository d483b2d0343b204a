#include "tests/sim/beam_theory.h"
#include "tests/sim/physics_fixture.h"

/// What a free body has to keep: momentum, angular momentum, energy.
namespace sunder {

using namespace testing;

namespace {
/// Spin about an axis through the middle of `size`, and drift.
void setSpinning(WorldState& world, const Vec3& spin, const Vec3& drift) {
    const Vec3 centre = massCentre(world.bodies[0]);
    editState(world, [&](BodyState& s) {
        for (std::size_t i = 0; i < s.x.size(); ++i) s.v[i] = drift + spin.cross(s.x[i] - centre);
    });
}
}  // namespace

TEST(Conservation, SpinningBodyKeepsItsMomentaOverTenThousandExplicitSteps) {
    double worstLinear = 0, worstAngular = 0;
    for (const ElasticLaw& law : elasticLaws())
        for (const double damping : {0.0, 1e-3}) {
            Material material = elastic(1e5, 0.3, 1000, law.id);
            material.stiffnessDamping = damping;
            TetMesh mesh = makeBox(3, 2, 2, Vec3(1, 0.5, 0.4));
            jitter(mesh, 0.1, 7);
            WorldState world = makeWorld(makeBody(std::move(mesh), material));
            setSpinning(world, Vec3(1, 2, 3), Vec3(0.3, -0.2, 0.5));
            editState(world, [](BodyState& s) {
                for (Vec3& x : s.x) x.x() *= 1.05;
            });
            const Momenta before = momenta(world);
            int steps = 0;
            run(world, spaceSettings(Integrator::kExplicit), 100, 100,
                [&](const StepReport& r) { steps += r.steps; });
            const Momenta after = momenta(world);
            EXPECT_GE(steps, 10000) << law.name;
            const double linear = (after.linear - before.linear).norm() / before.linearScale;
            const double angular = (after.angular - before.angular).norm() / before.angularScale;
            EXPECT_LE(linear, 1e-10) << law.name;
            EXPECT_LE(angular, 1e-10) << law.name;
            worstLinear = std::max(worstLinear, linear);
            worstAngular = std::max(worstAngular, angular);
        }
    figure("linear momentum drift", worstLinear);
    figure("angular momentum drift", worstAngular);
}

namespace {
/// A bar of 1 x 0.1 x 0.1 m, let go bent in its first bending shape by 5 percent of its length and spinning.
WorldState makeRingingBar(ElasticLawId law) {
    const Beam bar{1, 0.1, 0.1, 1e5, 0.3, 1000};
    WorldState world = makeWorld(makeBody(makeBox(10, 1, 1, Vec3(bar.length, bar.height, bar.width)),
                                          elastic(bar.youngs, bar.poisson, 1000, law)));
    setSpinning(world, Vec3(0, 0.5, 2), Vec3::Zero());
    editState(world, [&](BodyState& s) {
        for (Vec3& x : s.x) {
            const double share = x.x() / bar.length;
            x.x() += 0.05 * (0.5 * bar.height - x.y()) * Beam::bendingSlope(share) / bar.length;
            x.y() += 0.05 * Beam::bendingShape(share);
        }
    });
    return world;
}
}  // namespace

TEST(Conservation, SpinningBarInItsFirstBendingModeKeepsItsEnergy) {
    for (const ElasticLawId law : {ElasticLawId::kGreen, ElasticLawId::kCorotated, ElasticLawId::kNeoHookean,
                                   ElasticLawId::kViscoelastic})
        for (const Integrator integrator :
             {Integrator::kExplicit, Integrator::kNewmark, Integrator::kRkf45}) {
            WorldState world = makeRingingBar(law);
            StepSettings settings = spaceSettings(integrator);
            settings.courant = 0.1;
            settings.errorTolerance = 1e-7;
            const int frames = integrator == Integrator::kNewmark ? 20000 : 500;
            const double start = kineticEnergyOf(world) + elasticEnergyOf(world);
            double worst = 0, last = 0, longest = 0;
            long steps = 0;
            run(world, settings, 10, frames, [&](const StepReport& r) {
                last = r.energy.kinetic + r.energy.elastic;
                worst = std::max(worst, std::abs(last / start - 1));
                longest = std::max(longest, r.largestStep);
                steps += r.steps;
            });
            const std::string label = std::string(name(integrator)) + ", " + elasticLaw(law).name;
            figure("largest energy error, " + label, worst);
            figure("energy error at the end, " + label, last / start - 1);
            figure("largest step, " + label, longest, "s");
            figure("steps, " + label, static_cast<double>(steps));
            EXPECT_LE(worst, 1e-3) << label;
            if (integrator == Integrator::kNewmark) {
                EXPECT_EQ(steps, frames) << label;  // the step that is stated is the one that is taken
            }
        }
}

}  // namespace sunder
