#include "core/sim/constraint_geometry.h"

#include "core/base/error.h"
#include "core/sim/glue.h"
#include "tests/sim/drawn_fixture.h"

/// What is drawn to hold things: how it is read, and what it binds to.
namespace sunder {
namespace {
using namespace testing;

template <class T>
const T& what(const DrawnConstraint& c) {
    return std::get<T>(c.what);
}

/// A square of two triangles, a line of glue and a loose point.
Geometry mixed() {
    Geometry g = drawnPoints({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(2, 0, 0),
                              Vec3(3, 0, 0), Vec3(9, 0, 0)});
    const std::array<std::int32_t, 3> lower = {0, 1, 2}, upper = {0, 2, 3};
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(lower.data(), 3));
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(upper.data(), 3));
    addLine(g, {4, 5});
    g.primitives.add<std::string>("constraint_type", 3) = {"target", "target", "glue"};
    return g;
}

TEST(ConstraintGeometry, PointsComeOneByOneAndGlueByLines) {
    const std::vector<DrawnConstraint> list = readConstraints(mixed());
    ASSERT_EQ(list.size(), 6u);
    for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(list[static_cast<std::size_t>(k)].point, k);
        EXPECT_TRUE(std::holds_alternative<SceneTarget>(list[static_cast<std::size_t>(k)].what));
    }
    EXPECT_TRUE(std::holds_alternative<SceneGlue>(list[4].what));
    EXPECT_EQ(list[4].point, 4);
    EXPECT_EQ(list[4].other, 5);
    EXPECT_TRUE(std::holds_alternative<ScenePin>(list[5].what)) << "without a type a point pins";
    EXPECT_EQ(list[5].point, 6);
    EXPECT_TRUE(readConstraints(Geometry()).empty());
}

TEST(ConstraintGeometry, ValuesAreThoseOfSceneFilesUnlessTheyAreGiven) {
    Geometry g = mixed();
    const std::vector<DrawnConstraint> plain = readConstraints(g);
    EXPECT_EQ(what<SceneTarget>(plain[0]).strength, SceneTarget().strength);
    EXPECT_EQ(what<SceneGlue>(plain[4]).distance, SceneGlue().distance);
    EXPECT_EQ(what<ScenePin>(plain[5]).releaseStress, 1e300);
    const auto set = [&](const char* name, double value) { setNumber(g.detail, 1, name, value); };
    set("strength", 7);
    set("damping", 2);
    set("releaseTime", 0.5);
    set("releaseForce", 3);
    set("releaseStress", 4);
    set("distance", 0.25);
    set("stiffnessScale", 8);
    set("constraint_radius", 0.125);
    const std::vector<DrawnConstraint> given = readConstraints(g);
    const SceneTarget& target = what<SceneTarget>(given[0]);
    EXPECT_EQ(target.strength, 7);
    EXPECT_EQ(target.damping, 2);
    EXPECT_EQ(target.releaseTime, 0.5);
    EXPECT_EQ(target.releaseForce, 3);
    const SceneGlue& glue = what<SceneGlue>(given[4]);
    EXPECT_EQ(glue.strength, 7);
    EXPECT_EQ(glue.distance, 0.25);
    EXPECT_EQ(glue.stiffnessScale, 8);
    const ScenePin& pin = what<ScenePin>(given[5]);
    EXPECT_EQ(pin.releaseTime, 0.5);
    EXPECT_EQ(pin.releaseForce, 3);
    EXPECT_EQ(pin.releaseStress, 4);
    for (const DrawnConstraint& c : given) EXPECT_EQ(c.radius, 0.125);
}

