#pragma once

#include <cstdint>
#include <vector>

#include "core/base/monitor.h"
#include "core/base/span.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// A render mesh embedded in a solid: every point follows the tet that holds it. Points outside the solid
/// follow the nearest boundary tet, extrapolated.
class SurfaceMap {
  public:
    SurfaceMap() = default;
    /// Embeds points given at the solid's rest.
    SurfaceMap(const TetMesh& mesh, Span<const Vec3> points, Monitor* monitor = nullptr);

    std::size_t size() const { return tet_.size(); }
    Span<const std::int32_t> tets() const { return tet_; }
    Span<const Vec4> weights() const { return weights_; }  ///< barycentric; negative where extrapolated
    std::size_t outsideCount() const { return outside_; }

    /// Values of the solid's vertices (positions, velocities) at the embedded points.
    std::vector<Vec3> interpolate(const TetMesh& mesh, Span<const Vec3> vertexValues) const;
    /// Rest normals of the points carried by their element's deformation: cof(F) n, unit length. It is the
    /// normal of the deformed surface, equals R n in a rotation, and exists for flat elements as well.
    std::vector<Vec3> deformNormals(const TetMesh& mesh, Span<const Vec3> x,
                                    Span<const Vec3> restNormals) const;

  private:
    std::vector<std::int32_t> tet_;
    std::vector<Vec4> weights_;
    std::size_t outside_ = 0;
};

/// Barycentric weights of p in a tet, any p.
Vec4 barycentricWeights(const TetMesh& mesh, std::int32_t tet, const Vec3& p);

}  // namespace sunder
