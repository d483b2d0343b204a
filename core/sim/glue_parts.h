#pragma once

#include "core/sim/scene.h"
#include "core/sim/world.h"

namespace sunder {

/// A part of a body that glue sticks to another one.
struct GluePart {
    std::size_t body = 0;            ///< its number in the world
    std::vector<std::uint8_t> tets;  ///< of every tet: 1 if it is of the part; empty: all are
    std::string name;                ///< for messages
};

/// Where glue is: not farther than `radius` from the line between two points.
struct GlueReach {
    Vec3 a = Vec3::Zero(), b = Vec3::Zero();
    double radius = 1e300;  ///< m
};

/// As buildBonds for two parts, which may be of one body if they share no vertex; `glue` names nothing here.
std::vector<GlueBond> buildBonds(const SceneGlue& glue, const GluePart& a, const GluePart& b,
                                 const GlueReach& reach, const WorldState& world);

}  // namespace sunder
