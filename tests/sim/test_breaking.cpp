#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/mesh/adjacency.h"
#include "core/sim/measures.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {
namespace {
using namespace testing;

Material brittle(double strength) {
    Material m = elastic(1e6, 0.0, 1000);
    m.stiffnessDamping = 2e-3;
    m.fracture.enabled = true;
    m.fracture.stress = strength;
    return m;
}

/// A bar along x, held at both ends, the right one drawn away with `speed`.
WorldState pulledBar(int cells, const Material& material, double speed) {
    Body body = makeBody(makeBox(4 * cells, cells, cells, Vec3(4, 1, 1)), material);
    HardTarget left{"left", {}, {}, {}, 1e300}, right{"right", {}, {}, {}, 1e300};
    for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v) {
        HardTarget* target = body.mesh.rest[v].x() < 1e-9 ? &left : body.mesh.rest[v].x() > 4 - 1e-9 ? &right : nullptr;
        if (!target) continue;
        target->vertices.push_back(static_cast<std::int32_t>(v));
        target->anchor.push_back(body.mesh.rest[v]);
    }
    right.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {4, Vec3(4 * speed, 0, 0), Vec3::Zero()}};
    body.constraints.hard = {left, right};
    WorldState world;
    addBody(world, std::move(body));
    return world;
}

Material brittleByEnergy(double strength) {
    Material m = brittle(strength);
    m.fracture.kind = ToughnessKind::kByEnergy;
    m.fracture.energy = 1e3;
    return m;
}

/// Strain of the whole bar when it first breaks.
double breakingStrain(WorldState world, const StepSettings& settings, double speed) {
    Workspace workspace;
    while (world.time < 4) {
        const StepReport report = step(world, 1.0 / 96, settings, workspace);
        EXPECT_FALSE(report.failed) << report.message;
        if (report.failed || report.broken.cuts > 0) break;
    }
    return speed * world.time / 4;
}

TEST(Breaking, ABarBreaksAtItsStrengthOnAnyMesh) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit})
        for (const int cells : {1, 2, 4}) {
            StepSettings settings;
            settings.integrator = integrator;
            settings.gravity = Vec3::Zero();
            // slow enough for the waves that the start makes to be a small part of the strength
            const double strain = breakingStrain(pulledBar(cells, brittle(1e5), 0.2), settings, 0.2);
            std::printf("    %s, %d cells: breaks at a strain of %.4f\n", integrator == Integrator::kExplicit ? "explicit" : "implicit", cells, strain);
            EXPECT_NEAR(strain, 0.1, 0.01);
            if (integrator != Integrator::kImplicit) continue;
            EXPECT_NEAR(breakingStrain(pulledBar(cells, brittleByEnergy(1e5), 0.2), settings, 0.2), 0.1, 0.01) << "kind energy is as strong where there is no crack";
        }
}

TEST(Breaking, DamageIsStressOverStrength) {
    StepSettings settings;
    settings.gravity = Vec3::Zero();
    WorldState world = pulledBar(2, brittle(1e5), 0.2);
    Workspace workspace;
    for (int k = 0; k < 96; ++k) ASSERT_FALSE(step(world, 1.0 / 96, settings, workspace).failed);
    const Body& body = *world.bodies[0].body;
    const std::vector<float>& damage = world.bodies[0].state->damage;
    ASSERT_EQ(damage.size(), body.mesh.vertexCount());
    double least = 1, most = 0;
    for (std::size_t v = 0; v < damage.size(); ++v) {
        if (std::abs(body.mesh.rest[v].x() - 2) > 1.6) continue;  // held ends: their forces are balanced by what holds them
        least = std::min(least, static_cast<double>(damage[v]));
        most = std::max(most, static_cast<double>(damage[v]));
    }
    std::printf("    strain 0.05 of 0.1: damage %.4f to %.4f\n", least, most);
    EXPECT_NEAR(least, 0.5, 0.02);
    EXPECT_NEAR(most, 0.5, 0.02);
}

