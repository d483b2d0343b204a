#pragma once

#include <cstdint>

namespace sunder {

enum class SelfContact : std::uint8_t {
    kNone,
    kBetweenPieces,  ///< only between different pieces of the body
    kAll,
};

/// How a body meets others. Two bodies take the geometric mean of their frictions and the larger of their restitutions.
struct ContactSurface {
    double friction = 0.5;          ///< Coulomb coefficient at rest
    double dynamicFriction = 0.5;   ///< and while it slides; at most `friction`
    double restitution = 0;         ///< share of its speed that a lone vertex keeps; bodies bounce by their own elasticity, too
    double stiffnessScale = 1;      ///< multiplies the stiffness taken from material and mesh
    std::uint32_t group = 1;        ///< bits of the groups that it belongs to
    std::uint32_t mask = ~0u;       ///< bits of the groups that it meets; each of two bodies must name a group of the other
    SelfContact self = SelfContact::kBetweenPieces;
};

}  // namespace sunder
