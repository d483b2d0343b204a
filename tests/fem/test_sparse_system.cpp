#include <gtest/gtest.h>

#include <set>

#include "core/base/parallel.h"
#include "core/fem/forces.h"
#include "core/fem/sparse_system.h"
#include "tests/fem/fem_fixture.h"

namespace sunder {

using testing::MixedBody;

namespace {
struct System {
    ElementTable table;
    SparsePattern pattern;
    BlockMatrix matrix;
    AssembleScratch scratch;

    explicit System(const MixedBody& body) : table(buildElementTable(body.mesh, body.materials)), pattern(buildSparsePattern(table)) {
        matrix.pattern = &pattern;
    }
};
}  // namespace

TEST(SparsePattern, HoldsEveryEdgeOnceAndSortsItsRows) {
    const MixedBody body;
    const System s(body);
    std::set<std::pair<int, int>> expected;
    for (const Tet& t : body.mesh.tets)
        for (const auto a : t)
            for (const auto b : t) expected.insert({a, b});
    std::set<std::pair<int, int>> found;
    for (std::size_t r = 0; r < s.pattern.rowCount(); ++r)
        for (auto k = s.pattern.rowFirst[r]; k < s.pattern.rowFirst[r + 1]; ++k) {
            if (k > s.pattern.rowFirst[r]) {
                EXPECT_LT(s.pattern.column[static_cast<std::size_t>(k) - 1], s.pattern.column[static_cast<std::size_t>(k)]);
            }
            found.insert({static_cast<int>(r), s.pattern.column[static_cast<std::size_t>(k)]});
        }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(s.pattern.blockCount(), expected.size());
}

TEST(Assemble, StiffnessIsTheDerivativeOfTheForcesWhereItIsPositive) {
    // at rest every law's stiffness is positive semi-definite, so the projection must not change it
    MixedBody body(0);
    body.x = body.mesh.rest;
    System s(body);
    assembleStiffness(s.table, body.x, body.x, {}, s.scratch, s.matrix);
    ForceScratch scratch;
    std::vector<Vec3> product(body.x.size()), plus(product), minus(product);
    multiply(s.matrix, body.v, product);
    const double h = 1e-6;
    std::vector<Vec3> x = body.x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * body.v[i];
    computeForces(s.table, x, {}, scratch, plus);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= 2 * h * body.v[i];
    computeForces(s.table, x, {}, scratch, minus);
    double scale = 0, error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        scale = std::max(scale, product[i].norm());
        error = std::max(error, (product[i] + (plus[i] - minus[i]) / (2 * h)).norm());
    }
    EXPECT_LT(error, 1e-6 * scale);
}

namespace {
/// Largest difference of two matrices over the largest entry.
double matrixError(const std::vector<double>& a, const std::vector<double>& b) {
    double scale = 0, error = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        scale = std::max(scale, std::abs(b[k]));
        error = std::max(error, std::abs(a[k] - b[k]));
    }
    return error / scale;
}
}  // namespace

TEST(Assemble, WideStiffnessEqualsTheScalarReference) {
    // from nearly at rest to tets that are inside out and need the projection; the law with a barrier has no stiffness there
    for (const double strain : {0.0, 1e-8, 0.2, 1.0, 3.0}) {
        for (const ElasticLaw& law : elasticLaws()) {
            MixedBody body(strain);
            for (TetMaterial& m : body.materials) m.law = law.id;
            System s(body);
            BlockMatrix reference = s.matrix;
            ForceScratch scratch;
            std::vector<Vec3> force(body.x.size());
            const double smallest = computeForces(s.table, body.x, {}, scratch, force).smallestDetF;
            EXPECT_EQ(smallest < 0, strain > 0.5);
            if (law.needsPositiveDet && smallest <= 0) continue;
            assembleStiffness(s.table, body.x, body.x, {}, s.scratch, s.matrix);
            assembleStiffnessReference(body.mesh, body.materials, body.x, reference);
            EXPECT_LT(matrixError(s.matrix.values, reference.values), 1e-12) << law.name << " at strain " << strain;
        }
    }
}

TEST(Assemble, WarpedEqualsTheTrueStiffnessAtRestAndAfterARotation) {
    MixedBody body(0);
    for (TetMaterial& m : body.materials) m.law = ElasticLawId::kCorotated;
    Mat3 turn;
    turn << 0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6;
    for (std::size_t i = 0; i < body.x.size(); ++i) body.x[i] = turn * body.mesh.rest[i];
    System s(body);
    AssembleOptions options;
    assembleStiffness(s.table, body.x, body.x, options, s.scratch, s.matrix);
    const std::vector<double> full = s.matrix.values;
    options.warped = true;
    assembleStiffness(s.table, body.x, body.x, options, s.scratch, s.matrix);
    double scale = 0, error = 0;
    for (std::size_t k = 0; k < full.size(); ++k) {
        scale = std::max(scale, std::abs(full[k]));
        error = std::max(error, std::abs(full[k] - s.matrix.values[k]));
    }
    EXPECT_LT(error, 1e-12 * scale);
}

TEST(Assemble, ViscosityIsTheDerivativeOfTheViscousForces) {
    const MixedBody body;
    System s(body);
    AssembleOptions options;
    options.stiffness = 0;
    options.viscosity = 1;
    assembleStiffness(s.table, body.x, body.x, options, s.scratch, s.matrix);
    ForceScratch scratch;
    std::vector<Vec3> product(body.x.size()), force(body.x.size(), Vec3::Zero());
    multiply(s.matrix, body.v, product);
    computeViscousForces(s.table, body.x, body.v, scratch, force);  // linear in v
    double scale = 0, error = 0;
    for (std::size_t i = 0; i < force.size(); ++i) {
        scale = std::max(scale, force[i].norm());
        error = std::max(error, (product[i] + force[i]).norm());
    }
    EXPECT_LT(error, 1e-12 * scale);
}

TEST(Assemble, GivesTheSameBitsForAnyThreadCount) {
    const MixedBody body(0.05, 8);
    System s(body);
    std::vector<std::vector<double>> results;
    for (const int threads : {1, 2, 7, 0}) {
        setThreadCount(threads);
        AssembleOptions options;
        options.viscosity = 0.1;
        assembleStiffness(s.table, body.x, body.x, options, s.scratch, s.matrix);
        results.push_back(s.matrix.values);
    }
    for (const auto& r : results) EXPECT_EQ(r, results[0]);
}

}  // namespace sunder
