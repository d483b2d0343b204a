#include "core/base/parallel.h"
#include "core/body/rigid.h"
#include "core/sim/scene_shapes.h"
#include "core/sim/snapshot.h"
#include "tests/sim/slope_fixture.h"

/// Rigid bodies: free, colliding, on slopes.
namespace sunder {

using namespace testing;

namespace {
const Integrator kRigidIntegrators[] = {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark};

Body makeRigid(TetMesh mesh, const Material& material) {
    Body body = makeBody(std::move(mesh), material);
    body.rigid = true;
    return body;
}

TetMesh makeBall(double radius, int cells, const Vec3& at) {
    SphereShape shape;
    shape.radius = radius;
    shape.cells = cells;
    return placed(makeShape(shape), at);
}

/// Largest change of a distance between two vertices, over the size of the body.
double shapeError(const WorldBody& b) {
    const std::vector<Vec3>&x = b.state->x, &rest = b.body->mesh.rest;
    double most = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            most = std::max(most, std::abs((x[i] - x[j]).norm() - (rest[i] - rest[j]).norm()));
            size = std::max(size, (rest[i] - rest[j]).norm());
        }
    return most / size;
}

const Vec3 kTumbleSpin(0.3, 4, 0.2);  // near the middle axis: it turns over again and again

WorldState makeTumbler() {
    WorldState world;
    addBody(world, makeRigid(placed(makeBox(2, 2, 2, Vec3(0.4, 0.7, 1.1)), Vec3(-0.2, -0.35, -0.55)), elastic(1e7, 0.3)));
    setMotion(world, 0, Vec3(0.5, 0.2, -0.1), Vec3(kTumbleSpin.x(), kTumbleSpin.y(), kTumbleSpin.z()));
    return world;
}

Mat3 orientationOf(const WorldBody& b) {
    const std::vector<double>& mass = b.body->mass;
    return rotationBy(rotationBetween(mass, b.body->mesh.rest, rigidFrame(mass, b.body->mesh.rest).centre, b.state->x, rigidFrame(mass, b.state->x).centre));
}

/// Euler's equations in the body's frame with its orientation as a quaternion, by Runge and Kutta's rule of fourth order.
Mat3 referenceOrientation(const WorldBody& b, const Vec3& spinAtStart, double duration, int count) {
    const RigidFrame frame = rigidFrame(b.body->mass, b.body->mesh.rest);
    struct State {
        Vec3 spin;
        Eigen::Vector4d q;  // x y z w
    };
    const auto rate = [&](const State& s) {
        const Eigen::Quaterniond q(s.q[3], s.q[0], s.q[1], s.q[2]), w(0, s.spin.x(), s.spin.y(), s.spin.z());
        const Vec3 momentum = frame.inertia * s.spin;
        return State{frame.inertia.inverse() * momentum.cross(s.spin), 0.5 * (q * w).coeffs()};
    };
    const auto plus = [](const State& a, double h, const State& d) { return State{a.spin + h * d.spin, a.q + h * d.q}; };
    State s{spinAtStart, Eigen::Vector4d(0, 0, 0, 1)};
    const double h = duration / count;
    for (int k = 0; k < count; ++k) {
        const State k1 = rate(s), k2 = rate(plus(s, h / 2, k1)), k3 = rate(plus(s, h / 2, k2)), k4 = rate(plus(s, h, k3));
        s.spin += h / 6 * (k1.spin + 2 * k2.spin + 2 * k3.spin + k4.spin);
        s.q += h / 6 * (k1.q + 2 * k2.q + 2 * k3.q + k4.q);
        s.q.normalize();
    }
    return Eigen::Quaterniond(s.q[3], s.q[0], s.q[1], s.q[2]).toRotationMatrix();
}
}  // namespace

