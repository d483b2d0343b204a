#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "core/contact/collider_mesh.h"
#include "core/contact/contact_sides.h"
#include "tests/contact/collider_cases.h"
#include "tests/contact/touching_bodies.h"

/// Sides between bodies and colliders: a body's vertices in the layer of a collider, and a collider's in a body.
namespace sunder {

namespace {
/// A body and a collider behind it, all tets of one against all of the other.
struct BodyAndCollider {
    std::shared_ptr<const Body> body;
    ColliderSlab slab;
    ContactShape shape[2];
    ContactMemory memory[2];
    std::vector<Vec3> x[2];
    PairList pairs;
    std::int32_t stretch = 0;

    BodyAndCollider(TetMesh mesh, const ColliderSurface& surface) {
        body = buildBody(testing::makeContactBody(std::move(mesh), 1e6));
        slab = buildColliderSlab(surface);
        shape[0] = buildContactShape(*body);
        shape[1] = buildContactShape(slab, {});
        x[0] = body->mesh.rest;
        x[1] = slab.vertices;
        for (std::size_t i = 0; i < shape[0].corners.size(); ++i)
            for (std::size_t j = 0; j < shape[1].corners.size(); ++j)
                if (shape[0].corners[i][0] >= 0) pairs.pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        pairs.ranges.push_back({0, 1, 0, pairs.pairs.size()});
    }
    std::vector<Span<const Vec3>> places() const { return {x[0], x[1]}; }
    ContactSides sides() const {
        ContactSides own;
        own.begin({{&shape[0], &shape[1]}, {&memory[0], &memory[1]}, {0, stretch}, 1}, places());
        return own;
    }
    std::vector<SideHold> holds() const { return sides().holdsAt(places()); }
    /// Moves one of the two; what happens on the way is remembered.
    std::vector<SideHold> move(int which, const Vec3& way, int steps) {
        for (int k = 0; k < steps; ++k) {
            const std::vector<Vec3> before[2] = {x[0], x[1]};
            for (Vec3& p : x[which]) p += way / steps;
            ContactSet set;
            findContacts(pairs, std::vector<const ContactShape*>{&shape[0], &shape[1]}, places(), set);
            ContactSides own = sides();
            own.update(set, places(), std::vector<Span<const Vec3>>{before[0], before[1]}, std::vector<std::uint8_t>{1, 1});
            ContactMemory* memories[] = {&memory[0], nullptr};
            own.remember(Span<ContactMemory* const>(memories, 2));
        }
        return holds();
    }
};

TetMesh boxAt(int cells, const Vec3& size, const Vec3& middle, double angle = 0.2) {
    TetMesh mesh = testing::makeBox(cells, cells, cells, size);
    const Mat3 turn = Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    for (Vec3& p : mesh.rest) p = turn * (p - 0.5 * size) + middle;
    return mesh;
}

/// A sheet of 20 cm in the plane z = 0, 2 mm thick, in triangles of 5 cm, and a box of 2 cm above it, or below.
BodyAndCollider boxAndSheet(double z) {
    ColliderSurface sheet = testing::sheetCollider(4, 0.2);
    sheet.thickness = 0.002;
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : sheet.positions) middle += p / static_cast<double>(sheet.positions.size());
    return {boxAt(1, Vec3(0.02, 0.02, 0.02), middle + Vec3(0.003, 0.004, z)), sheet};
}

double storedIn(const std::vector<SideHold>& holds) {
    double sum = 0;
    for (const SideHold& h : holds) sum += h.energy();
    return sum;
}
}  // namespace

// Both sides of an open sheet can be come in by, and what went through is pushed back to its own.
TEST(ColliderSides, SheetPushesBackToTheSideThatABodyCameFrom) {
    for (const double side : {1.0, -1.0}) {
        BodyAndCollider t = boxAndSheet(0.018 * side);
        double last = 0;
        std::vector<SideHold> holds;
        for (int k = 0; k < 12; ++k) {
            holds = t.move(0, Vec3(0, 0, -0.003 * side), 6);
            const double energy = storedIn(holds);
            EXPECT_GE(energy, last);
            last = energy;
        }
        EXPECT_EQ(std::count_if(holds.begin(), holds.end(), [](const SideHold& h) { return h.body == 0; }), 8);  // all of the box is through
        EXPECT_EQ(t.memory[0].entries.size(), 8u);
        Vec3 push = Vec3::Zero(), all = Vec3::Zero();
        for (const SideHold& h : holds)
            addHoldForces(h, [&](std::int32_t body, std::int32_t, const Vec3& force) {
                if (body == 0) push += force;
                all += force;
            });
        EXPECT_GT(push.z() * side, 0);
        EXPECT_LT(all.norm(), 1e-14 * push.norm());
        EXPECT_TRUE(t.move(0, Vec3(0, 0, 0.04 * side), 40).empty());
        EXPECT_TRUE(t.memory[0].entries.empty());
    }
}

