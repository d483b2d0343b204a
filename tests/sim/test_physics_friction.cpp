#include "tests/sim/physics_fixture.h"

/// Coulomb friction on the ground plane: at most mu times the normal force, against the sliding, able to stop
/// it but not to turn it around.
namespace sunder {

using namespace testing;

namespace {
constexpr Integrator kAll[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark,
                               Integrator::kRkf45};
constexpr double kGravity = 9.81;

StepSettings groundSettings(Integrator integrator, double friction) {
    StepSettings settings;
    settings.integrator = integrator;
    settings.gravity = Vec3(0, -kGravity, 0);
    settings.ground.enabled = true;
    settings.ground.friction = friction;
    return settings;
}

/// Four points of equal mass that know nothing of each other (the tet between them has next to no stiffness),
/// all on the ground, at the depth at which it carries them.
WorldState makePointsOnGround(StepSettings& settings) {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    mesh.tets = {{0, 1, 2, 3}};
    settings.ground.stiffnessScale = 1e9;
    WorldState world = makeWorld(makeBody(std::move(mesh), elastic(1e-3, 0)));
    const Body& body = *world.bodies[0].body;
    editState(world, [&](BodyState& s) {
        for (std::size_t i = 0; i < s.x.size(); ++i)
            s.x[i].y() =
                settings.gravity.y() * body.mass[i] / (settings.ground.stiffnessScale * body.stiffness[i]);
    });
    return world;
}

double slipSpeedOf(const WorldState& world) {
    Vec3 low = world.bodies[0].body->mesh.rest[0], high = low;
    for (const Vec3& p : world.bodies[0].body->mesh.rest) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    return 1e-3 * (high - low).norm();
}
}  // namespace

// Points slide with 1 m/s on level ground: each slows by mu g, stops after v / (mu g) and v^2 / (2 mu g), and
// stays. In no step does the speed change by more than mu g dt, and it never points back. Newmark takes the
// mean of two forces, so that it may overshoot by what the smoothing of friction below the slip speed lets
// through.
TEST(Friction, StopsASlidingPointAndNeverTurnsItAround) {
    const double mu = 0.5, stop = 1 / (mu * kGravity), dt = 1e-3;
    for (const Integrator integrator : kAll) {
        StepSettings settings = groundSettings(integrator, mu);
        WorldState world = makePointsOnGround(settings);
        editState(world, [](BodyState& s) {
            for (Vec3& v : s.v) v = Vec3(0.6, 0, 0.8);
        });
        const Vec3 start = world.bodies[0].state->x[0], along(0.6, 0, 0.8);
        double before = 1, backwards = 0, strongest = 0, across = 0;
        run(world, settings, 1.5 * stop, static_cast<int>(1.5 * stop / dt), [&](const StepReport&) {
            const Vec3& v = world.bodies[0].state->v[0];
            const double speed = v.dot(along);
            backwards = std::max(backwards, -speed);
            across = std::max(across, v.cross(along).norm());
            strongest = std::max(strongest, (before - speed) / (mu * kGravity * 1.5 * stop /
                                                                static_cast<int>(1.5 * stop / dt)));
            before = speed;
        });
        const double way = (world.bodies[0].state->x[0] - start).dot(along);
        const std::string label = name(integrator);
        figure("largest speed backwards over slip speed, " + label, backwards / slipSpeedOf(world));
        figure("largest friction over mu N, " + label, strongest);
        figure("way over v^2 / 2 mu g, " + label, way * 2 * mu * kGravity);
        EXPECT_LE(backwards, (integrator == Integrator::kNewmark ? 1 : 1e-6) * slipSpeedOf(world)) << label;
        EXPECT_LE(strongest, 1 + 1e-6) << label;
        EXPECT_LE(across, 1e-6) << label;  // the tet between the points pulls a little
        // backward Euler stops half a step too early or too late; below the slip speed all of them creep to
        // the end
        EXPECT_NEAR(way * 2 * mu * kGravity, 1, dt / stop + 0.01) << label;
    }
}

// Every vertex's friction is at most mu times its normal force, so over any time the ground's push sideways
// is at most mu times its push upwards; a block that hits the ground at a slant and slides throughout gets
// exactly that.
TEST(Friction, ImpulseOfASlidingImpactIsMuTimesTheNormalImpulse) {
    const double mu = 0.4;
    for (const Integrator integrator : kAll)
        for (const double friction : {mu, 0.0}) {
            StepSettings settings = groundSettings(integrator, friction);
            Material material = elastic(1e5, 0.3);
            material.stiffnessDamping = 1e-3;
            WorldState world = makeWorld(makeBody(makeBox(3, 2, 3, Vec3(1, 0.5, 1)), material));
            editState(world, [](BodyState& s) {
                for (Vec3& v : s.v) v = Vec3(10, -2, 0);
                for (Vec3& x : s.x) x.y() += 0.03;
            });
            const double mass = totalMass(*world.bodies[0].body);
            Vec3 last = momenta(world).linear;
            const Vec3 first = last;
            double most = 0, duration = 0.5, dt = duration / 250;
            run(world, settings, duration, 250, [&](const StepReport&) {
                const Vec3 now = momenta(world).linear;
                const double normal = now.y() - last.y() + mass * kGravity * dt,
                             side = std::abs(now.x() - last.x());
                if (normal > 1e-6 * mass) most = std::max(most, side / normal);
                last = now;
            });
            const double normal = last.y() - first.y() + mass * kGravity * duration,
                         side = first.x() - last.x();
            const std::string label =
                std::string(name(integrator)) + ", mu " + std::to_string(friction).substr(0, 3);
            figure("sideways over normal impulse, " + label, side / normal);
            figure("largest of any step, " + label, most);
            EXPECT_GT(normal, 2 * mass) << label;
            EXPECT_NEAR(side / normal, friction, 1e-3 * mu) << label;
            // a vertex that touches in one of Newton's iterations and not in the next may keep the friction
            // of the earlier one
            const bool newton = integrator == Integrator::kImplicit || integrator == Integrator::kNewmark;
            EXPECT_LE(most, friction * (1 + (newton ? 0.03 : 1e-3)) + 1e-9) << label;
        }
}

// A slope that is 2 percent steeper or flatter than mu.
TEST(Friction, PointsStickAndSlideOnEitherSideOfTheFrictionAngle) {
    const double mu = 0.5;
    for (const Integrator integrator : kAll)
        for (const double tangent : {0.98 * mu, 1.02 * mu}) {
            StepSettings settings = groundSettings(integrator, mu);
            settings.gravity = kGravity * Vec3(tangent, -1, 0) / std::hypot(1, tangent);
            WorldState world = makePointsOnGround(settings);
            run(world, settings, 1, 100);
            const double way = world.bodies[0].state->x[1].x() - 1;
            const double theory = 0.5 * kGravity * (tangent - mu) / std::hypot(1, tangent);
            const std::string label = name(integrator);
            if (tangent < mu) {
                figure("creep over slip speed, " + label, way / slipSpeedOf(world));
                EXPECT_LE(way, slipSpeedOf(world)) << label;
            } else {
                figure("way over g (sin - mu cos) t^2 / 2, " + label, way / theory);
                // below the slip speed friction is not yet all there, which puts it ahead by less than slip
                // speed times time; backward Euler moves by (n + 1) / n of the parabola
                EXPECT_NEAR(way, theory, 0.011 * theory + slipSpeedOf(world)) << label;
            }
        }
}

// A soft block tumbles down: what friction and the ground's damper have taken only ever grows, and the block
// is squeezed as far as in rkf45, whose errors are small.
TEST(Friction, OnlyTakesEnergy) {
    double squeezed = 0;
    for (const Integrator integrator :
         {Integrator::kRkf45, Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        StepSettings settings = groundSettings(integrator, 0.6);
        Material material = elastic(3e4, 0.3);
        material.stiffnessDamping = 1e-3;
        WorldState world = makeWorld(makeBody(makeBox(3, 3, 3, Vec3(0.5, 0.5, 0.5)), material));
        editState(world, [](BodyState& s) {
            const Mat3 turn = Eigen::AngleAxisd(0.6, Vec3(1, 0, 1).normalized()).toRotationMatrix();
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                s.x[i] = turn * s.x[i] + Vec3(0, 0.5, 0);
                s.v[i] = Vec3(1.5, -1, 0.5) + Vec3(2, 1, -3).cross(s.x[i]);
            }
        });
        double last = 0, back = 0, smallest = 1;
        run(world, settings, 0.6, 120, [&](const StepReport& r) {
            back = std::max(back, last - r.energy.friction);
            last = r.energy.friction;
            smallest = std::min(smallest, r.smallestDetF);
        });
        figure(std::string("largest fall of the friction book over its end, ") + name(integrator),
               back / last);
        figure(std::string("smallest det F, ") + name(integrator), smallest);
        figure(std::string("lost to the integrator over friction, ") + name(integrator),
               world.energy.numerical / last);
        EXPECT_LE(back, 1e-9 * last) << name(integrator);
        if (integrator == Integrator::kRkf45) squeezed = smallest;
        EXPECT_NEAR(smallest, squeezed, integrator == Integrator::kImplicit ? 0.1 : 0.02) << name(integrator);
    }
}

// The foot of a shaking block is held below the ground's surface: it is pressed and pulled, but does not
// move, so no work is done.
TEST(Friction, HeldVerticesLoseNothing) {
    for (const Integrator integrator : kAll) {
        StepSettings settings = groundSettings(integrator, 0.6);
        settings.ground.point.y() = 0.1;
        Body body = makeBody(makeBox(2, 2, 2, Vec3(1, 1, 1)), elastic(1e5, 0.3));
        pinWhere(body, [](const Vec3& p) { return p.y() == 0; });
        WorldState world = makeWorld(std::move(body));
        editState(world, [](BodyState& s) {
            for (Vec3& v : s.v) v.x() = 0.2;
        });
        run(world, settings, 0.2, 20);
        EXPECT_EQ(world.energy.friction, 0) << name(integrator);
        EXPECT_GT(world.energy.elastic, 0) << name(integrator);
    }
}

}  // namespace sunder
