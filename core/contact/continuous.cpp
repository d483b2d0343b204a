#include "core/contact/continuous.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/spatial/triangle.h"

/// Vertex p touches the triangle q_j when the origin lies in the hull of the differences D_j = p - q_j; edges
/// a and b touch when it lies in the hull of D_ij = a_i - b_j, a parallelogram. All D move along straight
/// lines. So both questions are one: when does the distance from the origin to the hull of K moving points
/// first reach the separation s?
///
/// Let no touch be known before t0. Take a direction that turns, n(t) linear in t. While n(t).D_j(t) > s
/// |n(t)| for all j, n(t) proves that there is no touch. Each n.D_j is a quadratic, |n(t)| lies below the
/// line between its ends, so the first root of K quadratics is the next t0. Any n will do for the proof; a
/// good one is taken from the point of the hull that is nearest at t0, turning as the plane or the edge turns
/// that this point lies on. Then all active D_j fall alike to first order, and the step is Newton's on the
/// distance, from below: quadratic convergence, no overstepping. (With a fixed n the fastest corner of a
/// turning triangle decides, and the steps shrink only by a factor.) Grazing motion halves the time left.
/// Pairs that slide or move together are settled at once.
///
/// Interval subdivision of (t, u, v) (Wang et al. 2021) proves the same with hundreds of boxes a query;
/// advancing by distance over speed (Li et al. 2021, "ACCD") creeps where things slide past each other.
///
/// Rounding, u = 2^-53: D = fl(x - y) has a relative error of u a component, however large x and y are; at t0
/// the error is below 5 u w, w = (1 - t0) |D(0)| + t0 |D(1)|; a product n.D is off by 10 u |n|.w at most, and
/// that is subtracted. Quadratics in Bernstein form with coefficients that are too low lie too low. Their
/// first root is c0 / (c0 - c1 + sqrt(c1^2 - c0 c2)), which falls with each of its two terms, so these are
/// rounded up.

namespace sunder {

namespace {
constexpr double kUnit = 0x1.0p-53;
constexpr double kAlways = 2, kNever = -1;  // times past the end and before the start

template <std::size_t K>
struct MovingHull {
    std::array<Vec3, K> start, end;

    bool finite() const {
        bool all = true;
        for (std::size_t j = 0; j < K; ++j) all = all && start[j].allFinite() && end[j].allFinite();
        return all;
    }
    double extent() const {
        double largest = 0;
        for (std::size_t j = 0; j < K; ++j)
            largest = std::max({largest, start[j].cwiseAbs().maxCoeff(), end[j].cwiseAbs().maxCoeff()});
        return largest;
    }
};

/// The hull at time t, with what bounds its rounding, and at the end.
template <std::size_t K>
struct HullFrom {
    std::array<Vec3, K> now, nowBound, end, endBound;

