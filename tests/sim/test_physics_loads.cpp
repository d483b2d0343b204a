#include "tests/sim/physics_fixture.h"

/// Loads and constraints against closed formulas.
namespace sunder {

using namespace testing;

namespace {
constexpr Integrator kAll[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark,
                               Integrator::kRkf45};

/// A target on every vertex.
SoftTarget softOnAll(const TetMesh& mesh, double strength, double damping) {
    SoftTarget target;
    target.name = "soft";
    target.strength = strength;
    target.damping = damping;
    for (std::size_t i = 0; i < mesh.vertexCount(); ++i) {
        target.vertices.push_back(static_cast<std::int32_t>(i));
        target.anchor.push_back(mesh.rest[i]);
    }
    return target;
}

/// Backward Euler with steps far longer than any period falls into equilibrium.
void settle(WorldState& world, StepSettings settings) {
    settings.integrator = Integrator::kImplicit;
    settings.newtonTolerance = 1e-10;
    run(world, settings, 1e4, 10);
}

Vec3 meanShift(const WorldBody& body) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < body.state->x.size(); ++i) sum += body.state->x[i] - body.body->mesh.rest[i];
    return sum / static_cast<double>(body.state->x.size());
}
}  // namespace

// A column that hangs from its top: rho g L^2 / (2 E) at the bottom. Poisson's ratio 0, so that the clamp
// does not matter; the weight in lumps at the vertices differs over the section, which moves single vertices
// by a percent, their mean by less.
TEST(Loads, HangingColumnSagsByItsWeight) {
    const double length = 2, youngs = 1e8;
    for (const ElasticLaw& law : elasticLaws()) {
        Body body = makeBody(makeBox(2, 8, 2, Vec3(0.5, length, 0.5)), elastic(youngs, 0, 1000, law.id));
        pinWhere(body, [&](const Vec3& p) { return p.y() == length; });
        WorldState world = makeWorld(std::move(body));
        settle(world, StepSettings{});
        double sag = 0, count = 0;
        for (std::size_t i = 0; i < world.bodies[0].state->x.size(); ++i)
            if (world.bodies[0].body->mesh.rest[i].y() == 0) {
                sag -= world.bodies[0].state->x[i].y();
                ++count;
            }
        const double share = sag / count / (1000 * 9.81 * length * length / (2 * youngs));
        if (law.id == ElasticLawId::kCorotated) figure("sag over rho g L^2 / 2 E", share);
        EXPECT_NEAR(share, 1, 0.01) << law.name;
    }
}

// N springs of strength k carry the weight: the mean shift is M g / (N k), whatever the body does in between.
TEST(Loads, SoftTargetsCarryTheWeight) {
    Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e6, 0.3));
    body.constraints.soft.push_back(softOnAll(body.mesh, 2000, 0));
    body.constraints.soft[0].weight.assign(body.mesh.vertexCount(), 1.5);
    WorldState world = makeWorld(std::move(body));
    settle(world, StepSettings{});
    const double expected = -totalMass(*world.bodies[0].body) * 9.81 / (27 * 1.5 * 2000);
    EXPECT_NEAR(meanShift(world.bodies[0]).y() / expected, 1, 1e-8);
}

// All vertices' springs push M g in sum: sum of k d = M g.
TEST(Loads, BlockRestsOnTheGroundAtTheDepthOfItsWeight) {
    Body body = makeBody(makeBox(3, 2, 3, Vec3(1, 0.5, 1)), elastic(1e6, 0.3));
    WorldState world = makeWorld(std::move(body));
    StepSettings settings;
    settings.ground.enabled = true;
    settle(world, settings);
    double push = 0;
    const WorldBody& b = world.bodies[0];
    for (std::size_t i = 0; i < b.state->x.size(); ++i)
        push += b.body->stiffness[i] * std::max(0.0, -b.state->x[i].y());
    EXPECT_NEAR(push / (totalMass(*b.body) * 9.81), 1, 1e-8);
}

TEST(Loads, PaintedAndUniformForcesAccelerate) {
    for (const Integrator integrator : kAll) {
        Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e6, 0.3));
        body.force.assign(body.mesh.vertexCount(), Vec3::Zero());
        body.force[5] = Vec3(200, 0, 0);
        body.force[11] = Vec3(0, 300, 0);
        WorldState world = makeWorld(std::move(body));
        StepSettings settings = spaceSettings(integrator);
        settings.uniformForce = Vec3(0, 0, 2);
        settings.newtonTolerance = 1e-9;
        const Vec3 start = massCentre(world.bodies[0]);
        run(world, settings, 1, 50);
        const Vec3 moved = massCentre(world.bodies[0]) - start,
                   half(0.5 * 200 / 1000, 0.5 * 300 / 1000, 0.5 * 2);
        // backward Euler moves by (n + 1) / n of the parabola; the others follow it
        const double share = integrator == Integrator::kImplicit ? 51.0 / 50 : 1;
        EXPECT_LT((moved - share * half).norm(), 1e-7) << name(integrator);
    }
}

