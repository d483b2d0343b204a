#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <iostream>

#include "core/body/apply_edit.h"
#include "core/contact/contact_potential.h"
#include "core/contact/contact_sides.h"
#include "core/mesh/topology_edit.h"
#include "tests/contact/touching_bodies.h"

namespace sunder {

namespace {
/// A plate of 10 x 1 x 10 cm, one cell thick, its top at y = 0, and a small box of 2 cm above it.
struct PlateAndBox : testing::TouchingBodies {
    explicit PlateAndBox(bool rigid = true) : TouchingBodies(plate(), box(rigid)) {}
    static Body plate() {
        Body body = testing::makeContactBody(testing::makeBox(4, 1, 4, Vec3(0.1, 0.01, 0.1)), 1e6);
        for (Vec3& p : body.mesh.rest) p += Vec3(-0.05, -0.01, -0.05);
        return body;
    }
    static Body box(bool rigid) {
        Body body = testing::makeContactBody(testing::makeBox(1, 1, 1, Vec3(0.02, 0.02, 0.02)), 1e9);
        const Mat3 turn = Eigen::AngleAxisd(0.2, Vec3(1, 2, 3).normalized()).toRotationMatrix();
        for (Vec3& p : body.mesh.rest) p = turn * (p - Vec3(0.01, 0.01, 0.01)) + Vec3(0.003, 0.012, 0.002);
        body.rigid = rigid;
        return body;
    }
    SideBodies sides() const { return {{&shape[0], &shape[1]}, {&memory[0], &memory[1]}, {0, 0}, 2}; }
    std::vector<Span<const Vec3>> places() const { return {x[0], x[1]}; }
    /// Moves the box; what happens to it on the way is remembered.
    std::size_t moveBox(const Vec3& way, int steps = 1) {
        std::size_t held = 0;
        for (int k = 0; k < steps; ++k) {
            const std::vector<Vec3> before[2] = {x[0], x[1]};
            for (Vec3& p : x[1]) p += way / steps;
            held = look({before[0], before[1]}).size();
        }
        return held;
    }
    std::vector<SideHold> look(const std::vector<Span<const Vec3>>& before) {
        ContactSides own;
        own.begin(sides(), places());
        own.update(overlaps(), places(), before, std::vector<std::uint8_t>{1, 1});
        ContactMemory* memories[] = {&memory[0], &memory[1]};
        own.remember(Span<ContactMemory* const>(memories, 2));
        return own.holdsAt(places());
    }
    std::vector<SideHold> holds() const {
        ContactSides own;
        own.begin(sides(), places());
        return own.holdsAt(places());
    }
    double lowest() const {
        double y = HUGE_VAL;
        for (const Vec3& p : x[1]) y = std::min(y, p.y());
        return y;
    }
};

double energyOf(const std::vector<SideHold>& holds) {
    double sum = 0;
    for (const SideHold& h : holds) sum += h.energy();
    return sum;
}
}  // namespace

// Energy, force and slope are each other's derivatives, and start from nothing.
TEST(HoldSpring, ForceIsTheSlopeOfTheEnergy) {
    const HoldSpring spring{3.0, 0.1};
    EXPECT_EQ(spring.energy(0), 0);
    EXPECT_EQ(spring.force(0), 0);
    EXPECT_EQ(spring.slope(0), 0);
    for (const double e : {0.01, 0.1, 0.3, 0.39, 0.41, 0.6, 2.0}) {
        const double d = 1e-5;
        EXPECT_NEAR((spring.energy(e + d) - spring.energy(e - d)) / (2 * d), spring.force(e), 1e-6 * spring.force(e));
        EXPECT_NEAR((spring.force(e + d) - spring.force(e - d)) / (2 * d), spring.slope(e), 1e-6 * spring.slope(e));
    }
    // where it goes on evenly, nothing jumps
    for (const auto value : {&HoldSpring::energy, &HoldSpring::force, &HoldSpring::slope})
        EXPECT_NEAR((spring.*value)(0.4 * (1 - 1e-12)), (spring.*value)(0.4 * (1 + 1e-12)), 1e-9 * (spring.*value)(0.4));
    EXPECT_EQ(spring.slope(1), spring.slope(7));
}

// Of a step that starts anywhere: force is the derivative of the value and slope that of the force, pushing and let go, in the bent part and beyond.
TEST(HoldSpring, DampedPushHasAPotential) {
    const HoldSpring spring{3.0, 0.1, 0.4};
    for (const double start : {-0.3, 0.0, 0.02, 0.2, 0.7, 3.0})
        for (const double rate : {0.5, 20.0, 1e3}) {
            double last = 0;
            for (double e = 0.003; e < 1.5; e *= 1.31) {
                const double d = 1e-6 * e;
                const HoldPush push = spring.pushAt(e, start, rate), above = spring.pushAt(e + d, start, rate), below = spring.pushAt(e - d, start, rate);
                EXPECT_NEAR((above.value - below.value) / (2 * d), push.force, 1e-5 * push.force + 1e-12) << start << " " << rate << " " << e;
                if (below.force > 0) {
                    EXPECT_NEAR((above.force - below.force) / (2 * d), push.slope, 1e-5 * push.slope) << start << " " << rate << " " << e;
                }
                EXPECT_GE(push.value, last);
                last = push.value;
                if (start >= 0) {
                    EXPECT_NEAR(push.force, spring.forceAt(e, rate * (e - start)), 1e-12 * push.force);
                }
            }
        }
    const HoldSpring undamped{3.0, 0.1};
    EXPECT_EQ(undamped.pushAt(0.2, 0.5, 100).value, undamped.energy(0.2));
}

// A mass comes back with the share of its speed that the damping ratio means for all contact, however fast it is.
TEST(HoldSpring, BouncesAsOtherContactDoes) {
    constexpr double mass = 0.7;
    for (const double z : {0.0, 0.1, 0.3, 1.0})
        for (const double speed : {0.01, 0.1, 0.3}) {
            const HoldSpring spring{5.0, 0.1, 2 * z * std::sqrt(5.0 * mass)};
            double e = 0, v = speed, deepest = 0;
            const double dt = 2e-5 * 0.1 / speed;
            do {  // middle point rule
                const double e2 = e + 0.5 * dt * v, v2 = v - 0.5 * dt / mass * spring.forceAt(e, v);
                const double push = spring.forceAt(e2, v2);
                e += dt * v2;
                v -= dt / mass * push;
                deepest = std::max(deepest, e);
                if (push == 0 && v < 0) break;
            } while (e > 0);
            EXPECT_LT(deepest, 0.4);  // in the bent part
            EXPECT_NEAR(-v / speed, bounce(z), 2e-3) << z << " " << speed;
        }
}

// In the upper part of the layer a vertex is known to be in, and nothing pushes; below it is held, through the middle and out on the far side.
TEST(ContactSides, HoldBeginsBelowTheUpperPartAndGoesOnBeyondTheFarSide) {
    PlateAndBox t;
    EXPECT_EQ(t.moveBox(Vec3(0, -0.0005 - t.lowest(), 0)), 0u);
    ASSERT_EQ(t.memory[1].entries.size(), 1u);
    const ContactEntry first = t.memory[1].entries[0];
    EXPECT_NEAR(first.free, 0.004, 0.002);  // 0.4 of the thickness, as the vertices around see it
    double last = 0;
    std::size_t held = 0;
    for (int k = 0; k < 40; ++k) {
        held = t.moveBox(Vec3(0, -0.0005, 0));
        const double depth = -t.lowest(), energy = energyOf(t.holds());
        if (depth <= 0.99 * first.free) {
            EXPECT_EQ(held, 0u) << depth;
        }
        EXPECT_GE(energy, last) << depth;
        if (depth > 0.01) {
            EXPECT_GT(energy, last) << depth;
        }
        last = energy;
    }
    EXPECT_GE(held, 4u);  // of the box's eight vertices, some of which are below the plate by now
    EXPECT_LT(t.lowest(), -0.02);
    // back up: it is let go where it came in, and forgotten above the plate
    held = t.moveBox(Vec3(0, 0.03 - t.lowest(), 0), 20);
    EXPECT_EQ(held, 0u);
    EXPECT_TRUE(t.memory[1].entries.empty());
}

TEST(ContactSides, WhatJumpsThroughIsHeldByTheFaceThatItPassed) {
    PlateAndBox t;
    EXPECT_GT(t.moveBox(Vec3(0, -0.015, 0)), 0u);
    for (const SideHold& h : t.holds()) EXPECT_GT(h.body == 1 ? h.normal.y() : -h.normal.y(), 0.9);  // the plate's vertices came in by the bottom of the box
}

TEST(ContactSides, WhatGoesOverTheEdgeIsLetGo) {
    PlateAndBox t;
    EXPECT_GT(t.moveBox(Vec3(0, -0.015, 0)), 0u);
    t.moveBox(Vec3(0.08, 0, 0), 40);
    EXPECT_TRUE(t.memory[1].entries.empty());
}

TEST(ContactSides, ForcesAreTheGradientAndKeepBothMomenta) {
    PlateAndBox t(false);
    for (std::size_t i = 0; i < t.x[0].size(); ++i)
        for (int c = 0; c < 3; ++c) t.x[0][i][c] += 2e-4 * randomRange(-1, 1, 5, i, static_cast<std::uint64_t>(c));
    t.moveBox(Vec3(0.001, -0.014, 0.002), 8);
    ContactSides sides;
    sides.begin(t.sides(), t.places());
    const std::vector<SideHold> holds = sides.holdsAt(t.places());
    ASSERT_GE(holds.size(), 2u);
    for (int k = 0; k < 2; ++k) t.force[k].assign(t.x[k].size(), Vec3::Zero());
    for (const SideHold& h : holds) addHoldForces(h, [&](std::int32_t body, std::int32_t vertex, const Vec3& f) { t.force[body][static_cast<std::size_t>(vertex)] += f; });
    const auto sums = t.sums();
    std::cout << "    sum of forces " << sums.force.norm() / sums.forceScale << ", of moments " << sums.moment.norm() / sums.momentScale << "\n";
    EXPECT_LT(sums.force.norm(), 1e-15 * sums.forceScale);
    EXPECT_LT(sums.moment.norm(), 1e-14 * sums.momentScale);
    double error[2];
    for (int level = 0; level < 2; ++level) {
        const double d = level == 0 ? 4e-5 : 2e-5;
        double largest = 0, scale = 0;
        for (int k = 0; k < 2; ++k)
            for (std::size_t i = 0; i < t.x[k].size(); ++i)
                for (int c = 0; c < 3; ++c) {
                    const double at = t.x[k][i][c];
                    t.x[k][i][c] = at + d;
                    const double above = energyOf(sides.holdsAt(t.places()));
                    t.x[k][i][c] = at - d;
                    const double below = energyOf(sides.holdsAt(t.places()));
                    t.x[k][i][c] = at;
                    largest = std::max(largest, std::abs((above - below) / (2 * d) + t.force[k][i][c]));
                    scale = std::max(scale, std::abs(t.force[k][i][c]));
                }
        error[level] = largest / scale;
    }
    std::cout << "    error of central differences " << error[0] << " and, with half of the way, " << error[1] << "\n";
    EXPECT_LT(error[1], 1e-3);
    EXPECT_NEAR(error[0] / error[1], 4, 0.6);
}

// Rigid motion of both changes neither energy nor what is held.
TEST(ContactSides, RigidMotionChangesNothing) {
    PlateAndBox t;
    t.moveBox(Vec3(0, -0.014, 0), 4);
    const double before = energyOf(t.holds());
    ASSERT_GT(before, 0);
    const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(3, -1, 2).normalized()).toRotationMatrix();
    for (auto& list : t.x)
        for (Vec3& p : list) p = turn * p + Vec3(0.3, -0.2, 0.5);
    EXPECT_NEAR(energyOf(t.holds()), before, 1e-10 * before);
}

