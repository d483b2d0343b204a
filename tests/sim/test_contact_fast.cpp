#include "core/sim/scene_shapes.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {

using namespace testing;

namespace {
/// The lower side of a plate that lay level, as triangles of its mesh.
std::vector<Tri> lowerSide(const Body& plate) {
    std::vector<Tri> side;
    for (const Tet& tet : plate.mesh.tets)
        for (const auto& face : kTetFaces) {
            const Tri t{tet[static_cast<std::size_t>(face[0])], tet[static_cast<std::size_t>(face[1])],
                        tet[static_cast<std::size_t>(face[2])]};
            if (std::all_of(t.begin(), t.end(), [&](std::int32_t v) {
                    return plate.mesh.rest[static_cast<std::size_t>(v)].y() < 1e-9;
                }))
                side.push_back(t);
        }
    return side;
}

/// How far p is above that side, where it is straight below or above p; above y = 0 beside the plate, whose
/// rim is held there.
double heightAbove(const std::vector<Tri>& side, const std::vector<Vec3>& x, const Vec3& p) {
    for (const Tri& t : side) {
        const Vec3 &a = x[static_cast<std::size_t>(t[0])], &b = x[static_cast<std::size_t>(t[1])],
                   &c = x[static_cast<std::size_t>(t[2])];
        const auto twice = [](const Vec3& u, const Vec3& v, const Vec3& w) {
            return (v.x() - u.x()) * (w.z() - u.z()) - (v.z() - u.z()) * (w.x() - u.x());
        };
        const double all = twice(a, b, c), u = twice(p, b, c) / all, v = twice(a, p, c) / all,
                     w = twice(a, b, p) / all;
        if (all != 0 && u >= 0 && v >= 0 && w >= 0) return p.y() - (u * a.y() + v * b.y() + w * c.y());
    }
    return p.y();
}

/// Of the centre.
Vec3 velocityOf(const WorldBody& b) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < b.body->mass.size(); ++i) sum += b.body->mass[i] * b.state->v[i];
    return sum / totalMass(*b.body);
}
}  // namespace

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
        addBody(world, makeBody(placed(makeShape(shape),
                                       Vec3(0.013, integrator == Integrator::kImplicit ? 0.3 : 0.05, 0.007)),
                                steel));
        setMotion(world, 1, Vec3(0, -60, 0));
        const std::vector<Tri> side = lowerSide(*world.bodies[0].body);
        StepSettings settings;
        settings.integrator = integrator;
        settings.newtonTolerance = 1e-3;
        // explicit steps are parts of a micro-second long: looked at every 20 of them, and only until the
        // ball is on its way back
        const bool implicit = integrator == Integrator::kImplicit;
        double lowest = 1, least = 1;
        int newton = 0;
        run(world, settings, implicit ? 8.0 / 24 : 0.0016, implicit ? 8 : 80, [&](const StepReport& r) {
            newton += r.newtonIterations;
            const BodyState &p = *world.bodies[0].state, &b = *world.bodies[1].state;
            lowest = std::min(lowest, lowestVertex(b));
            for (const Vec3& x : b.x) least = std::min(least, heightAbove(side, p.x, x));
        });
        const Vec3 velocity = velocityOf(world.bodies[1]);
        figure(std::string("Newton iterations, ") + name(integrator), newton);
        figure(std::string("lowest vertex of the ball, ") + name(integrator), lowest, "m");
        figure(std::string("least height above the plate's lower side, ") + name(integrator), least, "m");
        figure(std::string("speed upwards at the end, ") + name(integrator), velocity.y(), "m/s");
        EXPECT_GT(least, 0) << name(integrator);
        EXPECT_LT(lowest, 0.002) << name(integrator);  // it did come down
        if (implicit) {
            EXPECT_LT(velocity.norm(), 0.01);  // backward Euler leaves nothing of a knock that it does not
                                               // resolve: it lies on the plate
            continue;
        }
        // What of a frame of 1/24 s is left it flies: it is above all of the plate, and gravity takes 0.41
        // m/s
        EXPECT_GT(velocity.y(), 30);
        EXPECT_GT(lowestVertex(*world.bodies[1].state), 0.03);
    }
}

}  // namespace sunder
