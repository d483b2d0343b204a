#include <limits>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/sim/physics_fixture.h"

/// What a step says of itself, what it refuses, and that it never lets `viscoelastic` through zero volume.
namespace sunder {

using namespace testing;

namespace {
constexpr Integrator kAll[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark, Integrator::kRkf45};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

WorldState makeFallingBox(ElasticLawId law) {
    Body body = makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), elastic(1e5, 0.3, 1000, law));
    pinWhere(body, [](const Vec3& p) { return p.y() == 1; });
    return makeWorld(std::move(body));
}

std::string refusal(const StepSettings& settings, double duration = 0.01) {
    WorldState world = makeFallingBox(ElasticLawId::kCorotated);
    Workspace workspace;
    try {
        step(world, duration, settings, workspace);
    } catch (const Error& e) {
        EXPECT_FALSE(e.remedy().empty()) << e.what();
        EXPECT_EQ(world.time, 0);
        return e.what();
    }
    return {};
}
}  // namespace

TEST(StepReport, CountsWhatWasDone) {
    for (const Integrator integrator : kAll)
        for (const LinearSolverKind solver :
             {LinearSolverKind::kAuto, LinearSolverKind::kCgJacobi, LinearSolverKind::kCgIncompleteCholesky, LinearSolverKind::kCholmod}) {
            WorldState world = makeFallingBox(ElasticLawId::kNeoHookean);
            StepSettings settings;
            settings.integrator = integrator;
            settings.linearSolver = solver;
            settings.substeps = 3;
            std::uint64_t steps = 0;
            run(world, settings, 0.5, 12, [&](const StepReport& r) {
                steps += static_cast<std::uint64_t>(r.steps);
                EXPECT_FALSE(r.failed);
                EXPECT_TRUE(r.message.empty()) << r.message;
                EXPECT_TRUE(r.warnings.empty()) << r.warnings[0];
                EXPECT_GT(r.smallestStep, 0);
                EXPECT_LE(r.smallestStep, r.largestStep);
                EXPECT_LE(r.largestStep, 0.5 / 12 * (1 + 1e-12));
                EXPECT_GE(r.steps * r.largestStep, 0.5 / 12 * (1 - 1e-9));
                EXPECT_GT(r.smallestDetF, 0.5);
                EXPECT_LT(r.smallestDetF, 1.1);
                EXPECT_GE(r.totalSeconds, r.assembleSeconds + r.solveSeconds + r.forceSeconds);
                const bool isImplicit = integrator == Integrator::kImplicit || integrator == Integrator::kNewmark;
                if (isImplicit) {
                    EXPECT_EQ(r.steps, 3);
                    EXPECT_GE(r.newtonIterations, r.steps);
                    EXPECT_GE(r.linearIterations, r.newtonIterations);
                    EXPECT_LE(r.newtonResidual, settings.newtonTolerance);
                    EXPECT_GT(r.linearResidual, 0);
                    EXPECT_LE(r.linearResidual, settings.linearTolerance);
                } else {
                    EXPECT_EQ(r.newtonIterations + r.linearIterations, 0);
                }
            });
            EXPECT_EQ(world.stepCount, steps);
        }
}

// At rest under its weight there is nothing left to solve for: the residual is measured against the weight, not against itself.
TEST(StepReport, ABodyAtRestCostsNoIterations) {
    WorldState world = makeFallingBox(ElasticLawId::kCorotated);
    run(world, StepSettings{}, 1e4, 5);
    int iterations = 0;
    run(world, StepSettings{}, 1, 24, [&](const StepReport& r) { iterations += r.newtonIterations; });
    EXPECT_LE(iterations, 24);
}

TEST(StepReport, RefusesSettingsThatMakeNoSense) {
    const auto with = [](auto change) {
        StepSettings s;
        change(s);
        return refusal(s);
    };
    EXPECT_EQ(refusal(StepSettings{}), "");
    EXPECT_NE(refusal(StepSettings{}, 0), "");
    EXPECT_NE(refusal(StepSettings{}, -0.01), "");
    EXPECT_NE(refusal(StepSettings{}, kNan), "");
    EXPECT_NE(with([](StepSettings& s) { s.substeps = 0; }).find("substeps"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.courant = 1.01; }).find("courant"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.courant = 0; }).find("courant"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.energyTolerance = -1; }).find("energyTolerance"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.smallestStep = 0; }).find("smallestStep"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.errorTolerance = kNan; }).find("errorTolerance"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.newtonIterations = 0; }).find("newtonIterations"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.newtonTolerance = 1; }).find("newtonTolerance"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.linearTolerance = 0; }).find("linearTolerance"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.linearIterations = 0; }).find("linearIterations"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.cholmodFlops = -1; }).find("cholmodFlops"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.stepHalvings = 31; }).find("stepHalvings"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.gravity.x() = kNan; }).find("gravity"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.ground.friction = -0.1; }).find("friction"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.ground.restitution = 1.5; }).find("restitution"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.ground.stiffnessScale = 0; }).find("stiffnessScale"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) { s.ground.point.y() = kNan; }).find("point"), std::string::npos);
    EXPECT_NE(with([](StepSettings& s) {
                  s.ground.enabled = true;
                  s.ground.normal.setZero();
              }).find("normal"),
              std::string::npos);
}

