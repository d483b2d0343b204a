#include <algorithm>

#include "core/base/random.h"
#include "core/fem/forces.h"
#include "tests/sim/struck_slab.h"

/// What a step warns of, and that it does not where all is well.
namespace sunder {

using namespace testing;

namespace {
constexpr const char* kUnsolved = "all forces were in balance";
constexpr const char* kInsideOut = "inside out";

bool has(const std::vector<std::string>& warnings, const std::string& text) {
    return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

/// All different warnings of a run, and how its books end.
struct Outcome {
    std::vector<std::string> warnings;
    EnergyBooks energy;
    double smallestDetF = 1;
    double unsolved = 0;  ///< largest share of the energy in a step
};

Outcome runAll(WorldState world, const StepSettings& settings, double duration, int count) {
    Outcome out;
    refreshEnergy(world, settings);
    run(world, settings, duration, count, [&](const StepReport& r) {
        for (const std::string& w : r.warnings)
            if (!has(out.warnings, w)) out.warnings.push_back(w);
        out.smallestDetF = std::min(out.smallestDetF, r.smallestDetF);
        const EnergyBooks& e = r.energy;
        out.unsolved = std::max(out.unsolved, std::abs(r.unsolvedLoss) / (e.mechanical() - e.gravity + std::abs(e.lost()) + std::abs(e.numerical)));
    });
    out.energy = world.energy;
    return out;
}

/// A heavy block that strikes a held slab which does not break.
WorldState struckElasticSlab() {
    Material material = slabMaterial();
    material.fracture = Fracture{};
    material.youngs = 5e8;
    return struckSlab(material);
}

StepSettings looseSettings(double tolerance) {
    StepSettings settings;
    settings.newtonTolerance = settings.linearTolerance = settings.contactTolerance = tolerance;
    return settings;
}

/// A cube that falls on its face.
WorldState crushedCube(const Plasticity& plasticity, ElasticLawId law) {
    Material material = elastic(1e5, 0.3, 1000, law);
    material.stiffnessDamping = 1e-3;
    material.plasticity = plasticity;
    WorldState world;
    addBody(world, makeBody(placed(makeBox(4, 4, 4, Vec3(0.5, 0.5, 0.5)), Vec3(0, 0.001, 0)), material));
    setMotion(world, 0, Vec3(0, -4, 0));
    addBody(world, makeBody(placed(makeBox(1, 1, 1, Vec3(0.1, 0.1, 0.1)), Vec3(0, 9, 0)), elastic(1e5, 0.3)));
    return world;
}

Outcome crush(const Plasticity& plasticity, ElasticLawId law) {
    StepSettings settings;
    settings.ground.enabled = true;
    return runAll(crushedCube(plasticity, law), settings, 0.2, 40);
}
}  // namespace

namespace {
/// A free cube whose vertices fly apart, and how much of what one step takes backward Euler takes of its own: E0 - E1 = 1/2 |v1 - v0|_M^2 + (W0 - W1 + grad W1 . way).
struct OneStep {
    StepReport report;
    double integrator = 0;
};

OneStep takeOneStep(ElasticLawId law, double speed, const StepSettings& settings) {
    WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), elastic(1e6, 0.3, 1000, law)));
    editState(world, [&](BodyState& s) {
        for (std::size_t i = 0; i < s.v.size(); ++i)
            for (int c = 0; c < 3; ++c) s.v[i][c] = randomRange(-speed, speed, 5, i, static_cast<std::uint64_t>(c));
    });
    const BodyState before = *world.bodies[0].state;
    refreshEnergy(world, settings);
    Workspace workspace;
    OneStep out;
    out.report = step(world, 5e-3, settings, workspace);
    const Body& body = *world.bodies[0].body;
    const BodyState& after = *world.bodies[0].state;
    ForceScratch scratch;
    std::vector<Vec3> force(after.x.size());
    const double end = computeForces(body.elements, after.x, {}, scratch, force).energy;
    out.integrator = computeEnergy(body.elements, before.x).energy - end;
    for (std::size_t i = 0; i < force.size(); ++i)
        out.integrator += 0.5 * body.mass[i] * (after.v[i] - before.v[i]).squaredNorm() - force[i].dot(after.x[i] - before.x[i]);
    figure("taken by the integrator", out.integrator, "J");
    figure("taken by what was not solved", out.report.unsolvedLoss, "J");
    return out;
}
}  // namespace

TEST(UnsolvedLoss, IsWhatTheIntegratorDidNotTake) {
    for (const double tolerance : {0.5, 1e-3}) {
        StepSettings settings = spaceSettings(Integrator::kImplicit);
        settings.newtonTolerance = settings.linearTolerance = tolerance;
        const OneStep one = takeOneStep(ElasticLawId::kNeoHookean, 4, settings);
        ASSERT_FALSE(one.report.failed);
        EXPECT_GT(std::abs(one.report.unsolvedLoss), 1e-9 * one.integrator);
        EXPECT_NEAR(one.report.energy.numerical, one.integrator + one.report.unsolvedLoss, 1e-10 * one.integrator);
    }
}

