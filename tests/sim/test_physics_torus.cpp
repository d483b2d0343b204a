#include <cstdlib>
#include <fstream>

#include "core/base/timer.h"
#include "tests/sim/falling_torus.h"
#include "tests/sim/physics_fixture.h"

namespace sunder {

using namespace testing;

// Visco97 8.1 and its figure 4: over 10 s the sum of kinetic, elastic, gravitational and dissipated energy
// stays what it was. With SUNDER_ENERGY_CSV set, the curves go to that file (scripts/plot_energy.py draws
// them).
TEST(FallingTorus, KeepsTotalPlusDissipatedEnergy) {
    WorldState world = makeFallingTorus();
    ASSERT_EQ(world.bodies[0].body->mesh.tetCount(), 480u);
    ASSERT_EQ(world.bodies[0].body->mesh.vertexCount(), 180u);
    ASSERT_EQ(world.bodies[0].body->constraints.hard[0].vertices.size(), 1u);
    StepSettings settings;
    settings.integrator = Integrator::kRkf45;
    std::ofstream csv;
    if (const char* path = std::getenv("SUNDER_ENERGY_CSV")) csv.open(path);
    csv << "time,kinetic,elastic,gravity,dissipated,total\n0,0,0,0,0,0\n";
    const Timer timer;
    double worst = 0, turned = 0, smallestDetF = 1;
    long steps = 0, rejected = 0;
    run(world, settings, 10, 1000, [&](const StepReport& r) {
        const EnergyBooks& e = r.energy;
        const double total = e.mechanical() + e.damped;
        worst = std::max(worst, std::abs(total));
        turned = std::max(turned, -e.gravity);
        smallestDetF = std::min(smallestDetF, r.smallestDetF);
        steps += r.steps;
        rejected += r.rejected;
        csv << world.time << "," << e.kinetic << "," << e.elastic << "," << e.gravity << "," << e.damped
            << "," << total << "\n";
        EXPECT_EQ(e.work, 0);  // the pin does not move
    });
    figure("seconds", timer.seconds(), "s");
    figure("steps", static_cast<double>(steps));
    figure("rejected", static_cast<double>(rejected));
    figure("smallest det F", smallestDetF);
    figure("most potential energy turned into other kinds", turned, "J");
    figure("dissipated", world.energy.damped, "J");
    figure("largest change of total plus dissipated, share of the energy turned", worst / turned);
    EXPECT_GT(turned, 1);
    EXPECT_GT(world.energy.damped, 0.1 * turned);
    EXPECT_LE(worst, 1e-3 * turned);
}

}  // namespace sunder
