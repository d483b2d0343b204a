#pragma once

#include <array>
#include <optional>

#include "core/math/types.h"

namespace sunder {

struct TrianglePoint {
    Vec3 position;
    Vec3 weights;  ///< barycentric, of a, b, c; exactly 1 and 0 at a corner
    double distanceSq;
};
/// The point of the closed triangle nearest to p; degenerate triangles count as their longest edge.
TrianglePoint closestPointOnTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// t of the crossing of origin + t * direction with the closed triangle, 0 <= t <= tMax; rays in its plane do
/// not count.
std::optional<double> rayTriangle(const Vec3& origin, const Vec3& direction, double tMax,
                                  const std::array<Vec3, 3>& triangle);

/// Exact tests on closed sets: touching counts. A triangle whose corners are collinear meets nothing.
bool segmentMeetsTriangle(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle);
bool trianglesMeet(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t);
/// For two triangles that share corner s[0] = t[0]: true if they have more than that corner in common.
bool trianglesMeetBeyondCorner(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t);
/// For two triangles that share the edge a b: true if they are folded onto each other in one plane.
bool trianglesFold(const Vec3& a, const Vec3& b, const Vec3& sApex, const Vec3& tApex);
/// True if the corners are exactly collinear or coincide.
bool isCollinear(const Vec3& a, const Vec3& b, const Vec3& c);

/// Solid angle of the triangle seen from p over 4 pi (van Oosterom and Strackee 1983); positive from the side
/// that its normal points away from. 0 in its plane.
double windingOfTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sunder
