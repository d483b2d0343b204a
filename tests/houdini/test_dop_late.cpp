// Objects that are created while others of the same solver run.
#include <gtest/gtest.h>

#include <cmath>

#include "core/mesh/tet_mesh.h"
#include "core/sim/world_parts.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

constexpr int kStart = 1001, kCome = kStart + 3, kLast = kStart + 12;

Geometry block(const Vec3& low) {
    Geometry g = geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.25, 0.25, 0.25)), {});
    for (Vec3& p : g.positions) p += low;
    return g;
}

struct Options {
    bool isExplicit = true;
    bool lateFirst = false;  ///< the late one has the smaller id
    bool late = true;
    Vec3 place = Vec3(0, 0.3125, 0);  ///< of the late one
    bool ground = true;
    bool beside = false;  ///< one more that is there from the start
};
struct Ids {
    int there = 0, late = -1;
};

DopNetwork makeNetwork(const Options& options, Ids& ids) {
    operators();
    DopNetwork net(24, kStart);
    Geometry late = block(options.place);
    late.points.add<float>("tint", late.pointCount());  // that the other one does not have
    if (options.late && options.lateFirst) ids.late = net.addObject("late", *makeDetail(late).gdp());
    ids.there = net.addObject("there", *makeDetail(block(Vec3::Zero())).gdp());
    if (options.beside) net.addObject("beside", *makeDetail(block(Vec3(-2, 0, 0))).gdp());
    if (options.late && !options.lateFirst) ids.late = net.addObject("late", *makeDetail(late).gdp());
    if (options.late) net.appear(ids.late, kCome);
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.set("Solver", "startFrame", int64{kStart});
    net.set("Solver", "integrator", int64{options.isExplicit ? 0 : 1});
    net.set("Solver", "ground_enabled", options.ground);
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    return net;
}
std::string shown(const DopNetwork& net, int frame, int object) { return bytesOf(readDetail(net.geometry(frame, object))); }
double lowest(const GU_Detail& d) {
    double y = 1e300;
    for (const GA_Offset o : d.getPointRange()) y = std::min(y, static_cast<double>(d.getPos3(o).y()));
    return y;
}
std::vector<std::string> framesOf(DopNetwork& net, const Ids& ids) {
    std::vector<std::string> all;
    EXPECT_TRUE(net.play(kLast)) << trouble(net);
    for (int f = kStart; f <= kLast && net.has(f); ++f) {
        all.push_back(shown(net, f, ids.there));
        if (ids.late >= 0 && f >= kCome) all.push_back(shown(net, f, ids.late));
    }
    return all;
}
}  // namespace

TEST(HoudiniDopLate, AnObjectThatAppearsFallsOnOthers) {
    for (const bool isExplicit : {true, false}) {
        Options options;
        options.isExplicit = isExplicit;
        Ids ids;
        DopNetwork net = makeNetwork(options, ids);
        ASSERT_TRUE(net.play(kLast)) << trouble(net);
        EXPECT_FALSE(net.says("overlap")) << trouble(net);
        const Geometry first = readDetail(net.geometry(kCome, ids.late));
        EXPECT_EQ(first.positions, block(options.place).positions) << "its first frame shows the start";
        EXPECT_NEAR(lowest(net.geometry(kCome + 1, ids.late)), 0.3125 - 9.81 / 24 / 24 / 2, 0.01);
        EXPECT_NEAR(lowest(net.geometry(kLast, ids.late)), 0.25, 0.03);  // free it would be 0.69 m lower
        EXPECT_NEAR(lowest(net.geometry(kLast, ids.there)), 0, 0.03);
    }
}

// Explicit steps are as long as the whole world allows: there the others must be two that may meet, and the late one no stiffer.
TEST(HoudiniDopLate, OthersGoOnAsTheyWereUntilContact) {
    for (const bool isExplicit : {true, false}) {
        Options options;
        options.isExplicit = isExplicit;
        options.ground = false;
        options.beside = isExplicit;
        options.place = Vec3(4, 0, 0);
        Ids ids, alone;
        DopNetwork net = makeNetwork(options, ids);
        options.late = false;
        DopNetwork without = makeNetwork(options, alone);
        ASSERT_TRUE(net.play(kLast)) << trouble(net);
        ASSERT_TRUE(without.play(kLast)) << trouble(without);
        for (int f = kStart; f <= kLast; ++f) EXPECT_EQ(shown(net, f, ids.there) == shown(without, f, alone.there), true) << f << " " << isExplicit;
    }
}

// With ids, attributes and all; the rest is solved together from then on.
TEST(HoudiniDopLate, TheFrameInWhichOneAppearsIsThatOfTheOthersAlone) {
    Options options;
    Ids ids, alone;
    DopNetwork net = makeNetwork(options, ids);
    options.late = false;
    DopNetwork without = makeNetwork(options, alone);
    ASSERT_TRUE(net.play(kCome + 1)) << trouble(net);
    ASSERT_TRUE(without.play(kCome + 1)) << trouble(without);
    for (int f = kStart; f <= kCome; ++f) EXPECT_EQ(shown(net, f, ids.there), shown(without, f, alone.there)) << f;
    const Geometry there = readDetail(net.geometry(kCome + 1, ids.there)), late = readDetail(net.geometry(kCome + 1, ids.late));
    EXPECT_EQ(there.points.find("tint"), nullptr);
    EXPECT_NE(late.points.find("tint"), nullptr);
    for (std::size_t i = 0; i < there.pointCount(); ++i) {
        EXPECT_EQ((*there.points.find("id")->as<std::int64_t>())[i], static_cast<std::int64_t>(i));
        EXPECT_EQ((*late.points.find("id")->as<std::int64_t>())[i], kLateIds + static_cast<std::int64_t>(i));
        EXPECT_EQ((*late.points.find("parent")->as<std::int64_t>())[2 * i], kLateIds + static_cast<std::int64_t>(i));
    }
}

