#include "core/sim/painted_edits.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/sim/scene_frame.h"
#include "core/sim/world_parts.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {
namespace {
using namespace testing;

Body plainBar() {
    Material material = elastic(1e6, 0.3);
    material.stiffnessDamping = 1e-3;
    Body body = makeBody(makeBox(3, 1, 1, Vec3(1.2, 0.4, 0.4)), material);
    body.attributes.vertices.addGroup("held", body.mesh.vertexCount());
    return body;
}
std::size_t countOf(const Body& body) { return body.mesh.vertexCount(); }

void holdGroup(Body& body, const char* name, bool soft) {
    const Group& group = *body.attributes.vertices.findGroup(name);
    std::vector<std::int32_t> vertices;
    std::vector<Vec3> anchor;
    for (std::size_t i = 0; i < group.members.size(); ++i)
        if (group.members[i]) {
            vertices.push_back(static_cast<std::int32_t>(i));
            anchor.push_back(body.mesh.rest[i]);
        }
    if (!soft) {
        body.constraints.hard.push_back({name, vertices, anchor, {}});
        return;
    }
    SoftTarget target;
    target.name = name;
    target.vertices = vertices;
    target.anchor = anchor;
    target.strength = 100;
    body.constraints.soft.push_back(target);
}

/// As a host shows it.
Geometry shownOf(const WorldState& world, std::size_t b = 0) {
    Geometry g = bodyFrames(world, 1)[b];
    for (Vec3& p : g.positions) p = p.cast<float>().cast<double>();
    return g;
}

TEST(PaintedEdits, NothingIsTakenWhereNothingWasPainted) {
    WorldState world;
    Body painted = plainBar();
    painted.attributes.vertices.add<double>("breaktime", countOf(painted))[2] = 0.1;  // which floats do not hold
    painted.attributes.tets.add<float>("stiffness", painted.mesh.tetCount()).assign(painted.mesh.tetCount(), 0.7f);
    painted.attributes.vertices.findGroup("held")->members[3] = 1;
    holdGroup(painted, "held", false);
    addBody(world, std::move(painted));
    addBody(world, makeBody(placed(makeBox(1, 1, 1, Vec3(1, 1, 1)), Vec3(5, 0, 0)), elastic(1e6, 0.3)));
    Geometry shown = shownOf(world);
    EXPECT_FALSE(takePaint(world, 0, shown));
    EXPECT_FALSE(takePaint(world, 1, shownOf(world, 1)));  // though frames show zeros of what the other has
    (*shown.points.find("breaktime")->as<double>())[2] = 0.1f;  // through a host that knows floats alone
    EXPECT_FALSE(takePaint(world, 0, shown));
}

// a body that is painted before its first step is the one that was made with that paint
TEST(PaintedEdits, PaintedBodiesAreThoseMadeWithThePaint) {
    for (const char* name : {"stiffness", "massdensity", "dampingratio", "friction", "fracturethreshold", "force"})
        for (const bool onTets : {false, true}) {
            const std::string attribute = name;
            if (onTets && (attribute == "friction" || attribute == "force")) continue;
            const auto paint = [&](AttributeSet& set, std::size_t count) {
                const int tuple = attribute == "force" ? 3 : 1;
                auto& values = set.add<float>(name, count, tuple);
                for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5f + static_cast<float>(i % 3);
            };
            Body with = plainBar(), without = plainBar();
            for (Body* b : {&with, &without}) {
                b->materials[0].fracture.enabled = attribute == "fracturethreshold";
                b->materials[0].fracture.stress = 1e4;
            }
            paint(onTets ? with.attributes.tets : with.attributes.vertices, onTets ? with.mesh.tetCount() : countOf(with));
            if (attribute == "force")
                for (std::size_t i = 0; i < countOf(with); ++i) {
                    const Attribute& a = *with.attributes.vertices.find("force");
                    with.force.emplace_back(a.number(i, 0), a.number(i, 1), a.number(i, 2));
                }
            WorldState expected = makeWorld(with), world = makeWorld(without);
            Geometry shown = shownOf(world);
            paint(onTets ? shown.primitives : shown.points, onTets ? shown.primitiveCount() : shown.pointCount());
            const auto edited = takePaint(world, 0, shown);
            ASSERT_TRUE(edited) << name;
            world.bodies[0] = *edited;
            StepSettings settings;
            settings.integrator = Integrator::kExplicit;
            settings.ground.enabled = true;
            run(expected, settings, 0.1, 3);
            run(world, settings, 0.1, 3);
            EXPECT_TRUE(world.bodies[0].state->x == expected.bodies[0].state->x) << name << " " << onTets;
            EXPECT_EQ(world.bodies[0].body->mass, expected.bodies[0].body->mass) << name;
            EXPECT_FALSE(takePaint(world, 0, shownOf(world))) << name;  // once is enough
            Geometry erased = shownOf(world);
            (onTets ? erased.primitives : erased.points).erase(name);
            const auto plain = takePaint(world, 0, erased);
            ASSERT_TRUE(plain) << name;
            EXPECT_EQ(plain->body->mass, makeWorld(without).bodies[0].body->mass) << name;
        }
}

// or what a frame makes of the state would be taken for paint
TEST(PaintedEdits, AllThatFramesMakeIsNamed) {
    Body body = plainBar();
    body.materials[0].fracture.enabled = true;
    body.materials[0].plasticity.law = PlasticLawId::kMultiplicative;
    body.materials[0].plasticity.yieldStress = 1e4;
    const WorldState world = makeWorld(std::move(body));
    const Geometry frame = frameGeometry(world, 1);
    EXPECT_TRUE(frame.points.find("damage") && frame.primitives.find("plasticstrain"));
    const std::vector<std::string> names = namesOfFrames();
    for (const AttributeSet* set : {&frame.points, &frame.primitives})
        for (const Attribute& a : set->attributes) EXPECT_NE(std::find(names.begin(), names.end(), a.name), names.end()) << a.name;
    EXPECT_TRUE(frame.vertices.attributes.empty());
}

TEST(PaintedEdits, NamesOfMaterialsAndDepthsOfContactAreNotTakenBack) {
    WorldState world;
    Body named = plainBar();
    named.materialText = {"a text"};
    addBody(world, std::move(named));
    Geometry shown = shownOf(world);
    auto& texts = *shown.primitives.find("sundermaterial")->as<std::string>();
    EXPECT_EQ(texts[0], "a text");
    EXPECT_FALSE(takePaint(world, 0, shown));
    texts[0] = "another";
    shown.points.add<float>("contactdepth", shown.pointCount())[0] = 1;
    EXPECT_FALSE(takePaint(world, 0, shown)) << "a text for every tet would be in the body, and what materials there are is settled as it is built";
}

TEST(PaintedEdits, WhatNoBodyIsMadeOfIsCarriedAlong) {
    WorldState world = makeWorld(plainBar()), untouched = makeWorld(plainBar());
    Geometry shown = shownOf(world);
    const std::size_t points = shown.pointCount(), tets = shown.primitiveCount();
    shown.points.add<float>("Cd", points, 3, AttributeMeaning::kColor)[4] = 0.5f;
    shown.points.add<std::string>("mask", points)[2] = "soft";
    shown.points.addGroup("some", points).members[3] = 1;
    shown.primitives.add<std::int64_t>("layer", tets)[5] = (std::int64_t{1} << 60) + 1;
    shown.primitives.addGroup("few", tets).members[6] = 1;
    const auto edited = takePaint(world, 0, shown);
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->state, world.bodies[0].state) << "nothing of the state has changed";
    world.bodies[0] = *edited;
    Geometry again = shownOf(world);
    for (const char* name : {"Cd", "mask"}) EXPECT_EQ(again.points.find(name)->values, shown.points.find(name)->values);
    EXPECT_EQ(again.primitives.find("layer")->values, shown.primitives.find("layer")->values);
    EXPECT_EQ(again.points.findGroup("some")->members, shown.points.findGroup("some")->members);
    EXPECT_EQ(again.primitives.findGroup("few")->members, shown.primitives.findGroup("few")->members);
    EXPECT_FALSE(takePaint(world, 0, again));
    (*again.primitives.find("layer")->as<std::int64_t>())[5] -= 1;  // which a double does not tell apart
    EXPECT_TRUE(takePaint(world, 0, again));
    run(world, StepSettings(), 0.1, 2);
    run(untouched, StepSettings(), 0.1, 2);
    EXPECT_EQ(world.bodies[0].state->x, untouched.bodies[0].state->x);
    again = shownOf(world);  // and given up
    again.points.erase("mask");
    again.points.groups.clear();
    const auto fewer = takePaint(world, 0, again);
    ASSERT_TRUE(fewer);
    EXPECT_FALSE(fewer->body->attributes.vertices.find("mask"));
    EXPECT_FALSE(fewer->body->attributes.vertices.findGroup("some"));
    EXPECT_TRUE(fewer->body->attributes.vertices.find("Cd"));
}

