#include "core/base/random.h"
#include "tests/sim/contact_fixture.h"

/// How much of its speed a body keeps, and how overlap of the start goes away.
namespace sunder {

using namespace testing;

namespace {
const Integrator kSteps[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark};

double upwards(const WorldBody& b) {
    double sum = 0;
    for (std::size_t i = 0; i < b.body->mass.size(); ++i) sum += b.body->mass[i] * b.state->v[i].y();
    return sum / totalMass(*b.body);
}

/// Share of its speed with which a rigid box, four of whose eight vertices touch, leaves the floor.
double bounceOf(double restitution, Integrator integrator) {
    WorldState world;
    Body box =
        makeBody(placed(makeBox(1, 1, 1, Vec3(0.4, 0.4, 0.4)), Vec3(-0.2, 1e-4, -0.2)), elastic(1e7, 0.3));
    box.rigid = true;
    box.contact.restitution = restitution;
    addBody(world, std::move(box));
    Collider floor;
    floor.name = "floor";
    floor.contact.restitution = restitution;
    floor.keys = {{0, boxSurface(Vec3(-2, -0.5, -2), Vec3(2, 0, 2))}};
    world.colliders.push_back(buildCollider(std::move(floor)));
    setMotion(world, 0, Vec3(0, -0.1, 0));
    run(world, spaceSettings(integrator), 0.04, 800);
    return upwards(world.bodies[0]) / 0.1;
}
}  // namespace

// Every vertex has a damper for its own eighth of the mass. Where four of eight touch, each carries a
// quarter, and the damping ratio of the box is that of a vertex times sqrt(1/2). So much is what it may keep
// at most; integrators take a little more, the more the longer their steps.
TEST(ContactBounce, KeepsTheSpeedThatItsRestitutionLeaves) {
    for (const Integrator integrator : kSteps)
        for (const double restitution : {0.0, 0.5, 1.0}) {
            const double kept = bounceOf(restitution, integrator),
                         expected = bounce(dampingRatioOfBounce(restitution) * std::sqrt(0.5));
            const std::string what =
                "restitution " + std::to_string(restitution).substr(0, 3) + ", " + name(integrator);
            figure("speed kept, " + what, kept);
            figure("over what its dampers leave, " + what, kept / expected);
            EXPECT_LT(kept, 1.001 * expected) << what;
            EXPECT_GT(kept, 0.85 * expected) << what;
        }
}

// The report says by how much bodies may overlap; nothing may ever add to that.
TEST(ContactBounce, OverlapOfTheStartOnlyShrinks) {
    for (const Integrator integrator : kSteps) {
        WorldState world;
        Material material = elastic(1e6, 0.3);
        material.stiffnessDamping = 1e-3;
        for (std::uint64_t k = 0; k < 12; ++k) {
            const auto random = [&](double low, double high, std::uint64_t i) {
                return randomRange(low, high, 78, k, i);
            };
            const Mat3 turn =
                Eigen::Quaterniond(random(-1, 1, 3), random(-1, 1, 4), random(-1, 1, 5), random(-1, 1, 6))
                    .normalized()
                    .toRotationMatrix();
            const Vec3 at(0.3 * static_cast<double>(k % 3), 0.3 * static_cast<double>(k / 3 % 2),
                          0.3 * static_cast<double>(k / 6));
            addBody(world,
                    makeBody(placed(placed(makeBox(1, 1, 1, Vec3(0.4, 0.4, 0.4)), Vec3(-0.2, -0.2, -0.2)), at,
                                    turn),
                             material));
        }
        StepSettings settings = spaceSettings(integrator);
        settings.newtonTolerance = 1e-3;
        settings.separationSpeed = 0.5;
        std::vector<std::vector<double>> last;
        double rise = 0, left = 0, fastest = 0, first = 0;
        run(world, settings, 1, 48, [&](const StepReport&) {
            left = 0;
            for (std::size_t b = 0; b < world.bodies.size(); ++b) {
                const BodyState& s = *world.bodies[b].state;
                for (const Vec3& v : s.v) fastest = std::max(fastest, v.norm());
                for (std::size_t i = 0; i < s.contact.allowance.size(); ++i) {
                    left = std::max(left, s.contact.allowance[i]);
                    if (b < last.size() && i < last[b].size())
                        rise = std::max(rise, s.contact.allowance[i] - last[b][i]);
                }
            }
            if (last.empty()) first = left;
            last.clear();
            for (const WorldBody& b : world.bodies) last.push_back(b.state->contact.allowance);
        });
        const std::string what = name(integrator);
        figure("overlap allowed after the first frame, " + what, first, "m");
        figure("and at the end, " + what, left, "m");
        figure("peak speed, " + what, fastest, "m/s");
        EXPECT_EQ(rise, 0) << what;
        EXPECT_GT(first, 0.01) << what;
        EXPECT_LT(left, 1e-3) << what;
        EXPECT_LT(fastest, 10 * settings.separationSpeed) << what;
    }
}

}  // namespace sunder
