#include "core/body/weak_patterns.h"

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/random.h"

namespace sunder {

namespace {
constexpr double kSlant = 0.7;  // tangent of the largest slant of a splinter's end
constexpr double kTurn = 6.283185307179586;

using Cell = std::array<std::int64_t, 3>;

std::uint64_t keyOf(std::uint64_t seed, const Cell& cell) {
    return randomBits(randomBits(randomBits(seed, static_cast<std::uint64_t>(cell[0])), static_cast<std::uint64_t>(cell[1])), static_cast<std::uint64_t>(cell[2]));
}

/// Points of a grid of cubes of size 1, one in each, or of squares where `flat`.
struct Sites {
    std::uint64_t seed;
    double jitter;
    bool flat;

    Vec3 at(const Cell& cell) const {
        const std::uint64_t key = keyOf(seed, cell);
        Vec3 p;
        for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(cell[static_cast<std::size_t>(k)]) + 0.5 + (jitter > 0 ? jitter * (randomUnit(key, static_cast<std::uint64_t>(k)) - 0.5) : 0);
        if (flat) p.z() = 0;
        return p;
    }
    /// Calls visit(cell) for all cubes within two of one.
    template <class Visit>
    void visitAround(const Cell& middle, Visit visit) const {
        const std::int64_t high = flat ? 0 : 2;
        for (std::int64_t i = -2; i <= 2; ++i)
            for (std::int64_t j = -2; j <= 2; ++j)
                for (std::int64_t k = -high; k <= high; ++k) visit(Cell{middle[0] + i, middle[1] + j, middle[2] + k});
    }
    Cell nearest(const Vec3& p) const {
        Cell best{}, home{static_cast<std::int64_t>(std::floor(p.x())), static_cast<std::int64_t>(std::floor(p.y())), flat ? 0 : static_cast<std::int64_t>(std::floor(p.z()))};
        double bestSq = 1e300;
        visitAround(home, [&](const Cell& cell) {
            const double distanceSq = (at(cell) - p).squaredNorm();
            if (distanceSq >= bestSq) return;
            bestSq = distanceSq;
            best = cell;
        });
        return best;
    }
};

/// The nearest wall of the Voronoi cell that p lies in: of all planes half way to another site the nearest one bounds the cell.
WeakPoint nearestWall(const Sites& sites, const Vec3& p) {
    const Cell own = sites.nearest(p);
    const Vec3 site = sites.at(own);
    WeakPoint found;
    found.cell = keyOf(sites.seed, own);
    sites.visitAround(own, [&](const Cell& cell) {
        if (cell == own) return;
        const Vec3 other = sites.at(cell), way = other - site;
        const double length = way.norm(), distance = (0.5 * (site + other) - p).dot(way) / length;
        if (distance >= found.distance) return;
        found.distance = std::max(0.0, distance);
        found.direction = way / length;
    });
    return found;
}

/// Of planes at offset + whole numbers along one axis.
double distanceToPlanes(double at) {
    const double share = at - std::floor(at);
    return std::min(share, 1 - share);
}

/// Two directions across an axis.
Mat3 axesAround(const Vec3& axis) {
    Mat3 m;
    m.col(2) = axis.normalized();
    m.col(0) = m.col(2).unitOrthogonal();
    m.col(1) = m.col(2).cross(m.col(0));
    return m;
}

void takeNearer(WeakPoint& best, double distance, const Vec3& direction) {
    if (distance >= best.distance) return;
    best.distance = distance;
    best.direction = direction;
}
}  // namespace

WeakPoint nearestWeak(const VoronoiPattern& pattern, std::uint64_t seed, const Vec3& p) {
    WeakPoint found = nearestWall({seed, pattern.jitter, false}, p / pattern.size);
    found.distance *= pattern.size;
    return found;
}

WeakPoint nearestWeak(const GrainPattern& pattern, std::uint64_t seed, const Vec3& p) {
    const Mat3 axes = axesAround(pattern.axis);
    const Vec3 local = axes.transpose() * p;
    WeakPoint found = nearestWall({seed, pattern.jitter, true}, Vec3(local.x(), local.y(), 0) / pattern.size);
    found.distance *= pattern.size;
    found.direction = axes * found.direction;
    if (pattern.length <= 0) return found;
    const std::uint64_t column = found.cell;
    const double angle = kTurn * randomUnit(column, 1), slant = pattern.jitter * kSlant * randomUnit(column, 2);
    const Vec3 across(slant * std::cos(angle), slant * std::sin(angle), 1);
    const double at = local.dot(across) / pattern.length + randomUnit(column, 3);
    found.cell = randomBits(column, static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(at))), 4);
    takeNearer(found, distanceToPlanes(at) * pattern.length / across.norm(), axes * across.normalized());
    return found;
}