TEST(RigidBody, TumblesFreely) {
    for (const Integrator integrator : kRigidIntegrators) {
        double last = 0;
        for (const int fps : {24, 48, 96, 192}) {
            WorldState world = makeTumbler();
            const Momenta before = momenta(world);
            const double energy = kineticEnergyOf(world);
            const Vec3 centre = massCentre(world.bodies[0]);
            const Mat3 exact = referenceOrientation(world.bodies[0], kTumbleSpin, 2, 20000);
            double drift = 0;
            run(world, spaceSettings(integrator), 2, 2 * fps);
            const double error = Eigen::AngleAxisd(exact.transpose() * orientationOf(world.bodies[0])).angle();
            run(world, spaceSettings(integrator), 8, 8 * fps, [&](const StepReport& r) { drift = std::max(drift, std::abs(r.energy.kinetic / energy - 1)); });
            const Momenta after = momenta(world);
            const std::string what = std::string(name(integrator)) + ", " + std::to_string(fps) + " steps a second";
            figure("orientation error after 2 s, " + what, error, "rad");
            figure("largest change of energy in 10 s, " + what, drift);
            if (last > 0) figure("order, " + what, std::log2(last / error));
            if (fps == 24) {
                figure("linear drift in 10 s, " + what, (after.linear - before.linear).norm() / before.linearScale);
                figure("angular drift in 10 s, " + what, (after.angular - before.angular).norm() / before.angularScale);
                figure("change of shape in 10 s, " + what, shapeError(world.bodies[0]));
            }
            // velocities of implicit steps are differences of places, rounded to 1e-15 m, over a step of 5 ms or more
            const bool isExplicit = integrator == Integrator::kExplicit;
            EXPECT_LT((after.linear - before.linear).norm(), (isExplicit ? 1e-12 : 1e-11) * before.linearScale) << what;
            EXPECT_LT((after.angular - before.angular).norm(), (isExplicit ? 1e-11 : 1e-10) * before.angularScale) << what;
            EXPECT_LT((massCentre(world.bodies[0]) - centre - 10 * Vec3(0.5, 0.2, -0.1)).norm(), isExplicit ? 1e-11 : 1e-10) << what;
            EXPECT_LT(shapeError(world.bodies[0]), 1e-12) << what;
            // it turns by 0.17 rad a frame
            EXPECT_LT(drift, 0.01 * 24 * 24 / (fps * fps)) << what;
            if (last > 0) {
                EXPECT_NEAR(std::log2(last / error), 2, 0.3) << what;
            }
            last = error;
        }
    }
}

namespace {
enum class Meeting { kBallAndBox, kTwoRigid, kLightRigid, kWeakRigid };

/// A rigid body and another, turning, about to meet.
WorldState makeCollision(Meeting meeting) {
    WorldState world;
    const bool weak = meeting == Meeting::kWeakRigid;
    Material soft = elastic(weak ? 1e8 : 5e5, 0.3, weak ? 5000 : 800), hard = elastic(1e7, 0.25, 1500), light = elastic(weak ? 1e4 : 1e7, 0.25, 30);
    soft.stiffnessDamping = weak ? 0 : 1e-4;
    const Mat3 turnA = Mat3(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized())), turnB = Mat3(Eigen::AngleAxisd(-0.7, Vec3(3, -1, 2).normalized()));
    if (meeting == Meeting::kTwoRigid)
        addBody(world, makeRigid(placed(makeBox(3, 3, 3, Vec3(1, 1, 1)), Vec3(-1.2, -0.4, -0.5), turnA), hard));
    else
        addBody(world, makeRigid(makeBall(0.5, 6, Vec3(-0.8, 0.1, 0.1)), meeting == Meeting::kBallAndBox ? hard : light));
    Body b = makeBody(placed(makeBox(2, 4, 3, Vec3(0.7, 1.2, 0.9)), Vec3(0.35, -0.55, -0.3), turnB), meeting == Meeting::kTwoRigid ? hard : soft);
    b.rigid = meeting == Meeting::kTwoRigid;
    addBody(world, std::move(b));
    setMotion(world, 0, Vec3(2, 0.3, 0), Vec3(0, 1, 2));
    setMotion(world, 1, Vec3(-2, 0, 0.2), Vec3(1, -2, 0));
    return world;
}
}  // namespace