// frames show of several bodies the kind that the first one has, and zeros of the others
TEST(PaintedEdits, OtherKindsOfOtherBodiesAreNoPaint) {
    WorldState world;
    Body first = plainBar(), second = plainBar();
    first.attributes.vertices.add<float>("Cd", countOf(first), 3).assign(3 * countOf(first), 0.25f);
    second.attributes.vertices.add<float>("Cd", countOf(second), 4).assign(4 * countOf(second), 0.5f);
    first.attributes.vertices.add<std::string>("mask", countOf(first)).assign(countOf(first), "a");
    second.attributes.vertices.add<float>("odd", countOf(second)).assign(countOf(second), std::numeric_limits<float>::quiet_NaN());
    first.attributes.tets.addGroup("few", first.mesh.tetCount()).members[1] = 1;
    addBody(world, std::move(first));
    addBody(world, std::move(second));
    for (const std::size_t b : {std::size_t{0}, std::size_t{1}}) EXPECT_FALSE(takePaint(world, b, shownOf(world, b))) << b;
    Geometry shown = shownOf(world, 1);
    (*shown.points.find("Cd")->as<float>())[0] = 1;
    EXPECT_TRUE(takePaint(world, 1, shown));
}

TEST(PaintedEdits, PinsHoldWhatIsPaintedFromNowOnWhereItIs) {
    for (const bool soft : {false, true}) {
        Body body = plainBar();
        body.attributes.vertices.findGroup("held")->members[0] = 1;
        holdGroup(body, "held", soft);
        WorldState world = makeWorld(std::move(body));
        run(world, StepSettings(), 0.2, 4);
        editState(world, [](BodyState& s) { s.released.assign(s.x.size(), kReleasedPin | kReleasedTarget); });
        Geometry shown = shownOf(world);
        shown.points.findGroup("held")->members[0] = 0;
        shown.points.findGroup("held")->members[5] = 1;
        const auto edited = takePaint(world, 0, shown);
        ASSERT_TRUE(edited);
        const Constraints& made = edited->body->constraints;
        EXPECT_EQ(soft ? made.soft[0].vertices : made.hard[0].vertices, std::vector<std::int32_t>{5});
        EXPECT_EQ((soft ? made.soft[0].anchor : made.hard[0].anchor)[0], world.bodies[0].state->x[5]);
        EXPECT_EQ(edited->state->released[5], soft ? kReleasedPin : kReleasedTarget);
        EXPECT_EQ(edited->state->released[0], kReleasedPin | kReleasedTarget);
        world.bodies[0] = *edited;
        EXPECT_FALSE(takePaint(world, 0, shownOf(world)));
        Geometry none = shownOf(world);
        none.points.groups.clear();  // nothing is held any more
        const auto free = takePaint(world, 0, none);
        ASSERT_TRUE(free);
        EXPECT_TRUE(soft ? free->body->constraints.soft[0].vertices.empty() : free->body->constraints.hard[0].vertices.empty());
        world.bodies[0] = *free;
        EXPECT_FALSE(takePaint(world, 0, shownOf(world)));
        run(world, StepSettings(), 0.05, 1);
    }
}