// The part of an implicit step's value has the same forces, and a stiffness that is their derivative but for the turning of faces.
TEST(ContactSides, PotentialHasItsForcesAndStiffness) {
    PlateAndBox t(false);
    t.moveBox(Vec3(0, -0.014, 0), 8);
    t.memory[0].entries.clear();  // in faces that are not level
    for (ContactShape& s : t.shape) s.dampingRatio = 0;
    ContactBodies bodies;
    bodies.shapes = {&t.shape[0], &t.shape[1]};
    bodies.memory = {&t.memory[0], &t.memory[1]};
    bodies.offset = {0, t.x[0].size(), t.x[0].size() + t.x[1].size()};
    std::vector<Vec3> x = t.x[0];
    x.insert(x.end(), t.x[1].begin(), t.x[1].end());
    ContactSet none;
    none.vertices.resize(2);
    for (int k = 0; k < 2; ++k) none.vertices[static_cast<std::size_t>(k)].reset(t.x[k].size());
    ContactPotential potential;
    potential.begin(bodies, {50, false}, none, x, {});
    potential.keepSides(t.sides(), {});
    std::vector<Vec3> force(x.size(), Vec3::Zero());
    EXPECT_DOUBLE_EQ(potential.value(none, x, force), energyOf(t.holds()));
    EXPECT_DOUBLE_EQ(potential.heldEnergy(x), energyOf(t.holds()));
    potential.linearize(none, x, ContactUnknowns::ofVertices(bodies.offset));
    ASSERT_TRUE(potential.hasStiffness());
    // along the normal of a face that does not turn: all of the box down by a little
    const double d = 1e-7;
    std::vector<Vec3> way(x.size(), Vec3::Zero()), moved = x, after(x.size(), Vec3::Zero()), product(x.size(), Vec3::Zero());
    for (std::size_t i = bodies.offset[1]; i < x.size(); ++i) {
        way[i] = Vec3(0, -1, 0);
        moved[i] += d * way[i];
    }
    potential.value(none, moved, after);
    potential.addProduct(way, product);
    for (std::size_t k = 0; k < potential.stiffUnknowns().size(); ++k) {
        const auto u = static_cast<std::size_t>(potential.stiffUnknowns()[k]);
        product[u] += potential.diagonal()[k] * way[u];
    }
    double scale = 0, error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        scale = std::max(scale, product[i].norm());
        error = std::max(error, ((force[i] - after[i]) / d - product[i]).norm());
    }
    EXPECT_GT(scale, 0);
    EXPECT_LT(error, 1e-3 * scale);  // weights of feet do not change on this way, single precision aside
}