TEST(RigidBody, CollisionsKeepMomentaAndEnergy) {
    for (const Meeting meeting : {Meeting::kBallAndBox, Meeting::kTwoRigid, Meeting::kLightRigid, Meeting::kWeakRigid})
        for (const Integrator integrator : kRigidIntegrators) {
            WorldState world = makeCollision(meeting);
            const Momenta before = momenta(world);
            const double energy = kineticEnergyOf(world);
            const Vec3 apart = massCentre(world.bodies[1]) - massCentre(world.bodies[0]);
            double contact = 0, leftOver = 0;
            int rejected = 0, steps = 0;
            run(world, spaceSettings(integrator), 0.6, 120, [&](const StepReport& r) {
                contact = std::max(contact, r.energy.contact);
                leftOver = std::max(leftOver, std::abs(r.energy.numerical));
                rejected += r.rejected;
                steps += r.steps;
            });
            const Momenta after = momenta(world);
            constexpr const char* kMeetings[] = {"ball and box", "two rigid", "light ball and box", "light ball and hard heavy box"};
            const std::string what = std::string(kMeetings[static_cast<int>(meeting)]) + ", " + name(integrator);
            figure("largest contact energy over the initial energy, " + what, contact / energy);
            figure("lost in friction and dampers, " + what, world.energy.friction / energy);
            figure("kinetic energy after, " + what, kineticEnergyOf(world) / energy);
            figure("largest left over, " + what, leftOver / energy);
            figure("linear drift, " + what, (after.linear - before.linear).norm() / before.linearScale);
            figure("angular drift, " + what, (after.angular - before.angular).norm() / before.angularScale);
            figure("steps, " + what, steps);
            figure("rejected, " + what, rejected);
            const EnergyBooks& e = world.energy;
            EXPECT_NEAR(e.mechanical() + e.friction + e.damped - e.work + e.numerical, energy, 1e-9 * energy) << what;
            EXPECT_GT(contact, 0.001 * energy) << what;  // they did meet
            EXPECT_GT((massCentre(world.bodies[1]) - massCentre(world.bodies[0])).dot(apart), 0) << what;
            EXPECT_LT(shapeError(world.bodies[0]), 1e-14 + 1e-16 * steps) << what;
            const bool isExplicit = integrator == Integrator::kExplicit;
            EXPECT_LT((after.linear - before.linear).norm(), (isExplicit ? 1e-10 : 1e-4) * before.linearScale) << what;
            if (isExplicit) {
                EXPECT_LT((after.angular - before.angular).norm(), 1e-10 * before.angularScale) << what;
                EXPECT_LT(leftOver, 1e-3 * energy) << what;
            } else {
                EXPECT_LT((after.angular - before.angular).norm(), 0.02 * before.angularScale) << what;
            }
        }
}

namespace {
/// A slab that is held everywhere, or a collider, top at y = 0.
void addSlope(WorldState& world, double length, double friction, bool collider) {
    if (!collider) {
        Body slab = makeBody(placed(makeBox(static_cast<int>(length), 1, 2, Vec3(length, 0.5, 2)), Vec3(-0.3 * length, -0.5, -1)), elastic(5e6, 0.3));
        pinWhere(slab, [](const Vec3&) { return true; });
        slab.contact.friction = slab.contact.dynamicFriction = friction;
        addBody(world, std::move(slab));
        return;
    }
    Collider box;
    box.name = "slope";
    box.contact.friction = box.contact.dynamicFriction = friction;
    Collider::Key key;
    for (int k = 0; k < 8; ++k) key.surface.positions.push_back(Vec3((k & 1 ? 0.7 : -0.3) * length, k & 2 ? 0 : -0.5, k & 4 ? 1 : -1));
    key.surface.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    box.keys = {key};
    world.colliders.push_back(buildCollider(std::move(box)));
}

WorldState makeBlockOnSlope(double mu, bool collider) {
    WorldState world;
    Body block = makeRigid(placed(makeBox(3, 2, 3, Vec3(0.6, 0.3, 0.5)), Vec3(-2, 0, -0.2)), elastic(5e6, 0.3));
    block.contact.friction = block.contact.dynamicFriction = mu;
    addBody(world, std::move(block));
    addSlope(world, 12, mu, collider);
    return world;
}

std::string kindOf(Integrator integrator, bool collider) { return std::string(name(integrator)) + (collider ? ", collider" : ", held body"); }
}  // namespace

