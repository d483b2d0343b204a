#include <Eigen/Geometry>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/decompose.h"
#include "core/mesh/adjacency.h"
#include "core/sim/measures.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

/// What leads cracks, in worlds that are stepped.
namespace sunder {
namespace {
using namespace testing;

constexpr double kYoungs = 1e6, kStrength = 1e5;

Material brittle() {
    Material m = elastic(kYoungs, 0.0, 1000);
    m.stiffnessDamping = 2e-3;
    m.fracture.enabled = true;
    m.fracture.stress = kStrength;
    return m;
}

/// A plate 2 x 1 x 0.2 in x, y, z, held at both ends along x, the right one drawn away.
Body plate(double speed) {
    TetMesh mesh = makeBox(12, 6, 1, Vec3(2, 1, 0.2));
    jitter(mesh, 0.15, 4);
    Body body = makeBody(std::move(mesh), brittle());
    Motion away;
    away.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {4, Vec3(4 * speed, 0, 0), Vec3::Zero()}};
    pinWhere(body, [](const Vec3& p) { return p.x() < 0.05; });
    pinWhere(body, [](const Vec3& p) { return p.x() > 1.95; }, away);
    return body;
}

WorldState worldOf(Body body) {
    WorldState world;
    addBody(world, std::move(body));
    return world;
}

WeakSurface planeGuide(const Vec3& point, const Vec3& normal, double strength) {
    WeakSurface s;
    s.name = "guide";
    s.shape = PlaneGuide{point, normal};
    s.strength = strength;
    return s;
}

StepSettings calm(Integrator integrator) {
    StepSettings s = spaceSettings(integrator);
    s.newtonTolerance = s.linearTolerance = 1e-5;
    return s;
}

/// Visits the opened faces at rest: use(centre, unit normal, area).
template <class Use>
void visitCracks(const Body& body, Use use) {
    for (std::size_t t = 0; t < body.insideFaces.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            if ((body.insideFaces[t] >> f & 1) == 0) continue;
            const auto p = [&](int c) -> const Vec3& { return body.mesh.rest[static_cast<std::size_t>(body.mesh.tets[t][static_cast<std::size_t>(kTetFaces[f][c])])]; };
            const Vec3 area = 0.5 * (p(1) - p(0)).cross(p(2) - p(0));
            use(Vec3((p(0) + p(1) + p(2)) / 3), Vec3(area.normalized()), area.norm());
        }
}

struct CrackMeasure {
    double area = 0, distance = 0;  ///< m^2; mean distance by area, m
    double angle = 0;               ///< rad, of the crack as a whole: of the axis about which its faces' normals lie
};
CrackMeasure againstPlane(const Body& body, const Vec3& point, const Vec3& normal) {
    CrackMeasure m;
    Mat3 normals = Mat3::Zero();
    visitCracks(body, [&](const Vec3& centre, const Vec3& n, double area) {
        m.area += area;
        m.distance += area * std::abs((centre - point).dot(normal));
        normals += area * n * n.transpose();
    });
    m.distance /= m.area;
    m.angle = std::acos(std::min(1.0, std::abs(symmetricEigen3(normals).vectors.col(0).dot(normal))));
    return m;
}

/// A guide across a pulled plate, slanted by 30 degrees: the crack goes along it, at the load that the guide's strength promises.
TEST(Lead, ACrackRunsAlongAGuide) {
    const Vec3 point(1, 0.5, 0), normal = Vec3(std::cos(0.5), std::sin(0.5), 0);
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        CrackMeasure led, free;
        for (const bool guided : {true, false}) {
            Body body = plate(0.4);
            if (guided) body.weakSurfaces = {planeGuide(point, normal, 0.3)};
            WorldState world = worldOf(std::move(body));
            run(world, calm(integrator), 1.0, 48);
            (guided ? led : free) = againstPlane(*world.bodies[0].body, point, normal);
            EXPECT_TRUE(!guided || countPieces(world.bodies[0].body->mesh) >= 2);
        }
        std::printf("    %s: mean distance of the crack from the guide %.3f m, angle %.1f degrees; without it %.3f m, %.1f degrees\n", name(integrator), led.distance,
                    led.angle * 180 / M_PI, free.distance, free.angle * 180 / M_PI);
        EXPECT_LT(led.distance, 0.04) << "a quarter of a cell of 0.17 m";
        EXPECT_LT(led.angle, 10 * M_PI / 180);
        EXPECT_GT(free.distance, 3 * led.distance);
    }
}

