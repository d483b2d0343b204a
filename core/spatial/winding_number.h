#pragma once

#include <array>
#include <vector>

#include "core/spatial/bvh.h"

namespace sunder {

/// Generalized winding number of a triangle soup: 1 inside a closed surface, 0 outside, in between near
/// holes; 2 where two solids overlap, -1 inside a surface turned inside out. Far groups of triangles are seen
/// as their first two moments (Barill et al. 2018). Positions and triangles must outlive it.
class WindingNumber {
  public:
    /// A group counts as far beyond `accuracy` times its radius; larger is more exact and slower.
    WindingNumber(Span<const Vec3> positions, Span<const Tri> triangles, double accuracy = 2.0);

    double at(const Vec3& p) const;
    /// The sum over all triangles, without the hierarchy.
    double exactAt(const Vec3& p) const;

  private:
    /// Moments of the area vectors n dA of a node's triangles about `center`, over 4 pi; y = x - center.
    struct Moments {
        Vec3 center, dipole;  ///< integral of n
        Mat3 quadrupole;      ///< integral of n y^T
        Vec3 octupoleTrace;   ///< integral of 2 (n . y) y + (y . y) n
        std::array<double, 10>
            cubic;     ///< (n . d) (y . d)^2 as a polynomial of d: xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz
        double farSq;  ///< squared distance beyond which the node may be seen from afar
    };
    Moments momentsOf(const Bvh::Node& node) const;
    void addTriangle(std::int32_t triangle, Moments& moments) const;
    double near(const Bvh::Node& node, const Vec3& p) const;
    static double far(const Moments& moments, const Vec3& d, double distanceSq);

    Span<const Vec3> positions_;
    Span<const Tri> triangles_;
    Bvh bvh_;
    std::vector<Moments> moments_;
};

}  // namespace sunder