TEST(StepReport, RefusesStatesThatDoNotFit) {
    WorldState world = makeFallingBox(ElasticLawId::kCorotated);
    Workspace workspace;
    const auto good = world.bodies[0].state;
    editState(world, [](BodyState& s) { s.x.pop_back(); });
    EXPECT_THROW(step(world, 0.01, StepSettings{}, workspace), Error);
    world.bodies[0].state = good;
    editState(world, [](BodyState& s) { s.v[4].y() = kNan; });
    try {
        step(world, 0.01, StepSettings{}, workspace);
        ADD_FAILURE() << "a velocity that is not a number was taken";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("vertex 4"), std::string::npos) << e.what();
    }
    world.bodies[0].state = good;
    EXPECT_FALSE(step(world, 0.01, StepSettings{}, workspace).failed);
}

// Thrown together so fast that steps of the usual size would turn tets inside out. All frames have to end with positive volumes; explicit
// and rkf45 steps must have been taken back for that (implicit ones find another end of the step), or the test is not violent enough.
TEST(StepReport, ViscoelasticNeverCrossesZeroVolume) {
    for (const Integrator integrator : kAll) {
        Material material = elastic(1e4, 0.3, 1000, ElasticLawId::kViscoelastic);
        material.stiffnessDamping = 1e-3;
        WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(1, 1, 1)), material));
        editState(world, [](BodyState& s) {
            for (std::size_t i = 0; i < s.v.size(); ++i)
                for (int c = 0; c < 3; ++c)
                    s.v[i][c] = -25 * (s.x[i][c] - 0.5) + randomRange(-8, 8, 5, i, static_cast<std::uint64_t>(c));
        });
        StepSettings settings = spaceSettings(integrator);
        settings.stepHalvings = 16;
        int rejected = 0;
        double smallest = 1;
        run(world, settings, 0.5, 12, [&](const StepReport& r) {
            rejected += r.rejected;
            smallest = std::min(smallest, r.smallestDetF);
            EXPECT_GT(r.smallestDetF, 0) << name(integrator);
        });
        figure(std::string("smallest det F, ") + name(integrator), smallest);
        figure(std::string("rejected steps, ") + name(integrator), rejected);
        EXPECT_LT(smallest, 0.5) << name(integrator);
        if (integrator == Integrator::kExplicit || integrator == Integrator::kRkf45) {
            EXPECT_GT(rejected, 0) << name(integrator);
        }
    }
}

// A press that goes on to where no volume is left: steps go on while there is some, then one fails, says why and leaves the world.
TEST(StepReport, APressWithoutRoomFailsAndSaysWhy) {
    for (const Integrator integrator : kAll) {
        Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e4, 0.3, 1000, ElasticLawId::kViscoelastic));
        Motion press;
        press.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0, -1.2, 0), Vec3::Zero()}};
        pinWhere(body, [](const Vec3& p) { return p.y() == 0; });
        pinWhere(body, [](const Vec3& p) { return p.y() == 1; }, press);
        WorldState world = makeWorld(std::move(body));
        StepSettings settings = spaceSettings(integrator);
        settings.smallestStep = 1e-5;
        Workspace workspace;
        StepReport report;
        double time = 0;
        std::shared_ptr<const BodyState> state;
        while (!report.failed && world.time < 1.5) {
            time = world.time;
            state = world.bodies[0].state;
            report = step(world, 1.0 / 24, settings, workspace);
            if (!report.failed) {
                EXPECT_GT(report.smallestDetF, 0) << name(integrator);
            }
        }
        EXPECT_TRUE(report.failed) << name(integrator);
        EXPECT_FALSE(report.message.empty()) << name(integrator);
        EXPECT_GT(time, 0.5) << name(integrator);
        EXPECT_EQ(world.time, time) << name(integrator);
        EXPECT_EQ(world.bodies[0].state, state) << name(integrator);
        std::cout << "    " << name(integrator) << " fails at " << time << " s: " << report.message << std::endl;
    }
}

}  // namespace sunder