TEST(ConstraintGeometry, ThePrimitiveCountsBeforeThePointAndThatBeforeTheWhole) {
    Geometry g = mixed();
    setNumber(g.detail, 1, "strength", 1);
    EXPECT_EQ(what<SceneTarget>(readConstraints(g)[0]).strength, 1);
    setPoints(g, "strength", 2);
    EXPECT_EQ(what<SceneTarget>(readConstraints(g)[0]).strength, 2);
    setNumber(g.primitives, 3, "strength", 3);
    EXPECT_EQ(what<SceneTarget>(readConstraints(g)[0]).strength, 3);
    setPoints(g, "pscale", 0.5);
    EXPECT_EQ(readConstraints(g)[0].radius, 0.5);
    EXPECT_EQ(readConstraints(g)[4].radius, 0)
        << "points of glue are drawn at some size and mean nothing by it";
    setPoints(g, "constraint_radius", 0.25);
    EXPECT_EQ(readConstraints(g)[0].radius, 0.25);
    *g.primitives.find("constraint_type")->as<std::string>() = {"", "", "glue"};
    setPoints(g, "constraint_type", "target");
    EXPECT_TRUE(std::holds_alternative<SceneTarget>(readConstraints(g)[0].what)) << "an empty string is none";
    setPoints(g, "active", 0);
    EXPECT_FALSE(readConstraints(g)[0].active);
}

TEST(ConstraintGeometry, AGroupIsHeldByTheFirstPointOfItsPrimitive) {
    Geometry g = mixed();
    g.primitives.add<std::string>("group", 3) = {"", "rim", ""};
    const std::vector<DrawnConstraint> list = readConstraints(g);
    ASSERT_EQ(list.size(), 5u)
        << "three points of the first, none left of the second, glue, and the loose one";
    EXPECT_TRUE(list[0].group.empty());
    std::swap((*g.primitives.find("group")->as<std::string>())[0],
              (*g.primitives.find("group")->as<std::string>())[1]);
    const std::vector<DrawnConstraint> first = readConstraints(g);
    EXPECT_EQ(first[0].group, "rim");
    EXPECT_EQ(first[1].point, 2);
}

TEST(ConstraintGeometry, WhatMakesNoSenseIsAnErrorWithARemedy) {
    const auto expect = [](const char* text, const char* remedy,
                           const std::function<void(Geometry&)>& spoil) {
        Geometry g = mixed();
        spoil(g);
        const std::string complaint = complaintOf([&] { readConstraints(g); });
        EXPECT_NE(complaint.find(text), std::string::npos) << text << " / " << complaint;
        EXPECT_NE(complaint.find(remedy), std::string::npos) << remedy << " / " << complaint;
    };
    const auto type = [](Geometry& g) -> std::string& {
        return (*g.primitives.find("constraint_type")->as<std::string>())[1];
    };
    expect("primitive 1 of the constraint geometry has the constraint_type 'pinn'", "did you mean 'pin'?",
           [&](Geometry& g) { type(g) = "pinn"; });
    expect("has the constraint_type '12345678'", "use pin, target or glue",
           [&](Geometry& g) { type(g) = "12345678"; });
    expect("'constraint_type' of the constraint geometry is not one string", "make it a string",
           [](Geometry& g) { setPoints(g, "constraint_type", 1); });
    expect("'strength' of the constraint geometry is not one number", "single number",
           [](Geometry& g) { setPoints(g, "strength", "strong"); });
    expect("'damping' of the constraint geometry is not one number", "single number",
           [](Geometry& g) { g.points.add<float>("damping", g.pointCount(), 3); });
    expect("'strength' of primitive 0 of the constraint geometry is -1", "0 or more",
           [](Geometry& g) { setPoints(g, "strength", -1); });
    expect("'releaseForce' of", "above 0", [](Geometry& g) { setPoints(g, "releaseForce", 0); });
    expect("'constraint_radius' of", "0 or more",
           [](Geometry& g) { setPoints(g, "constraint_radius", NAN); });
    expect("glue, primitive 1 of the constraint geometry, has 3 points", "two points",
           [&](Geometry& g) { type(g) = "glue"; });
    expect("glue, point 6 of the constraint geometry, has one end", "two points",
           [](Geometry& g) { setText(g.detail, 1, "constraint_type", "glue"); });
    expect("one end has a `name`", "both ends",
           [](Geometry& g) { g.points.add<std::string>("name", g.pointCount())[5] = "wall"; });
    expect("point 3 of the constraint geometry has no finite place", "moves it",
           [](Geometry& g) { g.positions[3].y() = NAN; });
}

