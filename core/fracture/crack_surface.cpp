#include "core/fracture/crack_surface.h"

#include <algorithm>
#include <cmath>

namespace sunder {

CrackSurface::CrackSurface(const Vec3& origin, const Vec3& normal, const std::optional<CrackTip>& tip, double backCrackAngle)
    : origin_(origin), ahead_(normal), behind_(normal) {
    if (!tip || backCrackAngle <= 0) return;
    const Vec3 old = tip->normal.dot(normal) < 0 ? Vec3(-tip->normal) : tip->normal;
    const Vec3 forward = tip->forward - tip->forward.dot(normal) * normal;
    if (old.dot(normal) < std::cos(backCrackAngle) || !(forward.norm() > 0)) return;
    // too shallow an angle with the crack that is there: behind the tip, that crack is where it goes
    bent_ = true;
    behind_ = old;
    forward_ = forward.normalized();
}

double CrackSurface::height(const Vec3& p) const {
    const Vec3 r = p - origin_;
    const double length = r.norm();
    if (!bent_ || !(length > 0)) return r.dot(ahead_);
    const double share = std::clamp(0.5 + r.dot(forward_) / length, 0.0, 1.0);
    return (1 - share) * r.dot(behind_) + share * r.dot(ahead_);
}

}  // namespace sunder
