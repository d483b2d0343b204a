#include "core/material/tangent_blocks.h"

#include <Eigen/Geometry>

namespace sunder {

Mat9 strainTangent(double lambda, double mu, const Mat3& F, const Mat3& A) {
    const Mat3 diagonal = mu * (F * A.transpose());
    Mat9 K;
    for (int j = 0; j < 3; ++j) {
        for (int l = 0; l < 3; ++l)
            K.block<3, 3>(3 * j, 3 * l) =
                lambda * F.col(j) * A.col(l).transpose() + mu * F.col(l) * A.col(j).transpose();
        K.block<3, 3>(3 * j, 3 * j) += diagonal;
    }
    return K;
}

void addStressTangent(Mat9& K, const Mat3& S) {
    for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) K.block<3, 3>(3 * j, 3 * l).diagonal().array() += S(l, j);
}

Mat3 cofactors(const Mat3& F) {
    Mat3 c;
    c << F.col(1).cross(F.col(2)), F.col(2).cross(F.col(0)), F.col(0).cross(F.col(1));
    return c;
}

void addCofactorTangent(Mat9& K, const Mat3& F, double scale) {
    for (int j = 0; j < 3; ++j) {
        const int next = (j + 1) % 3, last = (j + 2) % 3;
        const Vec3 f = scale * F.col(j);
        Mat3 product;  // product * x = f cross x
        product << 0, -f[2], f[1], f[2], 0, -f[0], -f[1], f[0], 0;
        K.block<3, 3>(3 * last, 3 * next) += product;
        K.block<3, 3>(3 * next, 3 * last) -= product;
    }
}

}  // namespace sunder
