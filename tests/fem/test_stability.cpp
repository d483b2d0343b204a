#include "core/fem/stability.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "core/base/random.h"
#include "core/fem/mass.h"
#include "tests/support/builders.h"

namespace sunder {

namespace {
TetMesh randomTet(std::uint64_t seed) {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    testing::jitter(mesh, 0.3, seed);
    return mesh;
}

/// The largest eigenvalue of M^-1 K of one tet in the shape x.
double largestOmegaSq(const TetMesh& mesh, const TetMaterial& material, const std::vector<Vec3>& x) {
    const std::vector<TetMaterial> materials = {material};
    const ElementTable table = buildElementTable(mesh, materials);
    const SparsePattern pattern = buildSparsePattern(table);
    BlockMatrix matrix;
    matrix.pattern = &pattern;
    AssembleScratch scratch;
    assembleStiffness(table, x, {}, {}, scratch, matrix);
    Mat12 dense;
    for (int r = 0; r < 4; ++r)
        for (int k = 0; k < 4; ++k)
            dense.block<3, 3>(3 * r, 3 * k) = matrix.block(static_cast<std::size_t>(4 * r + k));
    const double mass = material.density * restVolume(mesh, 0) / 4;
    return Eigen::SelfAdjointEigenSolver<Mat12>(dense, Eigen::EigenvaluesOnly).eigenvalues()[11] / mass;
}
}  // namespace

TEST(Stability, BoundsAreThoseOfTheTableAtRestAndUnderRotation) {
    for (const ElasticLaw& law : elasticLaws()) {
        const TetMesh mesh = randomTet(3);
        const std::vector<TetMaterial> materials = {{law.id, {2e5, 1e5, 30, 20}, 900}};
        const ElementTable table = buildElementTable(mesh, materials);
        std::vector<Vec3> turned = mesh.rest;
        for (Vec3& p : turned) p = Vec3(p.y(), p.z(), p.x());
        for (const std::vector<Vec3>& x : {mesh.rest, turned}) {
            const FrequencyBounds bounds = computeFrequencyBounds(table, x);
            EXPECT_NEAR(bounds.omegaSq / table.largestOmegaSq, 1, 1e-12) << law.name;
            EXPECT_NEAR(bounds.damping / table.largestDamping, 1, 1e-12) << law.name;
        }
    }
}

// Stretches from 0.4 to 2 in random directions with shear: the bound has to hold, and to be of use.
TEST(Stability, BoundsHoldInDeformedShapes) {
    for (const ElasticLaw& law : elasticLaws()) {
        double loosest = 1, tightest = 1e300;
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            const TetMesh mesh = randomTet(seed);
            const TetMaterial material{law.id, {randomRange(0, 3e5, seed, 1), 1e5, 0, 0}, 900};
            Mat3 F;
            for (int k = 0; k < 9; ++k)
                F.data()[k] = 0.3 * randomRange(-1, 1, seed, 2, static_cast<std::uint64_t>(k));
            for (int k = 0; k < 3; ++k)
                F(k, k) += randomRange(0.6, 1.7, seed, 3, static_cast<std::uint64_t>(k));
            if (F.determinant() < 0.2) continue;
            std::vector<Vec3> x;
            for (const Vec3& p : mesh.rest) x.push_back(F * p);
            const std::vector<TetMaterial> materials = {material};
            const double bound = computeFrequencyBounds(buildElementTable(mesh, materials), x).omegaSq;
            const double exact = largestOmegaSq(mesh, material, x);
            tightest = std::min(tightest, bound / exact);
            loosest = std::max(loosest, bound / exact);
        }
        std::cout << "    " << law.name << ": " << tightest << " to " << loosest
                  << " times the largest eigenvalue" << std::endl;
        EXPECT_GE(tightest, 1) << law.name;
        EXPECT_LT(loosest, 10) << law.name;
    }
}

}  // namespace sunder