/// Strength at which a straight guide across the load lets it break: a share of the material's.
TEST(Lead, AGuideBreaksAtItsShareOfTheStrength) {
    for (const double strength : {0.3, 0.6}) {
        Body body = plate(0.1);
        body.weakSurfaces = {planeGuide(Vec3(1, 0, 0), Vec3::UnitX(), strength)};
        WorldState world = worldOf(std::move(body));
        Workspace workspace;
        double strain = 0;
        for (int k = 0; k < 400 && strain == 0; ++k) {
            const StepReport report = step(world, 0.01, calm(Integrator::kImplicit), workspace);
            ASSERT_FALSE(report.failed) << report.message;
            if (report.broken.cuts > 0) strain = 0.1 * world.time / 1.9;  // between the pins
        }
        figure("guide of strength " + std::to_string(strength) + ": stress at break over that promised", strain * kYoungs / (strength * kStrength));
        EXPECT_NEAR(strain * kYoungs, strength * kStrength, 0.1 * strength * kStrength);
    }
}

/// Bricks: the crack steps through the joints.
TEST(Lead, CracksKeepToTheJointsOfAPattern) {
    Body body = plate(0.4);
    BrickPattern brick;
    brick.size = Vec3(0.5, 0.25, 0);
    brick.mortar = 0;
    WeakSurface s;
    s.name = "bricks";
    s.shape = brick;
    s.strength = 0.2;
    body.weakSurfaces = {s};
    WorldState world = worldOf(std::move(body));
    run(world, calm(Integrator::kImplicit), 0.6, 48);
    const Body& broken = *world.bodies[0].body;
    double near = 0, all = 0;
    visitCracks(broken, [&](const Vec3& centre, const Vec3&, double area) {
        all += area;
        if (broken.lead.field->nearest(0, centre).distance < 0.09) near += area;  // half a cell
    });
    figure("share of the crack's area within half a cell of a joint", near / all);
    EXPECT_GT(near, 0.7 * all);
}

TEST(Lead, PartsComeApartBetweenThemAlone) {
    Body body = plate(0.6);
    auto& part = body.attributes.tets.add<std::int32_t>("fracturepart", body.mesh.tetCount());
    for (std::size_t t = 0; t < part.size(); ++t) {
        Vec3 c = Vec3::Zero();
        for (const std::int32_t v : body.mesh.tets[t]) c += 0.25 * body.mesh.rest[static_cast<std::size_t>(v)];
        part[t] = static_cast<int>(4 * c.x()) + 100 * static_cast<int>(2 * c.y());
    }
    const std::size_t tets = body.mesh.tetCount();
    WorldState world = worldOf(std::move(body));
    run(world, calm(Integrator::kExplicit), 1.0, 24);
    const Body& broken = *world.bodies[0].body;
    EXPECT_EQ(broken.mesh.tetCount(), tets) << "no tet was cut";
    EXPECT_GE(countPieces(broken.mesh), 2u);
    const auto neighbors = buildTetNeighbors(broken.mesh.tets, broken.mesh.vertexCount());
    for (std::size_t t = 0; t < tets; ++t)
        for (std::size_t f = 0; f < 4; ++f)
            EXPECT_TRUE((broken.insideFaces[t] >> f & 1) == 0 || neighbors[t][f] == -1);
    // every part is in one piece
    const auto label = labelComponents(neighbors);
    std::map<std::int32_t, std::int32_t> pieceOf;
    for (std::size_t t = 0; t < tets; ++t) EXPECT_EQ(pieceOf.emplace(broken.lead.part[t], label[t]).first->second, label[t]);
}

