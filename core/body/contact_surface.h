#pragma once

#include <cstdint>
#include <string>

namespace sunder {

enum class SelfContact : std::uint8_t {
    kNone,
    kBetweenPieces,  ///< only between different pieces of the body
    kAll,
};

/// How a body meets others. Two bodies take the geometric mean of their frictions; each damps its own side of the contact.
struct ContactSurface {
    double friction = 0.5;          ///< Coulomb coefficient at rest
    double dynamicFriction = 0.5;   ///< and while it slides; at most `friction`
    double restitution = 0;         ///< share of its speed that a lone vertex keeps; bodies bounce by their own elasticity, too
    double stiffnessScale = 1;      ///< multiplies the stiffness taken from material and mesh
    std::uint32_t group = 1;        ///< bits of the groups that it belongs to
    std::uint32_t mask = ~0u;       ///< bits of the groups that it meets; each of two bodies must name a group of the other
    SelfContact self = SelfContact::kBetweenPieces;
};
inline bool meet(const ContactSurface& s, const ContactSurface& t) { return (s.group & t.mask) && (t.group & s.mask); }

/// How two bodies, or two kinds of bodies, meet: in place of the mean of their frictions and of the restitution of each.
struct ContactPair {
    std::string a, b;  ///< names of bodies or of materials
    double friction = 0.5, dynamicFriction = 0.5;
    double restitution = -1;  ///< of both sides; negative: each side keeps its own

    friend bool operator==(const ContactPair& p, const ContactPair& q) {
        return p.a == q.a && p.b == q.b && p.friction == q.friction && p.dynamicFriction == q.dynamicFriction &&
               p.restitution == q.restitution;
    }
};

}  // namespace sunder
