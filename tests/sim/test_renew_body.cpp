#include "core/sim/renew_body.h"

#include <functional>
#include <limits>

#include "core/base/error.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {
namespace {
using namespace testing;

HardTarget pinOf(const char* name, std::int32_t vertex, const Body& body) { return {name, {vertex}, {body.mesh.rest[static_cast<std::size_t>(vertex)]}, {}}; }

/// A block that two pins of one name hold, a third one and a spring; asleep.
WorldBody heldBlock() {
    Body body = makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), elastic(1e6, 0.3));
    body.constraints.hard = {pinOf("a", 0, body), pinOf("b", 1, body), pinOf("a", 2, body)};
    SoftTarget spring;
    spring.name = "s";
    spring.vertices = {3};
    spring.anchor = {body.mesh.rest[3]};
    spring.strength = 100;
    body.constraints.soft = {spring};
    WorldState world = makeWorld(std::move(body));
    editState(world, [](BodyState& s) { s.sleep.asleep = true; });
    return world.bodies[0];
}
BodyRenewal asItIs(const WorldBody& body) {
    BodyRenewal now;
    now.contact = body.body->contact;
    for (const HardTarget& t : body.body->constraints.hard) now.pins.push_back({t.name, AllRegion{}, {}, t.releaseTime, t.releaseForce, t.releaseStress});
    for (const SoftTarget& t : body.body->constraints.soft) now.targets.push_back({t.name, AllRegion{}, {}, t.strength, t.damping, t.releaseTime, t.releaseForce});
    return now;
}

TEST(RenewBody, NothingComesOfWhatIsTheSame) {
    const WorldBody body = heldBlock();
    BodyRenewal now = asItIs(body);
    EXPECT_FALSE(renewBody(body, now, 0.5));
    now.pins.clear();  // nothing is said of them
    now.targets.push_back(now.targets[0]);
    now.targets[1].strength = 5;  // and one too many
    EXPECT_FALSE(renewBody(body, now, 0.5));
}

TEST(RenewBody, EveryFieldOfContactCounts) {
    const WorldBody body = heldBlock();
    const std::function<void(ContactSurface&)> changes[] = {[](ContactSurface& c) { c.friction = 0.9; },        [](ContactSurface& c) { c.dynamicFriction = 0.1; },
                                                            [](ContactSurface& c) { c.restitution = 0.5; },     [](ContactSurface& c) { c.stiffnessScale = 3; },
                                                            [](ContactSurface& c) { c.group = 4; },             [](ContactSurface& c) { c.mask = 5; },
                                                            [](ContactSurface& c) { c.self = SelfContact::kAll; }};
    for (const auto& change : changes) {
        BodyRenewal now = asItIs(body);
        change(now.contact);
        const auto made = renewBody(body, now, 0.5);
        ASSERT_TRUE(made);
        EXPECT_FALSE(renewBody(*made, now, 0.5));
        EXPECT_FALSE(made->state->sleep.anyAsleep());
        EXPECT_EQ(made->state->x, body.state->x);
    }
    BodyRenewal wrong = asItIs(body);
    wrong.contact.friction = -1;
    EXPECT_THROW(renewBody(body, wrong, 0), Error);
}

TEST(RenewBody, MaterialsAreNew) {
    const WorldBody body = heldBlock();
    BodyRenewal now = asItIs(body);
    Material heavy = body.body->materials[0];
    heavy.density *= 2;
    now.material = &heavy;
    const auto made = renewBody(body, now, 0);
    ASSERT_TRUE(made);
    EXPECT_NEAR(made->body->mass[0], 2 * body.body->mass[0], 1e-12 * body.body->mass[0]);
}

TEST(RenewBody, PinsAndTargetsGoByNameAndOrder) {
    const WorldBody body = heldBlock();
    BodyRenewal now = asItIs(body);
    now.pins[2].releaseForce = 7;
    now.pins[1].releaseStress = 8;
    std::swap(now.pins[0], now.pins[1]);  // of other names: in any order
    now.targets[0].strength = 50;
    now.targets[0].damping = 2;
    now.targets[0].releaseForce = 9;
    const auto made = renewBody(body, now, 0.5);
    ASSERT_TRUE(made);
    const Constraints& c = made->body->constraints;
    EXPECT_EQ(c.hard[0].releaseForce, 1e300);
    EXPECT_EQ(c.hard[1].releaseStress, 8);
    EXPECT_EQ(c.hard[2].releaseForce, 7);
    EXPECT_EQ(c.soft[0].strength, 50);
    EXPECT_EQ(c.soft[0].damping, 2);
    EXPECT_EQ(c.soft[0].releaseForce, 9);
    EXPECT_EQ(c.hard[2].vertices, body.body->constraints.hard[2].vertices);
    now.targets[0].damping = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(renewBody(body, now, 0.5), Error);
}

TEST(RenewBody, WhatHasLetGoStaysLetGo) {
    WorldBody body = heldBlock();
    BodyRenewal now = asItIs(body);
    now.pins[0].releaseTime = now.targets[0].releaseTime = 0.4;
    body = *renewBody(body, now, 0.3);
    EXPECT_EQ(body.body->constraints.hard[0].releaseTime, 0.4);
    EXPECT_EQ(body.body->constraints.soft[0].releaseTime, 0.4);
    now.pins[0].releaseTime = now.targets[0].releaseTime = 0.9;
    EXPECT_FALSE(renewBody(body, now, 0.4));
    EXPECT_TRUE(renewBody(body, now, 0.39));
}

}  // namespace
}  // namespace sunder