/// Nothing pulls; a plane of vertices breaks at its time, along the guide.
TEST(Lead, BreakTimePartsWhatNothingPulls) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        Body body = plate(0);
        body.weakSurfaces = {planeGuide(Vec3(1, 0, 0), Vec3::UnitX(), 0.99)};
        auto& time = body.attributes.vertices.add<float>("breaktime", body.mesh.vertexCount());
        for (std::size_t v = 0; v < time.size(); ++v) time[v] = std::abs(body.mesh.rest[v].x() - 1) < 0.08 ? 0.05f : 0.0f;
        WorldState world = worldOf(std::move(body));
        run(world, calm(integrator), 0.04, 4);
        EXPECT_EQ(countPieces(world.bodies[0].body->mesh), 1u) << name(integrator);
        EXPECT_TRUE(world.bodies[0].body->origin.empty());
        run(world, calm(integrator), 0.06, 6);
        const Body& broken = *world.bodies[0].body;
        EXPECT_EQ(countPieces(broken.mesh), 2u) << name(integrator);
        EXPECT_LT(againstPlane(broken, Vec3(1, 0, 0), Vec3::UnitX()).angle, 10 * M_PI / 180);
        const std::size_t vertices = broken.mesh.vertexCount();
        run(world, calm(integrator), 0.1, 4);
        EXPECT_EQ(world.bodies[0].body->mesh.vertexCount(), vertices) << "it breaks once";
    }
}

TEST(Lead, WhatIsNotActiveHolds) {
    Body body = plate(0.6);
    auto& active = body.attributes.vertices.add<std::int32_t>("active", body.mesh.vertexCount());
    for (std::size_t v = 0; v < active.size(); ++v) active[v] = body.mesh.rest[v].x() > 1.3;
    WorldState world = worldOf(std::move(body));
    run(world, calm(Integrator::kImplicit), 0.6, 36);
    double area = 0;
    visitCracks(*world.bodies[0].body, [&](const Vec3& centre, const Vec3&, double a) {
        area += a;
        EXPECT_GT(centre.x(), 1.3 - 0.25) << "a crack through an active vertex ends at its neighbours";
    });
    EXPECT_GT(area, 0.1);
}

/// A ball that moves along a stretched plate lets it break where it is; before it starts, nothing does.
TEST(Lead, AMovingZoneBreaksWhereItIs) {
    Body body = plate(0.4);
    for (HardTarget& t : body.constraints.hard)
        if (t.motion.moves()) t.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {0.5, Vec3(0.3, 0, 0), Vec3::Zero()}};
    WorldState world = worldOf(std::move(body));
    StepSettings settings = calm(Integrator::kImplicit);
    BreakZone zone;
    zone.name = "ball";
    zone.where = ZoneSphere{Vec3(0.5, 0, 0.1), 0.35};
    zone.motion.keys = {{0.6, Vec3::Zero(), Vec3::Zero()}, {1.0, Vec3(0, 1, 0), Vec3::Zero()}};
    zone.start = 0.6;
    settings.fracture.zones = {zone};
    run(world, settings, 0.58, 29);
    EXPECT_TRUE(world.bodies[0].body->origin.empty()) << "stretched to 0.15, beyond its strength of 0.1, but not active yet";
    run(world, settings, 0.5, 25);
    double area = 0, outside = 0;
    visitCracks(*world.bodies[0].body, [&](const Vec3& centre, const Vec3&, double a) {
        area += a;
        if (std::abs(centre.x() - 0.5) > 0.35 + 0.25) outside += a;
    });
    EXPECT_GT(area, 0.1);
    EXPECT_EQ(outside, 0);
    zone.bodies = {"another"};
    settings.fracture.zones = {zone};
    WorldState other = worldOf(plate(0.4));
    run(other, settings, 0.6, 30);
    EXPECT_FALSE(other.bodies[0].body->origin.empty()) << "a zone for another body does not concern this one";
}

/// The same by a collider that comes near.
TEST(Lead, AColliderZoneBreaksWhatItIsNear) {
    Body body = plate(0.4);
    for (HardTarget& t : body.constraints.hard)
        if (t.motion.moves()) t.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {0.5, Vec3(0.3, 0, 0), Vec3::Zero()}};
    WorldState world = worldOf(std::move(body));
    Collider hand;
    hand.name = "hand";
    hand.keys = {{0, boxSurface(Vec3(0.3, 1.5, 0), Vec3(0.5, 1.7, 0.2))}};
    hand.motion.keys = {{0.6, Vec3::Zero(), Vec3::Zero()}, {1.0, Vec3(0, -0.45, 0), Vec3::Zero()}};
    world.colliders = {buildCollider(std::move(hand))};
    StepSettings settings = calm(Integrator::kImplicit);
    BreakZone zone;
    zone.name = "near the hand";
    zone.where = ZoneCollider{"hand", 0.3};
    settings.fracture.zones = {zone};
    run(world, settings, 0.6, 30);
    EXPECT_TRUE(world.bodies[0].body->origin.empty()) << "it is 0.5 m away";
    run(world, settings, 0.5, 25);
    double area = 0;
    visitCracks(*world.bodies[0].body, [&](const Vec3& centre, const Vec3&, double a) {
        area += a;
        EXPECT_LT(std::abs(centre.x() - 0.4), 0.4 + 0.25);
    });
    EXPECT_GT(area, 0.01);
}

