// Forces of DOP nodes: gravity in place of the solver's, all others on every point.
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_Force.h>
#include <SIM/SIM_OptionsUser.h>
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <cmath>

#include "core/base/parallel.h"
#include "core/io/scene_json.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"
#include "core/sim/world_parts.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

/// Pushes what is right of x = 1 by `force` and drags by `drag`, 1/s.
class SIM_TestForce : public SIM_Force, public SIM_OptionsUser {
  protected:
    explicit SIM_TestForce(const SIM_DataFactory* f) : BaseClass(f), SIM_OptionsUser(this) {}
    void getForceSubclass(const SIM_Object&, const UT_Vector3& position, const UT_Vector3& velocity, const UT_Vector3& spin, const fpreal mass, UT_Vector3& force, UT_Vector3& torque) const override {
        const UT_Vector3D push = getOptions().getOptionV3("force");
        const double drag = getOptions().getOptionF("drag");
        if (!(mass > 0) || spin != UT_Vector3()) standin::violation("a point without a mass, or one that turns, was asked for its force");
        for (int c = 0; c < 3; ++c) force[c] = static_cast<float>((position.x() > 1 ? push[c] : 0) - drag * mass * velocity[c]);
        torque = UT_Vector3(1, 2, 3);  // points have no size
    }

  private:
    static const SIM_DopDescription* description() {
        static const PRM_TemplateBuilder templates(UT_StringHolder("testforce"), R"({ name testforce
            parm { name "force" label "Force" type vector size 3 default { "0" "0" "0" } help "h" } parm { name "drag" label "Drag" type float default { "0" } help "h" } })");
        static const SIM_DopDescription made(false, "testforce", "Test Force", "Test", classname(), templates.templates());
        return &made;
    }

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_TestForce, SIM_Force, "Test Force", description());
};

/// Its right end may be painted with a force.
Geometry bar(double pull) {
    TetMesh mesh = testing::makeBox(6, 2, 2, Vec3(1.2, 0.4, 0.4));
    testing::jitter(mesh, 0.2, 5);
    Geometry g = geometryFromTetMesh(mesh, {});
    Group& held = g.points.addGroup("held", g.pointCount());
    for (std::size_t i = 0; i < g.pointCount(); ++i) held.members[i] = g.positions[i].x() < 0.15 ? 1 : 0;
    if (pull == 0) return g;
    auto& force = g.points.add<float>("force", g.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < g.pointCount(); ++i) force[3 * i] = static_cast<float>(g.positions[i].x()) > 1 ? static_cast<float>(pull) : 0.0f;
    return g;
}

std::string shown(const DopNetwork& net, int frame, int object) {
    Geometry g = readDetail(net.geometry(frame, object));
    g.points.erase("force");
    return bytesOf(g);
}

