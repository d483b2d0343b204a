#include <Eigen/LU>
#include <algorithm>

#include "core/fem/forces.h"

namespace sunder {

namespace {
Mat3 edges(Span<const Vec3> x, const Tet& t) {
    Mat3 m;
    for (int k = 0; k < 3; ++k)
        m.col(k) = x[static_cast<std::size_t>(t[static_cast<std::size_t>(k) + 1])] - x[static_cast<std::size_t>(t[0])];
    return m;
}
}  // namespace

ForceTotals computeForcesReference(const TetMesh& mesh, Span<const TetMaterial> materials, Span<const Vec3> x,
                                   Span<const Vec3> v, Span<Vec3> force) {
    ForceTotals totals;
    totals.smallestDetF = 1e300;
    std::fill(force.begin(), force.end(), Vec3::Zero());
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const Tet& tet = mesh.tets[t];
        const ElasticLaw& law = elasticLaw(materials[t].law);
        const Mat3 restInverse = edges(mesh.rest, tet).inverse(), F = edges(x, tet) * restInverse;
        const double volume = restVolume(mesh, t);
        Mat3 P = law.stress(materials[t].params, F);
        if (!v.empty()) {
            const Mat3 rate = edges(v, tet) * restInverse;
            P += law.viscousStress(materials[t].params, F, rate);
            totals.dissipation += 2 * volume * law.dissipation(materials[t].params, F, rate);
        }
        const Mat3 H = -volume * P * restInverse.transpose();
        for (int k = 0; k < 3; ++k) force[static_cast<std::size_t>(tet[static_cast<std::size_t>(k) + 1])] += H.col(k);
        force[static_cast<std::size_t>(tet[0])] -= H.rowwise().sum();
        totals.energy += volume * law.energy(materials[t].params, F);
        totals.smallestDetF = std::min(totals.smallestDetF, F.determinant());
    }
    return totals;
}

}  // namespace sunder
