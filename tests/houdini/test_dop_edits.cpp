// What an artist's SOP Solver paints between two steps wins, as if it had been there; what makes no sense is an error.
#include <GA/GA_Handle.h>
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <cmath>

#include "core/base/parallel.h"
#include "core/mesh/tet_mesh.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

constexpr int kFrames = 6;

float paintAt(const UT_Vector3& p) { return 0.5f + std::floor(4 * p.x()); }

/// A bar along x, held at its left end by the attribute `pintoanimation`.
Geometry bar(const char* painted = nullptr) {
    TetMesh mesh = testing::makeBox(6, 2, 2, Vec3(1.5, 0.5, 0.5));
    testing::jitter(mesh, 0.2, 5);
    Geometry g = geometryFromTetMesh(mesh, {});
    auto& held = g.points.add<std::int32_t>("pintoanimation", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) held[i] = g.positions[i].x() < 0.15 ? 1 : 0;
    if (!painted) return g;
    auto& values = g.points.add<float>(painted, g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) values[i] = paintAt(UT_Vector3(static_cast<float>(g.positions[i].x()), 0, 0));
    return g;
}

DopNetwork makeNetwork(const Geometry& geometry) {
    operators();
    DopNetwork net;
    net.addObject("bar", *makeDetail(geometry).gdp());
    net.addObject("other", *makeDetail([] {
        Geometry g = geometryFromTetMesh(testing::makeBox(1, 1, 1, Vec3(0.3, 0.3, 0.3)), {});
        for (Vec3& p : g.positions) p += Vec3(0, 3, 0);
        return g;
    }()).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(0, "SIM_SunderConstraint", "SunderConstraint");
    net.set("Solver", "integrator", int64{0});
    net.set("SunderMaterial", "youngs", 2e5);
    net.set("SunderMaterial", "stiffnessDamping", 2e-3);
    return net;
}

/// Paints points of the bar after a frame has been solved.
template <class Value>
void paintAfter(DopNetwork& net, int frame, const char* name, Value value) {
    net.edit = [=](int f, int object, GU_Detail& d) {
        if (f != frame || object != 0) return;
        GA_Attribute* a = d.addTuple(GA_STORE_REAL32, GA_ATTRIB_POINT, name, 1);
        GA_RWHandleF handle(a);
        for (const GA_Offset o : d.getPointRange()) handle.set(o, value(d.getPos3(o)));
        d.bumpAllDataIds();
    };
}
std::string places(const DopNetwork& net, int frame, int object = 0) {
    const Geometry all = readDetail(net.geometry(frame, object));
    Geometry g;
    g.positions = all.positions;
    g.points.attributes.push_back(*all.points.find("v"));
    g.points.attributes.push_back(*all.points.find("mass"));
    return bytesOf(g);
}
double lowest(const DopNetwork& net, int frame) {
    double y = 1e300;
    for (const GA_Offset o : net.geometry(frame, 0).getPointRange()) y = std::min(y, static_cast<double>(net.geometry(frame, 0).getPos3(o).y()));
    return y;
}
bool isBroken(const DopNetwork& net, int frame) { return net.geometry(frame, 0).getNumPrimitives() > static_cast<GA_Size>(bar().primitiveCount()); }
DopNetwork makeBrittle() {
    DopNetwork net = makeNetwork(bar());
    net.set("SunderMaterial", "fracture_enabled", true);
    net.set("SunderMaterial", "fracture_stress", 3e3);
    return net;
}
}  // namespace

TEST(HoudiniDopEdits, PaintedAfterTheStartIsPaintedAtTheStart) {
    for (const char* name : {"stiffness", "massdensity", "dampingratio"}) {
        DopNetwork early = makeNetwork(bar(name)), late = makeNetwork(bar()), never = makeNetwork(bar());
        paintAfter(late, 1, name, paintAt);
        for (DopNetwork* net : {&early, &late, &never}) ASSERT_TRUE(net->play(kFrames)) << trouble(*net);
        for (int f = 2; f <= kFrames; ++f)
            for (const int object : {0, 1}) EXPECT_EQ(places(late, f, object), places(early, f, object)) << name << " " << f;
        EXPECT_NE(places(late, kFrames), places(never, kFrames)) << name;
    }
}

