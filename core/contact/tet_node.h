#pragma once

#include <array>
#include <optional>

#include "core/math/types.h"

namespace sunder {

/// Penetration of single vertices: cheaper than overlaps, blind to edges that cross (O'Brien and Hodgins
/// 1999, 3.3).

/// Barycentric coordinates of p; nothing if p is outside or the tet is inverted or flat. The border counts as
/// inside.
std::optional<Vec4> weightsInTet(const Vec3& p, const std::array<Vec3, 4>& tet);

struct NodePenetration {
    Vec4 weights;  ///< of the vertex in the tet: how the reaction is shared out to its corners
    double depth;  ///< m, below the face's plane
    Vec3 normal;   ///< of the face, out of the tet
};
/// A vertex inside a tet of which face k (opposite corner k) is the surface to leave through.
std::optional<NodePenetration> nodePenetration(const Vec3& p, const std::array<Vec3, 4>& tet, int face);

}  // namespace sunder
