#pragma once

#include <array>
#include <cstdint>

#include "core/math/types.h"

namespace sunder {

/// A vertex of one body stuck to a place in a tet of another: g = x - sum weight_k y_k, which is zero at the start, costs 1/2 stiffness g^2. The weights sum to
/// one and the force is along g, so both momenta stay. Above `strength` times `area` it lets go for good.
struct GlueBond {
    std::int32_t body = 0, vertex = 0;
    std::int32_t other = 0, tet = 0;              ///< of the other body
    std::array<std::int32_t, 4> corners = {};     ///< of that tet
    Vec4 weight = Vec4::Zero();                   ///< may be negative: the place may lie outside the tet
    Vec3 place = Vec3::Zero();                    ///< in the rest shape of the other body, m
    double area = 0;                              ///< m^2
    double stiffness = 0;                         ///< N/m
    double strength = 0;                          ///< Pa
    bool broken = false;

    double largestForce() const { return strength * area; }
};

}  // namespace sunder
