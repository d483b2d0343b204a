#include "core/sim/late_bodies.h"

#include <algorithm>
#include <cstring>

#include "core/io/scene_json.h"
#include "core/sim/snapshot.h"
#include "core/sim/stepper.h"
#include "core/sim/world_parts.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {
namespace {
using namespace testing;

/// Three boxes that do not touch, the last one with noise, spin and a pattern; `count` of them.
Scene scene(std::size_t count, double x = 2) {
    Scene made = parseScene(R"({"seed": 5, "settings": {"integrator": "explicit"}, "bodies": [
        {"name": "a", "source": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}}},
        {"name": "b", "source": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 1, 1]}}, "transform": {"translate": [1, 0, 0]}},
        {"name": "c", "source": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 1]}}, "velocity": [0, 1, 0], "velocityNoise": 0.1}]})");
    made.bodies[2].transform.translate = Vec3(x, 0, 0);
    made.bodies.resize(count);
    return made;
}
Geometry noFile(const std::string&, Monitor*) { throw Error("there are no files here"); }
WorldState running(const Scene& of) {
    WorldState world = buildWorld(of, noFile);
    startBooks(world);
    Workspace workspace;
    EXPECT_FALSE(step(world, 1.0 / 24, of.settings, workspace).failed);
    return world;
}
bool sameState(const BodyState& a, const BodyState& b) { return a.x == b.x && a.v == b.v; }

TEST(LateBodies, ComeBehindAllOthersWithTheirOwnRandomNumbers) {
    WorldState world = running(scene(2));
    const WorldState before = world;
    EXPECT_TRUE(addLateBodies(world, scene(3), noFile).empty());
    ASSERT_EQ(world.bodies.size(), 3u);
    for (const std::size_t b : {0u, 1u}) {
        EXPECT_EQ(world.bodies[b].body, before.bodies[b].body);
        EXPECT_EQ(world.bodies[b].state, before.bodies[b].state);
    }
    const WorldState all = buildWorld(scene(3), noFile);
    EXPECT_EQ(world.bodies[2].body->seed, all.bodies[2].body->seed);
    EXPECT_TRUE(sameState(*world.bodies[2].state, *all.bodies[2].state));
    EXPECT_EQ(world.time, before.time);
    EXPECT_EQ(world.stepCount, before.stepCount);
}

TEST(LateBodies, TheirEnergyIsWork) {
    WorldState world = running(scene(2));
    const EnergyBooks before = world.energy;
    addLateBodies(world, scene(3), noFile);
    EXPECT_NEAR(world.energy.balance(), before.balance(), 1e-12 * std::abs(before.mechanical()) + 1e-12);
    EXPECT_GT(world.energy.work, before.work + 1);  // 8 kg at about 1 m/s
}

TEST(LateBodies, OverlapIsAllowedWhereTheyBringIt) {
    WorldState world = running(scene(2));
    const WorldState before = world;
    const std::vector<std::string> warnings = addLateBodies(world, scene(3, 1.1), noFile);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("'c'"), std::string::npos) << warnings[0];
    EXPECT_EQ(world.bodies[0].state, before.bodies[0].state);
    for (const std::size_t b : {1u, 2u}) {
        const std::vector<double>& allowed = world.bodies[b].state->contact.allowance;
        ASSERT_EQ(allowed.size(), world.bodies[b].state->x.size()) << b;
        EXPECT_GT(*std::max_element(allowed.begin(), allowed.end()), 0.001) << b;
    }
    EXPECT_EQ(world.bodies[1].state->x, before.bodies[1].state->x);
    EXPECT_LT(world.energy.contact - before.energy.contact, 1e-6);  // nothing is pushed yet
}

TEST(LateBodies, CollidersMoveBehindThem) {
    WorldState world = running(scene(2));
    BodyState state = *world.bodies[1].state;
    ContactEntry inCollider, ofCollider, inBody;
    inCollider.body = 1;
    inCollider.other = 3;  // the second collider of two bodies
    ofCollider.body = 2;
    ofCollider.other = 1;
    inBody.body = 1;
    inBody.other = 0;
    state.contact.entries = {inBody, inCollider};
    state.contact.ledEntries = {ofCollider};
    world.bodies[1].state = std::make_shared<const BodyState>(state);
    Scene with = scene(3);
    with.settings.contact = false;  // the entries are made up
    addLateBodies(world, with, noFile);
    const ContactMemory& memory = world.bodies[1].state->contact;
    EXPECT_EQ(memory.entries[0].other, 0);
    EXPECT_EQ(memory.entries[1].other, 4);
    EXPECT_EQ(memory.entries[1].body, 1);
    EXPECT_EQ(memory.ledEntries[0].body, 3);
    EXPECT_EQ(memory.ledEntries[0].other, 1);
}

