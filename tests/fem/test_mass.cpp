#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "core/fem/mass.h"
#include "tests/fem/fem_fixture.h"

namespace sunder {

TEST(Mass, LumpedAndConsistentHoldTheWholeMassAndTheRightKineticEnergy) {
    const testing::MixedBody body(0);
    const ElementTable table = buildElementTable(body.mesh, body.materials);
    const SparsePattern pattern = buildSparsePattern(table);
    const std::vector<double> lumped = computeLumpedMass(body.mesh, body.materials);
    const BlockMatrix consistent = buildConsistentMass(body.mesh, body.materials, pattern);
    const double whole = 1000 * table.totalVolume;
    EXPECT_NEAR(std::accumulate(lumped.begin(), lumped.end(), 0.0), whole, 1e-12 * whole);

    // v = A x is linear, so the consistent matrix has the exact energy: rho/2 times the integral of |A x|^2, which on a tet is
    // V/20 (sum_i |v_i|^2 + |sum_i v_i|^2)
    std::vector<Vec3> v(body.mesh.vertexCount()), product(v);
    Mat3 gradient;
    gradient << 1, 2, 0, -1, 0.5, 3, 0, 1, -2;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = gradient * body.mesh.rest[i];
    multiply(consistent, v, product);
    double energy = 0, exact = 0;
    for (std::size_t i = 0; i < v.size(); ++i) energy += 0.5 * v[i].dot(product[i]);
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        Vec3 sum = Vec3::Zero();
        double squares = 0;
        for (const auto k : body.mesh.tets[t]) {
            sum += v[static_cast<std::size_t>(k)];
            squares += v[static_cast<std::size_t>(k)].squaredNorm();
        }
        exact += 0.5 * 1000 * restVolume(body.mesh, t) / 20 * (squares + sum.squaredNorm());
    }
    EXPECT_NEAR(energy, exact, 1e-12 * exact);
}

// A box of a x b x c turns about the x axis through its corner with w: E = rho/2 w^2 abc (b^2 + c^2) / 3. The velocity is linear, so the
// consistent matrix has exactly that on any mesh; lumps at the vertices have too much, by an error that falls with the square of the cell.
TEST(Mass, TurningBoxHasItsKineticEnergy) {
    const Vec3 size(1, 0.7, 0.4);
    const double exact = 0.5 * 1000 * 4 * size.prod() * (size.y() * size.y() + size.z() * size.z()) / 3;
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const TetMesh mesh = testing::makeBox(2 << k, 2 << k, 2 << k, size);
        const std::vector<TetMaterial> materials(mesh.tetCount(), {ElasticLawId::kCorotated, {1e5, 1e5, 0, 0}, 1000.0});
        const SparsePattern pattern = buildSparsePattern(buildElementTable(mesh, materials));
        const std::vector<double> lumped = computeLumpedMass(mesh, materials);
        const BlockMatrix consistent = buildConsistentMass(mesh, materials, pattern);
        std::vector<Vec3> v(mesh.vertexCount()), product(v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = Vec3(2, 0, 0).cross(mesh.rest[i]);
        multiply(consistent, v, product);
        double energy = 0, ofLumps = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            energy += 0.5 * v[i].dot(product[i]);
            ofLumps += 0.5 * lumped[i] * v[i].squaredNorm();
        }
        EXPECT_NEAR(energy, exact, 1e-13 * exact);
        error[k] = ofLumps / exact - 1;
        std::printf("    kinetic energy of lumped mass, %d cells across: %.4f of the exact\n", 2 << k, 1 + error[k]);
    }
    EXPECT_GT(error[1], 0);
    EXPECT_NEAR(error[0] / error[1], 4, 0.01);
}

}  // namespace sunder