TEST(HoudiniDopEdits, ToughnessAndActivityCountFromTheirFrameOn) {
    DopNetwork plain = makeBrittle(), tough = makeBrittle(), inactive = makeBrittle(), weak = makeBrittle();
    weak.set("SunderMaterial", "fracture_stress", 1e6);
    paintAfter(tough, 1, "fracturethreshold", [](const UT_Vector3&) { return 1000.0f; });
    paintAfter(inactive, 1, "active", [](const UT_Vector3&) { return 0.0f; });
    paintAfter(weak, 3, "fracturethreshold", [](const UT_Vector3&) { return 0.001f; });
    for (DopNetwork* net : {&plain, &tough, &inactive, &weak}) ASSERT_TRUE(net->play(4)) << trouble(*net);
    EXPECT_TRUE(isBroken(plain, 4));
    EXPECT_FALSE(isBroken(tough, 4));
    EXPECT_FALSE(isBroken(inactive, 4));
    EXPECT_FALSE(isBroken(weak, 3));
    EXPECT_TRUE(isBroken(weak, 4));
}

TEST(HoudiniDopEdits, PinsLetGoAndHoldAsTheyArePainted) {
    DopNetwork plain = makeNetwork(bar()), free = makeNetwork(bar()), all = makeNetwork(bar());
    paintAfter(free, 2, "pintoanimation", [](const UT_Vector3&) { return 0.0f; });
    paintAfter(all, 2, "pintoanimation", [](const UT_Vector3&) { return 1.0f; });
    for (DopNetwork* net : {&plain, &free, &all}) ASSERT_TRUE(net->play(kFrames)) << trouble(*net);
    EXPECT_EQ(places(free, 2), places(plain, 2));
    const double fall = 0.5 * 9.81 * std::pow((kFrames - 2) / 24.0, 2);
    double highest = -1e300;
    for (const GA_Offset o : free.geometry(kFrames, 0).getPointRange()) highest = std::max(highest, static_cast<double>(free.geometry(kFrames, 0).getPos3(o).y()));
    EXPECT_LT(highest, 0.5 - 0.5 * fall);  // nothing holds it up any more
    EXPECT_EQ(lowest(all, kFrames), lowest(all, 2));  // all of it stands where it was
    EXPECT_LT(lowest(plain, kFrames), lowest(plain, 2) - 0.01);
}

// masks and colours of the artist's own stay, through cracks, too, and change no bit of the motion
TEST(HoudiniDopEdits, WhatNoBodyIsMadeOfStays) {
    DopNetwork plain = makeBrittle(), net = makeBrittle(), reloading = makeBrittle();
    const auto mark = [](int f, int object, GU_Detail& d) {
        if (f != 1 || object != 0) return;
        GA_RWHandleF mask(d.addFloatTuple(GA_ATTRIB_POINT, "mask", 1));
        GA_RWHandleS layer(d.addStringTuple(GA_ATTRIB_PRIMITIVE, "layer", 1));
        GA_PointGroup* right = d.newPointGroup("right");
        GA_PrimitiveGroup* all = d.newPrimitiveGroup("everything");
        for (const GA_Offset o : d.getPointRange()) {
            mask.set(o, d.getPos3(o).x());
            if (d.getPos3(o).x() > 0.7f) right->addOffset(o);
        }
        for (const GA_Offset o : d.getPrimitiveRange()) {
            layer.set(o, UT_StringHolder("wood"));
            all->addOffset(o);
        }
        d.bumpAllDataIds();
    };
    net.edit = reloading.edit = mark;
    reloading.reloadEveryStep = true;
    for (DopNetwork* n : {&plain, &net, &reloading}) ASSERT_TRUE(n->play(4)) << trouble(*n);
    EXPECT_TRUE(isBroken(net, 4));
    for (int f = 1; f <= 4; ++f) {
        for (const int object : {0, 1}) EXPECT_EQ(places(net, f, object), places(plain, f, object)) << f;
        EXPECT_EQ(bytesOf(readDetail(reloading.geometry(f, 0))), bytesOf(readDetail(net.geometry(f, 0)))) << f;
        const Geometry g = readDetail(net.geometry(f, 0));
        const Attribute *mask = g.points.find("mask"), *rest = g.points.find("restP"), *layer = g.primitives.find("layer");
        ASSERT_TRUE(mask && layer) << f;
        for (std::size_t i = 0; i < g.pointCount(); ++i) EXPECT_NEAR(mask->number(i), rest->number(i, 0), 1e-5) << f;
        for (const std::string& text : *layer->as<std::string>()) EXPECT_EQ(text, "wood");
        const Group *everything = g.primitives.findGroup("everything"), *right = g.points.findGroup("right");
        ASSERT_TRUE(everything && right) << f;
        EXPECT_EQ(everything->count(), g.primitiveCount());
        EXPECT_GT(right->count(), 10u);
    }
    const auto topology = [&](int f) { return net.geometry(f, 1).getTopology().getPointRef()->getDataId(); };
    EXPECT_EQ(topology(3), topology(4)) << "what does not break is not written anew";
}