DopNetwork barNetwork(double painted) {
    operators();
    IMPLEMENT_DATAFACTORY(SIM_TestForce);
    DopNetwork net;
    net.addObject("bar", *makeDetail(bar(painted)).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.attach(0, "SIM_SunderConstraint", "SunderConstraint");
    net.set("SunderConstraint", "group", std::string("held"));
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    net.set("SunderMaterial", "contact_self", int64{0});
    return net;
}

/// Heights of the lowest points of bodies that fall.
double lowest(const DopNetwork& net, int frame, int object) {
    double y = 1e300;
    for (const GA_Offset o : net.geometry(frame, object).getPointRange()) y = std::min(y, static_cast<double>(net.geometry(frame, object).getPos3(o).y()));
    return y;
}
Geometry block(double x) {
    Geometry g = geometryFromTetMesh(testing::makeBox(1, 1, 1, Vec3(0.25, 0.25, 0.25)), {});
    for (Vec3& p : g.positions) p.x() += x;
    return g;
}
DopNetwork blockNetwork() {
    operators();
    IMPLEMENT_DATAFACTORY(SIM_TestForce);
    DopNetwork net;
    net.addObject("a", *makeDetail(block(0)).gdp());
    net.addObject("b", *makeDetail(block(2)).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    return net;
}
}  // namespace

// a pull that breaks nothing: what a scene has painted on the same points
TEST(HoudiniDopForces, ForcesOnPointsAreThoseOfAPaintedScene) {
    for (const int integrator : {0, 1}) {
        DopNetwork painted = barNetwork(64), pushed = barNetwork(0), free = barNetwork(0);
        pushed.attach(0, "SIM_TestForce", "Forces/Pull");
        pushed.set("Forces/Pull", "force", UT_Vector3D(64, 0, 0));
        for (DopNetwork* net : {&painted, &pushed, &free}) {
            net->set("Solver", "integrator", int64{integrator});
            ASSERT_TRUE(net->play(5)) << trouble(*net);
        }
        // points start right of x = 1 and stay there, so the node pushes the same ones throughout
        for (int f = 1; f <= 5; ++f) EXPECT_EQ(shown(pushed, f, 0), shown(painted, f, 0)) << integrator << " " << f;
        EXPECT_NE(shown(pushed, 5, 0), shown(free, 5, 0));
    }
}

TEST(HoudiniDopForces, BreakingScrubbingSavingAndThreadsChangeNothing) {
    const auto make = [] {
        DopNetwork net = barNetwork(0);
        net.set("Solver", "integrator", int64{0});
        net.set("SunderMaterial", "fracture_enabled", true);
        net.set("SunderMaterial", "fracture_stress", 3e4);
        net.attach(0, "SIM_TestForce", "Forces/Pull");
        net.set("Forces/Pull", "force", UT_Vector3D(900, 0, 0));
        net.set("Forces/Pull", "drag", 0.5);
        return net;
    };
    DopNetwork played = make(), scrubbed = make(), reloading = make(), resumed = make();
    ASSERT_TRUE(played.play(4)) << trouble(played);
    EXPECT_GT(played.geometry(4, 0).getNumPrimitives(), static_cast<GA_Size>(bar(0).primitiveCount()));
    ASSERT_TRUE(scrubbed.play(3));
    scrubbed.scrub(2);
    ASSERT_TRUE(scrubbed.play(4));
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(reloading.play(4));
    ASSERT_TRUE(resumed.load(3, played.save(3)));
    ASSERT_TRUE(resumed.play(4));
    for (const DopNetwork* net : {&scrubbed, &reloading, &resumed}) EXPECT_EQ(shown(*net, 4, 0), shown(played, 4, 0));
    const int before = threadCount();
    for (const int threads : {1, 2, 7}) {
        setThreadCount(threads);
        standin::setThreads(threads);
        DopNetwork net = make();
        EXPECT_TRUE(net.play(4));
        EXPECT_EQ(shown(net, 4, 0), shown(played, 4, 0)) << threads;
    }
    setThreadCount(before);
    standin::setThreads(3);
}

TEST(HoudiniDopForces, GravityNodesCountInPlaceOfTheSolvers) {
    for (const int integrator : {0, 1}) {
        DopNetwork typed = blockNetwork(), nodes = blockNetwork();
        typed.set("Solver", "gravity", UT_Vector3D(0, -4.5, 0.25));
        for (const int object : {0, 1}) {
            nodes.attach(object, "SIM_ForceGravity", "Forces/Gravity");
            nodes.attach(object, "SIM_ForceGravity", "Forces/Moon");
        }
        nodes.set("Forces/Gravity", "force", UT_Vector3D(0, -3, 0));
        nodes.set("Forces/Moon", "force", UT_Vector3D(0, -1.5, 0.25));
        for (DopNetwork* net : {&typed, &nodes}) {
            net->set("Solver", "integrator", int64{integrator});
            ASSERT_TRUE(net->play(6)) << trouble(*net);
        }
        for (const int object : {0, 1}) EXPECT_EQ(shown(nodes, 6, object), shown(typed, 6, object)) << integrator;
    }
}

// one falls by its node, the other by the solver: 1/2 g t^2 each, and the other way round
TEST(HoudiniDopForces, EveryObjectFallsByItsOwnGravity) {
    for (const int owner : {0, 1}) {
        DopNetwork net = blockNetwork();
        net.set("Solver", "integrator", int64{0});
        net.attach(owner, "SIM_ForceGravity", "Forces/Gravity");
        net.set("Forces/Gravity", "force", UT_Vector3D(0, 2, 0));
        ASSERT_TRUE(net.play(7)) << trouble(net);
        const double t = 6.0 / 24;
        EXPECT_NEAR(lowest(net, 7, owner), 0.5 * 2 * t * t, 1e-4);
        EXPECT_NEAR(lowest(net, 7, 1 - owner), -0.5 * 9.81 * t * t, 1e-4);
    }
}

TEST(HoudiniDopForces, EveryObjectIsPushedByItsOwnForces) {
    operators();
    IMPLEMENT_DATAFACTORY(SIM_TestForce);
    DopNetwork net;
    for (const int object : {0, 1}) {
        net.addObject(object == 0 ? "a" : "b", *makeDetail(block(2 + 2 * object)).gdp());
        net.attach(object, "SIM_TestForce", "Forces/Push");
    }
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.set("Solver", "gravity", UT_Vector3D(0, 0, 0));
    for (const int object : {0, 1}) {
        net.only(object);
        net.set("Forces/Push", "force", UT_Vector3D(object == 0 ? 1 : 0, 0, object == 0 ? 0 : 2));
    }
    ASSERT_TRUE(net.play(3)) << trouble(net);
    for (const int object : {0, 1}) {
        const Geometry g = readDetail(net.geometry(3, object));
        Vec3 momentum = Vec3::Zero();
        for (std::size_t i = 0; i < g.pointCount(); ++i)
            for (int c = 0; c < 3; ++c) momentum[c] += g.points.find("mass")->number(i) * g.points.find("v")->number(i, c);
        const double pushed = 8 * 2.0 / 24;  // newtons on each of 8 points, for two steps
        EXPECT_NEAR(momentum.x(), object == 0 ? pushed : 0, 1e-5) << object;
        EXPECT_NEAR(momentum.z(), object == 0 ? 0 : 2 * pushed, 1e-5) << object;
    }
}

// forces are those of the velocities as a step begins: of each it leaves the share 1 - drag / fps
TEST(HoudiniDopForces, DragGoesByTheVelocityAtTheStartOfAStep) {
    DopNetwork net = blockNetwork();
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.set("SunderMaterial", "velocity", UT_Vector3D(1, 0, 0));
    net.set("Solver", "gravity", UT_Vector3D(0, 0, 0));
    net.attach(0, "SIM_TestForce", "Forces/Drag");
    net.set("Forces/Drag", "drag", 6.0);
    ASSERT_TRUE(net.play(4)) << trouble(net);
    const Geometry dragged = readDetail(net.geometry(4, 0)), free = readDetail(net.geometry(4, 1));
    for (std::size_t i = 0; i < dragged.pointCount(); ++i) EXPECT_NEAR(dragged.points.find("v")->number(i, 0), 0.75 * 0.75 * 0.75, 1e-5);
    EXPECT_NEAR(free.points.find("v")->number(0, 0), 1, 1e-6);
}

TEST(HoudiniDopForces, KeyedForcesCountFromTheirFrameOnAndWrongOnesAreErrors) {
    DopNetwork net = blockNetwork();
    net.set("Solver", "gravity", UT_Vector3D(0, 0, 0));
    net.attach(1, "SIM_TestForce", "Forces/Pull");
    net.set("Forces/Pull", "force", UT_Vector3D(0, 1, 0), standin::ParmOperation::kSetAlways, 4);
    net.set("Forces/Pull", "force", UT_Vector3D(0, std::nan(""), 0), standin::ParmOperation::kSetAlways, 8);
    ASSERT_TRUE(net.play(3)) << trouble(net);
    EXPECT_EQ(lowest(net, 3, 1), 0);
    ASSERT_TRUE(net.play(7)) << trouble(net);
    EXPECT_GT(lowest(net, 7, 1), 0);
    EXPECT_EQ(lowest(net, 7, 0), 0);
    EXPECT_FALSE(net.play(8));
    EXPECT_TRUE(net.says("of object 'b' is not a number. Look at the force nodes")) << trouble(net);
    EXPECT_FALSE(net.has(8));
}

}  // namespace sunder::test
