#pragma once

#include "core/base/monitor.h"
#include "core/sim/cache_frame.h"

namespace sunder {

/// A render mesh bound at rest to the tets of a frame. Every point follows the tet that holds it, or the nearest one. Where cracks run through the mesh
/// each polygon goes with the tet that holds its middle: of its points, those that lie across a crack are split, and their copies follow the tets on the
/// polygon's side. So polygons never reach over a crack, but for those that are larger than what a crack has opened of the body.
/// It holds for all frames with the same topology.
class RenderMap {
  public:
    /// Throws Error for a mesh without polygons or with points that are not numbers.
    RenderMap(const Geometry& render, const CacheFrame& frame, Monitor* monitor = nullptr);

    /// The mesh in the shape of a frame of that topology: its primitives, attributes and groups, points split; `v` of the points is that of the
    /// tets, `N` is turned with them, `name` of primitives is the piece's (the mesh's own goes to `rendername`). The faces that cracks opened
    /// follow in the group `inside`, with a projected `uv`; the mesh's own are in `outside`. `uv` is one of vertices, also where the mesh has it on points; what the faces of
    /// cracks have of the tets' attributes is converted to the types of the mesh's.
    Geometry deform(const Geometry& render, const CacheFrame& frame, Monitor* monitor = nullptr) const;

    /// Equal for meshes and frames that one map serves.
    static std::uint64_t identity(const Geometry& render, const CacheFrame& frame);

    std::size_t pointCount() const { return source_.size(); }
    std::size_t splitCount() const { return source_.size() - renderPoints_; }  ///< points beyond those of the mesh
    std::size_t outsideCount() const { return outside_; }                      ///< points that no tet holds

  private:
    void splitAtCracks(const Geometry& render, Monitor* monitor);
    std::vector<Vec3> interpolate(const std::vector<Vec3>& values, Monitor* monitor) const;
    void turnNormals(Geometry& geometry, const CacheFrame& frame, Monitor* monitor) const;
    Vec3 turned(std::int32_t point, const Vec3& normal, const std::vector<Vec3>& x) const;

    TetMesh mesh_;                          ///< at rest
    std::vector<std::int32_t> source_;      ///< point of the mesh, of every point here
    std::vector<std::int32_t> tet_;         ///< that it follows
    std::vector<Vec4> weights_;
    std::vector<std::int32_t> vertexPoint_;   ///< of every vertex
    std::vector<std::int32_t> primitiveTet_;  ///< that a primitive goes with
    std::size_t renderPoints_ = 0, outside_ = 0;
};

}  // namespace sunder
