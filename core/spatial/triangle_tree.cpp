#include "core/spatial/triangle_tree.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace sunder {

std::vector<Aabb> triangleBoxes(Span<const Vec3> positions, Span<const Tri> triangles) {
    std::vector<Aabb> boxes(triangles.size());
    parallelFor(triangles.size(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            boxes[i] =
                boxOf(positions[triangles[i][0]], positions[triangles[i][1]], positions[triangles[i][2]]);
    });
    return boxes;
}

TriangleTree::TriangleTree(Span<const Vec3> positions, Span<const Tri> triangles)
    : positions_(positions), triangles_(triangles), bvh_(triangleBoxes(positions, triangles)) {}

std::array<Vec3, 3> TriangleTree::corners(std::int32_t triangle) const {
    const Tri& t = triangles_[triangle];
    return {positions_[t[0]], positions_[t[1]], positions_[t[2]]};
}

TriangleTree::Closest TriangleTree::closest(const Vec3& p, double withinSq) const {
    Closest best;
    best.distanceSq = withinSq;
    TrianglePoint found{};
    double smallest = withinSq;
    best.triangle = bvh_.nearest(p, best.distanceSq, [&](std::int32_t i) {
        const auto c = corners(i);
        const TrianglePoint q = closestPointOnTriangle(p, c[0], c[1], c[2]);
        if (q.distanceSq < smallest) {
            smallest = q.distanceSq;
            found = q;
        }
        return q.distanceSq;
    });
    if (best.triangle >= 0) {
        best.position = found.position;
        best.weights = found.weights;
    }
    return best;
}

std::optional<TriangleTree::Hit> TriangleTree::firstHit(const Vec3& origin, const Vec3& direction,
                                                        double tMax) const {
    std::optional<Hit> first;
    bvh_.queryRay(origin, direction, tMax, [&](std::int32_t i) {
        const auto t = rayTriangle(origin, direction, first ? first->t : tMax, corners(i));
        if (t && (!first || *t < first->t || (*t == first->t && i < first->triangle))) first = Hit{i, *t};
    });
    return first;
}

std::vector<TriangleTree::Hit> TriangleTree::crossings(const Vec3& a, const Vec3& b) const {
    std::vector<Hit> hits;
    const Vec3 direction = b - a;
    bvh_.queryRay(a, direction, 1.0, [&](std::int32_t i) {
        if (const auto t = rayTriangle(a, direction, 1.0, corners(i))) hits.push_back({i, *t});
    });
    std::sort(hits.begin(), hits.end(), [](const Hit& x, const Hit& y) {
        return x.t < y.t || (x.t == y.t && x.triangle < y.triangle);
    });
    return hits;
}

}  // namespace sunder
