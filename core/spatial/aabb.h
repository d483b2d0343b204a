#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/types.h"

namespace sunder {

/// Axis-aligned box; empty until something extends it.
struct Aabb {
    Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

    bool empty() const { return !(lower.array() <= upper.array()).all(); }
    void extend(const Vec3& p) {
        lower = lower.cwiseMin(p);
        upper = upper.cwiseMax(p);
    }
    void extend(const Aabb& other) {
        lower = lower.cwiseMin(other.lower);
        upper = upper.cwiseMax(other.upper);
    }
    Aabb inflated(double margin) const {
        return {lower - Vec3::Constant(margin), upper + Vec3::Constant(margin)};
    }
    Vec3 center() const { return 0.5 * (lower + upper); }
    Vec3 size() const { return upper - lower; }
    double diagonal() const { return empty() ? 0.0 : size().norm(); }
    bool contains(const Vec3& p) const {
        return (lower.array() <= p.array()).all() && (p.array() <= upper.array()).all();
    }
    bool overlaps(const Aabb& b) const {
        return (lower.array() <= b.upper.array()).all() && (b.lower.array() <= upper.array()).all();
    }
    double distanceSq(const Vec3& p) const { return (p - p.cwiseMax(lower).cwiseMin(upper)).squaredNorm(); }
    /// Farthest point of the box.
    double farthestSq(const Vec3& p) const {
        return (p - lower).cwiseAbs().cwiseMax((p - upper).cwiseAbs()).squaredNorm();
    }
    /// True if the part of origin + t * direction with t in [0, tMax] meets the box; `inverse` is 1 /
    /// direction.
    bool meetsRay(const Vec3& origin, const Vec3& inverse, double tMax) const {
        double enter = 0, leave = tMax;
        for (int k = 0; k < 3; ++k) {
            if (std::isinf(inverse[k])) {
                if (origin[k] < lower[k] || origin[k] > upper[k]) return false;
                continue;
            }
            const double a = (lower[k] - origin[k]) * inverse[k], b = (upper[k] - origin[k]) * inverse[k];
            enter = std::max(enter, std::min(a, b));
            leave = std::min(leave, std::max(a, b));
        }
        return enter <= leave * (1 + 4 * std::numeric_limits<double>::epsilon());
    }
};

inline Aabb boxOf(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
}

}  // namespace sunder
