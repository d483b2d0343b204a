#pragma once

#include <cmath>

#include "core/mesh/tri_mesh.h"
#include "core/spatial/triangle_tree.h"
#include "core/spatial/winding_number.h"

namespace sunder {

/// The solid that a triangle soup means: where its winding number is at least one half, by amount, so that
/// shells turned inside out count too. The mesh must outlive it.
class HalfWinding {
  public:
    explicit HalfWinding(const TriMesh& mesh)
        : triangles_(mesh.triangles),
          winding_(mesh.positions, mesh.triangles),
          tree_(mesh.positions, mesh.triangles) {}

    bool inside(const Vec3& p) const { return std::abs(winding_.at(p)) >= 0.5; }
    /// t in (0, 1) where the solid's boundary crosses the segment from a point inside to a point outside it.
    double crossing(const Vec3& in, const Vec3& out) const;
    /// Volume of the solid from a regular grid of about `samples` points; m^3.
    double estimateVolume(int samples) const;

    /// Of all triangles, m^2.
    double area() const;

    const WindingNumber& winding() const { return winding_; }
    const TriangleTree& tree() const { return tree_; }
    Aabb bounds() const { return tree_.bvh().bounds(); }

  private:
    Span<const Tri> triangles_;
    WindingNumber winding_;
    TriangleTree tree_;
};

}  // namespace sunder
