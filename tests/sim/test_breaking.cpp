#include "core/mesh/adjacency.h"
#include "core/sim/measures.h"
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
        }
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

}  // namespace
}  // namespace sunder
