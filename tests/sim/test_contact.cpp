#include "core/base/random.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

TEST(Contact, CollisionKeepsMomentaAndEnergyInExplicitSteps) {
    for (const double restitution : {1.0, 0.0}) {
        WorldState world = makeCollision(restitution);
        const StepSettings settings = spaceSettings(Integrator::kExplicit);
        const Momenta before = momenta(world);
        const double energy = kineticEnergyOf(world);
        const Vec3 apart = massCentre(world.bodies[1]) - massCentre(world.bodies[0]);
        double contact = 0, leftOver = 0;
        run(world, settings, 0.6, 120, [&](const StepReport& r) {
            contact = std::max(contact, r.energy.contact);
            leftOver = std::max(leftOver, std::abs(r.energy.numerical));
        });
        const Momenta after = momenta(world);
        const double kind = restitution;
        figure("largest contact energy over the initial energy, restitution " + std::to_string(kind), contact / energy);
        figure("lost in friction and dampers, restitution " + std::to_string(kind), world.energy.friction / energy);
        figure("largest left over, restitution " + std::to_string(kind), leftOver / energy);
        figure("linear drift", (after.linear - before.linear).norm() / before.linearScale);
        figure("angular drift", (after.angular - before.angular).norm() / before.angularScale);
        EXPECT_GT(contact, 0.01 * energy);  // they did meet
        const Vec3 way = massCentre(world.bodies[1]) - massCentre(world.bodies[0]);
        EXPECT_GT(way.dot(apart), 0);  // and did not pass through each other
        EXPECT_LT((after.linear - before.linear).norm(), 1e-10 * before.linearScale);
        EXPECT_LT((after.angular - before.angular).norm(), 1e-10 * before.angularScale);
        EXPECT_LT(leftOver, 1e-3 * energy);
    }
}

// Contact forces are the gradient of a potential that rigid motion does not change, but friction's points of contact are those of the last
// Newton iteration. So momentum is kept as well as Newton's method converges, and angular momentum as well as the step does.
// Solved to newtonTolerance, or to the default contactTolerance, which asks for velocities right to a hundredth of what forces change.
void collideImplicitly(double contactTolerance, double mostDrift) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kNewmark}) {
        WorldState world = makeCollision(0);
        StepSettings settings = spaceSettings(integrator);
        settings.contactTolerance = contactTolerance;
        const Momenta before = momenta(world);
        const double energy = kineticEnergyOf(world);
        const Vec3 apart = massCentre(world.bodies[1]) - massCentre(world.bodies[0]);
        double contact = 0;
        int newton = 0, steps = 0, rejected = 0;
        run(world, settings, 0.6, 120, [&](const StepReport& r) {
            contact = std::max(contact, r.energy.contact);
            newton += r.newtonIterations;
            steps += r.steps;
            rejected += r.rejected;
        });
        const Momenta after = momenta(world);
        figure(std::string("largest contact energy over the initial energy, ") + name(integrator), contact / energy);
        figure(std::string("lost in friction and dampers, ") + name(integrator), world.energy.friction / energy);
        figure(std::string("numerical loss, ") + name(integrator), world.energy.numerical / energy);
        figure(std::string("Newton iterations a step, ") + name(integrator), static_cast<double>(newton) / steps);
        figure(std::string("rejected, ") + name(integrator), rejected);
        figure(std::string("linear drift, ") + name(integrator), (after.linear - before.linear).norm() / before.linearScale);
        figure(std::string("angular drift, ") + name(integrator), (after.angular - before.angular).norm() / before.angularScale);
        EXPECT_GT(contact, 0.01 * energy);
        EXPECT_GT((massCentre(world.bodies[1]) - massCentre(world.bodies[0])).dot(apart), 0);
        EXPECT_LT((after.linear - before.linear).norm(), mostDrift * before.linearScale);
    }
}

TEST(Contact, CollisionKeepsMomentumInImplicitSteps) { collideImplicitly(0, StepSettings().newtonTolerance); }

TEST(Contact, CollisionKeepsMomentumWhereVelocitiesAreGoodEnough) { collideImplicitly(StepSettings().contactTolerance, 1e-5); }

// Fifty boxes of 0.4 m in a space where twenty would have room: no force at first, then they drift apart.
TEST(Contact, OverlapAtTheStartDoesNotExplode) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        WorldState world;
        Material material = elastic(1e6, 0.3);
        material.stiffnessDamping = 1e-3;
        for (std::uint64_t k = 0; k < 50; ++k) {
            const auto random = [&](double low, double high, std::uint64_t i) { return randomRange(low, high, 77, k, i); };
            const Mat3 turn = Eigen::Quaterniond(random(-1, 1, 3), random(-1, 1, 4), random(-1, 1, 5), random(-1, 1, 6)).normalized().toRotationMatrix();
            const Vec3 at(0.3 * static_cast<double>(k % 5) + random(-0.05, 0.05, 0), 0.3 * static_cast<double>(k / 5 % 5) + random(-0.05, 0.05, 1),
                          0.3 * static_cast<double>(k / 25) + random(-0.05, 0.05, 2));
            addBody(world, makeBody(placed(placed(makeBox(1, 1, 1, Vec3(0.4, 0.4, 0.4)), Vec3(-0.2, -0.2, -0.2)), at, turn), material));
        }
        StepSettings settings = spaceSettings(integrator);
        settings.newtonTolerance = 1e-3;
        settings.separationSpeed = 0.5;
        double fastest = 0, deepest = 1e9;
        bool warned = false;
        run(world, settings, 1.5, 36, [&](const StepReport& r) {
            warned |= !r.warnings.empty();
            for (const WorldBody& b : world.bodies)
                for (const Vec3& v : b.state->v) fastest = std::max(fastest, v.norm());
            deepest = 0;
            for (const WorldBody& b : world.bodies)
                for (const double a : b.state->contact.allowance) deepest = std::max(deepest, a);
        });
        figure(std::string("peak speed, ") + name(integrator), fastest, "m/s");
        figure(std::string("overlap of the start left, ") + name(integrator), deepest, "m");
        EXPECT_TRUE(warned);
        EXPECT_LT(fastest, 10 * settings.separationSpeed);
        EXPECT_LT(deepest, 1e-3);
    }
}

}  // namespace sunder
