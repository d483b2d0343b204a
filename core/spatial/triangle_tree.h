#pragma once

#include <optional>

#include "core/spatial/bvh.h"
#include "core/spatial/triangle.h"

namespace sunder {

/// Closest points and rays on a triangle mesh. Keeps copies of nothing: positions and triangles must outlive
/// it.
class TriangleTree {
  public:
    struct Closest {
        std::int32_t triangle = -1;  ///< -1 if nothing is within the distance asked for
        Vec3 position = Vec3::Zero(), weights = Vec3::Zero();
        double distanceSq = 0;
    };
    struct Hit {
        std::int32_t triangle;
        double t;
    };

    TriangleTree() = default;
    TriangleTree(Span<const Vec3> positions, Span<const Tri> triangles);

    const Bvh& bvh() const { return bvh_; }
    std::array<Vec3, 3> corners(std::int32_t triangle) const;
    Closest closest(const Vec3& p, double withinSq = std::numeric_limits<double>::infinity()) const;
    std::optional<Hit> firstHit(const Vec3& origin, const Vec3& direction, double tMax) const;
    /// Every crossing of the segment from a to b, t in [0, 1], sorted by t and triangle.
    std::vector<Hit> crossings(const Vec3& a, const Vec3& b) const;

  private:
    Span<const Vec3> positions_;
    Span<const Tri> triangles_;
    Bvh bvh_;
};

/// Boxes of triangles, in their order.
std::vector<Aabb> triangleBoxes(Span<const Vec3> positions, Span<const Tri> triangles);

}  // namespace sunder
