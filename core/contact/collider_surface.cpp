#include "core/contact/collider_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/contact/grown_boxes.h"
#include "core/spatial/aabb.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 4096;

Vec3 middleOf(const Tri& t, Span<const Vec3> x) { return (x[t[0]] + x[t[1]] + x[t[2]]) / 3; }

void validateIndices(const ColliderSurface& surface) {
    const auto count = static_cast<std::int32_t>(surface.positions.size());
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        for (const std::int32_t v : surface.triangles[t])
            if (v < 0 || v >= count)
                throw Error(format("triangle %zu of the collider names vertex %d, but there are %d", t, v, count),
                            "Give the collider positions and triangles of the same frame.");
}

/// For every triangle whether an earlier one has the same vertices.
std::vector<std::uint8_t> findDuplicates(const ColliderSurface& surface) {
    std::vector<Tri> sorted = surface.triangles;
    for (Tri& t : sorted) std::sort(t.begin(), t.end());
    std::vector<std::int32_t> order(sorted.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) { return sorted[i] != sorted[j] ? sorted[i] < sorted[j] : i < j; });
    std::vector<std::uint8_t> duplicate(sorted.size(), 0);
    for (std::size_t k = 1; k < order.size(); ++k) duplicate[order[k]] = sorted[order[k]] == sorted[order[k - 1]];
    return duplicate;
}
}  // namespace

void ColliderTrouble::add(std::size_t at, const Vec3& where) {
    if (count++ > 0) return;
    triangle = static_cast<std::int32_t>(at);
    position = where;
}

std::string ColliderReport::summary() const {
    std::string text;
    const auto say = [&](const ColliderTrouble& t, const char* what) {
        const Vec3& p = t.position;
        if (t.count > 0) text += format("%zu %s, first at triangle %d near (%.4g, %.4g, %.4g).\n", t.count, what, t.triangle, p.x(), p.y(), p.z());
    };
    say(repeated, "triangles use a vertex twice and are left out");
    say(duplicate, "triangles repeat others and are left out");
    say(flat, "triangles have no area and collide with nothing");
    say(crowdedEdge, "edges have more than two triangles: what meets there collides on both sides");
    say(turned, "triangles faced another way than most of their part and were turned");
    say(insideOut, "closed parts were inside out and were turned");
    say(twisted, "parts have no outside, as a Moebius strip, and collide on both sides");
    say(noVolume, "closed parts have no volume and collide on both sides");
    say(thinned, "triangles have a thinner layer, as the opposite side is near: bodies pass them more easily");
    say(shortened, "triangles have a thinner layer, as it would fold: bodies pass them more easily");
    say(givenUp, "triangles have a layer that tapers to nothing at a corner where they are folded sharply: bodies pass there");
    return text;
}

bool isFlat(const Vec3& a, const Vec3& b, const Vec3& c) {
    constexpr double kFlat = 1e-10;
    const double longestSq = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    return !((b - a).cross(c - a).norm() > kFlat * longestSq);
}

void validateColliderPositions(Span<const Vec3> positions) {
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!(positions[v].array().abs() <= kLargestPosition).all())
            throw Error(format("vertex %zu of the collider is at (%g, %g, %g)", v, positions[v].x(), positions[v].y(), positions[v].z()),
                        "Remove or repair the points whose position is not a number.");
}

std::vector<std::int32_t> findUsableTriangles(const ColliderSurface& surface, ColliderReport& report) {
    if (!(surface.thickness >= 0) || !std::isfinite(surface.thickness))
        throw Error(format("the collider's thickness is %g m", surface.thickness), "Use a thickness above 0, or 0 to have it chosen.");
    validateIndices(surface);
    validateColliderPositions(surface.positions);
    const std::vector<std::uint8_t> duplicate = findDuplicates(surface);
    const std::vector<Vec3>& x = surface.positions;
    std::vector<std::int32_t> usable;
    for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
        const Tri& t = surface.triangles[i];
        const bool repeats = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
        if (repeats || duplicate[i]) {
            (repeats ? report.repeated : report.duplicate).add(i, middleOf(t, x));
            continue;
        }
        if (isFlat(x[t[0]], x[t[1]], x[t[2]])) report.flat.add(i, middleOf(t, x));
        usable.push_back(static_cast<std::int32_t>(i));
    }
    if (usable.size() == report.flat.count)
        throw Error(format("none of the collider's %zu triangles has an area", surface.triangles.size()),
                    "Give it polygons with at least three points that are not in a line.");
    return usable;
}

bool topologyMatches(const ColliderSurface& a, const ColliderSurface& b) {
    return a.positions.size() == b.positions.size() && a.triangles == b.triangles;
}

ColliderMove measureMove(Span<const Vec3> before, Span<const Vec3> after) {
    if (before.size() != after.size())
        throw Error(format("the collider has %zu vertices at the start of the frame and %zu at its end", before.size(), after.size()),
                    "Compare topologies first, and build the collider anew where they differ.");
    ColliderMove move;
    Aabb box;
    double largestSq = -1;
    for (std::size_t v = 0; v < before.size(); ++v) {
        box.extend(before[v]);
        const double waySq = (after[v] - before[v]).squaredNorm();
        if (!(waySq > largestSq)) continue;
        largestSq = waySq;
        move.vertex = static_cast<std::int32_t>(v);
    }
    move.largest = std::sqrt(std::max(0.0, largestSq));
    if (move.largest > 0) move.share = move.largest / box.diagonal();
    return move;
}

void moveRigidly(Span<const Vec3> rest, const Motion& motion, double time, Span<Vec3> x, Span<Vec3> v) {
    parallelFor(rest.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            x[i] = motion.apply(rest[i], time);
            v[i] = motion.velocity(rest[i], time);
        }
    });
}

void moveBetween(const ColliderFrame& frame, double fraction, Span<Vec3> x, Span<Vec3> v) {
    SUNDER_ASSERT(frame.duration > 0 && frame.start.size() == frame.end.size());
    parallelFor(frame.start.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 way = frame.end[i] - frame.start[i];
            x[i] = fraction == 1 ? frame.end[i] : Vec3(frame.start[i] + fraction * way);
            v[i] = way / frame.duration;
        }
    });
}

}  // namespace sunder
