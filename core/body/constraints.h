#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/math/types.h"

namespace sunder {

/// Rigid motion by keyframes in ascending time: rotation about `pivot`, then translation. Between keys it is linear in the
/// translation and in the rotation vector (`smooth` eases in and out instead); before the first and after the last key it holds still.
struct Motion {
    struct Key {
        double time = 0;                    ///< s
        Vec3 translation = Vec3::Zero();    ///< m
        Vec3 rotation = Vec3::Zero();       ///< axis times angle, rad
    };
    std::vector<Key> keys;
    Vec3 pivot = Vec3::Zero();
    bool smooth = false;

    /// Where a point that rests at `rest` is at time t.
    Vec3 apply(const Vec3& rest, double t) const;
    /// How fast it moves then, m/s; at a key the mean of before and after.
    Vec3 velocity(const Vec3& rest, double t) const;
    bool moves() const { return keys.size() > 1; }
};

/// Vertices that follow a motion exactly (a pin is a motion without keys) until `releaseTime`.
struct HardTarget {
    std::string name;
    std::vector<std::int32_t> vertices;
    std::vector<Vec3> anchor;  ///< start position of each vertex, to which the motion is applied
    Motion motion;
    double releaseTime = 1e300;    ///< s
    double releaseForce = 1e300;   ///< N; a vertex that pulls harder is let go for good ...
    double releaseStress = 1e300;  ///< Pa; ... or harder than this times its area: a third of the boundary faces around it with all corners held, else the share of
                                   ///< its volume to the power 2/3

    bool releases() const { return releaseForce < 1e300 || releaseStress < 1e300; }
};

/// Vertices that are drawn towards a motion by a spring and a damper each.
struct SoftTarget {
    std::string name;
    std::vector<std::int32_t> vertices;
    std::vector<Vec3> anchor;
    std::vector<double> weight;  ///< multiplies strength and damping, one a vertex (painted `targetstrength`), or empty for 1
    Motion motion;
    double strength = 0;  ///< N/m a vertex
    double damping = 0;   ///< N s/m a vertex
    double releaseTime = 1e300;
    double releaseForce = 1e300;  ///< N; a spring that is drawn harder lets go for good
};

struct Constraints {
    std::vector<HardTarget> hard;
    std::vector<SoftTarget> soft;
};

}  // namespace sunder