// tan(angle) = mu decides, within 2 percent on either side.
TEST(RigidBody, BlockOnASlopeSticksOrSlides) {
    const double mu = 0.5;
    for (const bool collider : {false, true})
        for (const Integrator integrator : kRigidIntegrators)
            for (const double steepness : {0.98, 1.02}) {
                WorldState world = makeBlockOnSlope(mu, collider);
                expectSticksOrSlides(world, 0, {mu, steepness, integrator}, kindOf(integrator, collider));
            }
}

// What slides goes v t + (g sin - mu g cos) t^2 / 2.
TEST(RigidBody, BlockSlidesAsFarAsItShould) {
    const double mu = 0.3;
    for (const bool collider : {false, true})
        for (const Integrator integrator : kRigidIntegrators) {
            WorldState world = makeBlockOnSlope(mu, collider);
            expectSlidesFarEnough(world, 0, {mu, 1.5, integrator}, kindOf(integrator, collider));
        }
}

TEST(RigidBody, BallRollsDownASlope) {
    for (const bool collider : {false, true})
        for (const Integrator integrator : kRigidIntegrators) {
            WorldState world;
            Body ball = makeRigid(makeBall(0.3, 8, Vec3(-1, 0.2995, 0.1)), elastic(1e7, 0.3, 1000));
            ball.contact.friction = ball.contact.dynamicFriction = 0.8;
            addBody(world, std::move(ball));
            addSlope(world, 6, 0.8, collider);
            expectRolls(world, 0, integrator, kindOf(integrator, collider));
        }
}

// In one frame the ball goes 2.5 m, 1,250 times the thickness of the plate. The contact springs are the plate's alone, so its cells have to
// be smaller than the ball, also where the plate is stretched most, or it has to be hard.
TEST(RigidBody, BallDoesNotPassAThinPlate) {
    const struct {
        double youngs;
        int cells;
        double density;
    } cases[] = {{5e7, 16, 2700}, {5e7, 16, 1000}, {1e9, 8, 1000}};
    for (const auto& c : cases)
        for (const Integrator integrator : {Integrator::kImplicit, Integrator::kExplicit}) {
            Material rubber = elastic(c.youngs, 0.4, 1100);
            rubber.stiffnessDamping = 1e-6;
            WorldState world;
            Body plate = makeBody(placed(makeBox(c.cells, 1, c.cells, Vec3(0.4, 0.002, 0.4)), Vec3(-0.2, 0, -0.2)), rubber);
            pinWhere(plate, [](const Vec3& p) { return std::abs(p.x()) > 0.199 || std::abs(p.z()) > 0.199; });
            addBody(world, std::move(plate));
            const bool implicit = integrator == Integrator::kImplicit;
            addBody(world, makeRigid(makeBall(0.02, 4, Vec3(0.013, implicit ? 0.32 : 0.03, 0.007)), elastic(2e11, 0.3, c.density)));
            setMotion(world, 1, Vec3(0, -60, 0));
            StepSettings settings;
            settings.integrator = integrator;
            double lowest = 1, deepest = -1;
            int newton = 0, steps = 0;
            run(world, settings, implicit ? 8.0 / 24 : c.density > 2000 ? 0.005 : 0.003, implicit ? 8 : 20, [&](const StepReport& r) {
                newton += r.newtonIterations;
                steps += r.steps;
                const BodyState &p = *world.bodies[0].state, &b = *world.bodies[1].state;
                lowest = std::min(lowest, lowestVertex(b));
                deepest = std::max(deepest, lowestVertex(p) - lowestVertex(b));
            });
            const std::string what = std::string(name(integrator)) + ", " + std::to_string(static_cast<int>(c.youngs / 1e6)) + " MPa, " +
                                     std::to_string(c.cells) + " cells, " + std::to_string(static_cast<int>(c.density)) + " kg/m3";
            figure("Newton iterations, " + what, newton);
            figure("steps, " + what, steps);
            figure("lowest vertex of the ball, " + what, lowest, "m");
            figure("deepest below the plate, " + what, deepest, "m");
            figure("speed at the end, " + what, world.bodies[1].state->v[0].y(), "m/s");
            // below the lowest vertex of the plate, so on its far side or in the dent between its vertices, by less than it is thick
            EXPECT_LT(deepest, 0.002) << what;
            EXPECT_GT(world.bodies[1].state->v[0].y(), -0.1) << what;  // it rests on the plate or is on its way back
        }
}