TEST(Breaking, ABarComesApart) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        StepSettings settings;
        settings.integrator = integrator;
        settings.gravity = Vec3::Zero();
        WorldState world = pulledBar(3, brittle(1e5), 0.8);
        Workspace workspace;
        double seconds = 0, fracture = 0;
        int cuts = 0;
        for (int k = 0; k < 96; ++k) {
            const StepReport report = step(world, 1.0 / 96, settings, workspace);
            ASSERT_FALSE(report.failed) << report.message;
            seconds += report.totalSeconds;
            fracture += report.fractureSeconds;
            cuts += report.broken.cuts;
        }
        const Body& body = *world.bodies[0].body;
        std::printf("    %d cuts, %zu pieces, %zu tets, %zu vertices, fracture %.2f of %.2f s; books: kinetic %.4g elastic %.4g damped %.4g work %.4g edits %.4g numerical %.4g\n", cuts,
                    countPieces(body.mesh), body.mesh.tetCount(), body.mesh.vertexCount(), fracture, seconds, world.energy.kinetic, world.energy.elastic, world.energy.damped,
                    world.energy.work, world.energy.edits, world.energy.numerical);
        EXPECT_GE(countPieces(body.mesh), 2u);
    }
}

std::size_t faceComponents(const TetMesh& mesh) {
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    return static_cast<std::size_t>(*std::max_element(label.begin(), label.end())) + 1;
}

/// A slab that a heavy ball falls through.
WorldState struckSlab(Material material) {
    WorldState world;
    Body slab = makeBody(placed(makeBox(8, 1, 8, Vec3(1, 0.06, 1)), Vec3(-0.5, 0, -0.5)), material);
    pinWhere(slab, [](const Vec3& p) { return std::max(std::abs(p.x()), std::abs(p.z())) > 0.49; });
    addBody(world, std::move(slab));
    Body ball = makeBody(placed(makeBox(2, 2, 2, Vec3(0.2, 0.2, 0.2)), Vec3(-0.08, 0.062, -0.11)), elastic(1e9, 0.3, 8000));
    ball.rigid = true;
    addBody(world, std::move(ball));
    setMotion(world, 1, Vec3(0, -6, 0), Vec3::Zero());
    return world;
}

Material slabMaterial() {
    Material m = brittle(2e5);
    m.youngs = 5e6;
    return m;
}

StepSettings slabSettings(Integrator integrator) {
    StepSettings settings;
    settings.integrator = integrator;
    settings.newtonTolerance = settings.linearTolerance = 1e-4;
    return settings;
}

TEST(Breaking, PiecesAreWhatHoldsTogetherByFaces) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        WorldState world = struckSlab(slabMaterial());
        run(world, slabSettings(integrator), 0.04, 8);
        const TetMesh& mesh = world.bodies[0].body->mesh;
        figure(std::string("pieces of the slab, ") + name(integrator), static_cast<double>(countPieces(mesh)));
        EXPECT_GT(countPieces(mesh), 1u);
        EXPECT_EQ(countPieces(mesh), faceComponents(mesh));
    }
}

/// A block with two small cubes falling on it, all pieces of one body.
WorldState fallingPieces() {
    TetMesh all = placed(makeBox(3, 2, 3, Vec3(1, 0.5, 1)), Vec3(-0.5, 0, -0.5));
    for (const double x : {-0.2, 0.25}) {
        const TetMesh cube = placed(makeBox(1, 1, 1, Vec3(0.3, 0.3, 0.3)), Vec3(x, 0.505, -0.1 + x / 4));
        const auto first = static_cast<std::int32_t>(all.rest.size());
        all.rest.insert(all.rest.end(), cube.rest.begin(), cube.rest.end());
        for (const Tet& t : cube.tets) all.tets.push_back({t[0] + first, t[1] + first, t[2] + first, t[3] + first});
    }
    WorldState world;
    addBody(world, makeBody(std::move(all), brittle(1e9)));
    setMotion(world, 0, Vec3(0, -1, 0), Vec3(0.3, 0, 0.5));
    return world;
}

