#include "tests/sim/contact_fixture.h"

/// A body that meets itself.
namespace sunder {

using namespace testing;

namespace {
constexpr double kLength = 1, kThickness = 0.05;  // m

/// A strip along x whose lower side lies fast as far as its middle. Its other end is led over onto it, let
/// go, and drawn down by springs to below the lower side.
WorldState makeStrip(SelfContact self) {
    WorldState world;
    Material rubber = elastic(2e5, 0.3, 1000);
    rubber.stiffnessDamping = 2e-3;
    Body strip =
        makeBody(placed(makeBox(20, 1, 3, Vec3(kLength, kThickness, 0.15)), Vec3(0, 0, -0.075)), rubber);
    strip.contact.self = self;
    pinWhere(strip, [](const Vec3& p) { return p.x() < 0.451 && p.y() < 1e-9; });
    Motion over;
    over.pivot = Vec3(0.5 * kLength, kThickness, 0);
    over.keys = {{0, Vec3::Zero(), Vec3::Zero()},
                 {0.6, Vec3(0.1, 0.1, 0), Vec3(0, 0, M_PI)},
                 {0.9, Vec3(0.1, -0.2, 0), Vec3(0, 0, M_PI)}};
    pinWhere(
        strip, [](const Vec3& p) { return p.x() > kLength - 0.101; }, over);
    HardTarget& lead = strip.constraints.hard.back();
    lead.releaseTime = 0.6;
    SoftTarget springs;
    springs.name = "springs";
    springs.vertices = lead.vertices;
    springs.anchor = lead.anchor;
    springs.motion = over;
    springs.strength = 60;
    springs.damping = 2;
    strip.constraints.soft.push_back(springs);
    addBody(world, std::move(strip));
    return world;
}

/// How far the lowest vertex of the half that was turned over, above the one that lies fast, is above the
/// upper side of that.
double gapOf(const WorldState& world) {
    const BodyState& s = *world.bodies[0].state;
    const std::vector<Vec3>& rest = world.bodies[0].body->mesh.rest;
    double gap = HUGE_VAL;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (rest[i].x() > 0.6 * kLength && s.x[i].x() > 0.02 && s.x[i].x() < 0.4)
            gap = std::min(gap, s.x[i].y() - kThickness);
    return gap;
}
}  // namespace

// Pressed on by springs, both halves give by some; without contact with itself the one goes through the other
// at once.
TEST(ContactFold, StripDoesNotPassThroughItself) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kNewmark, Integrator::kExplicit})
        for (const SelfContact self : {SelfContact::kNone, SelfContact::kAll}) {
            const bool meets = self == SelfContact::kAll;
            if (integrator != Integrator::kImplicit && !meets) continue;
            WorldState world = makeStrip(self);
            double contact = 0, least = HUGE_VAL;
            run(world, spaceSettings(integrator), 1.5, 150, [&](const StepReport& r) {
                contact = std::max(contact, r.energy.contact);
                least = std::min(least, gapOf(world));
            });
            const std::string what = std::string(name(integrator)) + (meets ? ", all" : ", none");
            figure("largest contact energy, " + what, contact, "J");
            figure("least height above the half that lies fast, " + what, least, "m");
            if (meets) {
                EXPECT_GT(contact, 0.1) << what;
                EXPECT_GT(least, -0.5 * kThickness) << what;
            } else {
                EXPECT_LT(least, -2 * kThickness) << what;
            }
        }
}

}  // namespace sunder
