#include "core/fem/element_table.h"
#include "core/fem/forces.h"
#include "core/mesh/topology_edit.h"
#include "tests/fem/fem_fixture.h"

namespace sunder {
namespace {
using namespace testing;

/// Forces, energy and bounds by a patched table are those by a new one, whatever was cut.
TEST(PatchElementTable, ActsAsATableMadeAnew) {
    TetMesh mesh = makeBox(5, 5, 5, Vec3(1, 1, 1));
    jitter(mesh, 0.2, 3);
    const TetMaterial material{ElasticLawId::kGreen, {2e5, 3e5, 20, 30}, 1000};
    std::vector<TetMaterial> materials(mesh.tetCount(), material);
    for (std::size_t t = 0; t < materials.size(); t += 3) materials[t].law = ElasticLawId::kCorotated;
    ElementTable table = buildElementTable(mesh, materials);
    std::vector<Vec3> x = mesh.rest;
    std::vector<std::uint8_t> inside(mesh.tetCount(), 0);
    TetStars stars(mesh.tets, mesh.vertexCount());
    for (std::uint64_t k = 0; k < 60; ++k) {
        TopologyEdit edit(mesh);
        MeshEditor editor{mesh, x, inside, stars, edit};
        const Tet tet = mesh.tets[randomBits(1, k) % mesh.tetCount()];
        editor.bisect(tet[0], tet[1], 0.3 + 0.4 * randomRange(0, 1, 2, k));
        const std::vector<std::int32_t> around = stars.around(tet[2]);
        if (around.size() > 3) editor.splitOff(tet[2], Span<const std::int32_t>(around).subspan(0, 2));
        for (const std::int32_t parent : edit.newTets) materials.push_back(TetMaterial(materials[static_cast<std::size_t>(parent)]));
        patchElementTable(table, mesh, materials, edit.touchedTets());
    }
    std::vector<Vec3> v(x.size()), patched(x.size()), fresh(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += 0.01 * Vec3(randomRange(-1, 1, 5, i, 0), randomRange(-1, 1, 5, i, 1), randomRange(-1, 1, 5, i, 2));
        v[i] = Vec3(randomRange(-1, 1, 6, i, 0), randomRange(-1, 1, 6, i, 1), randomRange(-1, 1, 6, i, 2));
    }
    const ElementTable anew = buildElementTable(mesh, materials);
    ForceScratch scratch;
    const ForceTotals a = computeForces(table, x, v, scratch, patched), b = computeForces(anew, x, v, scratch, fresh);
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, fresh[i].norm());
        off = std::max(off, (patched[i] - fresh[i]).norm());
    }
    EXPECT_LT(off, 1e-12 * largest);
    EXPECT_NEAR(a.energy, b.energy, 1e-12 * b.energy);
    EXPECT_EQ(a.smallestDetF, b.smallestDetF);
    EXPECT_GE(table.largestOmegaSq, anew.largestOmegaSq);
    std::vector<int> seen(mesh.tetCount(), 0);
    for (const ElementChunk& c : table.chunks)
        for (std::uint32_t p = c.firstPack; p < c.firstPack + c.packCount; ++p)
            for (std::size_t lane = 0; lane < 4; ++lane)
                if (table.packTet[p][lane] >= 0) ++seen[static_cast<std::size_t>(table.packTet[p][lane])];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(mesh.tetCount()));
}

}  // namespace
}  // namespace sunder