// So slow that the law is linear to a few millionths, and the single solve knows all but what it leaves.
TEST(UnsolvedLoss, OfASingleSolveIsWhatConjugateGradientsLeave) {
    for (const double tolerance : {0.5, 0.01}) {
        StepSettings settings = spaceSettings(Integrator::kImplicit);
        settings.oneSolve = true;
        settings.linearTolerance = tolerance;
        settings.linearSolver = LinearSolverKind::kCgJacobi;
        const OneStep one = takeOneStep(ElasticLawId::kGreen, 1e-4, settings);
        ASSERT_FALSE(one.report.failed);
        EXPECT_GT(std::abs(one.report.unsolvedLoss), 3e-5 * one.integrator);
        EXPECT_NEAR(one.report.energy.numerical, one.integrator + one.report.unsolvedLoss, 1e-5 * one.integrator);
    }
}

TEST(UnsolvedLoss, IsWarnedOfOnceWhereTolerancesAreLoose) {
    for (const double loose : {0.05, 0.9}) {
        const Outcome braked = runAll(struckElasticSlab(), looseSettings(loose), 0.05, 10);
        figure("loose: largest share in a step", braked.unsolved);
        ASSERT_EQ(braked.warnings.size(), 1u) << "the text is the same every time";
        EXPECT_TRUE(has(braked.warnings, kUnsolved));
        EXPECT_TRUE(has(braked.warnings, "smaller newtonTolerance and contactTolerance"));
    }
    for (const double tight : {1e-3, 0.03}) {
        const Outcome free = runAll(struckElasticSlab(), looseSettings(tight), 0.05, 10);
        figure("tight: largest share in a step", free.unsolved);
        EXPECT_TRUE(free.warnings.empty()) << free.warnings[0];
    }
}

// Backward Euler in long steps takes nearly all of what vibrates, but its solves are done.
TEST(UnsolvedLoss, OfTheIntegratorIsNotWarnedOf) {
    WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), elastic(1e6, 0.3)));
    editState(world, [](BodyState& s) {
        for (std::size_t i = 0; i < s.v.size(); ++i) s.v[i].x() = s.x[i].x() < 0.5 ? 1 : -1;
    });
    StepSettings settings = spaceSettings(Integrator::kImplicit);
    settings.newtonTolerance = settings.linearTolerance = 0.01;
    const Outcome out = runAll(world, settings, 0.5, 10);
    EXPECT_GT(out.energy.numerical, 0.8 * (out.energy.numerical + out.energy.mechanical()));
    EXPECT_TRUE(out.warnings.empty()) << out.warnings[0];
}

TEST(InsideOut, FlowThatLeavesNothingAgainstCollapseIsWarnedOf) {
    Plasticity additive;
    additive.law = PlasticLawId::kAdditive;
    additive.yield = 0.02;
    const Outcome crushed = crush(additive, ElasticLawId::kGreen);
    figure("additive on green, smallest det F", crushed.smallestDetF);
    EXPECT_LT(crushed.smallestDetF, 0);
    ASSERT_EQ(crushed.warnings.size(), 1u);
    EXPECT_TRUE(has(crushed.warnings, "body 'body0' are inside out"));
    EXPECT_TRUE(has(crushed.warnings, "multiplicative"));
    Plasticity multiplicative;
    multiplicative.law = PlasticLawId::kMultiplicative;
    multiplicative.yieldStress = 0.02 * 1e5;
    const Outcome sound = crush(multiplicative, ElasticLawId::kCorotated);
    figure("multiplicative on corotated, smallest det F", sound.smallestDetF);
    EXPECT_GT(sound.smallestDetF, 0);
    EXPECT_TRUE(sound.warnings.empty()) << sound.warnings[0];
}

TEST(InsideOut, ElasticBodiesAreToldOfLawsThatTurnThemBack) {
    const auto pressed = [](ElasticLawId law) {
        WorldState world = crushedCube({}, law);
        editState(world, [](BodyState& s) {
            for (std::size_t i = 0; i < s.v.size(); ++i) s.v[i] = -60 * (s.x[i] - Vec3(0.25, 0.25, 0.25)) + Vec3(randomRange(-20, 20, 5, i, 0), 0, 0);
        });
        return runAll(world, spaceSettings(Integrator::kExplicit), 0.02, 10);
    };
    for (const ElasticLawId law : {ElasticLawId::kGreen, ElasticLawId::kCorotated}) {
        const Outcome out = pressed(law);
        EXPECT_LT(out.smallestDetF, 0);
        ASSERT_EQ(out.warnings.size(), 1u);
        EXPECT_TRUE(has(out.warnings, kInsideOut));
        EXPECT_EQ(has(out.warnings, "use the law 'corotated'"), law == ElasticLawId::kGreen);
    }
    const Outcome barrier = pressed(ElasticLawId::kViscoelastic);
    EXPECT_GT(barrier.smallestDetF, 0);
    EXPECT_TRUE(barrier.warnings.empty()) << barrier.warnings[0];
}

}  // namespace sunder