TEST(LateBodies, WhatIsRefusedLeavesTheWorldAsItWas) {
    WorldState world = running(scene(2));
    const std::vector<std::uint8_t> before = saveSnapshot(world);
    Scene glued = scene(3), grouped = scene(3);
    glued.glue.emplace_back().a = "c";
    glued.glue[0].b = "a";
    SceneCollider& collider = grouped.colliders.emplace_back();
    collider.name = "floor";
    collider.contact.groups = {"floors"};
    grouped.bodies[2].contact.groups = {"new"};
    EXPECT_THROW(addLateBodies(world, glued, noFile), Error);
    EXPECT_THROW(addLateBodies(world, grouped, noFile), Error);
    EXPECT_EQ(saveSnapshot(world), before);
    grouped.bodies[0].contact.groups = {"new"};  // known from the start
    EXPECT_NO_THROW(addLateBodies(world, grouped, noFile));
}

TEST(LateBodies, PartsKnowWhoCameWhen) {
    WorldState world = running(scene(2));
    WorldPart clock;
    std::vector<WorldPart> parts = takeApart(world, clock);
    EXPECT_EQ(parts[0].common->appeared, std::vector<std::int32_t>({2}));
    const std::vector<Geometry> alone = bodyFrames(world, 1, parts[0].common->appeared);
    addLateBodies(world, scene(3), noFile);
    clock.common = parts[0].common;
    parts = takeApart(world, clock);
    EXPECT_EQ(parts[0].common->appeared, std::vector<std::int32_t>({2, 1}));
    EXPECT_EQ(parts[2].number, 2);
    const std::vector<std::uint8_t> bytes = savePart(parts[0]);
    const WorldPart back = loadPart(bytes);
    EXPECT_EQ(back.common->appeared, parts[0].common->appeared);
    EXPECT_EQ(savePart(back), bytes);
    const std::vector<Geometry> frames = bodyFrames(world, 1, back.common->appeared);
    ASSERT_EQ(frames.size(), 3u);
    for (const std::size_t b : {0u, 1u}) {
        EXPECT_EQ(*frames[b].points.find("id")->as<std::int64_t>(), *alone[b].points.find("id")->as<std::int64_t>());
        EXPECT_EQ(*frames[b].primitives.find("parent")->as<std::int64_t>(), *alone[b].primitives.find("parent")->as<std::int64_t>());
    }
    for (const AttributeSet* set : {&frames[2].points, &frames[2].primitives})
        for (std::size_t i = 0; i < set->find("id")->as<std::int64_t>()->size(); ++i) {
            EXPECT_EQ((*set->find("id")->as<std::int64_t>())[i], kLateIds + static_cast<std::int64_t>(i));
            EXPECT_GE(set->find("parent")->as<std::int64_t>()->at(i), kLateIds);
        }
}

// What was saved before there were late bodies has no list of them behind the glue, and none of drawn constraints.
TEST(LateBodies, OlderPartsAreThoseOfAWorldWithoutThem) {
    const WorldState world = running(scene(2));
    std::vector<std::uint8_t> bytes = savePart(takeApart(world, WorldPart())[0]);
    constexpr std::size_t kSizeAt = 40, kList = sizeof(std::uint64_t) + sizeof(std::int32_t) + sizeof(std::uint64_t);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + kSizeAt, sizeof size);
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(kSizeAt + sizeof size + size);
    bytes.erase(end - static_cast<std::ptrdiff_t>(kList), end);
    size -= kList;
    std::memcpy(bytes.data() + kSizeAt, &size, sizeof size);
    EXPECT_THROW(loadPart(bytes), Error);
    bytes[7] = '2';
    WorldPart clock;
    clock.common = loadPart(bytes).common;
    EXPECT_TRUE(clock.common->appeared.empty());
    EXPECT_EQ(takeApart(world, clock)[0].common->appeared, std::vector<std::int32_t>({2}));
}

// of bodies in frames of their own, too, what they met is known by the numbers of all
TEST(LateBodies, FramesShowWhereContactGaveWay) {
    WorldState world = running(scene(3));
    const Tet& tet = world.bodies[1].body->mesh.tets[0];
    ContactEntry entry;
    entry.body = 2;
    entry.vertex = 3;
    entry.other = 1;
    for (std::size_t c = 0; c < 3; ++c) entry.corners[c] = tet[static_cast<std::size_t>(kTetFaces[0][c])];
    const auto& x = world.bodies[1].state->x;
    const Vec3 a = x[static_cast<std::size_t>(entry.corners[0])], b = x[static_cast<std::size_t>(entry.corners[1])], c = x[static_cast<std::size_t>(entry.corners[2])];
    entry.free = 0.01;
    editState(world, [&](BodyState& s) {
        s.x[3] = a - 0.05 * (b - a).cross(c - a).normalized();
        s.contact.entries = {entry};
    }, 2);
    const std::vector<Geometry> frames = bodyFrames(world, 1, {1, 1, 1});
    ASSERT_NE(frames[2].points.find("contactdepth"), nullptr);
    EXPECT_NEAR(frames[2].points.find("contactdepth")->number(3), 0.04, 1e-7);
    EXPECT_EQ(frames[0].points.find("contactdepth")->number(3), 0);
    EXPECT_EQ(frames[1].points.find("contactdepth")->number(3), 0);
    editState(world, [](BodyState& s) { s.contact.entries[0].other = 3; }, 2);  // a collider, which no snapshot has
    EXPECT_EQ(bodyFrames(world, 1)[2].points.find("contactdepth"), nullptr);
}

}  // namespace
}  // namespace sunder
