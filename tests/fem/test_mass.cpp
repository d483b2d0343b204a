#include <gtest/gtest.h>

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

}  // namespace sunder