// A lone vertex of restitution 0 keeps 0.135 of its speed. What a rigid body keeps is more, the fewer of its vertices touch.
TEST(RigidBody, BouncesNoHigherThanItFell) {
    for (const bool ball : {true, false})
        for (const double restitution : {0.0, 0.5, 1.0}) {
            WorldState world;
            Body body = makeRigid(ball ? makeBall(0.3, 6, Vec3(0, 0.31, 0)) : placed(makeBox(2, 2, 2, Vec3(0.4, 0.4, 0.4)), Vec3(-0.2, 0.01, -0.2)), elastic(1e7, 0.3));
            body.contact.restitution = restitution;
            addBody(world, std::move(body));
            addSlope(world, 4, 0.5, true);
            setMotion(world, 0, Vec3(0, -2, 0));
            StepSettings settings = spaceSettings(Integrator::kExplicit);
            run(world, settings, 0.2, 20);
            const double after = rigidPart(rigidFrame(world.bodies[0].body->mass, world.bodies[0].state->x), world.bodies[0].body->mass, world.bodies[0].state->x, world.bodies[0].state->v).centre.y();
            figure(std::string("speed kept by a ") + (ball ? "ball" : "box on its face") + ", restitution " + std::to_string(restitution).substr(0, 3), after / 2);
            EXPECT_GT(after, 0);
            EXPECT_LT(after, 2.0001);
            if (restitution == 1) {
                EXPECT_GT(after, 1.6);
            }
        }
}

// Thrown: led on a straight way with a turn, let go, it flies on.
TEST(RigidBody, FliesOnWhenLetGo) {
    for (const Integrator integrator : kRigidIntegrators) {
        WorldState world;
        Body body = makeRigid(placed(makeBox(2, 2, 2, Vec3(0.4, 0.7, 1.1)), Vec3(-0.2, -0.35, -0.55)), elastic(1e7, 0.3));
        Motion motion;
        motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(2, 1, 0), Vec3(0, 3, 0)}};
        pinWhere(body, [](const Vec3&) { return true; }, motion);
        body.constraints.hard[0].releaseTime = 0.5;
        addBody(world, std::move(body));
        run(world, spaceSettings(integrator), 1, 100);
        const std::vector<double>& mass = world.bodies[0].body->mass;
        const RigidFrame frame = rigidFrame(mass, world.bodies[0].state->x);
        const RigidField v = rigidPart(frame, mass, world.bodies[0].state->x, world.bodies[0].state->v);
        const std::string what = name(integrator);
        figure("place at 1 s off the straight way, " + what, (frame.centre - Vec3(2, 1, 0)).norm(), "m");
        figure("spin off, " + what, (v.turn - Vec3(0, 3, 0)).norm(), "1/s");
        EXPECT_LT(shapeError(world.bodies[0]), 1e-12) << what;
        EXPECT_LT((frame.centre - Vec3(2, 1, 0)).norm(), 1e-6) << what;
        EXPECT_LT((v.turn - Vec3(0, 3, 0)).norm(), 4.6e-4) << what;  // along a chord of 0.03 rad, implicit: 3 (1 - sin(0.03) / 0.03)
    }
}