// ---- binding

/// A bar along x of cells of 0.25 m, in space.
WorldState paintedBar() {
    WorldState world;
    Body body = makeBody(makeBox(4, 2, 2, Vec3(1, 0.5, 0.5)), elastic(1e6, 0.3, 1000));
    Group& end = body.attributes.vertices.addGroup("end", body.mesh.vertexCount());
    for (std::size_t v = 0; v < end.members.size(); ++v) end.members[v] = body.mesh.rest[v].x() > 0.99;
    auto& drawn = body.attributes.vertices.add<float>("targetstrength", body.mesh.vertexCount());
    for (std::size_t v = 0; v < drawn.size(); ++v) drawn[v] = static_cast<float>(v);
    addBody(world, std::move(body));
    return world;
}
std::int32_t vertexAt(const WorldState& world, const Vec3& p) {
    const std::vector<Vec3>& x = world.bodies[0].state->x;
    for (std::size_t v = 0; v < x.size(); ++v)
        if ((x[v] - p).norm() < 1e-12) return static_cast<std::int32_t>(v);
    return -1;
}
const Constraints& constraintsOf(const WorldState& world, std::size_t b = 0) {
    return world.bodies[b].body->constraints;
}

TEST(ConstraintBinding, APointHoldsTheNearestVertexOrAllWithinItsRadius) {
    WorldState world = paintedBar();
    Geometry g = drawnPoints({Vec3(0.02, 0.27, 0.23), Vec3(0.5, 0.25, 0.3)});
    setPoints(g, "constraint_radius", 0);
    (*g.points.find("constraint_radius")->as<float>())[1] = 0.26f;
    const ConstraintTrack track = bindConstraints(world, 0, g);
    const std::vector<HardTarget>& pins = constraintsOf(world).hard;
    ASSERT_EQ(pins.size(), 2u);
    EXPECT_EQ(pins[0].vertices, std::vector<std::int32_t>{vertexAt(world, Vec3(0, 0.25, 0.25))});
    EXPECT_EQ(pins[0].anchor[0], Vec3(0, 0.25, 0.25)) << "it is held where it is, not drawn to the point";
    std::vector<std::int32_t>
        around;  // its own cell's middle and the one above it; the six others are 0.2550 m away
    for (std::size_t v = 0; v < world.bodies[0].state->x.size(); ++v)
        if ((world.bodies[0].state->x[v] - Vec3(0.5, 0.25, 0.3)).norm() <= 0.26)
            around.push_back(static_cast<std::int32_t>(v));
    EXPECT_GT(around.size(), 4u);
    EXPECT_EQ(pins[1].vertices, around);
    EXPECT_EQ(track.hardPoint, (std::vector<std::int32_t>{0, 1}));
    EXPECT_TRUE(track.softPoint.empty());
}

TEST(ConstraintBinding, GroupsAndNumbersOfTheTetsAreHeld) {
    WorldState world = paintedBar();
    Geometry g = drawnPoints({Vec3(5, 5, 5), Vec3(6, 6, 6)});
    g.points.add<std::string>("group", 2) = {"end", ""};
    g.points.add<std::int32_t>("tetpoint", 2) = {-1, 7};
    setPoints(g, "constraint_type", "target");
    setPoints(g, "damping", 3);
    const ConstraintTrack track = bindConstraints(world, 0, g);
    const std::vector<SoftTarget>& targets = constraintsOf(world).soft;
    ASSERT_EQ(targets.size(), 2u);
    EXPECT_EQ(targets[0].vertices.size(), 9u);
    EXPECT_EQ(targets[1].vertices, std::vector<std::int32_t>{7});
    EXPECT_EQ(targets[1].weight, std::vector<double>{7})
        << "painted `targetstrength` counts as for any target";
    EXPECT_EQ(targets[1].damping, 3);
    EXPECT_EQ(track.softPoint, (std::vector<std::int32_t>{0, 1}));
}