    HullFrom(const MovingHull<K>& hull, double t) : end(hull.end) {
        for (std::size_t j = 0; j < K; ++j) {
            now[j] = (1 - t) * hull.start[j] + t * hull.end[j];
            nowBound[j] = (1 - t) * hull.start[j].cwiseAbs() + t * hull.end[j].cwiseAbs();
            endBound[j] = hull.end[j].cwiseAbs();
        }
    }
};

/// n(t): from `now` to `end` along a straight line.
struct TurningDirection {
    Vec3 now, end;
};

/// At most n.d, for a d that is only known to rounding.
double lowerDot(const Vec3& n, const Vec3& d, const Vec3& bound) {
    return n.dot(d) - (12 * kUnit * n.cwiseAbs().dot(bound) + std::numeric_limits<double>::min());
}

/// At most the first s in [0, 1] where c0 (1 - s)^2 + 2 c1 s (1 - s) + c2 s^2 = 0; kNever if c0 is not
/// positive.
double firstRoot(double c0, double c1, double c2) {
    if (!(c0 > 0)) return kNever;
    if (c1 >= 0 && c2 > 0) return kAlways;
    const double disc = c1 * c1 - c0 * c2 + 8 * kUnit * (c1 * c1 + std::abs(c0 * c2));
    if (disc < 0) return kAlways;
    const double below = c0 - c1 + 4 * kUnit * (c0 + std::abs(c1)) + std::sqrt(disc) * (1 + 2 * kUnit);
    if (!(below > 0)) return kAlways;
    const double s = c0 / below * (1 - 16 * kUnit);
    return s > 1 ? kAlways : s;
}

/// n proves that there is no touch from now to the result, a part of the time left; kAlways: with the end.
template <std::size_t K>
double separatedFor(const HullFrom<K>& hull, const TurningDirection& n, double separation) {
    const double level = separation * (1 + 16 * kUnit), nowLevel = level * n.now.norm(),
                 endLevel = level * n.end.norm();
    double part = kAlways;
    for (std::size_t j = 0; j < K; ++j) {
        const double c0 = lowerDot(n.now, hull.now[j], hull.nowBound[j]) - nowLevel;
        const double c2 = lowerDot(n.end, hull.end[j], hull.endBound[j]) - endLevel;
        const double c1 = 0.5 * (lowerDot(n.now, hull.end[j], hull.endBound[j]) - nowLevel +
                                 lowerDot(n.end, hull.now[j], hull.nowBound[j]) - endLevel);
        part = std::min(part, firstRoot(c0, c1, c2));
    }
    return part;
}

/// True if a coordinate axis separates all the time: what a box around the motion would tell.
template <std::size_t K>
bool separatedByAxis(const MovingHull<K>& hull, double separation) {
    Vec3 lower = hull.start[0], upper = hull.start[0];
    for (std::size_t j = 0; j < K; ++j) {
        lower = lower.cwiseMin(hull.start[j]).cwiseMin(hull.end[j]);
        upper = upper.cwiseMax(hull.start[j]).cwiseMax(hull.end[j]);
    }
    return std::max(lower.maxCoeff(), -upper.minCoeff()) * (1 - 16 * kUnit) > separation;
}

struct NearestPoint {
    double distance;
    std::array<TurningDirection, 3> directions;  ///< to the point, fixed; across its edge; the plane's normal
};

/// Corners of the edge that the nearest point lies on, in a triangle; -1 at a corner and inside.
int edgeOpposite(const TrianglePoint& p) {
    int zero = -1, zeros = 0;
    for (int k = 0; k < 3; ++k) {
        if (p.weights[k] == 0) zero = k, ++zeros;
    }
    return zeros == 1 ? zero : -1;
}

/// Stays perpendicular to the edge, to first order, so that its two ends count the same.
TurningDirection acrossEdge(const Vec3& nearest, const Vec3& edge, const Vec3& edgeAtEnd) {
    const double lengthSq = edge.squaredNorm();
    if (!(lengthSq > 0)) return {nearest, nearest};
    const Vec3 n = nearest - (edge.dot(nearest) / lengthSq) * edge;
    return {n, n - (n.dot(edgeAtEnd - edge) / lengthSq) * edge};
}

/// The normal of the plane of e and f with its rate of turning, on the side of `nearest`.
TurningDirection turningNormal(const Vec3& e, const Vec3& f, const Vec3& eAtEnd, const Vec3& fAtEnd,
                               const Vec3& corner) {
    Vec3 n = e.cross(f);
    Vec3 atEnd = n + (eAtEnd - e).cross(f) + e.cross(fAtEnd - f);
    if (n.dot(corner) < 0) {
        n = -n;
        atEnd = -atEnd;
    }
    return {n, atEnd};
}

template <std::size_t K>
NearestPoint nearestOf(const HullFrom<K>& hull, const TrianglePoint& p, const std::array<int, 3>& corners) {
    NearestPoint nearest;
    nearest.distance = std::sqrt(p.distanceSq);
    nearest.directions[0] = {p.position, p.position};
    nearest.directions[1] = nearest.directions[0];
    const auto &x = hull.now, &y = hull.end;
    if (const int k = edgeOpposite(p); k >= 0) {
        const int i = corners[(k + 1) % 3], j = corners[(k + 2) % 3];
        nearest.directions[1] = acrossEdge(p.position, x[j] - x[i], y[j] - y[i]);
    }
    constexpr int last = K - 1;
    nearest.directions[2] = turningNormal(x[1] - x[0], x[last] - x[0], y[1] - y[0], y[last] - y[0], x[0]);
    return nearest;
}

NearestPoint nearestOf(const HullFrom<3>& hull) {
    const auto& d = hull.now;
    return nearestOf(hull, closestPointOnTriangle(Vec3::Zero(), d[0], d[1], d[2]), {0, 1, 2});
}

NearestPoint nearestOf(const HullFrom<4>& hull) {
    const auto& d = hull.now;
    const TrianglePoint p = closestPointOnTriangle(Vec3::Zero(), d[0], d[1], d[2]);
    const TrianglePoint q = closestPointOnTriangle(Vec3::Zero(), d[0], d[2], d[3]);
    return p.distanceSq <= q.distanceSq ? nearestOf(hull, p, {0, 1, 2}) : nearestOf(hull, q, {0, 2, 3});
}

template <std::size_t K>
std::optional<double> firstTouch(const MovingHull<K>& hull, const TouchOptions& options) {
    if (!hull.finite()) return 0.0;
    if (separatedByAxis(hull, options.separation)) return std::nullopt;
    const double near = options.separation + options.tolerance * hull.extent();
    double t = 0;  // no touch before it
    for (int i = 0; i < options.iterations; ++i) {
        const HullFrom<K> rest(hull, t);
        const NearestPoint nearest = nearestOf(rest);
        double part = kNever;
        for (const TurningDirection& n : nearest.directions)
            part = std::max(part, separatedFor(rest, n, options.separation));
        if (part == kAlways) return std::nullopt;
        const double next = (t + part * (1 - t)) * (1 - 4 * kUnit);
        if (!(next > t)) return t;
        const bool close = !(nearest.distance > near);
        if (close && next - t < options.tolerance) return next;
        t = next;
    }
    return t;
}
}  // namespace

std::optional<double> vertexFaceTouch(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end,
                                      const TouchOptions& options) {
    MovingHull<3> hull;
    for (int j = 0; j < 3; ++j) {
        hull.start[j] = start[0] - start[j + 1];
        hull.end[j] = end[0] - end[j + 1];
    }
    return firstTouch(hull, options);
}

std::optional<double> edgeEdgeTouch(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end,
                                    const TouchOptions& options) {
    constexpr int kAround[4][2] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}};
    MovingHull<4> hull;
    for (int j = 0; j < 4; ++j) {
        hull.start[j] = start[kAround[j][0]] - start[kAround[j][1]];
        hull.end[j] = end[kAround[j][0]] - end[kAround[j][1]];
    }
    return firstTouch(hull, options);
}

}  // namespace sunder