// Friction acts on both bodies where the vertex is: no sum of forces or moments, and none where all turns as one.
TEST(ContactSides, FrictionKeepsBothMomentaAndSeesNoRigidMotion) {
    PlateAndBox t(false);
    t.moveBox(Vec3(0.001, -0.014, 0.002), 8);
    t.setRandomVelocities(9);
    std::size_t count = 0;
    for (const SideHold& h : t.holds()) {
        if (!(h.friction[0] > 0)) continue;
        ++count;
        for (int k = 0; k < 2; ++k) t.force[k].assign(t.x[k].size(), Vec3::Zero());
        const Vec3 pull(0.3, -0.2, 0.9);
        addGripForces(h, pull, [&](std::int32_t body, std::int32_t vertex, const Vec3& f) { t.force[body][static_cast<std::size_t>(vertex)] += f; });
        const auto sums = t.sums();
        EXPECT_LT(sums.force.norm(), 1e-14 * sums.forceScale);
        EXPECT_LT(sums.moment.norm(), 1e-13 * sums.momentScale);
        EXPECT_NEAR(sums.power, pull.dot(slidingVelocity(h, std::vector<Span<const Vec3>>{t.v[0], t.v[1]})), 1e-13 * sums.forceScale);
        std::vector<Vec3> v[2];
        for (int k = 0; k < 2; ++k)
            for (const Vec3& p : t.x[k]) v[k].push_back(Vec3(1, 2, 3).cross(p) + Vec3(4, 5, 6));
        EXPECT_LT(slidingVelocity(h, std::vector<Span<const Vec3>>{v[0], v[1]}).norm(), 1e-12);
        EXPECT_NEAR(deepeningSpeed(h, std::vector<Span<const Vec3>>{v[0], v[1]}), 0, 1e-12);
    }
    EXPECT_GE(count, 2u);
}