// v = v0 exp(-c t); backward Euler (1 + c h)^-n; newmark is off by c^3 h^2 / 12 a second, explicit steps by
// about (c h)^2. The lost energy is in its book, but for c h of it: backward Euler puts half of that down to
// itself, explicit steps sum the power at their ends.
TEST(Loads, MassDampingSlowsExponentially) {
    for (const Integrator integrator : kAll) {
        Material material = elastic(1e6, 0.3);
        material.massDamping = 2;
        WorldState world = makeWorld(makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), material));
        editState(world, [](BodyState& s) { s.v.assign(s.v.size(), Vec3(1, 2, 3)); });
        run(world, spaceSettings(integrator), 1, 100);
        const double share = world.bodies[0].state->v[3].norm() / Vec3(1, 2, 3).norm();
        const double expected =
            integrator == Integrator::kImplicit ? std::pow(1 + 2 * 0.01, -100) : std::exp(-2.0);
        const double tolerance = integrator == Integrator::kNewmark    ? 1.01 * 8 * 1e-4 / 12
                                 : integrator == Integrator::kExplicit ? 4e-4
                                                                       : 1e-8;
        EXPECT_NEAR(share / expected, 1, tolerance) << name(integrator);
        const double lost = 0.5 * 1000 * 14 * (1 - share * share);
        EXPECT_NEAR(world.energy.damped / lost, 1, 1.1 * 2 * 0.01) << name(integrator);
        EXPECT_NEAR((world.energy.damped + world.energy.numerical) / lost, 1, 1e-9) << name(integrator);
    }
}

namespace {
/// A flat block on a slope: how far it slides in a second, after half a second of sinking in, and its speed
/// then.
struct Slide {
    double way, speed;
};
Slide slideDown(Integrator integrator, double tangent, double friction) {
    const Material material = elastic(1e6, 0.3);
    WorldState world = makeWorld(makeBody(makeBox(4, 1, 4, Vec3(1, 0.2, 1)), material));
    StepSettings settings;
    settings.integrator = integrator;
    settings.gravity = 9.81 * Vec3(tangent, -1, 0) / std::hypot(1, tangent);
    settings.ground.enabled = true;
    settings.ground.friction = friction;
    run(world, settings, 0.5, 50);
    const double start = massCentre(world.bodies[0]).x();
    run(world, settings, 1, 100);
    const Momenta m = momenta(world);
    return {massCentre(world.bodies[0]).x() - start, m.linear.x() / totalMass(*world.bodies[0].body)};
}
}  // namespace

// Below the angle whose tangent is the coefficient it creeps, no faster than the speed below which friction
// is smoothed (1e-3 of the body's size a second); above it slides with g (sin - mu cos).
TEST(Loads, BlockSticksBelowAndSlidesAboveTheFrictionAngle) {
    const double size = std::sqrt(1 + 0.04 + 1);
    for (const Integrator integrator : kAll) {
        const Slide stuck = slideDown(integrator, 0.45, 0.5), sliding = slideDown(integrator, 0.6, 0.5);
        const double acceleration = 9.81 * (0.6 - 0.5) / std::hypot(1, 0.6);
        figure(std::string("creep below the friction angle, ") + name(integrator), stuck.way, "m/s");
        figure(std::string("sliding speed over theory, ") + name(integrator),
               sliding.speed / (1.5 * acceleration));
        EXPECT_LT(stuck.way, 1e-3 * size) << name(integrator);
        EXPECT_NEAR(sliding.speed / (1.5 * acceleration), 1, 0.02) << name(integrator);
    }
}

// One stiff tet dropped flat on three of its corners: 3/4 of its mass lie on springs of their own damping
// ratio, so as a whole it has sqrt(3/4) of that ratio.
TEST(Loads, GroundBouncesAsItIsTold) {
    for (const double restitution : {1.0, 0.8, 0.5, 0.3}) {
        TetMesh mesh;
        mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, -0.8660254}, {0.5, 0.8164966, -0.2886751}};
        mesh.tets = {{0, 1, 2, 3}};
        WorldState world = makeWorld(makeBody(std::move(mesh), elastic(1e9, 0.3)));
        editState(world, [](BodyState& s) {
            for (Vec3& v : s.v) v.y() = -1;
            for (Vec3& x : s.x) x.y() += 0.01;
        });
        StepSettings settings = spaceSettings(Integrator::kExplicit);
        settings.ground.enabled = true;
        settings.ground.friction = 0;
        settings.ground.stiffnessScale = 1e-4;
        settings.ground.restitution = restitution;
        settings.courant = 0.2;
        run(world, settings, 1, 10);
        // invert bounce(z) = restitution for z, then bounce(sqrt(3/4) z), with the formula of the damped
        // oscillator that lets go
        const auto bounce = [](double z) {
            const double w = std::sqrt(1 - z * z);
            return std::exp(-z / w * std::atan2(2 * z * w, 2 * z * z - 1));
        };
        double low = 0, high = 1 - 1e-12;
        for (int k = 0; k < 60; ++k)
            (bounce(0.5 * (low + high)) > restitution ? low : high) = 0.5 * (low + high);
        const double expected = bounce(std::sqrt(0.75) * low);
        const double speed = momenta(world).linear.y() / totalMass(*world.bodies[0].body);
        EXPECT_NEAR(speed, expected, 0.01) << restitution;
    }
}

}  // namespace sunder
