#include "tests/math/adversarial.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/random.h"

namespace sunder::testing {

namespace {

using MatL = Eigen::Matrix<long double, 3, 3>;
constexpr double kPi = 3.14159265358979323846;

double unit(std::uint64_t seed, std::uint64_t id, int draw) {
    return randomUnit(seed, id, static_cast<std::uint64_t>(draw));
}
double signedUnit(std::uint64_t seed, std::uint64_t id, int draw) { return 2 * unit(seed, id, draw) - 1; }
int integer(std::uint64_t seed, std::uint64_t id, int draw, int count) {
    return static_cast<int>(unit(seed, id, draw) * count);
}

Mat3 uniformMatrix(std::uint64_t seed, std::uint64_t id) {
    Mat3 m;
    for (int k = 0; k < 9; ++k) m.data()[k] = signedUnit(seed, id, k);
    return m;
}
Mat3 smallIntegers(std::uint64_t id) {
    Mat3 m;
    for (int k = 0; k < 9; ++k) m.data()[k] = integer(11, id, k, 5) - 2;
    return m;
}
Mat3 lowRank(std::uint64_t id) {
    const Mat3 a = uniformMatrix(12, id), b = uniformMatrix(13, id);
    return integer(14, id, 0, 2) ? Mat3(a.col(0) * b.col(0).transpose())
                                 : Mat3(a.leftCols<2>() * b.leftCols<2>().transpose());
}
Mat3 nearIdentity(std::uint64_t id) {
    return Mat3::Identity() + std::pow(10.0, -17 * unit(15, id, 0)) * uniformMatrix(16, id);
}
Mat3 graded(std::uint64_t id) {
    Mat3 m = uniformMatrix(17, id);
    for (int k = 0; k < 3; ++k) {
        m.row(k) *= std::pow(10.0, -9.0 * integer(18, id, k, 3));
        m.col(k) *= std::pow(10.0, -9.0 * integer(18, id, 3 + k, 3));
    }
    return m;
}
Mat3 shear(std::uint64_t id) {
    Mat3 m = Mat3::Identity();
    m(integer(19, id, 0, 3), integer(19, id, 1, 3)) += std::pow(10.0, 12 * unit(19, id, 2));
    return m;
}
Mat3 signedRotation(std::uint64_t id) {
    Mat3 m = randomRotation(20, id);
    if (integer(21, id, 0, 2)) m.col(0) = -m.col(0);
    return m;
}

double extremeScale(std::uint64_t id) {
    switch (integer(22, id, 0, 9)) {
        case 0:
            return 1e150;
        case 1:
            return 1e-150;
        case 2:
            return std::pow(10.0, -308 - 12 * unit(22, id, 1));
        default:
            return 1;
    }
}

Vec3 spectrum(std::uint64_t id) {
    Vec3 s;
    for (int k = 0; k < 3; ++k) s[k] = std::pow(10.0, -20 * unit(23, id, k));
    switch (integer(24, id, 0, 6)) {
        case 0:
            s[1] = s[0];
            break;
        case 1:
            s[2] = s[1] = s[0];
            break;
        case 2:
            s[2] = s[1];
            break;
        case 3:
            s[1] = s[0] * (1 + std::pow(10.0, -16 * unit(23, id, 3)));
            break;
        case 4:
            s[2] = 0;
            break;
        default:
            break;
    }
    std::sort(s.data(), s.data() + 3, [](double a, double b) { return a > b; });
    return s;
}

}  // namespace

Mat3 randomRotation(std::uint64_t seed, std::uint64_t id) {
    const double a = unit(seed, id, 0), b = 2 * kPi * unit(seed, id, 1), c = 2 * kPi * unit(seed, id, 2);
    return Eigen::Quaterniond(std::sqrt(1 - a) * std::sin(b), std::sqrt(1 - a) * std::cos(b),
                              std::sqrt(a) * std::sin(c), std::sqrt(a) * std::cos(c))
        .toRotationMatrix();
}

KnownSvd knownSvd(std::uint64_t id) {
    const auto exact = [&](std::uint64_t seed) {
        const Mat3 rough = randomRotation(seed, id);
        return MatL(
            Eigen::Quaternion<long double>(rough.cast<long double>()).normalized().toRotationMatrix());
    };
    Vec3 sigma = spectrum(id);
    if (integer(27, id, 0, 2)) sigma[2] = -sigma[2];
    const MatL F = exact(25) * sigma.cast<long double>().asDiagonal() * exact(26).transpose();
    return {F.cast<double>(), sigma};
}

Mat3 adversarialMatrix(std::uint64_t id) {
    const double scale = extremeScale(id);
    switch (id % 9) {
        case 0:
            return scale * knownSvd(id).F;
        case 1:
            return scale * smallIntegers(id);
        case 2:
            return scale * lowRank(id);
        case 3:
            return scale * nearIdentity(id);
        case 4:
            return scale * graded(id);
        case 5:
            return scale * shear(id);
        case 6:
            return scale * signedRotation(id);
        case 7:
            return scale * (uniformMatrix(28, id) + uniformMatrix(28, id).transpose());
        default:
            return scale * uniformMatrix(29, id);
    }
}

Mat3 adversarialSymmetric(std::uint64_t id) {
    if (id % 2) {
        const KnownSvd known = knownSvd(id);
        const Mat3 Q = randomRotation(30, id);
        return extremeScale(id) * Mat3(Q * known.sigma.asDiagonal() * Q.transpose());
    }
    const Mat3 m = adversarialMatrix(id / 2);
    return 0.5 * m + 0.5 * m.transpose();
}

}  // namespace sunder::testing