// The layer behind a closed surface ends in its hollow: what has come out there is held by the face that it came in by.
TEST(ColliderSides, ClosedSurfaceHoldsWhatHasPassedItsLayer) {
    ColliderSurface block = testing::boxCollider(3, Vec3(0.3, 0.3, 0.3));
    block.thickness = 0.01;
    BodyAndCollider t(boxAt(1, Vec3(0.02, 0.02, 0.02), Vec3(0.16, 0.14, 0.318)), block);
    const std::vector<SideHold> holds = t.move(0, Vec3(0, 0, -0.06), 60);
    ASSERT_EQ(holds.size(), 8u);
    for (const SideHold& h : holds) {
        EXPECT_EQ(h.other, 1);
        EXPECT_NEAR(h.normal.z(), 1, 1e-12);
    }
    // what begins in the hollow has come in by nothing, and the back of the layer is no face to come in by
    BodyAndCollider inside(boxAt(1, Vec3(0.02, 0.02, 0.02), Vec3(0.16, 0.14, 0.258)), block);
    EXPECT_TRUE(inside.move(0, Vec3(0, 0, 0.02), 20).empty());
    EXPECT_TRUE(inside.memory[0].entries.empty());
}

// A narrow led box goes through a plate of one layer: its vertices are held by the plate's faces, and the plate's memory keeps that.
TEST(ColliderSides, PlateHoldsTheVerticesOfANarrowCollider) {
    TetMesh plate = testing::makeBox(4, 4, 1, Vec3(0.2, 0.2, 0.01));
    ColliderSurface pin = testing::boxCollider(1, Vec3(0.02, 0.02, 0.06));
    for (Vec3& p : pin.positions) p += Vec3(0.103, 0.106, 0.012);
    BodyAndCollider t(std::move(plate), pin);
    const std::vector<SideHold> holds = t.move(1, Vec3(0, 0, -0.03), 30);
    ASSERT_GE(holds.size(), 4u);
    EXPECT_FALSE(t.memory[0].ledEntries.empty());
    Vec3 push = Vec3::Zero();
    for (const SideHold& h : holds)
        addHoldForces(h, [&](std::int32_t body, std::int32_t, const Vec3& force) {
            if (body == 0) push += force;
        });
    EXPECT_LT(push.z(), 0);  // along with the pin
    EXPECT_TRUE(t.move(1, Vec3(0, 0, 0.04), 40).empty());
    EXPECT_TRUE(t.memory[0].ledEntries.empty());
}

// Also where the collider bends: the force is minus the slope of the energy by every coordinate of body and collider.
TEST(ColliderSides, ForcesAreTheGradient) {
    BodyAndCollider t = boxAndSheet(0.018);
    for (std::size_t i = 0; i < t.x[1].size(); ++i)
        for (int c = 0; c < 3; ++c) t.x[1][i][c] += 5e-5 * randomRange(-1, 1, 3, i, static_cast<std::uint64_t>(c));
    const std::vector<SideHold> holds = t.move(0, Vec3(0, 0, -0.012), 12);
    ASSERT_FALSE(holds.empty());
    std::vector<Vec3> force[2];
    for (int k = 0; k < 2; ++k) force[k].assign(t.x[k].size(), Vec3::Zero());
    for (const SideHold& h : holds) addHoldForces(h, [&](std::int32_t body, std::int32_t vertex, const Vec3& f) { force[body][static_cast<std::size_t>(vertex)] += f; });
    const ContactSides sides = t.sides();
    double error = 0, scale = 0;
    const double d = 1e-7;
    for (int k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < t.x[k].size(); ++i)
            for (int c = 0; c < 3; ++c) {
                double& at = t.x[k][i][c];
                const double here = at;
                at = here + d;
                const double above = storedIn(sides.holdsAt(t.places()));
                at = here - d;
                const double below = storedIn(sides.holdsAt(t.places()));
                at = here;
                error = std::max(error, std::abs((above - below) / (2 * d) + force[k][i][c]));
                scale = std::max(scale, std::abs(force[k][i][c]));
            }
    std::cout << "    error of central differences " << error / scale << "\n";
    EXPECT_LT(error, 1e-5 * scale);
}

// The faces of another topology are others: nothing is held by what is no longer there.
TEST(ColliderSides, AnotherTopologyLetsGo) {
    BodyAndCollider t = boxAndSheet(0.018);
    ASSERT_FALSE(t.move(0, Vec3(0, 0, -0.02), 20).empty());
    t.stretch = 1;
    EXPECT_TRUE(t.holds().empty());
}

}  // namespace sunder