TEST(ConstraintBinding, WhatHoldsNothingIsAnErrorAndChangesNothing) {
    const auto expect = [](const char* text, const char* remedy,
                           const std::function<void(Geometry&)>& spoil) {
        WorldState world = paintedBar();
        const auto before = world.bodies[0].body;
        Geometry g = drawnPoints({Vec3(0, 0, 0), Vec3(1, 0, 0)});
        spoil(g);
        const std::string complaint = complaintOf([&] { bindConstraints(world, 0, g); });
        EXPECT_NE(complaint.find(text), std::string::npos) << text << " / " << complaint;
        EXPECT_NE(complaint.find(remedy), std::string::npos) << remedy << " / " << complaint;
        EXPECT_EQ(world.bodies[0].body, before);
        EXPECT_TRUE(world.glue.empty());
    };
    expect("point 1 of the constraint geometry holds nothing: the nearest point of 'body0' is 2 m away",
           "`constraint_radius` of 2 or more", [](Geometry& g) { g.positions[1].x() = 3; });
    expect("holds nothing", "or more", [](Geometry& g) {
        g.positions[1] = Vec3(0.4, 0.1, 0.1);
        setPoints(g, "constraint_radius", 0.125);
    });
    expect("has no point group or attribute 'ende'", "did you mean 'end'?",
           [](Geometry& g) { setPoints(g, "group", "ende"); });
    expect("has the tetpoint 1000, but 'body0' has 45 points", "from 0 on",
           [](Geometry& g) { setPoints(g, "tetpoint", 1000); });
}

TEST(ConstraintBinding, ARigidBodyIsHeldAsAWhole) {
    WorldState world;
    Body body = makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), elastic(1e6, 0.3, 1000));
    body.rigid = true;
    addBody(world, std::move(body));
    Geometry g = drawnPoints({Vec3(0.5, 0.5, 0.5)});
    EXPECT_NE(complaintOf([&] { bindConstraints(world, 0, g); }).find("hold all of its vertices or none"),
              std::string::npos);
    setPoints(g, "constraint_radius", 1);
    bindConstraints(world, 0, g);
    EXPECT_EQ(constraintsOf(world).hard.at(0).vertices.size(), 8u);
}

// ---- glue

