#include <Eigen/LU>
#include <algorithm>

#include "core/fem/forces.h"
#include "core/fem/sparse_system.h"

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

namespace {
/// d vec(F) / dx of one tet: column 3 c + r is the change of F as corner c moves along axis r.
Eigen::Matrix<double, 9, 12> deformationRates(const Mat3& restInverse) {
    Eigen::Matrix<double, 9, 12> rates;
    for (int corner = 0; corner < 4; ++corner) {
        const Vec3 gradient = corner == 0 ? Vec3(-restInverse.colwise().sum().transpose()) : Vec3(restInverse.row(corner - 1).transpose());
        for (int axis = 0; axis < 3; ++axis) rates.col(3 * corner + axis) = vec(Vec3::Unit(axis) * gradient.transpose());
    }
    return rates;
}

std::size_t placeOf(const SparsePattern& pattern, std::int32_t row, std::int32_t column) {
    const auto first = pattern.column.begin() + pattern.rowFirst[static_cast<std::size_t>(row)];
    const auto last = pattern.column.begin() + pattern.rowFirst[static_cast<std::size_t>(row) + 1];
    return static_cast<std::size_t>(std::lower_bound(first, last, column) - pattern.column.begin());
}
}  // namespace

void assembleStiffnessReference(const TetMesh& mesh, Span<const TetMaterial> materials, Span<const Vec3> x, BlockMatrix& matrix) {
    matrix.values.assign(9 * matrix.pattern->blockCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const Tet& tet = mesh.tets[t];
        const Mat3 restInverse = edges(mesh.rest, tet).inverse(), F = edges(x, tet) * restInverse;
        const auto rates = deformationRates(restInverse);
        const Eigen::Matrix<double, 12, 12> element =
            restVolume(mesh, t) * rates.transpose() * elasticLaw(materials[t].law).projectedStiffness(materials[t].params, F) * rates;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                matrix.block(placeOf(*matrix.pattern, tet[static_cast<std::size_t>(i)], tet[static_cast<std::size_t>(j)])) +=
                    element.block<3, 3>(3 * i, 3 * j);
    }
}

}  // namespace sunder
