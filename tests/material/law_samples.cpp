#include "tests/material/law_samples.h"

#include <Eigen/Geometry>

#include "core/base/random.h"

namespace sunder::testing {

std::vector<LawParams> sampleParams() {
    return {{0.6, 0.4, 0.02, 0.03}, {16.0, 0.34, 0.5, 0.01}, {0.0, 0.5, 0.0, 0.1}, {-0.3, 1.0, -0.01, 0.05}};
}

Mat3 randomMatrix(std::uint64_t seed, std::uint64_t id) {
    Mat3 m;
    for (int k = 0; k < 9; ++k) m.data()[k] = randomRange(-1, 1, seed, id, static_cast<std::uint64_t>(k));
    return m;
}

Mat3 randomRotation(std::uint64_t seed, std::uint64_t id) {
    const Vec3 axis = randomMatrix(seed, id).col(0).normalized();
    return Eigen::AngleAxisd(randomRange(-3.2, 3.2, seed, id, 9), axis).toRotationMatrix();
}

Mat3 randomSpin(std::uint64_t seed, std::uint64_t id) {
    const Mat3 m = randomMatrix(seed, id);
    return m - m.transpose();
}

Mat3 smoothDeformation(const ElasticLaw& law, std::uint64_t id) {
    Vec3 s(randomRange(1.3, 1.5, 50, id), randomRange(0.9, 1.1, 51, id), randomRange(0.6, 0.8, 52, id));
    if (!law.needsPositiveDet && id % 2) s[2] = randomRange(-0.5, -0.2, 53, id);
    return randomRotation(54, id) * s.asDiagonal() * randomRotation(55, id).transpose();
}

std::vector<Mat3> degenerateDeformations() {
    const Mat3 a = randomRotation(56, 1), b = randomRotation(57, 2);
    std::vector<Mat3> result;
    for (const Vec3& s :
         {Vec3(1, 1, 0), Vec3(1.2, 0.7, 0), Vec3(2, 0, 0), Vec3(0, 0, 0), Vec3(1, 1, -1), Vec3(1, 0.5, -0.5),
          Vec3(0.5, 0.5, -0.5), Vec3(1e-9, 1e-9, 1e-9), Vec3(1e3, 1e-3, -1e-3), Vec3(1e-200, 0, 0)}) {
        result.push_back(s.asDiagonal());
        result.push_back(a * s.asDiagonal() * b.transpose());
    }
    return result;
}

std::string lawName(const ::testing::TestParamInfo<ElasticLaw>& info) { return info.param.name; }

}  // namespace sunder::testing