WeakPoint nearestWeak(const BrickPattern& pattern, std::uint64_t, const Vec3& p) {
    const double course = std::floor(p.y() / pattern.size.y());
    const double shift = std::fmod(std::abs(course), 2.0) != 0 ? 0.5 : 0;
    Vec3 at(p.x() / pattern.size.x() + shift, p.y() / pattern.size.y(), 0);
    if (pattern.size.z() > 0) at.z() = p.z() / pattern.size.z();
    WeakPoint found;
    for (int k = 0; k < (pattern.size.z() > 0 ? 3 : 2); ++k)
        takeNearer(found, std::max(0.0, distanceToPlanes(at[k]) * pattern.size[k] - 0.5 * pattern.mortar), Vec3::Unit(k));
    found.cell = keyOf(0, {static_cast<std::int64_t>(std::floor(at.x())), static_cast<std::int64_t>(course), static_cast<std::int64_t>(std::floor(at.z()))});
    return found;
}

namespace {
/// Angle of a ray, in turns; rays go around.
double rayAngle(const RadialPattern& pattern, std::uint64_t seed, int ray) {
    const int number = (ray % pattern.rays + pattern.rays) % pattern.rays;
    return (ray + pattern.jitter * (randomUnit(seed, static_cast<std::uint64_t>(number), 1) - 0.5)) / pattern.rays;
}

/// Radius of a ring between two rays.
double ringRadius(const RadialPattern& pattern, std::uint64_t seed, int sector, int ring) {
    if (ring < 0) return 0;
    const double g = pattern.growth, gap = pattern.ring * std::pow(g, ring);
    const double radius = g == 1 ? pattern.ring * (ring + 1) : pattern.ring * (std::pow(g, ring + 1) - 1) / (g - 1);
    return radius + pattern.jitter * gap * (randomUnit(randomBits(seed, static_cast<std::uint64_t>(sector)), static_cast<std::uint64_t>(ring), 2) - 0.5);
}

/// Number of the first ring outside of r.
int ringBeyond(const RadialPattern& pattern, std::uint64_t seed, int sector, double r) {
    constexpr int kMostRings = 1000;
    int ring = 0;
    while (ring < kMostRings && ringRadius(pattern, seed, sector, ring) <= r) ++ring;
    return ring;
}
}  // namespace

WeakPoint nearestWeak(const RadialPattern& pattern, std::uint64_t seed, const Vec3& p) {
    const Mat3 axes = axesAround(pattern.axis);
    const Vec3 local = axes.transpose() * (p - pattern.center);
    const double r = std::hypot(local.x(), local.y());
    WeakPoint found;
    if (pattern.radius > 0 && r > pattern.radius) return found;
    const double turns = std::atan2(local.y(), local.x()) / kTurn;
    int sector = static_cast<int>(std::floor(turns * pattern.rays)) - 1;  // rays are moved by less than their distance
    while (rayAngle(pattern, seed, sector + 1) <= turns) ++sector;
    for (const int ray : {sector, sector + 1}) {
        const double away = kTurn * std::abs(turns - rayAngle(pattern, seed, ray)), at = kTurn * rayAngle(pattern, seed, ray);
        takeNearer(found, away < 0.25 * kTurn ? r * std::sin(away) : r, axes * Vec3(-std::sin(at), std::cos(at), 0));
    }
    const int number = (sector % pattern.rays + pattern.rays) % pattern.rays;
    int ring = 0;
    if (pattern.ring > 0 && r > 0) {
        ring = ringBeyond(pattern, seed, number, r);
        const Vec3 outward = axes * Vec3(local.x() / r, local.y() / r, 0);
        takeNearer(found, ringRadius(pattern, seed, number, ring) - r, outward);
        if (ring > 0) takeNearer(found, r - ringRadius(pattern, seed, number, ring - 1), outward);
    }
    found.cell = keyOf(seed, {number, ring, 0});
    return found;
}

}  // namespace sunder