namespace {
/// A rigid ball lands on two soft boxes.
WorldState makeMixed() {
    Material soft = elastic(2e5, 0.3, 800);
    soft.stiffnessDamping = 1e-3;
    WorldState world;
    Body floor = makeBody(placed(makeBox(4, 1, 4, Vec3(2, 0.3, 2)), Vec3(-1, -0.3, -1)), soft);
    pinWhere(floor, [](const Vec3& p) { return p.y() < -0.29; });
    addBody(world, std::move(floor));
    addBody(world, makeBody(placed(makeBox(3, 2, 3, Vec3(0.6, 0.4, 0.6)), Vec3(-0.3, 0.01, -0.3)), soft));
    addBody(world, makeRigid(makeBall(0.2, 5, Vec3(0.05, 0.7, 0.02)), elastic(1e7, 0.3, 600)));
    setMotion(world, 2, Vec3(0.2, -1, 0), Vec3(0, 1, 3));
    return world;
}
}  // namespace

TEST(RigidBody, AmongSoftOnesInOneSolveAndInNewmark) {
    for (const bool oneSolve : {true, false}) {
        StepSettings settings;
        settings.integrator = oneSolve ? Integrator::kImplicit : Integrator::kNewmark;
        settings.oneSolve = oneSolve;
        settings.substeps = 4;
        WorldState world = makeMixed();
        run(world, settings, 1.5, 36);
        double slowest = 0;
        for (const Vec3& v : world.bodies[2].state->v) slowest = std::max(slowest, v.norm());
        const std::string what = oneSolve ? "one solve" : "newmark";
        figure("speed of the ball after 1.5 s, " + what, slowest, "m/s");
        figure("height of the ball after 1.5 s, " + what, massCentre(world.bodies[2]).y(), "m");
        EXPECT_LT(shapeError(world.bodies[2]), 1e-12) << what;
        EXPECT_GT(massCentre(world.bodies[2]).y(), 0.15) << what;
        EXPECT_LT(slowest, 3) << what;
    }
}

/// A single solve from where a step starts does not see what a weight goes into, and drives it deep into the slab: contact then had 14 times the energy that came in. Such a step is
/// solved by Newton's method.
TEST(RigidBody, AHardImpactAddsLittleEnergyInOneSolve) {
    for (const ElasticLawId law : {ElasticLawId::kGreen, ElasticLawId::kCorotated}) {
        Material glass = elastic(260e6, 0.25, 2588, law);
        WorldState world;
        Body slab = makeBody(placed(makeBox(8, 1, 8, Vec3(1, 0.04, 1)), Vec3(-0.5, 0, -0.5)), glass);
        pinWhere(slab, [](const Vec3& p) { return std::abs(p.x()) > 0.499; });
        addBody(world, std::move(slab));
        CylinderShape weight;
        weight.radius = 0.08;
        weight.height = 0.16;
        weight.cells = 4;
        weight.jitter = 0;
        TetMesh mesh = makeShape(weight).mesh;
        const Mat3 tilt = rotationBy(Vec3(0.2, 0, 0.14));
        for (Vec3& p : mesh.rest) p = tilt * p + Vec3(0, 0.145, 0);
        addBody(world, makeRigid(std::move(mesh), elastic(1e10, 0.3, 7800)));
        setMotion(world, 1, Vec3(0, -9, 0), Vec3::Zero());
        StepSettings settings;
        settings.oneSolve = true;
        settings.newtonTolerance = settings.linearTolerance = 0.01;
        refreshEnergy(world, settings);
        const double start = world.energy.mechanical();
        double most = start;
        run(world, settings, 0.1, 24, [&](const StepReport&) { most = std::max(most, world.energy.mechanical()); });
        const std::string what = law == ElasticLawId::kGreen ? "green" : "corotated";
        figure("largest energy over that at the start, " + what, most / start, "");
        EXPECT_LT(most, 2 * start) << what;
    }
}

TEST(RigidBody, SameBytesForAnyThreadCount) {
    for (const Integrator integrator : kRigidIntegrators) {
        StepSettings settings;
        settings.integrator = integrator;
        std::vector<std::vector<std::uint8_t>> bytes;
        for (const int threads : {1, 2}) {
            setThreadCount(threads);
            WorldState world = makeMixed();
            run(world, settings, 0.4, 10);
            bytes.push_back(saveSnapshot(world));
        }
        setThreadCount(0);
        EXPECT_EQ(bytes[0], bytes[1]) << name(integrator);
    }
}

}  // namespace sunder