TEST(Lead, SmallestPieceAndMostCutsAreKept) {
    StepSettings settings = calm(Integrator::kImplicit);
    settings.fracture.smallestPiece = 0.5;
    settings.fracture.mostCuts = 3;
    WorldState world = worldOf(plate(2));
    int most = 0, small = 0;
    bool warned = false;
    run(world, settings, 0.5, 20, [&](const StepReport& r) {
        most = std::max(most, r.broken.cuts);
        small += r.broken.tooSmall;
        for (const std::string& text : r.warnings) warned |= text.find("mostCuts = 3") != std::string::npos;
    });
    EXPECT_EQ(most, 3);
    settings.fracture.mostTets = 10;
    bool named = false, wrong = false;
    run(world, settings, 0.05, 2, [&](const StepReport& r) {
        EXPECT_EQ(r.broken.cuts, 0);
        for (const std::string& text : r.warnings) {
            named |= text.find("mostTets = 10") != std::string::npos;
            wrong |= text.find("mostCuts") != std::string::npos;
        }
    });
    EXPECT_TRUE(named && !wrong) << "a full body says so, and does not blame another bound";
    EXPECT_TRUE(warned);
    EXPECT_GT(small, 0);
    const TetMesh& mesh = world.bodies[0].body->mesh;
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    std::map<std::int32_t, double> volume;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) volume[label[t]] += restVolume(mesh, t);
    for (const auto& [piece, v] : volume) EXPECT_GE(v, 0.125 * (1 - 1e-9));
}

/// All of it at once: the same bytes for 1, 2, 7 threads and after a resume.
TEST(Lead, SameBytesForAnyThreadCountAndAfterAResume) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        std::vector<std::vector<std::uint8_t>> bytes;
        const int threads = threadCount();
        for (const int count : {1, 2, 7}) {
            setThreadCount(count);
            Body body = plate(0.5);
            body.seed = 11;
            WeakSurface cells = planeGuide(Vec3::Zero(), Vec3::UnitX(), 0.4);
            cells.shape = VoronoiPattern{0.4, 1};
            cells.seed = 9;
            CurveGuide line;
            line.points = {Vec3(0.2, 0, 0.1), Vec3(1.8, 1, 0.1)};
            WeakSurface drawn = planeGuide(Vec3::Zero(), Vec3::UnitX(), 0.3);
            drawn.shape = line;
            drawn.width = 0.1;
            body.weakSurfaces = {cells, drawn};
            auto& time = body.attributes.tets.add<float>("breaktime", body.mesh.tetCount());
            for (std::size_t t = 0; t < time.size(); ++t) time[t] = t % 17 == 0 ? 0.15f : 0.0f;
            auto& part = body.attributes.tets.add<std::int32_t>("fracturepart", body.mesh.tetCount());
            for (std::size_t t = 0; t < part.size(); ++t) part[t] = t < 60 ? static_cast<std::int32_t>(t / 6) : -1;
            StepSettings settings = calm(integrator);
            settings.fracture.smallestPiece = 0.15;
            WorldState world = worldOf(std::move(body));
            run(world, settings, 0.16, 8);
            if (count == 7) world = loadSnapshot(saveSnapshot(world));
            run(world, settings, 0.06, 3);
            EXPECT_GT(world.bodies[0].body->origin.size(), 0u) << "nothing broke";
            bytes.push_back(saveSnapshot(world));
        }
        setThreadCount(threads);
        EXPECT_TRUE(bytes[0] == bytes[1]) << name(integrator);
        EXPECT_TRUE(bytes[0] == bytes[2]) << name(integrator);
    }
}

}  // namespace
}  // namespace sunder
