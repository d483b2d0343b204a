#include "core/fem/plastic_chunk.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/base/random.h"
#include "core/fem/sparse_system.h"
#include "tests/support/builders.h"

/// The kernels on plastic tets against the laws' own functions.
namespace sunder {

namespace {
struct PlasticBody {
    TetMesh mesh;
    std::vector<TetMaterial> materials;
    std::vector<Vec3> x;
    std::vector<PlasticState> before;
    double dt = 0.02;

    Mat3 edges(const std::vector<Vec3>& p, std::size_t t) const {
        Mat3 m;
        for (int k = 0; k < 3; ++k)
            m.col(k) = p[static_cast<std::size_t>(mesh.tets[t][static_cast<std::size_t>(k) + 1])] - p[static_cast<std::size_t>(mesh.tets[t][0])];
        return m;
    }
    Mat3 deformation(std::size_t t) const { return edges(x, t) * edges(mesh.rest, t).inverse(); }
    PlasticPoint point(std::size_t t) const { return {elasticLaw(materials[t].law), materials[t].params, materials[t].plastic, before[t], dt}; }
    PlasticStep step() const { return {before, dt}; }
};

/// Bent before, bent on; elastic tets of another law among the plastic ones, which flow in one part of the body more than in another.
PlasticBody makePlasticBody(PlasticLawId law, double limit, ElasticLawId elastic) {
    PlasticBody b;
    b.mesh = testing::makeBox(5, 4, 3, Vec3(1, 0.8, 0.6));
    testing::jitter(b.mesh, 0.2, 3);
    PlasticParams plastic;
    plastic.law = law;
    plastic.yield = law == PlasticLawId::kMultiplicative ? 0.03 : 0.02;
    plastic.limit = limit;
    plastic.rate = law == PlasticLawId::kAdditive ? 0 : 30;
    for (std::size_t t = 0; t < b.mesh.tetCount(); ++t) {
        b.materials.push_back({elastic, {0.6, 0.5, 0, 0}, 1, plastic});
        if (t % 7 == 0) b.materials.back().plastic = {};
        b.materials.back().plastic.yield *= 1 + 0.2 * static_cast<double>(t % 3);
    }
    b.before.resize(b.mesh.tetCount());
    const auto bend = [&](double size, std::uint64_t seed) {
        b.x = b.mesh.rest;
        for (std::size_t i = 0; i < b.x.size(); ++i)
            for (int c = 0; c < 3; ++c) b.x[i][c] += size * b.mesh.rest[i].x() * randomRange(-1, 1, seed, i, static_cast<std::uint64_t>(c));
    };
    bend(0.02, 1);
    for (std::size_t t = 0; t < b.mesh.tetCount(); ++t)
        if (b.materials[t].plastic.law != PlasticLawId::kNone) b.before[t] = plasticLaw(law).respond(b.point(t), b.deformation(t)).after;
    bend(0.03, 2);
    return b;
}

struct Case {
    PlasticLawId law;
    double limit;
    ElasticLawId elastic = ElasticLawId::kGreen;
};
const Case kCases[] = {{PlasticLawId::kAdditive, 1e300},
                       {PlasticLawId::kAdditive, 0.05},
                       {PlasticLawId::kCreep, 1e300},
                       {PlasticLawId::kCreep, 0.05},
                       {PlasticLawId::kMultiplicative, 1e300},
                       {PlasticLawId::kMultiplicative, 1e300, ElasticLawId::kCorotated},
                       {PlasticLawId::kMultiplicative, 1e300, ElasticLawId::kViscoelastic},
                       {PlasticLawId::kMultiplicative, 1e300, ElasticLawId::kNeoHookean}};
}  // namespace

TEST(PlasticChunk, ForcesAreThoseOfTheLaws) {
    for (const Case& c : kCases) {
        const PlasticBody b = makePlasticBody(c.law, c.limit, c.elastic);
        const ElementTable table = buildElementTable(b.mesh, b.materials);
        std::vector<Vec3> force(b.x.size()), expected(b.x.size(), Vec3::Zero());
        std::vector<PlasticState> after = b.before;
        ForceScratch scratch;
        PlasticStep step = b.step();
        step.after = after;
        const ForceTotals totals = computeForces(table, b.x, {}, scratch, force, step);
        ForceTotals sum;
        double largest = 0, apart = 0;
        std::size_t flowed = 0;
        for (std::size_t t = 0; t < b.mesh.tetCount(); ++t) {
            const bool plastic = b.materials[t].plastic.law != PlasticLawId::kNone;
            const Mat3 F = b.deformation(t);
            PlasticResponse r;
            r.after = b.before[t];
            if (plastic) {
                r = plasticLaw(c.law).respond(b.point(t), F);
            } else {
                r.energy = b.point(t).elastic.energy(b.materials[t].params, F);
                r.stress = b.point(t).elastic.stress(b.materials[t].params, F);
            }
            const double volume = restVolume(b.mesh, t);
            const Mat3 H = -volume * r.stress * b.edges(b.mesh.rest, t).inverse().transpose();
            for (int k = 0; k < 3; ++k) expected[static_cast<std::size_t>(b.mesh.tets[t][static_cast<std::size_t>(k) + 1])] += H.col(k);
            expected[static_cast<std::size_t>(b.mesh.tets[t][0])] -= H.rowwise().sum();
            sum.energy += volume * r.energy;
            sum.plasticPotential += volume * r.potential;
            sum.plasticWork += volume * r.dissipated;
            flowed += r.dissipated > 0;
            EXPECT_LT((after[t].flow - r.after.flow).norm(), 1e-12);
            EXPECT_NEAR(after[t].hardened, r.after.hardened, 1e-12);
        }
        for (std::size_t i = 0; i < force.size(); ++i) {
            largest = std::max(largest, expected[i].norm());
            apart = std::max(apart, (force[i] - expected[i]).norm());
        }
        EXPECT_LT(apart, 1e-12 * largest);
        EXPECT_NEAR(totals.energy, sum.energy, 1e-12 * sum.energy);
        EXPECT_NEAR(totals.plasticPotential, sum.plasticPotential, 1e-12 * sum.plasticPotential);
        EXPECT_NEAR(totals.plasticWork, sum.plasticWork, 1e-12 * sum.plasticWork);
        EXPECT_GT(flowed, b.mesh.tetCount() / 4);
        EXPECT_LT(flowed, b.mesh.tetCount());
        const ForceTotals alone = computeEnergy(table, b.x, b.step());
        EXPECT_EQ(alone.energy, totals.energy);
        EXPECT_EQ(alone.plasticWork, totals.plasticWork);
    }
}

TEST(PlasticChunk, StiffnessIsThatOfTheLaws) {
    for (const Case& c : kCases) {
        const PlasticBody b = makePlasticBody(c.law, c.limit, c.elastic);
        const ElementTable table = buildElementTable(b.mesh, b.materials);
        const SparsePattern pattern = buildSparsePattern(table);
        BlockMatrix matrix{&pattern, {}};
        AssembleScratch scratch;
        AssembleOptions options;
        options.plastic = b.step();
        assembleStiffness(table, b.x, b.x, options, scratch, matrix);
        std::vector<Vec3> way(b.x.size()), product(b.x.size()), expected(b.x.size(), Vec3::Zero());
        for (std::size_t i = 0; i < way.size(); ++i)
            for (int k = 0; k < 3; ++k) way[i][k] = randomRange(-1, 1, 5, i, static_cast<std::uint64_t>(k));
        multiply(matrix, way, product);
        double apart = 0, largest = 0;
        for (std::size_t t = 0; t < b.mesh.tetCount(); ++t) {
            const Mat3 F = b.deformation(t), restInverse = b.edges(b.mesh.rest, t).inverse(), rate = b.edges(way, t) * restInverse;
            const bool plastic = b.materials[t].plastic.law != PlasticLawId::kNone;
            const Mat9 K = plastic ? plasticLaw(c.law).projectedStiffness(b.point(t), F) : b.point(t).elastic.projectedStiffness(b.materials[t].params, F);
            const Mat3 H = restVolume(b.mesh, t) * unvec(K * vec(rate)) * restInverse.transpose();
            for (int k = 0; k < 3; ++k) expected[static_cast<std::size_t>(b.mesh.tets[t][static_cast<std::size_t>(k) + 1])] += H.col(k);
            expected[static_cast<std::size_t>(b.mesh.tets[t][0])] -= H.rowwise().sum();
        }
        for (std::size_t i = 0; i < way.size(); ++i) {
            largest = std::max(largest, expected[i].norm());
            apart = std::max(apart, (product[i] - expected[i]).norm());
        }
        EXPECT_LT(apart, 1e-10 * largest);
    }
}

}  // namespace sunder
