#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/base/parallel.h"
#include "core/fem/forces.h"
#include "tests/fem/fem_fixture.h"

namespace sunder {

using testing::MixedBody;

namespace {
double largest(const std::vector<Vec3>& f) {
    double m = 0;
    for (const Vec3& p : f) m = std::max(m, p.norm());
    return m;
}
}  // namespace

TEST(Forces, WideKernelsEqualTheScalarReference) {
    const MixedBody body;
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    ForceScratch scratch;
    std::vector<Vec3> f(body.x.size()), reference(body.x.size());
    for (const bool viscous : {false, true}) {
        const Span<const Vec3> v = viscous ? Span<const Vec3>(body.v) : Span<const Vec3>();
        const ForceTotals a = computeForces(table, body.x, v, scratch, f);
        const ForceTotals b = computeForcesReference(body.mesh, body.materials, body.x, v, reference);
        double difference = 0;
        for (std::size_t i = 0; i < f.size(); ++i) difference = std::max(difference, (f[i] - reference[i]).norm());
        // round-off: some hundred operations a tet, two dozen tets a vertex
        EXPECT_LT(difference, 1e-12 * largest(reference));
        EXPECT_NEAR(a.energy, b.energy, 1e-12 * b.energy);
        EXPECT_NEAR(a.dissipation, b.dissipation, 1e-12 * b.dissipation);
        EXPECT_NEAR(a.smallestDetF, b.smallestDetF, 1e-13);
        if (viscous) {
            EXPECT_GT(b.dissipation, 0);
        }
    }
}

TEST(Forces, AreTheGradientOfTheEnergy) {
    const MixedBody body;
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    ForceScratch scratch;
    std::vector<Vec3> f(body.x.size());
    computeForces(table, body.x, {}, scratch, f);
    double analytic = 0;
    for (std::size_t i = 0; i < f.size(); ++i) analytic -= f[i].dot(body.v[i]);
    double error[2];
    int k = 0;
    for (const double h : {2e-4, 1e-4}) {
        std::vector<Vec3> plus = body.x, minus = body.x;
        for (std::size_t i = 0; i < f.size(); ++i) {
            plus[i] += h * body.v[i];
            minus[i] -= h * body.v[i];
        }
        const double numeric = (computeEnergy(table, plus).energy - computeEnergy(table, minus).energy) / (2 * h);
        error[k++] = std::abs(numeric - analytic) / std::abs(analytic);
    }
    EXPECT_LT(error[1], 1e-4);
    EXPECT_GT(error[0] / error[1], 3.8);  // second order: 4
}

TEST(Forces, KeepMomentumAndAngularMomentum) {
    const MixedBody body;
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    ForceScratch scratch;
    std::vector<Vec3> f(body.x.size());
    computeForces(table, body.x, body.v, scratch, f);
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    double scale = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        sum += f[i];
        moment += body.x[i].cross(f[i]);
        scale += f[i].norm();
    }
    EXPECT_LT(sum.norm(), 1e-14 * scale);
    EXPECT_LT(moment.norm(), 1e-14 * scale);
}

TEST(Forces, ViscousForcesAloneEqualTheDifference) {
    const MixedBody body;
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    ForceScratch scratch;
    std::vector<Vec3> with(body.x.size()), without(with), viscous(body.x.size(), Vec3::Zero());
    const double power = computeForces(table, body.x, body.v, scratch, with).dissipation;
    computeForces(table, body.x, {}, scratch, without);
    EXPECT_NEAR(computeViscousForces(table, body.x, body.v, scratch, viscous), power, 1e-12 * power);
    double lost = 0;
    for (std::size_t i = 0; i < with.size(); ++i) {
        EXPECT_LT((with[i] - without[i] - viscous[i]).norm(), 1e-11 * largest(with));
        lost -= viscous[i].dot(body.v[i]);
    }
    EXPECT_NEAR(lost, power, 1e-11 * power);
}

TEST(Forces, HaveTheSameBitsForAnyThreadCount) {
    const MixedBody body(0.05, 9);
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    ForceScratch scratch;
    std::vector<std::vector<Vec3>> results;
    for (const int threads : {1, 2, 7, 0}) {
        setThreadCount(threads);
        results.emplace_back(body.x.size());
        computeForces(table, body.x, body.v, scratch, results.back());
    }
    for (const auto& r : results) EXPECT_EQ(r, results[0]);
}

/// What chunks list of vertices and of pairs ascends, each once, and lanes name those of their own tet.
TEST(ElementTable, ListsVerticesAndPairsOfAChunkInOrder) {
    const MixedBody body;
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    for (const ElementChunk& c : table.chunks) {
        const Span<const std::int32_t> vertices = Span<const std::int32_t>(table.chunkVertex).subspan(c.firstVertex, c.vertexCount);
        const auto entries = Span<const std::array<std::int32_t, 2>>(table.chunkEntry).subspan(c.firstEntry, c.entryCount);
        for (std::size_t k = 1; k < vertices.size(); ++k) EXPECT_LT(vertices[k - 1], vertices[k]);
        for (std::size_t k = 1; k < entries.size(); ++k) EXPECT_LT(entries[k - 1], entries[k]);
        for (std::size_t p = c.firstPack; p < c.firstPack + c.packCount; ++p)
            for (std::size_t lane = 0; lane < 4; ++lane) {
                if (table.packTet[p][lane] < 0) continue;
                Tet tet = body.mesh.tets[static_cast<std::size_t>(table.packTet[p][lane])];
                std::sort(tet.begin(), tet.end());
                for (std::size_t e = 0; e < 10; ++e) {
                    const std::array<std::int32_t, 2> pair = {tet[static_cast<std::size_t>(kPackPairs[e][0])], tet[static_cast<std::size_t>(kPackPairs[e][1])]};
                    EXPECT_EQ(entries[table.packEntries[p][e][lane]], pair);
                }
            }
    }
}

TEST(ElementTable, BoundsTheHighestFrequencyFromAbove) {
    // power iteration on M^-1 K at rest, by finite differences of the forces
    const TetMesh mesh = testing::makeBox(4, 3, 3, Vec3(1, 0.7, 0.8));
    const std::vector<TetMaterial> materials(mesh.tetCount(), {ElasticLawId::kGreen, {3e5, 2e5, 0, 0}, 1200.0});
    const ElementTable table = buildElementTable(mesh, materials);
    std::vector<double> mass(mesh.vertexCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (const auto v : mesh.tets[t]) mass[static_cast<std::size_t>(v)] += 1200 * restVolume(mesh, t) / 4;
    ForceScratch scratch;
    std::vector<Vec3> u(mesh.vertexCount()), f(mesh.vertexCount());
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = Vec3(randomUnit(1, i), randomUnit(2, i), randomUnit(3, i));
    double omegaSq = 0;
    for (int k = 0; k < 300; ++k) {
        double norm = 0;
        for (const Vec3& p : u) norm += p.squaredNorm();
        std::vector<Vec3> x = mesh.rest;
        for (std::size_t i = 0; i < u.size(); ++i) x[i] += 1e-7 / std::sqrt(norm) * u[i];
        computeForces(table, x, {}, scratch, f);
        omegaSq = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] = -f[i] / mass[i] * 1e7;
            omegaSq += u[i].squaredNorm();
        }
        omegaSq = std::sqrt(omegaSq);
    }
    EXPECT_GE(table.largestOmegaSq, omegaSq);
    EXPECT_LE(table.largestOmegaSq, 4 * omegaSq);  // a useful bound, not any bound
}

}  // namespace sunder