Material soft() {
    Material m = elastic(1e6, 0.0, 1000);
    m.stiffnessDamping = 2e-3;
    return m;
}
const Vec3 kBeside(2.01, 0, 0);
TetMesh leftBlock() { return makeBox(4, 2, 2, Vec3(2, 1, 1)); }
TetMesh rightBlock() { return placed(makeBox(4, 3, 3, Vec3(2, 1, 1)), kBeside); }
/// Two blocks side by side, as two bodies or as one, whose tets have the names `left` and `right`.
WorldState twoBlocks(bool oneBody) {
    WorldState world;
    if (!oneBody) {
        addBody(world, makeBody(leftBlock(), soft()));
        addBody(world, makeBody(rightBlock(), soft()));
        return world;
    }
    TetMesh mesh = leftBlock();
    const TetMesh right = rightBlock();
    const auto first = static_cast<std::int32_t>(mesh.rest.size());
    const std::size_t leftTets = mesh.tets.size();
    mesh.rest.insert(mesh.rest.end(), right.rest.begin(), right.rest.end());
    for (Tet t : right.tets) {
        for (std::int32_t& v : t) v += first;
        mesh.tets.push_back(t);
    }
    Body body = makeBody(std::move(mesh), soft());
    auto& names = body.attributes.tets.add<std::string>("name", body.mesh.tetCount());
    for (std::size_t t = 0; t < names.size(); ++t) names[t] = t < leftTets ? "left" : "right";
    addBody(world, std::move(body));
    return world;
}
/// A line from the middle of one block to that of the other.
Geometry glueLine(double strength = 1e5) {
    Geometry g = drawnPoints({Vec3(1, 0.5, 0.5), Vec3(3.01, 0.5, 0.5)});
    addLine(g, {0, 1});
    setText(g.primitives, 1, "constraint_type", "glue");
    setNumber(g.primitives, 1, "distance", 0.02);
    setNumber(g.primitives, 1, "strength", strength);
    return g;
}
Geometry namedLine(const char* a, const char* b) {
    Geometry g = glueLine();
    g.points.add<std::string>("name", 2) = {a, b};
    return g;
}
void expectSame(const std::vector<GlueBond>& a, const std::vector<GlueBond>& b, std::int32_t shift = 0) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].vertex, b[k].vertex + shift);
        EXPECT_EQ(a[k].weight, b[k].weight);
        EXPECT_EQ(a[k].stiffness, b[k].stiffness);
        EXPECT_EQ(a[k].area, b[k].area);
        EXPECT_EQ(a[k].strength, b[k].strength);
    }
}
std::vector<GlueBond> bondsOfAScene() {
    SceneGlue glue;
    glue.a = "body0";
    glue.b = "body1";
    glue.distance = 0.02f;
    glue.strength = 1e5;
    return buildBonds(glue, twoBlocks(false));
}

TEST(ConstraintGlue, ALineGluesThePartsThatItsEndsAreOn) {
    const std::vector<GlueBond> expected = bondsOfAScene();
    ASSERT_EQ(expected.size(), 16u);
    const auto leftVertices = static_cast<std::int32_t>(leftBlock().rest.size());
    for (const bool named : {false, true}) {
        WorldState apart = twoBlocks(false), together = twoBlocks(true);
        bindConstraints(apart, 0, named ? namedLine("body0", "body1") : glueLine());
        expectSame(apart.glue, expected);
        EXPECT_EQ(apart.glue[0].body, 1);
        EXPECT_EQ(apart.glue[0].other, 0);
        bindConstraints(together, 0, named ? namedLine("left", "right") : glueLine());
        expectSame(together.glue, expected, leftVertices);
        EXPECT_EQ(together.glue[0].body, 0);
        EXPECT_EQ(together.glue[0].other, 0);
    }
}

TEST(ConstraintGlue, ARadiusLeavesASpotOfIt) {
    WorldState world = twoBlocks(false);
    Geometry g = glueLine();
    setNumber(g.primitives, 1, "constraint_radius",
              0.25);  // the middle four of the 4 x 4 vertices of the right one are 0.236 m off the line
    bindConstraints(world, 0, g);
    EXPECT_EQ(world.glue.size(), 4u);
    WorldState inactive = twoBlocks(false);
    setNumber(g.primitives, 1, "active", 0);
    bindConstraints(inactive, 0, g);
    EXPECT_TRUE(inactive.glue.empty());
}

TEST(ConstraintGlue, WhatCannotBeGluedIsAnErrorWithARemedy) {
    const auto expect = [](const char* text, const char* remedy, WorldState world, const Geometry& g) {
        const std::string complaint = complaintOf([&] { bindConstraints(world, 0, g); });
        EXPECT_NE(complaint.find(text), std::string::npos) << text << " / " << complaint;
        EXPECT_NE(complaint.find(remedy), std::string::npos) << remedy << " / " << complaint;
        EXPECT_TRUE(world.glue.empty());
    };
    Geometry same = glueLine(), far = glueLine(), apart = glueLine();
    same.positions[1] = Vec3(0.5, 0.5, 0.5);
    far.positions[1] = Vec3(30, 0, 0);
    setNumber(apart.primitives, 1, "distance", 0.001);
    for (const bool oneBody : {false, true}) {
        expect("are on the same part", "from one part to the other", twoBlocks(oneBody), same);
        expect("point 1 of the constraint geometry, an end of glue, is 25.99 m away",
               "give both ends a `name`", twoBlocks(oneBody), far);
        expect("is within 0.001 m of the other", "`distance`", twoBlocks(oneBody), apart);
        expect("has the name 'nosuch', which no object and no tet has", "`name` of the tets",
               twoBlocks(oneBody), namedLine("body0", "nosuch"));
    }
    expect("on the same part", "`name`", twoBlocks(true), namedLine("left", "left"));
    expect("which share points", "apart", twoBlocks(true), namedLine("body0", "left"));
    WorldState late = twoBlocks(false);
    late.time = 1;
    expect("appears late", "same frame", late, glueLine());
}

