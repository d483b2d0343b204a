// Values that are keyed while it runs: under Set Always they count from their frame on, under Set Initial never.
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <cmath>

#include "core/mesh/tet_mesh.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;
using standin::ParmOperation;

constexpr int kKey = 4, kLast = 9;

/// A block that slides along a floor.
DopNetwork sliding() {
    operators();
    Geometry g = geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.3, 0.3, 0.3)), {});
    Geometry plane;
    for (const double x : {-5.0, 5.0})
        for (const double z : {-5.0, 5.0}) plane.positions.emplace_back(x, -0.01, z);
    const std::vector<std::int32_t> quad = {0, 1, 3, 2};
    plane.addPrimitive(PrimitiveKind::kPolygon, quad);
    DopNetwork net;
    net.addObject("thing", *makeDetail(g).gdp());
    net.addCollider("floor", *makeDetail(plane).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(1, "SIM_SunderCollider", "SunderCollider");
    net.set("Solver", "integrator", int64{1});
    net.set("Solver", "substeps", int64{2});
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "velocity", UT_Vector3D(2, 0, 0));
    net.set("SunderMaterial", "contact_friction", 0.9);
    net.set("SunderMaterial", "contact_dynamicFriction", 0.9);
    return net;
}
/// A block that hangs by its upper half.
DopNetwork hanging(bool soft) {
    operators();
    Geometry g = geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.3, 0.3, 0.3)), {});
    Group& held = g.points.addGroup("held", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) held.members[i] = g.positions[i].y() > 0.2 ? 1 : 0;
    DopNetwork net;
    net.addObject("thing", *makeDetail(g).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(-1, "SIM_SunderConstraint", "SunderConstraint");
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderConstraint", "group", std::string("held"));
    net.set("SunderConstraint", "type", int64{soft ? 1 : 0});
    net.set("SunderConstraint", "strength", 3000.0);
    net.set("SunderConstraint", "damping", 30.0);
    return net;
}

std::string shown(const DopNetwork& net, int frame) { return bytesOf(readDetail(net.geometry(frame, 0))); }
double mean(const DopNetwork& net, int frame, int axis) {
    double sum = 0;
    for (const GA_Offset o : net.geometry(frame, 0).getPointRange()) sum += static_cast<double>(net.geometry(frame, 0).getPos3(o)[axis]);
    return sum / static_cast<double>(net.geometry(frame, 0).getNumPoints());
}

struct Played {
    DopNetwork plain, initial, always;
};
/// Plays without a key, and with it in both ways, and compares what has to be the same.
Played play(const std::function<DopNetwork()>& make, const char* data, const char* option, const DopNetwork::Option& value) {
    Played p{make(), make(), make()};
    p.initial.set(data, option, value, ParmOperation::kSetInitial, kKey);
    p.always.set(data, option, value, ParmOperation::kSetAlways, kKey);
    for (DopNetwork* net : {&p.plain, &p.initial, &p.always}) EXPECT_TRUE(net->play(kLast)) << option << trouble(*net);
    for (int f = 1; f <= kLast; ++f) {
        EXPECT_TRUE(shown(p.initial, f) == shown(p.plain, f)) << option << f;
        EXPECT_TRUE(f >= kKey || shown(p.always, f) == shown(p.plain, f)) << option << f;
    }
    // the same from the middle of it
    DopNetwork resumed = make();
    resumed.set(data, option, value, ParmOperation::kSetAlways, kKey);
    EXPECT_TRUE(resumed.load(kKey + 1, p.always.save(kKey + 1)));
    resumed.reloadEveryStep = true;
    EXPECT_TRUE(resumed.play(kLast)) << trouble(resumed);
    EXPECT_TRUE(shown(resumed, kLast) == shown(p.always, kLast)) << option;
    return p;
}
double way(const DopNetwork& net) { return mean(net, kLast, 0) - mean(net, kKey - 1, 0); }
double fallen(const DopNetwork& net) { return mean(net, kKey - 1, 1) - mean(net, kLast, 1); }
constexpr double kFall = 0.5 * 9.81 * (kLast - kKey + 1) * (kLast - kKey + 1) / (24.0 * 24.0);
}  // namespace

TEST(HoudiniDopKeys, FrictionCountsFromItsFrameOn) {
    const Played rough = play(sliding, "SunderMaterial", "contact_dynamicFriction", 0.0);
    EXPECT_GT(way(rough.always), 1.5 * way(rough.plain));
    const Played off = play(sliding, "SunderMaterial", "contact_collidesWith", std::string());
    EXPECT_LT(mean(off.always, kLast, 1), mean(off.plain, kLast, 1) - 0.5 * kFall) << "it meets nothing any more";
}

TEST(HoudiniDopKeys, ReleasesCountFromTheirFrameOn) {
    for (const bool soft : {false, true})
        for (const char* option : {"releaseTime", "releaseForce"}) {
            const Played p = play([&] { return hanging(soft); }, "SunderConstraint", option, 0.0);
            EXPECT_GT(fallen(p.always), 0.8 * kFall) << soft << option;
            EXPECT_LT(fallen(p.plain), 0.4 * kFall) << soft << option;
        }
    DopNetwork again = hanging(false);  // once let go, let go
    again.set("SunderConstraint", "releaseTime", 0.0, ParmOperation::kSetAlways, kKey);
    again.set("SunderConstraint", "releaseTime", 1e300, ParmOperation::kSetAlways, kKey + 2);
    ASSERT_TRUE(again.play(kLast)) << trouble(again);
    EXPECT_GT(fallen(again), 0.8 * kFall);
}

TEST(HoudiniDopKeys, SpringsOfTargetsCountFromTheirFrameOn) {
    const Played p = play([] { return hanging(true); }, "SunderConstraint", "strength", 1.0);
    EXPECT_GT(fallen(p.always), 0.4 * kFall);
    EXPECT_NE(shown(p.always, kLast), shown(p.plain, kLast));
    const Played damped = play([] { return hanging(true); }, "SunderConstraint", "damping", 3000.0);
    EXPECT_NE(shown(damped.always, kLast), shown(damped.plain, kLast));
}

TEST(HoudiniDopKeys, ValuesThatMakeNoSenseStopItThere) {
    DopNetwork net = sliding();
    net.set("SunderMaterial", "contact_friction", -1.0, ParmOperation::kSetAlways, kKey);
    EXPECT_FALSE(net.play(kLast));
    EXPECT_TRUE(net.says("'contact_friction' is -1. Give a value at least 0")) << trouble(net);
    EXPECT_TRUE(net.has(kKey - 1));
    EXPECT_FALSE(net.has(kKey));
}

}  // namespace sunder::test