// An implicit step's part of springs, dampers and friction: the force is minus the slope of the value, in backward Euler and in Newmark's rule.
TEST(ContactSides, DampedPotentialWithFrictionHasItsForces) {
    for (const bool secondOrder : {false, true}) {
        PlateAndBox t(false);
        t.moveBox(Vec3(0, -0.013, 0), 8);
        ContactBodies bodies;
        bodies.shapes = {&t.shape[0], &t.shape[1]};
        bodies.memory = {&t.memory[0], &t.memory[1]};
        bodies.offset = {0, t.x[0].size(), t.x[0].size() + t.x[1].size()};
        const auto joined = [](const std::vector<Vec3>* parts) {
            std::vector<Vec3> all = parts[0];
            all.insert(all.end(), parts[1].begin(), parts[1].end());
            return all;
        };
        ContactSet none;
        none.vertices.resize(2);
        none.ofBodies = RangesOfBodies(2);
        for (int k = 0; k < 2; ++k) none.vertices[static_cast<std::size_t>(k)].reset(t.x[k].size());
        t.setRandomVelocities(4);
        ContactPotential potential;
        potential.begin(bodies, {50, secondOrder}, none, joined(t.x), joined(t.v));
        potential.keepSides(t.sides(), joined(t.v));
        for (Vec3& p : t.x[1]) p += Vec3(0.0004, -0.0008, 0.0003);
        std::vector<Vec3> x = joined(t.x), force(x.size(), Vec3::Zero());
        potential.updateFriction(none, x);
        const double value = potential.value(none, x, force);
        double largest = 0, scale = 0, along = 0;
        const double d = 1e-7;
        for (std::size_t i = 0; i < x.size(); ++i)
            for (int c = 0; c < 3; ++c) {
                const double at = x[i][c];
                x[i][c] = at + d;
                const double above = potential.value(none, x, {});
                x[i][c] = at - d;
                const double below = potential.value(none, x, {});
                x[i][c] = at;
                largest = std::max(largest, std::abs((above - below) / (2 * d) + force[i][c]));
                scale = std::max(scale, std::abs(force[i][c]));
                if (c != 1) along = std::max(along, std::abs(force[i][c]));
            }
        std::cout << "    error of central differences " << largest / scale << ", forces along the plate " << along / scale << "\n";
        EXPECT_LT(largest, 1e-5 * scale);
        EXPECT_GT(along, 0.01 * scale);
        EXPECT_GT(value, 0);
        // what the step has lost is not negative, and friction is remembered
        std::vector<ContactMemory> after;
        EXPECT_GT(potential.commit(none, x, std::vector<std::uint8_t>{0, 0}, after), 0);
        EXPECT_GT(after[0].storedInEntries() + after[1].storedInEntries(), 0);
    }
}