/// Small pieces have dense factors of their own in the linear solver, which is another way to the same places.
TEST(Breaking, PiecesMoveAsWithAnyLinearSolver) {
    std::vector<std::vector<Vec3>> ends;
    for (const LinearSolverKind kind : {LinearSolverKind::kAuto, LinearSolverKind::kCgIncompleteCholesky, LinearSolverKind::kCgJacobi}) {
        StepSettings settings;
        settings.ground.enabled = true;
        settings.linearSolver = kind;
        settings.newtonTolerance = settings.linearTolerance = 1e-9;
        settings.contactTolerance = 1e-7;
        WorldState world = fallingPieces();
        ASSERT_EQ(countPieces(world.bodies[0].body->mesh), 3u);
        Workspace workspace;
        for (int k = 0; k < 8; ++k) {
            const StepReport report = step(world, 0.01, settings, workspace);
            ASSERT_FALSE(report.failed) << report.message;
        }
        EXPECT_GT(world.energy.contact, 0);
        ends.push_back(world.bodies[0].state->x);
    }
    for (std::size_t k = 1; k < ends.size(); ++k)
        for (std::size_t i = 0; i < ends[0].size(); ++i) ASSERT_LE((ends[0][i] - ends[k][i]).norm(), 1e-6) << "vertex " << i << ", solver " << k;
}

TEST(Breaking, SameBytesForAnyThreadCountAndAfterAResume) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        std::vector<std::vector<std::uint8_t>> bytes;
        const int threads = threadCount();
        for (const int count : {1, 2, 7}) {
            setThreadCount(count);
            WorldState world = struckSlab(slabMaterial());
            run(world, slabSettings(integrator), 0.02, 4);
            if (count == 7) world = loadSnapshot(saveSnapshot(world));
            run(world, slabSettings(integrator), 0.02, 4);
            EXPECT_GT(world.bodies[0].body->origin.size(), 0u) << "nothing broke";
            bytes.push_back(saveSnapshot(world));
        }
        setThreadCount(threads);
        EXPECT_TRUE(bytes[0] == bytes[1]) << name(integrator);
        EXPECT_TRUE(bytes[0] == bytes[2]) << name(integrator);
    }
}

/// Energy of all kinds in explicit steps of a scene that breaks, against what was there at the start.
TEST(Breaking, BooksBalanceInExplicitSteps) {
    StepSettings settings = slabSettings(Integrator::kExplicit);
    WorldState world = struckSlab(slabMaterial());
    refreshEnergy(world, settings);
    const double start = world.energy.kinetic;
    run(world, settings, 0.04, 8);
    figure("left over, share of the initial energy", world.energy.numerical / start);
    figure("edits, share of the initial energy", world.energy.edits / start);
    EXPECT_LT(std::abs(world.energy.numerical), 0.01 * start);
}

/// The same slab where cracks take energy: what they took is a book of its own, and at most what they owe.
TEST(Breaking, BooksBalanceWhereCracksTakeEnergy) {
    StepSettings settings = slabSettings(Integrator::kExplicit);
    Material material = slabMaterial();
    material.fracture.kind = ToughnessKind::kByEnergy;
    material.fracture.energy = 300;
    WorldState world = struckSlab(material);
    refreshEnergy(world, settings);
    const double start = world.energy.kinetic;
    double due = 0;
    run(world, settings, 0.04, 8, [&](const StepReport& r) { due += r.broken.energy; });
    figure("left over, share of the initial energy", world.energy.numerical / start);
    figure("fracture, share of the initial energy", world.energy.fracture / start);
    figure("fracture, share of G times area", world.energy.fracture / due);
    EXPECT_GT(world.energy.fracture, 0);
    EXPECT_LE(world.energy.fracture, due * (1 + 1e-12));
    EXPECT_LT(std::abs(world.energy.numerical), 0.01 * start);
}

TEST(Breaking, ABodyThatDoesNotBreakIsLeftAlone) {
    Material strong = slabMaterial();
    strong.fracture.stress = 1e12;
    WorldState world = struckSlab(strong);
    const Body* before = world.bodies[0].body.get();
    run(world, slabSettings(Integrator::kImplicit), 0.02, 4);
    EXPECT_EQ(world.bodies[0].body.get(), before);
}

