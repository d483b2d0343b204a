#pragma once

#include "core/contact/overlap.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// Two tets that overlap.
struct TetContact {
    std::int32_t bodyA, bodyB;
    Tet a, b;              ///< vertices in their bodies
    float softA, softB;    ///< how the overlap counts at a's and at b's vertices, see ContactSet
    float friction, dynamicFriction;  ///< of the two bodies
    float ratioA, ratioB;             ///< shares of the critical damping at a's and at b's vertices
    OverlapShares shares;
    PairVectors facing;    ///< for every corner, how its share grows when the *other* tet moves, m^2: a's point out of b, b's out of a
    std::int32_t tetA = -1, tetB = -1;  ///< their numbers

    Vec4 weightsA() const { return shares.a / shares.volume; }  ///< barycentric coordinates of the overlap's centre in a
    Vec4 weightsB() const { return shares.b / shares.volume; }
};

}  // namespace sunder