TEST(HoudiniDopLate, ScrubbingReloadingSavingAndOrderChangeNothing) {
    for (const bool isExplicit : {true, false}) {
        Options options;
        options.isExplicit = isExplicit;
        Ids ids;
        DopNetwork net = makeNetwork(options, ids);
        const std::vector<std::string> expected = framesOf(net, ids);
        for (const int back : {kCome + 2, kCome, kCome - 1}) {
            net.scrub(back);
            EXPECT_EQ(framesOf(net, ids) == expected, true) << back;
        }
        DopNetwork reloading = makeNetwork(options, ids);
        reloading.reloadEveryStep = true;
        EXPECT_EQ(framesOf(reloading, ids) == expected, true);
        for (const int at : {kCome - 1, kCome, kCome + 3}) {
            DopNetwork resumed = makeNetwork(options, ids);
            ASSERT_TRUE(resumed.load(at, net.save(at)));
            ASSERT_TRUE(resumed.play(kLast)) << trouble(resumed);
            for (int f = std::max(at, kCome); f <= kLast; ++f)
                for (const int object : {ids.there, ids.late}) EXPECT_EQ(shown(resumed, f, object) == shown(net, f, object), true) << at << " " << f << " " << object;
        }
        options.lateFirst = true;
        Ids other;
        DopNetwork turned = makeNetwork(options, other);
        EXPECT_EQ(framesOf(turned, other) == expected, true);
    }
}

TEST(HoudiniDopLate, OnesThatOverlapAreAllowedToAndDrivenApart) {
    Options options;
    options.place = Vec3(0.03125, 0.1875, 0.03125);  // by a quarter of its height
    Ids ids;
    DopNetwork net = makeNetwork(options, ids);
    ASSERT_TRUE(net.play(kCome)) << trouble(net);
    EXPECT_TRUE(net.says("'late' or another body that appears late overlaps others")) << trouble(net);
    ASSERT_TRUE(net.play(kCome + 4)) << trouble(net);
    double fastest = 0;
    for (const int object : {ids.there, ids.late}) {
        const Geometry g = readDetail(net.geometry(kCome + 4, object));
        const auto& v = *g.points.find("v")->as<float>();
        for (const float c : v) fastest = std::max(fastest, std::abs(static_cast<double>(c)));
    }
    EXPECT_LT(fastest, 1) << "springs drawn by a quarter of the block throw it off at 2.4 m/s";
}

TEST(HoudiniDopLate, SeveralTimes) {
    Options options;
    Ids ids;
    DopNetwork net = makeNetwork(options, ids);
    const int third = net.addObject("third", *makeDetail(block(Vec3(0, 0.75, 0))).gdp()), collider = net.addCollider("shelf", *makeDetail(block(Vec3(3, 0, 0))).gdp());
    net.appear(third, kCome + 2);
    net.appear(collider, kCome + 1);
    net.attach(third, "SIM_SunderSolver", "Solver");
    net.attach(third, "SIM_SunderMaterial", "SunderMaterial");
    ASSERT_TRUE(net.play(kLast)) << trouble(net);
    const Geometry last = readDetail(net.geometry(kLast, third));
    EXPECT_EQ((*last.points.find("id")->as<std::int64_t>())[1], 2 * kLateIds + 1);
    DopNetwork again = net;
    again.scrub(kCome + 1);
    again.reloadEveryStep = true;
    ASSERT_TRUE(again.play(kLast)) << trouble(again);
    for (const int object : {ids.there, ids.late, third}) EXPECT_EQ(shown(again, kLast, object) == shown(net, kLast, object), true) << object;
}

TEST(HoudiniDopLate, WhatCannotAppearIsAnErrorThatLeavesTheOthersAsTheyWere) {
    const auto refused = [](const std::function<void(DopNetwork&, const Ids&)>& spoil, const char* message, const char* remedy) {
        Options options;
        Ids ids;
        DopNetwork net = makeNetwork(options, ids);
        net.addCollider("shelf", *makeDetail(block(Vec3(3, 0, 0))).gdp());
        net.attach(2, "SIM_SunderCollider", "SunderCollider");
        spoil(net, ids);
        EXPECT_FALSE(net.play(kLast)) << message;
        EXPECT_TRUE(net.has(kCome - 1)) << message;
        EXPECT_FALSE(net.has(kCome)) << message;
        EXPECT_TRUE(net.says(message) && net.says(remedy)) << trouble(net);
    };
    refused(
        [](DopNetwork& net, const Ids& ids) {
            net.attach(ids.late, "SIM_SunderConstraint", "SunderConstraint");
            net.set("SunderConstraint", "type", int64{2});
            net.set("SunderConstraint", "glue_b", std::string("there"));
        },
        "'late' appears late and is glued", "Create it in the same frame");
    refused(
        [](DopNetwork& net, const Ids& ids) {
            net.set("SunderCollider", "contact_groups", std::string("[\"shelves\"]"));
            net.only(ids.late);
            net.set("SunderMaterial", "contact_groups", std::string("[\"new\"]"));
        },
        "names a contact group that is new", "there from the start");
    refused(
        [](DopNetwork& net, const Ids& ids) {
            net.attach(ids.late, "SIM_SunderConstraint", "SunderConstraint");
            net.set("SunderConstraint", "group", std::string("no such group"));
        },
        "late", "no such group");
}

}  // namespace sunder::test