/// The left end held, the right one drawn away; how far when the first bond breaks.
double drawnAtRelease(bool oneBody, Integrator integrator) {
    WorldState world = twoBlocks(oneBody);
    bindConstraints(world, 0, glueLine(4e4));
    Motion away;
    away.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {10, Vec3(2, 0, 0), Vec3::Zero()}};
    for (WorldBody& b : world.bodies) {
        Body body = *b.body;
        pinWhere(body, [](const Vec3& p) { return p.x() < 1e-9; });
        pinWhere(
            body, [](const Vec3& p) { return p.x() > 4; }, away);
        if (body.constraints.hard[1].vertices.empty()) body.constraints.hard.pop_back();
        if (body.constraints.hard[0].vertices.empty())
            body.constraints.hard.erase(body.constraints.hard.begin());
        b.body = buildBody(std::move(body));
    }
    Workspace workspace;
    while (world.time < 2) {
        const StepReport report = step(world, 1.0 / 96, spaceSettings(integrator), workspace);
        EXPECT_FALSE(report.failed) << report.message;
        if (report.failed || report.bondsBroken > 0) break;
    }
    return 0.2 * world.time;
}

TEST(ConstraintGlue, HoldsPartsOfOneBodyAsItHoldsTwoBodies) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        const double apart = drawnAtRelease(false, integrator), together = drawnAtRelease(true, integrator);
        figure(std::string("way at which glue breaks, m, ") + name(integrator), together);
        EXPECT_GT(apart, 0.05);
        EXPECT_NEAR(together, apart, 0.2 / 96 * 1.01) << name(integrator);  // a step more or less
    }
}

TEST(ConstraintGlue, WithinABodyKeepsBothMomenta) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        WorldState world = twoBlocks(true);
        bindConstraints(world, 0, glueLine(1e9));
        editState(world, [](BodyState& s) {
            for (std::size_t i = 0; i < s.v.size(); ++i)
                s.v[i] = s.x[i].x() > 2.005 ? Vec3(0.3, 0.4, 0) : Vec3::Zero();
        });
        const Momenta before = momenta(world);
        run(world, spaceSettings(integrator), 0.5, 48);
        const Momenta after = momenta(world);
        const double limit = integrator == Integrator::kExplicit ? 1e-10 : 1e-3;
        EXPECT_LT((after.linear - before.linear).norm(), limit * before.linearScale) << name(integrator);
        EXPECT_LT((after.angular - before.angular).norm(), 10 * limit * before.angularScale)
            << name(integrator);
        double gap = 0;
        for (const GlueBond& bond : world.glue) {
            const std::vector<Vec3>& x = world.bodies[0].state->x;
            Vec3 there = x[static_cast<std::size_t>(bond.vertex)];
            for (std::size_t k = 0; k < 4; ++k)
                there -=
                    bond.weight[static_cast<Eigen::Index>(k)] * x[static_cast<std::size_t>(bond.corners[k])];
            gap = std::max(gap, there.norm());
        }
        EXPECT_LT(gap, 0.05) << "free it would be 0.25 m";
    }
}

}  // namespace
}  // namespace sunder
