#include "core/sim/collider.h"
#include "core/sim/frame_contact.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

/// Bodies and colliders that have gone through each other come back.
namespace sunder {

using namespace testing;

namespace {
StepSettings keeping(Integrator integrator, bool keep) {
    StepSettings settings;
    settings.integrator = integrator;
    settings.newtonTolerance = 1e-3;
    settings.keepSides = keep;
    settings.gravity.setZero();
    return settings;
}

/// An open sheet of 40 cm at y = 0, 2 mm thick, in squares of 20 cm.
void addSheet(WorldState& world) {
    Collider sheet;
    sheet.name = "sheet";
    ColliderSurface surface;
    for (const double x : {-0.2, 0.0, 0.2})
        for (const double z : {-0.2, 0.0, 0.2}) surface.positions.push_back(Vec3(x, 0, z));
    for (const int a : {0, 1, 3, 4}) {
        surface.triangles.push_back({a, a + 1, a + 3});
        surface.triangles.push_back({a + 1, a + 4, a + 3});
    }
    surface.thickness = 0.002;
    sheet.keys.push_back({0, surface});
    world.colliders.push_back(buildCollider(sheet));
}

/// A soft box of 4 cm above a thin sheet, thrown at it.
WorldState makeThrow(double speed) {
    WorldState world;
    Material soft = elastic(3e5, 0.3, 1000);
    soft.stiffnessDamping = 1e-4;
    addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(0.04, 0.04, 0.04)), Vec3(0.013, 0.003, 0.007), turnZ(0.1)), soft));
    setMotion(world, 0, Vec3(0, -speed, 0));
    addSheet(world);
    return world;
}

/// A pin of 2 cm, led down through a soft plate of 6 mm with cells of 5 cm by 5 cm, and held there.
WorldState makePin(double way) {
    WorldState world;
    Material soft = elastic(2e5, 0.3, 1000);
    soft.stiffnessDamping = 1e-3;
    Body plate = makeBody(placed(makeBox(6, 1, 6, Vec3(0.3, 0.006, 0.3)), Vec3(-0.15, -0.006, -0.15)), soft);
    pinWhere(plate, [](const Vec3& p) { return std::abs(p.x()) > 0.149 || std::abs(p.z()) > 0.149; });
    addBody(world, std::move(plate));
    Collider pin;
    pin.name = "pin";
    pin.keys.push_back({0, boxSurface(Vec3(0.015, 0.002, 0.012), Vec3(0.035, 0.2, 0.032))});
    pin.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {0.5, Vec3(0, -way, 0), Vec3::Zero()}};
    world.colliders.push_back(buildCollider(pin));
    return world;
}

/// The plate around the pin, on the average.
double plateAtPin(const WorldState& world) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < world.bodies[0].state->x.size(); ++i) {
        const Vec3& p = world.bodies[0].body->mesh.rest[i];
        if (p.x() < -0.01 || p.x() > 0.06 || p.z() < -0.01 || p.z() > 0.06) continue;
        sum += world.bodies[0].state->x[i].y();
        count += 1;
    }
    return sum / count;
}
}  // namespace

// A box of 64 g with 2.6 J, which without sides goes through.
TEST(ColliderSides, SoftBoxComesBackFromAThinSheet) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark})
        for (const bool keep : {true, false}) {
            WorldState world = makeThrow(9);
            StepSettings settings = keeping(integrator, keep);
            settings.courant = 0.2;  // the usual steps are 0.4 of the thickness
            int held = 0;
            double books = 0;
            run(world, settings, 0.02, 20, [&](const StepReport& r) {
                held = std::max(held, r.held);
                EXPECT_EQ(contactDepths(world).empty(), r.held == 0);
                books = std::max(books, std::abs(r.energy.numerical));
            });
            const std::string what = std::string(name(integrator)) + (keep ? ", sides kept" : ", not kept");
            const double lowest = lowestVertex(*world.bodies[0].state);
            figure("lowest vertex, " + what, lowest, "m");
            figure("most held, " + what, held);
            figure("not in the books, " + what, books, "J");
            EXPECT_EQ(lowest > 0, keep) << what;
            EXPECT_EQ(held > 0, keep) << what;
            if (integrator == Integrator::kExplicit) {
                EXPECT_LT(books, 1e-3 * 2.6) << what;
            }
        }
}

// A pin of 2 cm goes 5.8 cm into where a plate is, of which the cells are wider than the pin.
TEST(ColliderSides, NarrowColliderTakesAPlateAlong) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kNewmark})
        for (const bool keep : {true, false}) {
            WorldState world = makePin(0.06);
            int held = 0;
            run(world, keeping(integrator, keep), 0.75, 18, [&](const StepReport& r) {
                held = std::max(held, r.held);
                EXPECT_EQ(contactDepths(world).empty(), r.held == 0) << "corners of faces that the pin went through";
            });
            const std::string what = std::string(name(integrator)) + (keep ? ", sides kept" : ", not kept");
            figure("plate at the pin, " + what, plateAtPin(world), "m");
            figure("most held, " + what, held);
            EXPECT_EQ(plateAtPin(world) < -0.05, keep) << what;
            EXPECT_EQ(held > 0, keep) << what;
        }
}

// Where it would do nothing, or less than it says, that is said.
TEST(ColliderSides, WhatIsAskedForInVainIsSaid) {
    StepSettings settings = keeping(Integrator::kExplicit, true);
    settings.contactResponse = ContactResponse::kNodes;
    EXPECT_THROW(validate(settings), Error);
    settings.contact = false;
    EXPECT_NO_THROW(validate(settings));

    WorldState world = makeThrow(1);
    Collider changing = *world.colliders[0];
    changing.stretches.clear();
    changing.keys.push_back({0.001, changing.keys[0].surface});
    changing.keys[1].surface.triangles.pop_back();
    world.colliders[0] = buildCollider(changing);
    for (const bool keep : {true, false}) {
        WorldState own = world;
        Workspace workspace;
        std::size_t warnings = 0;
        for (int k = 0; k < 2; ++k) {
            for (const std::string& text : step(own, 0.001, keeping(Integrator::kImplicit, keep), workspace).warnings) warnings += text.find("topology") != std::string::npos;
            own.time = 0.001 * (k + 1);
        }
        EXPECT_EQ(warnings, keep ? 1u : 0u);
    }
}

// What a collider's vertices have gone through is the body's to remember: a resume in the middle goes on in the same bits.
TEST(ColliderSides, ResumeGoesOnInTheSameBits) {
    WorldState world = makePin(0.06);
    const StepSettings settings = keeping(Integrator::kImplicit, true);
    run(world, settings, 0.5, 12);
    EXPECT_FALSE(world.bodies[0].state->contact.ledEntries.empty());
    WorldState again = loadSnapshot(saveSnapshot(world));
    again.colliders = world.colliders;
    run(world, settings, 0.125, 3);
    run(again, settings, 0.125, 3);
    EXPECT_TRUE(saveSnapshot(world) == saveSnapshot(again));
}

}  // namespace sunder
