#include "core/sim/release.h"

#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

/// Pins and targets that let go.
namespace sunder {
namespace {
using namespace testing;

constexpr double kYoungs = 1e6, kStress = 5e4, kSpeed = 0.2;

/// A bar along x, its left end held until it pulls too hard, its right one drawn away.
WorldState pulledBar(double force, double stress) {
    Material m = elastic(kYoungs, 0.0, 1000);
    m.stiffnessDamping = 2e-3;
    TetMesh mesh = makeBox(8, 2, 2, Vec3(4, 1, 1));
    Body body = makeBody(std::move(mesh), m);
    Motion away;
    away.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {4, Vec3(4 * kSpeed, 0, 0), Vec3::Zero()}};
    pinWhere(body, [](const Vec3& p) { return p.x() < 1e-9; });
    pinWhere(body, [](const Vec3& p) { return p.x() > 4 - 1e-9; }, away);
    body.constraints.hard[0].releaseForce = force;
    body.constraints.hard[0].releaseStress = stress;
    WorldState world;
    addBody(world, std::move(body));
    return world;
}

/// Strain of the bar when the pin first lets go.
double strainAtRelease(WorldState& world, Integrator integrator) {
    Workspace workspace;
    while (world.time < 3) {
        const StepReport report = step(world, 1.0 / 96, spaceSettings(integrator), workspace);
        EXPECT_FALSE(report.failed) << report.message;
        if (report.failed || report.released > 0) break;
    }
    return kSpeed * world.time / 4;
}

TEST(Release, APinLetsGoAtItsStressOnAnyVertex) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        WorldState world = pulledBar(1e300, kStress);
        const double strain = strainAtRelease(world, integrator);
        figure(std::string("stress at release over that asked for, ") + name(integrator), strain * kYoungs / kStress);
        EXPECT_NEAR(strain * kYoungs, kStress, 0.08 * kStress) << "the waves of the start are a part of it";
        run(world, spaceSettings(integrator), 0.3, 29);
        const BodyState& s = *world.bodies[0].state;
        int let = 0;
        for (std::size_t v = 0; v < s.x.size(); ++v)
            if (world.bodies[0].body->mesh.rest[v].x() < 1e-9) {
                EXPECT_TRUE(s.isReleased(v, kReleasedPin)) << name(integrator);
                let += s.x[v].x() > 0.01;
            }
        EXPECT_EQ(let, 9) << "all of the end has come loose and moves";
    }
}

// a lone vertex holds no face: its area is that of a cell of its volume, whatever the materials there and elsewhere weigh
TEST(Release, TheAreaOfALoneVertexGoesByItsVolume) {
    const auto mostForce = [](double elsewhere, double density) {
        Material light = elastic(kYoungs, 0.0, elsewhere), m = elastic(kYoungs, 0.0, density);
        Body body = makeBody(makeBox(2, 1, 1, Vec3(2, 1, 1)), m);
        body.materials = {light, m};
        body.tetMaterial.assign(body.mesh.tetCount(), 1);
        body.tetMaterial.back() = 0;
        HardTarget pin{"lone", {0}, {body.mesh.rest[0]}, {}};
        pin.releaseStress = kStress;
        body.constraints.hard = {pin};
        return computeReleaseForces(*buildBody(std::move(body)))[0];
    };
    const double volume = 6.0 / 6 / 4;  // six tets of a cube of 1 m^3 meet there
    EXPECT_NEAR(mostForce(1, 1000), kStress * std::pow(volume, 2.0 / 3), 1e-6);
    EXPECT_EQ(mostForce(1, 1000), mostForce(5000, 2500));
}

TEST(Release, Rkf45SaysThatItCannot) {
    WorldState world = pulledBar(1e300, kStress);
    Workspace workspace;
    const StepReport report = step(world, 0.01, spaceSettings(Integrator::kRkf45), workspace);
    EXPECT_TRUE(report.failed);
    EXPECT_NE(report.message.find("let go above a force"), std::string::npos) << report.message;
}

TEST(Release, AForceIsThatOfEachVertex) {
    // of the nine vertices of the end the middle one carries a quarter of the area of 1 m^2, edges an eighth, corners a twelfth or a twenty-fourth
    WorldState world = pulledBar(0.2 * kStress, 1e300);
    const double strain = strainAtRelease(world, Integrator::kImplicit);
    EXPECT_NEAR(strain * kYoungs, 0.8 * kStress, 0.06 * kStress);
    const BodyState& s = *world.bodies[0].state;
    EXPECT_EQ(std::count(s.released.begin(), s.released.end(), kReleasedPin), 1);
}

TEST(Release, IsKeptInASnapshotAndGoesOnInTheSameBytes) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        WorldState world = pulledBar(0.2 * kStress, 1e300);
        strainAtRelease(world, integrator);
        WorldState again = loadSnapshot(saveSnapshot(world));
        run(world, spaceSettings(integrator), 0.1, 8);
        run(again, spaceSettings(integrator), 0.1, 8);
        EXPECT_TRUE(saveSnapshot(world) == saveSnapshot(again)) << name(integrator);
        EXPECT_NE(std::count(world.bodies[0].state->released.begin(), world.bodies[0].state->released.end(), kReleasedPin), 0);
    }
}

/// A body on springs that a force draws away: they let go when they carry too much, and what was in them leaves the books as work.
TEST(Release, ATargetLetsGoAtItsForce) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        Body body = makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), elastic(1e6, 0.3, 100));
        SoftTarget springs;
        springs.name = "springs";
        springs.strength = 1000;
        springs.damping = 200;
        springs.releaseForce = 50;
        for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v) {
            springs.vertices.push_back(static_cast<std::int32_t>(v));
            springs.anchor.push_back(body.mesh.rest[v]);
        }
        Motion away;
        away.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {10, Vec3(1, 0, 0), Vec3::Zero()}};
        body.constraints.soft = {springs};
        pinWhere(body, [](const Vec3& p) { return p.x() > 0.5; }, away);
        WorldState world;
        addBody(world, std::move(body));
        StepSettings settings = spaceSettings(integrator);
        double lastTarget = 0;
        int released = 0;
        run(world, settings, 0.8, 40, [&](const StepReport& r) {
            released += r.released;
            if (released == 0) lastTarget = world.energy.target;
        });
        EXPECT_EQ(released, 8) << name(integrator) << ", way 0.08 m over the 0.05 m that they hold";
        EXPECT_GT(lastTarget, 7.0) << "eight springs of 1000 N/m drawn by nearly 5 cm hold 10 J";
        EXPECT_EQ(world.energy.target, 0);
        const double left = world.energy.mechanical() + world.energy.lost() - world.energy.work + world.energy.numerical;
        EXPECT_NEAR(left, 0, 1e-9) << "the books close";
        figure(std::string("left over, share of what was in the springs, ") + name(integrator), world.energy.numerical / lastTarget);
        if (integrator != Integrator::kImplicit) {
            EXPECT_LT(std::abs(world.energy.numerical), 0.05 * lastTarget);
        }
    }
}

}  // namespace
}  // namespace sunder
