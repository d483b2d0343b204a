#include "core/spatial/triangle.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/spatial/predicates.h"

namespace sunder {

namespace {
Vec2 projected(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

struct SegmentPoint {
    double t, distanceSq;
};
SegmentPoint closestOnSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 ab = b - a;
    const double lengthSq = ab.squaredNorm();
    const double t = lengthSq > 0 ? std::clamp(ab.dot(p - a) / lengthSq, 0.0, 1.0) : 0.0;
    return {t, (a + t * ab - p).squaredNorm()};
}

TrianglePoint closestOnEdges(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 corner[3] = {a, b, c};
    TrianglePoint best{a, Vec3(1, 0, 0), (p - a).squaredNorm()};
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3;
        const SegmentPoint s = closestOnSegment(p, corner[k], corner[l]);
        if (s.distanceSq >= best.distanceSq) continue;
        best.distanceSq = s.distanceSq;
        best.weights.setZero();
        best.weights[k] = 1 - s.t;
        best.weights[l] = s.t;
        best.position = s.t == 1 ? corner[l] : Vec3(corner[k] + s.t * (corner[l] - corner[k]));
    }
    return best;
}

/// Signs of p against the sides of a counter-clockwise (turn = 1) or clockwise (turn = -1) triangle.
bool insideTriangle2d(const Vec2& p, const Vec2* t, int turn) {
    for (int k = 0; k < 3; ++k)
        if (orient2d(t[k], t[(k + 1) % 3], p) * turn < 0) return false;
    return true;
}

bool onSegment2d(const Vec2& p, const Vec2& a, const Vec2& b) {
    return (p.array() >= a.cwiseMin(b).array()).all() && (p.array() <= a.cwiseMax(b).array()).all();
}

bool segmentsMeet2d(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
    const int sa = orient2d(p, q, a), sb = orient2d(p, q, b), sp = orient2d(a, b, p), sq = orient2d(a, b, q);
    if (sa * sb < 0 && sp * sq < 0) return true;
    return (sa == 0 && onSegment2d(a, p, q)) || (sb == 0 && onSegment2d(b, p, q)) ||
           (sp == 0 && onSegment2d(p, a, b)) || (sq == 0 && onSegment2d(q, a, b));
}

bool coplanarSegmentMeets(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle) {
    for (int axis = 0; axis < 3; ++axis) {
        const Vec2 t[3] = {projected(triangle[0], axis), projected(triangle[1], axis),
                           projected(triangle[2], axis)};
        const int turn = orient2d(t[0], t[1], t[2]);
        if (turn == 0) continue;
        const Vec2 p2 = projected(p, axis), q2 = projected(q, axis);
        if (insideTriangle2d(p2, t, turn) || insideTriangle2d(q2, t, turn)) return true;
        for (int k = 0; k < 3; ++k)
            if (segmentsMeet2d(p2, q2, t[k], t[(k + 1) % 3])) return true;
        return false;
    }
    return false;
}

bool sameStrictSide(int a, int b, int c) { return a == b && b == c && a != 0; }

bool separatedByPlane(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t) {
    return sameStrictSide(orient3d(s[0], s[1], s[2], t[0]), orient3d(s[0], s[1], s[2], t[1]),
                          orient3d(s[0], s[1], s[2], t[2]));
}
}  // namespace

TrianglePoint closestPointOnTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, n = ab.cross(ac);
    const double areaSq = n.squaredNorm();
    if (areaSq > 0) {
        // Barycentric weights of the projection onto the plane; inside all three sides it is the answer.
        const Vec3 ap = p - a;
        const double v = ap.cross(ac).dot(n) / areaSq, w = ab.cross(ap).dot(n) / areaSq, u = 1 - v - w;
        if (u > 0 && v > 0 && w > 0) {
            const Vec3 position = a + v * ab + w * ac;
            return {position, Vec3(u, v, w), (position - p).squaredNorm()};
        }
    }
    return closestOnEdges(p, a, b, c);
}

std::optional<double> rayTriangle(const Vec3& origin, const Vec3& direction, double tMax,
                                  const std::array<Vec3, 3>& triangle) {
    const Vec3 ab = triangle[1] - triangle[0], ac = triangle[2] - triangle[0], h = direction.cross(ac);
    const double det = ab.dot(h);
    if (det == 0) return std::nullopt;
    const Vec3 s = origin - triangle[0], q = s.cross(ab);
    // A little slack keeps a ray through a shared edge from slipping between its two triangles.
    const double slack = 1e-12, u = s.dot(h) / det, v = direction.dot(q) / det, t = ac.dot(q) / det;
    if (u < -slack || v < -slack || u + v > 1 + slack || !(t >= 0) || t > tMax) return std::nullopt;
    return t;
}

bool segmentMeetsTriangle(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& t) {
    const int sp = orient3d(t[0], t[1], t[2], p), sq = orient3d(t[0], t[1], t[2], q);
    if (sp * sq > 0) return false;
    if (sp == 0 && sq == 0) return coplanarSegmentMeets(p, q, t);
    const int a = orient3d(p, q, t[0], t[1]), b = orient3d(p, q, t[1], t[2]), c = orient3d(p, q, t[2], t[0]);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

bool trianglesMeet(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t) {
    if (separatedByPlane(s, t) || separatedByPlane(t, s)) return false;
    for (int k = 0; k < 3; ++k)
        if (segmentMeetsTriangle(s[k], s[(k + 1) % 3], t) || segmentMeetsTriangle(t[k], t[(k + 1) % 3], s))
            return true;
    return false;
}

bool trianglesMeetBeyondCorner(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t) {
    // What they share is convex and holds the corner; anything more reaches the side opposite to it in one of
    // the two.
    return segmentMeetsTriangle(s[1], s[2], t) || segmentMeetsTriangle(t[1], t[2], s);
}

bool trianglesFold(const Vec3& a, const Vec3& b, const Vec3& sApex, const Vec3& tApex) {
    if (orient3d(a, b, sApex, tApex) != 0) return false;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec2 a2 = projected(a, axis), b2 = projected(b, axis);
        const int turn = orient2d(a2, b2, projected(sApex, axis));
        if (turn != 0) return orient2d(a2, b2, projected(tApex, axis)) == turn;
    }
    return false;
}

bool isCollinear(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int axis = 0; axis < 3; ++axis)
        if (orient2d(projected(a, axis), projected(b, axis), projected(c, axis)) != 0) return false;
    return true;
}

double windingOfTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 x = a - p, y = b - p, z = c - p;
    const double lx = x.norm(), ly = y.norm(), lz = z.norm();
    const double numerator = x.dot(y.cross(z));
    const double denominator = lx * ly * lz + x.dot(y) * lz + y.dot(z) * lx + z.dot(x) * ly;
    if (numerator == 0) return 0;
    return std::atan2(numerator, denominator) / (2 * M_PI);
}

}  // namespace sunder