// a simulation has values at points and in tets
TEST(HoudiniDopEdits, WhatVerticesHaveIsLeftOutAndSaid) {
    Geometry painted = bar();
    painted.vertices.add<float>("uv", painted.vertexCount(), 3, AttributeMeaning::kTextureCoord);
    DopNetwork plain = makeNetwork(bar()), brought = makeNetwork(painted), edited = makeNetwork(bar());
    edited.edit = [](int f, int object, GU_Detail& d) {
        if (f != 2 || object != 0) return;
        d.addFloatTuple(GA_ATTRIB_VERTEX, "late", 1);
        d.bumpAllDataIds();
    };
    ASSERT_TRUE(plain.play(3)) << trouble(plain);
    EXPECT_FALSE(plain.says("vertices"));
    ASSERT_TRUE(brought.play(1)) << trouble(brought);
    EXPECT_TRUE(brought.says("'uv', is left out. Promote it to points")) << trouble(brought);
    ASSERT_TRUE(brought.play(3)) << trouble(brought);
    ASSERT_TRUE(edited.play(3)) << trouble(edited);
    EXPECT_TRUE(edited.says("what vertices have is not taken back")) << trouble(edited);
    for (const DopNetwork* net : {&brought, &edited}) EXPECT_EQ(bytesOf(readDetail(net->geometry(3, 0))), bytesOf(readDetail(plain.geometry(3, 0))));
}

TEST(HoudiniDopEdits, ScrubbingReloadingSavingAndThreadsChangeNothing) {
    const auto make = [] {
        DopNetwork net = makeBrittle();
        paintAfter(net, 3, "fracturethreshold", [](const UT_Vector3& p) { return p.x() > 0.7f ? 1000.0f : 1.0f; });  // of what has broken by then
        return net;
    };
    DopNetwork played = make(), scrubbed = make(), reloading = make(), resumed = make();
    ASSERT_TRUE(played.play(5)) << trouble(played);
    EXPECT_TRUE(isBroken(played, 3));
    ASSERT_TRUE(scrubbed.play(4));
    scrubbed.scrub(2);
    ASSERT_TRUE(scrubbed.play(5));
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(5));
    ASSERT_TRUE(resumed.load(3, played.save(3)));
    ASSERT_TRUE(resumed.play(5));
    for (const DopNetwork* net : {&scrubbed, &reloading, &resumed}) EXPECT_EQ(places(*net, 5), places(played, 5));
    const int before = threadCount();
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        standin::setThreads(threads);
        DopNetwork net = make();
        EXPECT_TRUE(net.play(5));
        EXPECT_EQ(places(net, 5), places(played, 5)) << threads;
    }
    setThreadCount(before);
    standin::setThreads(3);
}

TEST(HoudiniDopEdits, PaintThatMakesNoSenseIsAnErrorWithARemedy) {
    DopNetwork net = makeNetwork(bar());
    paintAfter(net, 2, "stiffness", [](const UT_Vector3&) { return 0.0f; });
    EXPECT_FALSE(net.play(3));
    EXPECT_TRUE(net.says("has no stiffness or no mass. Paint 'stiffness'")) << trouble(net);
    EXPECT_FALSE(net.has(3));
    net.scrub(1);
    net.edit = nullptr;
    EXPECT_TRUE(net.play(3)) << trouble(net);
}

}  // namespace sunder::test
