#include "core/sim/small_pieces.h"

#include <Eigen/Geometry>
#include <set>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/sim/cache_frame.h"
#include "core/sim/frame_particles.h"
#include "core/sim/measures.h"
#include "core/sim/scene_frame.h"
#include "core/sim/snapshot.h"
#include "tests/sim/struck_slab.h"

namespace sunder {
namespace {
using namespace testing;

/// A world in pieces that nothing has left yet.
const WorldState& brokenWorld() {
    static const WorldState world = [] {
        WorldState w = struckSlab(slabMaterial());
        const StepSettings settings = slabSettings(Integrator::kImplicit, SmallPieces::kKeep);
        refreshEnergy(w, settings);
        run(w, settings, 0.05, 10);
        return w;
    }();
    return world;
}

struct Totals {
    double mass = 0;
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero(), centre = Vec3::Zero();
};

/// Of all that moves: vertices that are no longer part of their body do not count.
Totals totalsOf(const WorldState& world) {
    Totals sum;
    const auto add = [&](double mass, const Vec3& x, const Vec3& v) {
        sum.mass += mass;
        sum.linear += mass * v;
        sum.angular += mass * x.cross(v);
        sum.centre += mass * x;
    };
    for (const WorldBody& b : world.bodies) {
        std::vector<std::uint8_t> gone(b.body->mesh.vertexCount(), 0);
        for (std::size_t t = 0; t < b.body->mesh.tetCount(); ++t)
            if (b.body->isGone(t))
                for (const std::int32_t v : b.body->mesh.tets[t]) gone[static_cast<std::size_t>(v)] = 1;
        for (std::size_t v = 0; v < gone.size(); ++v)
            if (!gone[v]) add(b.body->mass[v], b.state->x[v], b.state->v[v]);
    }
    for (const Particle& p : world.particles) add(p.mass, p.x, p.v);
    return sum;
}

TEST(SmallPieces, KeepMassAndMomenta) {
    const WorldState& before = brokenWorld();
    ASSERT_GT(countPieces(before.bodies[0].body->mesh), 1u);
    for (const SmallPieces kind : {SmallPieces::kRigid, SmallPieces::kParticles}) {
        WorldState after = before;
        const StepSettings settings = slabSettings(Integrator::kImplicit, kind);
        const Departures left = releaseSmallPieces(after, settings);
        ASSERT_GT(left.rigid + left.particles, 0);
        EXPECT_EQ(kind == SmallPieces::kRigid ? left.particles : left.rigid, 0);
        const Totals a = totalsOf(before), b = totalsOf(after);
        const double scale = a.linear.norm() + a.mass;
        figure("pieces that left", left.rigid + left.particles);
        figure("mass off by", std::abs(a.mass - b.mass) / a.mass);
        figure("momentum off by, share", (a.linear - b.linear).norm() / scale);
        EXPECT_NEAR(a.mass, b.mass, 1e-12 * a.mass);
        EXPECT_LT((a.linear - b.linear).norm(), 1e-12 * scale);
        EXPECT_LT((a.centre - b.centre).norm(), 1e-12 * a.mass);
        if (kind == SmallPieces::kRigid) {
            figure("angular momentum off by, share", (a.angular - b.angular).norm() / scale);
            EXPECT_LT((a.angular - b.angular).norm(), 1e-12 * scale);
        }
        // what is lost with the shape is on the books, and is not negative but for contact, which sees another body now
        figure("energy to the books, share of the kinetic energy", (after.energy.edits - before.energy.edits) / before.energy.kinetic);
        EXPECT_NEAR(after.energy.balance(), before.energy.balance(), 1e-12 * before.energy.kinetic);
        EXPECT_GT(after.energy.edits - before.energy.edits, -1e-3 * before.energy.kinetic);
        EXPECT_FALSE(releaseSmallPieces(after, settings).any()) << "what has left does not leave again";
    }
}

TEST(SmallPieces, HeldOnesAndWholeBodiesStay) {
    WorldState world = brokenWorld();
    releaseSmallPieces(world, slabSettings(Integrator::kImplicit, SmallPieces::kRigid));
    const Body& slab = *world.bodies[0].body;
    const HardTarget& pins = slab.constraints.hard[0];
    std::vector<std::uint8_t> pinned(slab.mesh.vertexCount(), 0);
    for (const std::int32_t v : pins.vertices) pinned[static_cast<std::size_t>(v)] = 1;
    for (std::size_t t = 0; t < slab.mesh.tetCount(); ++t)
        for (const std::int32_t v : slab.mesh.tets[t]) EXPECT_FALSE(slab.isGone(t) && pinned[static_cast<std::size_t>(v)]);
    WorldState whole = struckSlab(slabMaterial());
    StepSettings large = slabSettings(Integrator::kImplicit, SmallPieces::kRigid);
    large.fracture.smallPieceSize = 10;
    EXPECT_FALSE(releaseSmallPieces(whole, large).any());
}

TEST(SmallPieces, GlueHoldsThem) {
    WorldState world = brokenWorld();
    const StepSettings settings = slabSettings(Integrator::kImplicit, SmallPieces::kRigid);
    WorldState free = world;
    const int all = releaseSmallPieces(free, settings).rigid;
    const PieceSource& piece = free.bodies.back().body->pieceOf;
    GlueBond bond;
    bond.body = 0;
    bond.vertex = piece.vertices[0];
    bond.other = 1;
    bond.corners = world.bodies[1].body->mesh.tets[0];
    world.glue.push_back(bond);
    EXPECT_EQ(releaseSmallPieces(world, settings).rigid, all - 1);
}

TEST(SmallPieces, DebtsOfWhatLeavesAreLetOff) {
    Material material = slabMaterial();
    material.fracture.kind = ToughnessKind::kByEnergy;
    material.fracture.energy = 300;
    WorldState world = struckSlab(material);
    run(world, slabSettings(Integrator::kImplicit, SmallPieces::kRigid), 0.05, 10);
    const Body& slab = *world.bodies[0].body;
    ASSERT_GT(world.bodies.size(), 2u);
    std::set<std::int32_t> gone;
    for (std::size_t b = 2; b < world.bodies.size(); ++b) gone.insert(world.bodies[b].body->pieceOf.vertices.begin(), world.bodies[b].body->pieceOf.vertices.end());
    for (const CrackDebt& d : world.bodies[0].state->debts) EXPECT_FALSE(gone.count(d.a) || gone.count(d.b));
    EXPECT_EQ(slab.goneTets.size(), slab.mesh.tetCount());
}

TEST(SmallPieces, SameBytesForAnyThreadCountAndAfterAResume) {
    for (const SmallPieces kind : {SmallPieces::kRigid, SmallPieces::kParticles}) {
        std::vector<std::vector<std::uint8_t>> bytes;
        const int threads = threadCount();
        for (const int count : {1, 2, 7}) {
            setThreadCount(count);
            WorldState world = brokenWorld();
            const StepSettings settings = slabSettings(Integrator::kImplicit, kind);
            run(world, settings, 0.01, 2);
            if (count == 7) world = loadSnapshot(saveSnapshot(world));
            run(world, settings, 0.01, 2);
            EXPECT_GT(world.bodies.size() + world.particles.size(), 2u) << "nothing left";
            bytes.push_back(saveSnapshot(world));
        }
        setThreadCount(threads);
        EXPECT_TRUE(bytes[0] == bytes[1]);
        EXPECT_TRUE(bytes[0] == bytes[2]);
    }
}

TEST(SmallPieces, FramesShowRigidOnesWhereTheyAlwaysWere) {
    WorldState world = brokenWorld();
    const Geometry before = frameGeometry(world, 1);
    const StepSettings settings = slabSettings(Integrator::kImplicit, SmallPieces::kRigid);
    releaseSmallPieces(world, settings);
    const Geometry now = frameGeometry(world, 1);
    EXPECT_TRUE(now.positions == before.positions);
    EXPECT_TRUE(now.vertexPoint == before.vertexPoint);
    EXPECT_TRUE(now.primitives.find("name")->values == before.primitives.find("name")->values);
    EXPECT_TRUE(now.points.find("id")->values == before.points.find("id")->values);
    run(world, settings, 0.01, 2);
    const CacheFrame earlier = makeCacheFrame(before), later = makeCacheFrame(frameGeometry(world, 2));
    EXPECT_NO_THROW(findAncestry(earlier, later));
    const WorldBody& piece = world.bodies.back();
    ASSERT_EQ(piece.body->pieceOf.body, 0);
    const Geometry later2 = frameGeometry(world, 2);
    for (std::size_t i = 0; i < piece.state->x.size(); ++i)
        EXPECT_EQ(later2.positions[static_cast<std::size_t>(piece.body->pieceOf.vertices[i])], piece.state->x[i]);
}

TEST(SmallPieces, FramesShowParticlesAsPoints) {
    WorldState world = brokenWorld();
    const Geometry before = frameGeometry(world, 1);
    releaseSmallPieces(world, slabSettings(Integrator::kImplicit, SmallPieces::kParticles));
    const Geometry now = frameGeometry(world, 1);
    std::size_t gone = 0;
    for (const std::uint8_t g : world.bodies[0].body->goneTets) gone += g;
    EXPECT_EQ(now.primitiveCount(), before.primitiveCount() - gone);
    const Group* group = now.points.findGroup(kParticleGroup);
    ASSERT_TRUE(group);
    std::size_t points = 0;
    double mass = 0;
    for (std::size_t i = 0; i < now.pointCount(); ++i) {
        points += group->members[i];
        mass += now.points.find("mass")->number(i);
        EXPECT_EQ(now.points.find("radius")->number(i) > 0, group->members[i] != 0);
    }
    EXPECT_EQ(points, world.particles.size());
    double all = 0;
    for (std::size_t i = 0; i < before.pointCount(); ++i) all += before.points.find("mass")->number(i);
    EXPECT_NEAR(mass, all, 1e-5 * all) << "masses of frames are floats";
    try {
        makeCacheFrame(now);
        FAIL() << "frames without all that was there were taken";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("particles"), std::string::npos);
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST(SmallPieces, ParticlesFallAndStopAtTheGround) {
    StepSettings settings;
    settings.ground.enabled = true;
    Particle p;
    p.x = Vec3(0, 2, 0);
    p.v = Vec3(1, 3, 0);
    p.mass = 1;
    p.radius = 0.1;
    std::vector<Particle> particles = {p};
    const double g = 9.81, whole = (3 + std::sqrt(9 + 2 * g * 1.9)) / g;  // until 0.1 above the ground
    for (int k = 0; k < 7; ++k) moveParticles(particles, whole / 10, settings);
    const double t = 0.7 * whole;
    EXPECT_NEAR(particles[0].x.y(), 2 + 3 * t - g * t * t / 2, 1e-12);
    EXPECT_NEAR(particles[0].v.y(), 3 - g * t, 1e-12);
    for (int k = 0; k < 5; ++k) moveParticles(particles, whole / 10, settings);
    EXPECT_TRUE(particles[0].rests);
    EXPECT_NEAR(particles[0].x.y(), 0.1, 1e-12);
    EXPECT_NEAR(particles[0].x.x(), whole, 1e-12) << "it lies where it fell";
    EXPECT_EQ(particles[0].v, Vec3(Vec3::Zero()));
}

TEST(SmallPieces, RefusesWhatMakesNoSense) {
    StepSettings settings = slabSettings(Integrator::kImplicit, SmallPieces::kRigid);
    settings.fracture.smallPieceSize = 0;
    EXPECT_THROW(validate(settings), Error);
    settings.fracture.smallPieceSize = -1;
    EXPECT_THROW(validate(settings), Error);
    settings = slabSettings(Integrator::kRkf45, SmallPieces::kRigid);
    EXPECT_THROW(validate(settings), Error);
}

TEST(Damage, NeverFallsAndIsOneWhereItBroke) {
    WorldState world = struckSlab(slabMaterial());
    const StepSettings settings = slabSettings(Integrator::kImplicit, SmallPieces::kKeep);
    std::vector<float> last;
    for (int k = 0; k < 5; ++k) {
        run(world, settings, 0.01, 2);
        const std::vector<float>& damage = world.bodies[0].state->damage;
        for (std::size_t v = 0; v < last.size(); ++v) EXPECT_GE(damage[v], last[v]);
        for (const float d : damage) EXPECT_TRUE(d >= 0 && d <= 1);
        last = damage;
    }
    const Body& slab = *world.bodies[0].body;
    ASSERT_FALSE(slab.insideFaces.empty());
    std::size_t whole = 0;
    for (const float d : last) whole += d < 0.9f;
    EXPECT_GT(whole, last.size() / 20) << "not all of it is near to breaking";
    std::size_t cracked = 0, broken = 0;
    for (std::size_t t = 0; t < slab.mesh.tetCount(); ++t)
        for (std::size_t f = 0; f < 4; ++f) {
            if (!(slab.insideFaces[t] >> f & 1)) continue;
            for (int k = 0; k < 3; ++k) {
                ++cracked;
                broken += last[static_cast<std::size_t>(slab.mesh.tets[t][static_cast<std::size_t>(kTetFaces[f][k])])] == 1.0f;
            }
        }
    figure("corners of crack faces that read 1, share", static_cast<double>(broken) / static_cast<double>(cracked));
    EXPECT_GT(broken, cracked / 2) << "the others are at crack tips, where the two sides are still one vertex";
    const Geometry frame = frameGeometry(world, 1);
    ASSERT_TRUE(frame.points.find("damage"));
    EXPECT_EQ(static_cast<float>(frame.points.find("damage")->number(0)), last[0]);
}

}  // namespace
}  // namespace sunder
