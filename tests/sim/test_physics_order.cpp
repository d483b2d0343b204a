#include "tests/sim/physics_fixture.h"

/// How fast the error of a trajectory falls with the step, against a reference by rkf45 with a tolerance of 1e-13.
namespace sunder {

using namespace testing;

namespace {
constexpr double kDuration = 0.1;

/// A stretched, spinning, viscous block on soft, damped targets: forces of position and velocity in one.
WorldState makeStart(ElasticLawId law) {
    Material material = elastic(1e5, 0.3, 1000, law);
    material.stiffnessDamping = 2e-3;
    material.massDamping = 1;
    Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), material);
    SoftTarget target;
    target.name = "soft";
    target.vertices = {0, 1, 2};
    target.anchor = {body.mesh.rest[0], body.mesh.rest[1], body.mesh.rest[2]};
    target.strength = 2000;
    target.damping = 20;
    target.motion.smooth = true;
    target.motion.keys = {{-1, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(1, 0, 0), Vec3(0, 1, 0)}};
    body.constraints.soft = {target};
    WorldState world = makeWorld(std::move(body));
    editState(world, [](BodyState& s) {
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            s.v[i] = Vec3(0.5, 1, 2).cross(s.x[i] - Vec3(0.5, 0.5, 0.5));
            s.x[i].x() *= 1.1;
        }
    });
    return world;
}

std::vector<Vec3> endOf(ElasticLawId law, StepSettings settings, int steps) {
    WorldState world = makeStart(law);
    run(world, settings, kDuration, steps);
    return world.bodies[0].state->x;
}

double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
    return largest;
}

std::vector<Vec3> reference(ElasticLawId law) {
    StepSettings settings = spaceSettings(Integrator::kRkf45);
    settings.errorTolerance = 1e-13;
    return endOf(law, settings, 1);
}

StepSettings fixedSteps(Integrator integrator) {
    StepSettings settings = spaceSettings(integrator);
    settings.newtonTolerance = settings.linearTolerance = 1e-12;
    settings.errorTolerance = 1e6;     // rkf45 takes whatever it is given
    settings.energyTolerance = 1e6;
    return settings;
}

/// Order from the errors at `steps` and twice as many; the first call of step finds out its own size in rkf45, later ones take one step.
double observedOrder(ElasticLawId law, Integrator integrator, int steps, double& error) {
    const std::vector<Vec3> exact = reference(law);
    const double coarse = distance(endOf(law, fixedSteps(integrator), steps), exact);
    error = distance(endOf(law, fixedSteps(integrator), 2 * steps), exact);
    return std::log2(coarse / error);
}
}  // namespace

TEST(Order, OfEveryIntegrator) {
    const struct { Integrator integrator; int steps; double order; } cases[] = {
        {Integrator::kExplicit, 200, 2}, {Integrator::kImplicit, 400, 1}, {Integrator::kNewmark, 200, 2}, {Integrator::kRkf45, 50, 5}};
    for (const ElasticLaw& law : elasticLaws())
        for (const auto& c : cases) {
            double error = 0;
            const double order = observedOrder(law.id, c.integrator, c.steps, error);
            const std::string label = std::string(name(c.integrator)) + ", " + law.name;
            figure("order, " + label, order);
            figure("error, " + label + ", " + std::to_string(2 * c.steps) + " steps", error, "m");
            EXPECT_NEAR(order, c.order, c.order == 5 ? 0.3 : 0.1) << label;
        }
}

// One solve a step is another method of first order: it and Newton come together as the step shrinks.
TEST(Order, OneSolveAgreesWithNewtonInSmallSteps) {
    for (const ElasticLawId law : {ElasticLawId::kCorotated, ElasticLawId::kGreen, ElasticLawId::kNeoHookean}) {
        double apart[3];
        for (int k = 0; k < 3; ++k) {
            StepSettings newton = fixedSteps(Integrator::kImplicit), once = newton;
            once.oneSolve = true;
            apart[k] = distance(endOf(law, newton, 100 << k), endOf(law, once, 100 << k));
        }
        const double order = std::log2(apart[1] / apart[2]);
        figure(std::string("one solve apart from Newton, ") + elasticLaw(law).name + ", step 0.25 ms", apart[2], "m");
        figure(std::string("order of that, ") + elasticLaw(law).name, order);
        EXPECT_LT(apart[2], 2e-4);
        EXPECT_NEAR(order, 1, 0.1) << elasticLaw(law).name;
    }
}

}  // namespace sunder