TEST(PaintedEdits, StrengthsOfTargetsChangeInProportion) {
    Body body = plainBar();
    for (const int v : {0, 1}) body.attributes.vertices.findGroup("held")->members[static_cast<std::size_t>(v)] = 1;
    holdGroup(body, "held", true);
    body.constraints.soft[0].weight = {0.25, 2};
    body.attributes.vertices.add<float>("targetstrength", countOf(body)).assign(countOf(body), 2);
    const WorldState world = makeWorld(std::move(body));
    Geometry shown = shownOf(world);
    (*shown.points.find("targetstrength")->as<float>())[0] = 6;
    const auto edited = takePaint(world, 0, shown);
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->body->constraints.soft[0].weight, (std::vector<double>{0.75, 2}));
}

TEST(PaintedEdits, PaintThatMakesNoSenseIsRefused) {
    const auto refuses = [](const char* part, const std::function<void(Geometry&)>& paint, bool moved = false) {
        Body body = plainBar();
        body.attributes.vertices.findGroup("held")->members[0] = 1;
        holdGroup(body, "held", false);
        if (moved) body.constraints.hard[0].motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3::UnitX(), Vec3::Zero()}};
        const WorldState world = makeWorld(std::move(body));
        Geometry shown = shownOf(world);
        paint(shown);
        try {
            takePaint(world, 0, shown);
            ADD_FAILURE() << part << " was taken";
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
            EXPECT_FALSE(e.remedy().empty()) << part;
        }
    };
    refuses("no stiffness", [](Geometry& g) { g.points.add<float>("stiffness", g.pointCount()); });
    refuses("is a string", [](Geometry& g) { g.points.add<std::string>("massdensity", g.pointCount()); });
    refuses("friction", [](Geometry& g) { g.points.add<float>("friction", g.pointCount()).assign(g.pointCount(), -1); });
    refuses("is no vector", [](Geometry& g) { g.points.add<float>("force", g.pointCount()).assign(g.pointCount(), 1); });
    refuses("follows a motion", [](Geometry& g) { g.points.findGroup("held")->members[4] = 1; }, true);
}

}  // namespace
}  // namespace sunder
