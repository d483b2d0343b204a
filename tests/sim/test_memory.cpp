#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "core/sim/measures.h"
#include "core/sim/world_parts.h"
#include "tests/sim/contact_fixture.h"

/// Bytes that a simulated body keeps between steps, and at most while it breaks, counted at operator new. A program of its own, so that nothing else is counted.
namespace {
std::atomic<long> bytesInUse{0}, mostBytes{0};

void* countedAllocate(std::size_t size, std::size_t alignment) {
    void* p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!p) throw std::bad_alloc();
    const long now = bytesInUse += static_cast<long>(malloc_usable_size(p));
    for (long most = mostBytes; now > most && !mostBytes.compare_exchange_weak(most, now);) {}
    return p;
}

void countedFree(void* p) {
    if (p) bytesInUse -= static_cast<long>(malloc_usable_size(p));
    std::free(p);
}
}  // namespace

void* operator new(std::size_t size) { return countedAllocate(size, 16); }
void* operator new[](std::size_t size) { return countedAllocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t a) { return countedAllocate(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return countedAllocate(size, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { countedFree(p); }
void operator delete[](void* p) noexcept { countedFree(p); }
void operator delete(void* p, std::size_t) noexcept { countedFree(p); }
void operator delete[](void* p, std::size_t) noexcept { countedFree(p); }
void operator delete(void* p, std::align_val_t) noexcept { countedFree(p); }
void operator delete[](void* p, std::align_val_t) noexcept { countedFree(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { countedFree(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { countedFree(p); }

namespace sunder {

using namespace testing;

namespace {
/// Bytes a tet of world and workspace after two steps of a clamped, damped beam.
double bytesATet(Integrator integrator, LinearSolverKind solver) {
    const long before = bytesInUse;
    Material material = elastic(1e6, 0.3);
    material.stiffnessDamping = 0.01;
    Body body = makeBody(makeBox(26, 8, 8, Vec3(4, 4.0 * 8 / 26, 4.0 * 8 / 26)), material);
    pinWhere(body, [](const Vec3& p) { return p.x() == 0; });
    WorldState world = makeWorld(std::move(body));
    Workspace workspace;
    StepSettings settings;
    settings.integrator = integrator;
    settings.linearSolver = solver;
    for (int k = 0; k < 2; ++k) EXPECT_FALSE(step(world, 0.002, settings, workspace).failed);
    return static_cast<double>(bytesInUse - before) / static_cast<double>(world.bodies[0].body->mesh.tetCount());
}
/// Most bytes a tet of a slab that breaks on a rigid edge, within steps, contact among all pieces.
double mostBytesATet(Integrator integrator) {
    const long before = bytesInUse;
    Material material = elastic(5e6, 0.2, 1000);
    material.stiffnessDamping = 2e-3;
    material.fracture.enabled = true;
    material.fracture.stress = 5e4;
    WorldState world = makeWorld(makeBody(makeBox(28, 2, 14, Vec3(2, 0.1, 1)), material));
    setMotion(world, 0, Vec3(0, -6, 0), Vec3::Zero());
    StepSettings settings;
    settings.integrator = integrator;
    settings.newtonTolerance = settings.linearTolerance = 0.01;
    settings.ground.enabled = true;
    settings.ground.point = Vec3(0, -0.06, 0);
    settings.ground.normal = Vec3(0.3, 1, 0);
    Workspace workspace;
    const std::size_t start = world.bodies[0].body->mesh.tetCount();
    mostBytes = bytesInUse.load();
    for (int k = 0; k < 6; ++k) EXPECT_FALSE(step(world, 0.005, settings, workspace).failed);
    const std::size_t tets = world.bodies[0].body->mesh.tetCount(), pieces = countPieces(world.bodies[0].body->mesh);
    std::printf("    %zu tets, then %zu in %zu pieces\n", start, tets, pieces);
    EXPECT_GT(pieces, 10u) << "it breaks";
    return static_cast<double>(mostBytes - before) / static_cast<double>(tets);
}
}  // namespace

namespace {
/// A painted, pinned bar that is torn.
WorldState tornBar() {
    Material material = elastic(1e6, 0.3);
    material.stiffnessDamping = 1e-3;
    material.fracture.enabled = true;
    material.fracture.stress = 3e4;
    Body body = makeBody(makeBox(24, 8, 8, Vec3(1.2, 0.4, 0.4)), material);
    pinWhere(body, [](const Vec3& p) { return p.x() == 0; });
    body.attributes.vertices.add<float>("Cd", body.mesh.vertexCount(), 3);
    body.attributes.tets.add<std::string>("layer", body.mesh.tetCount()).assign(body.mesh.tetCount(), "a text that is not kept in place");
    body.attributes.vertices.addGroup("some", body.mesh.vertexCount());
    WorldState world = makeWorld(std::move(body));
    editState(world, [](BodyState& s) {
        for (std::size_t i = 0; i < s.x.size(); ++i) s.v[i] = Vec3(20 * s.x[i].x(), 0, 0);
    });
    return world;
}
std::size_t counted(const std::vector<WorldPart>& parts) {
    std::size_t sum = 0;
    for (const WorldPart& part : parts) sum += memoryOf(part);
    return sum;
}
}  // namespace

// what hosts are told that a part holds, against what was asked of operator new
TEST(Memory, PartsCountWhatIsThere) {
    const long before = bytesInUse;
    std::vector<WorldPart> parts;
    {
        WorldState world = tornBar();
        parts = takeApart(world, WorldPart());
    }
    const auto whole = static_cast<double>(bytesInUse - before), said = static_cast<double>(counted(parts));
    figure("a part", said / whole, "of what is there");
    EXPECT_NEAR(said / whole, 1, 0.1);
    for (int k = 0; k < 9; ++k) parts.push_back(parts[0]);  // as frames that nothing happens in
    const auto ten = static_cast<double>(bytesInUse - before);
    EXPECT_LT(ten, 1.1 * whole);
    EXPECT_NEAR(static_cast<double>(counted(parts)) / ten, 1, 0.1);
    {
        WorldState world = putTogether({&parts[0]});
        Workspace workspace;
        StepSettings settings;
        settings.integrator = Integrator::kExplicit;
        EXPECT_FALSE(step(world, 0.004, settings, workspace).failed);
        EXPECT_GT(world.bodies[0].body->origin.size(), 10u) << "it breaks";
        parts.push_back(takeApart(world, WorldPart())[0]);
    }
    const auto cracked = static_cast<double>(bytesInUse - before);
    EXPECT_GT(cracked, 1.9 * whole) << "a crack is another body";
    EXPECT_NEAR(static_cast<double>(counted(parts)) / cracked, 1, 0.1);
}

TEST(Memory, AtRestATet) {
    const double explicitBytes = bytesATet(Integrator::kExplicit, LinearSolverKind::kAuto);
    const double rkf45Bytes = bytesATet(Integrator::kRkf45, LinearSolverKind::kAuto);
    const double jacobiBytes = bytesATet(Integrator::kImplicit, LinearSolverKind::kCgJacobi);
    const double choleskyBytes = bytesATet(Integrator::kImplicit, LinearSolverKind::kCgIncompleteCholesky);
    figure("explicit", explicitBytes, "bytes a tet");
    figure("rkf45", rkf45Bytes, "bytes a tet");
    figure("implicit, CG with block Jacobi", jacobiBytes, "bytes a tet");
    figure("implicit, CG with incomplete Cholesky", choleskyBytes, "bytes a tet");
    EXPECT_GT(explicitBytes, 100);  // the counter counts
    EXPECT_LE(explicitBytes, 1500);
    EXPECT_LE(jacobiBytes, 4000);
    EXPECT_LE(choleskyBytes, 4000);
}

// Behind the other, whose bytes would be those of larger blocks that this one has left.
/// What FractureSettings::mostMemory goes by.
TEST(Memory, AtMostATetThatBreaks) {
    const double explicitBytes = mostBytesATet(Integrator::kExplicit), implicitBytes = mostBytesATet(Integrator::kImplicit);
    figure("explicit, breaking, at most", explicitBytes, "bytes a tet");
    figure("implicit, breaking, at most", implicitBytes, "bytes a tet");
    EXPECT_GT(implicitBytes, 0.25 * kBytesATet) << "and it is no idle bound";
    EXPECT_LE(explicitBytes, kBytesATet);
    EXPECT_LE(implicitBytes, kBytesATet);
}

}  // namespace sunder