// What overlaps by allowance is not remembered as having come in.
TEST(ContactSides, AllowedOverlapHasNoSide) {
    PlateAndBox t;
    for (Vec3& p : t.x[1]) p.y() -= t.lowest() + 0.002;
    for (int k = 0; k < 2; ++k) allowOverlap(t.overlaps().vertices[static_cast<std::size_t>(k)], t.shape[k], t.memory[k]);
    t.look(t.places());
    EXPECT_TRUE(t.memory[1].entries.empty());
}

// A crack cuts the face of entry in two and splits its corners, or the vertex that came in: it is held by what is there now, by the same plane.
TEST(ContactSides, MemoryFollowsEdits) {
    PlateAndBox t(false);
    t.moveBox(Vec3(0, -0.014, 0), 8);
    const double before = energyOf(t.holds());
    const ContactEntry entry = t.memory[1].entries.front();
    Body plate = *t.body[0];
    BodyState state = makeBodyState(plate);
    state.x = t.x[0];
    TetStars stars(plate.mesh.tets, plate.mesh.vertexCount());
    TopologyEdit edit(plate.mesh);
    plate.insideFaces.assign(plate.mesh.tetCount(), 0);
    MeshEditor editor{plate.mesh, state.x, plate.insideFaces, stars, edit};
    editor.bisect(entry.corners[0], entry.corners[1], 0.5);
    const std::vector<std::int32_t> around = stars.around(entry.corners[2]);
    editor.splitOff(entry.corners[2], Span<const std::int32_t>(around).subspan(0, around.size() / 2));
    t.x[0] = state.x;
    t.shape[0] = buildContactShape(*buildBody(testing::makeContactBody(plate.mesh, 1e6)));
    EXPECT_NE(t.shape[0].triangle(entry.code), entry.corners);
    EXPECT_NEAR(energyOf(t.holds()), before, 1e-9 * before);

    BodyState box = makeBodyState(*t.body[1]);
    box.contact = t.memory[1];
    const std::size_t count = box.contact.entries.size();
    TopologyEdit split(t.body[1]->mesh);
    split.newVertices.push_back({entry.vertex, entry.vertex, 0});
    applyEdit(split, box);
    EXPECT_EQ(box.contact.entries.size(), count + 1);
    EXPECT_EQ(box.contact.entries.back().vertex, static_cast<std::int32_t>(t.body[1]->mesh.vertexCount()));
    EXPECT_EQ(box.contact.entries.back().code, entry.code);
}

}  // namespace sunder
