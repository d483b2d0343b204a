#include "core/sim/scene_shapes.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

// In one frame the ball goes 2.5 m, 1,250 times the thickness of the plate.
TEST(ContactFast, ProjectileDoesNotPassAThinPlate) {
    for (const Integrator integrator : {Integrator::kImplicit, Integrator::kExplicit}) {
        Material glass = elastic(7e10, 0.22, 2500), steel = elastic(2e11, 0.3, 7800);
        glass.stiffnessDamping = steel.stiffnessDamping = 1e-7;
        WorldState world;
        Body plate = makeBody(placed(makeBox(8, 1, 8, Vec3(0.4, 0.002, 0.4)), Vec3(-0.2, 0, -0.2)), glass);
        pinWhere(plate, [](const Vec3& p) { return std::abs(p.x()) > 0.199 || std::abs(p.z()) > 0.199; });
        addBody(world, std::move(plate));
        SphereShape shape;
        shape.radius = 0.02;
        shape.cells = 4;
        addBody(world, makeBody(placed(makeShape(shape), Vec3(0.013, integrator == Integrator::kImplicit ? 0.3 : 0.05, 0.007)), steel));
        setMotion(world, 1, Vec3(0, -60, 0));
        StepSettings settings;
        settings.integrator = integrator;
        settings.newtonTolerance = 1e-3;
        // explicit steps are parts of a micro-second long: only until the ball is on its way back
        const bool implicit = integrator == Integrator::kImplicit;
        double lowest = 1, deepest = -1;
        int newton = 0;
        run(world, settings, implicit ? 8.0 / 24 : 0.002, implicit ? 8 : 20, [&](const StepReport& r) {
            newton += r.newtonIterations;
            const BodyState &p = *world.bodies[0].state, &b = *world.bodies[1].state;
            // under the ball the plate is lowest; no vertex of the ball may be below it by more than what the plate is thick
            lowest = std::min(lowest, lowestVertex(b));
            deepest = std::max(deepest, lowestVertex(p) - lowestVertex(b));
        });
        figure(std::string("Newton iterations, ") + name(integrator), newton);
        figure(std::string("lowest vertex of the ball, ") + name(integrator), lowest, "m");
        figure(std::string("deepest below the plate, ") + name(integrator), deepest, "m");
        EXPECT_LT(deepest, 0) << name(integrator);
        EXPECT_LT(lowest, 0.002) << name(integrator);  // it did come down
        EXPECT_GT(lowest, -0.05) << name(integrator);
    }
}

}  // namespace sunder
