#include "core/body/constraints.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace sunder {

namespace {
Vec3 rotateBy(const Vec3& rotation, const Vec3& v) {
    const double angle = rotation.norm();
    return angle == 0 ? v : Eigen::AngleAxisd(angle, rotation / angle) * v;
}
}  // namespace

Vec3 Motion::apply(const Vec3& rest, double t) const {
    if (keys.empty()) return rest;
    const auto after = std::upper_bound(keys.begin(), keys.end(), t, [](double time, const Key& k) { return time < k.time; });
    const Key& next = after == keys.end() ? keys.back() : *after;
    const Key& last = after == keys.begin() ? keys.front() : *(after - 1);
    double share = next.time > last.time ? std::clamp((t - last.time) / (next.time - last.time), 0.0, 1.0) : 0.0;
    if (smooth) share = share * share * (3 - 2 * share);
    const Vec3 rotation = last.rotation + share * (next.rotation - last.rotation);
    const Vec3 translation = last.translation + share * (next.translation - last.translation);
    return pivot + rotateBy(rotation, rest - pivot) + translation;
}

Vec3 Motion::velocity(const Vec3& rest, double t) const {
    constexpr double kDelta = 1e-6;  // s; errors of 1e-12 of the third derivative and of 1e-10 m/s a metre from the origin
    if (!moves()) return Vec3::Zero();
    return (apply(rest, t + kDelta) - apply(rest, t - kDelta)) / (2 * kDelta);
}

}  // namespace sunder
