#include "core/material/stretch_stiffness.h"

#include <Eigen/LU>

namespace sunder {

namespace {
/// By the signs of its leading minors.
bool isPositiveDefinite(const Mat3& m) {
    return m(0, 0) > 0 && m(0, 0) * m(1, 1) > m(0, 1) * m(1, 0) && m.determinant() > 0;
}
}  // namespace

StretchStiffness clampedPositive(const StretchStiffness& s) {
    StretchStiffness clamped{s.stretch, s.flip.cwiseMax(0), s.twist.cwiseMax(0)};
    if (isPositiveDefinite(s.stretch)) return clamped;
    const Eigen3 eigen = symmetricEigen3(s.stretch);
    const Vec3 kept = eigen.values.cwiseMax(0);
    clamped.stretch = eigen.vectors * kept.asDiagonal() * eigen.vectors.transpose();
    return clamped;
}

Mat9 stiffnessFromStretches(const Svd3& svd, const StretchStiffness& s) {
    Mat9 modes, stretched;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const Mat3 a = svd.U.col(i) * svd.V.col(j).transpose(), b = svd.U.col(j) * svd.V.col(i).transpose();
        modes.col(k) = vec(svd.U.col(k) * svd.V.col(k).transpose());
        modes.col(3 + k) = vec(a + b);
        modes.col(6 + k) = vec(a - b);
    }
    stretched.leftCols<3>() = modes.leftCols<3>() * s.stretch;
    for (int k = 0; k < 3; ++k) {  // half, since the squared length of these modes is two
        stretched.col(3 + k) = 0.5 * s.flip[k] * modes.col(3 + k);
        stretched.col(6 + k) = 0.5 * s.twist[k] * modes.col(6 + k);
    }
    return stretched * modes.transpose();
}

}  // namespace sunder
