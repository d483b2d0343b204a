#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

namespace sunder {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
/// Derivative of a 3x3 matrix by a 3x3 matrix; both flattened column by column (Eigen's order).
using Mat9 = Eigen::Matrix<double, 9, 9>;
using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Vec12 = Eigen::Matrix<double, 12, 1>;

using Tri = std::array<std::int32_t, 3>;
using Tet = std::array<std::int32_t, 4>;

/// Flattens column by column: vec(M)[3 j + i] = M(i, j).
inline Vec9 vec(const Mat3& m) { return Eigen::Map<const Vec9>(m.data()); }
inline Mat3 unvec(const Vec9& v) { return Eigen::Map<const Mat3>(v.data()); }

}  // namespace sunder