TEST(Breaking, StopsAtTheMostTetsAndSaysSo) {
    StepSettings settings = slabSettings(Integrator::kImplicit);
    settings.fracture.mostTets = 400;
    WorldState world = struckSlab(slabMaterial());
    bool warned = false;
    run(world, settings, 0.04, 8, [&](const StepReport& r) {
        for (const std::string& text : r.warnings) warned |= text.find("mostTets") != std::string::npos;
    });
    EXPECT_TRUE(warned);
    EXPECT_LT(world.bodies[0].body->mesh.tetCount(), 500u);
}

std::size_t tetsOf(const WorldState& world) {
    std::size_t tets = 0;
    for (const WorldBody& b : world.bodies) tets += b.body->mesh.tetCount();
    return tets;
}

/// All bodies count for memory; what goes on is everything but breaking.
TEST(Breaking, StopsAtTheMostMemoryAndSaysSo) {
    StepSettings settings = slabSettings(Integrator::kImplicit);
    WorldState world = struckSlab(slabMaterial());
    const std::size_t most = tetsOf(world) + 100;
    settings.fracture.mostMemory = 1e-9 * kBytesATet * static_cast<double>(most);
    bool warned = false, blamed = false;
    run(world, settings, 0.04, 8, [&](const StepReport& r) {
        for (const std::string& text : r.warnings) {
            warned |= text.find("mostMemory") != std::string::npos;
            blamed |= text.find("mostTets") != std::string::npos;
        }
    });
    EXPECT_TRUE(warned);
    EXPECT_FALSE(blamed);
    EXPECT_GE(tetsOf(world), most) << "it breaks until then";
    EXPECT_LT(tetsOf(world), most + 100) << "the last crack may go beyond";
    EXPECT_NEAR(world.time, 0.04, 1e-12);
    WorldState full = struckSlab(slabMaterial());
    const std::size_t start = tetsOf(full);
    settings.fracture.mostMemory = 1e-9 * kBytesATet * static_cast<double>(start);
    run(full, settings, 0.02, 4);
    EXPECT_EQ(tetsOf(full), start) << "the ball counts, too";
}

/// What rounds are too few for is counted, and told where some were asked for.
TEST(Breaking, TellsOfRoundsThatAreUsedUp) {
    for (const int rounds : {0, 1, 200}) {
        StepSettings settings = slabSettings(Integrator::kImplicit);
        settings.fracture.rounds = rounds;
        WorldState world = struckSlab(slabMaterial());
        StepReport sum;
        bool warned = false;
        run(world, settings, 0.04, 8, [&](const StepReport& r) {
            EXPECT_EQ(r.unsolvedCuts > 0, r.roundsUsedUp > 0);
            EXPECT_LE(r.solvedAgain, rounds * r.steps);
            EXPECT_LE(r.unsolvedCuts, r.broken.cuts);
            EXPECT_GE(r.broken.cuts, r.solvedAgain) << "no step is solved again unless something broke";
            sum.solvedAgain += r.solvedAgain;
            sum.roundsUsedUp += r.roundsUsedUp;
            sum.broken += r.broken;
            sum.unsolvedCuts += r.unsolvedCuts;
            for (const std::string& text : r.warnings) warned |= text.find("fracture.rounds = " + std::to_string(rounds)) != std::string::npos;
        });
        std::printf("    %d rounds: %d cuts, solved again %d times, %d steps used up their rounds and left %d cuts\n", rounds, sum.broken.cuts, sum.solvedAgain, sum.roundsUsedUp,
                    sum.unsolvedCuts);
        EXPECT_GT(sum.broken.cuts, 0);
        EXPECT_EQ(sum.roundsUsedUp > 0, rounds < 200);
        EXPECT_EQ(warned, rounds == 1);
        if (rounds == 0) {
            EXPECT_EQ(sum.unsolvedCuts, sum.broken.cuts);
        }
    }
}

TEST(Breaking, RefusesWhatMakesNoSense) {
    for (const double strength : {0.0, -1.0, std::nan("")}) {
        Body body = makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), brittle(strength));
        EXPECT_THROW(buildBody(body), Error);
    }
    Body rigid = makeBody(makeBox(1, 1, 1, Vec3(1, 1, 1)), brittle(1e5));
    rigid.rigid = true;
    EXPECT_THROW(buildBody(rigid), Error);
}

}  // namespace
}  // namespace sunder
