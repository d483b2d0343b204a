#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/meshing/half_winding.h"
#include "core/sim/scene_shapes.h"

namespace sunder {

namespace {
constexpr double kCellShare = 0.75;  // of the wall
constexpr double kMostCells = 200;   // along the longest side

/// Which elements of the surface those of the inner wall take their attributes from: the nearest.
struct InnerSources {
    std::vector<std::int32_t> points, vertices, primitives;

    /// The surface's own elements come first, as they are.
    explicit InnerSources(const Geometry& surface) : points(surface.pointCount()), vertices(surface.vertexCount()), primitives(surface.primitiveCount()) {
        for (std::vector<std::int32_t>* own : {&points, &vertices, &primitives}) std::iota(own->begin(), own->end(), 0);
    }
    void addPoint(const TriMesh& outer, const TriangleTree::Closest& nearest) {
        Eigen::Index corner = 0;
        nearest.weights.maxCoeff(&corner);
        points.push_back(outer.triangles[static_cast<std::size_t>(nearest.triangle)][static_cast<std::size_t>(corner)]);
    }
    void addTriangle(const Geometry& surface, const TriMesh& outer, const TriangleTree::Closest& nearest) {
        const std::int32_t primitive = outer.face[static_cast<std::size_t>(nearest.triangle)];
        primitives.push_back(primitive);
        vertices.insert(vertices.end(), 3, surface.primitiveFirstVertex[static_cast<std::size_t>(primitive)]);
    }
};
}  // namespace

Geometry hollowSurface(const Geometry& surface, double thickness) {
    const TriMesh outer = triMeshFromGeometry(surface);
    const HalfWinding solid(outer);
    const auto distance = [&](const Vec3& p) {
        const double away = std::sqrt(solid.tree().closest(p).distanceSq);
        return solid.inside(p) ? thickness - away : thickness + away;
    };
    const Aabb box = solid.bounds();
    const double cell = std::max(kCellShare * thickness, (box.upper - box.lower).maxCoeff() / kMostCells);
    const TriMesh inner = surfaceOf(distance, box.lower - Vec3::Constant(cell), box.upper + Vec3::Constant(cell), cell);
    if (inner.triangleCount() == 0)
        throw Error(format("a wall of %g m leaves no room inside", thickness), "make `hollow` smaller than half of the part that is to be hollow");
    Geometry both = surface;
    InnerSources sources(surface);
    const auto first = static_cast<std::int32_t>(surface.pointCount());
    for (const Vec3& p : inner.positions) {
        both.positions.push_back(p);
        sources.addPoint(outer, solid.tree().closest(p));
    }
    for (const Tri& t : inner.triangles) {
        const std::array<std::int32_t, 3> turned = {first + t[0], first + t[2], first + t[1]};
        both.addPrimitive(PrimitiveKind::kPolygon, {turned.data(), turned.size()});
        sources.addTriangle(surface, outer, solid.tree().closest(inner.positions[static_cast<std::size_t>(t[0])]));
    }
    both.points = gatherAttributes(surface.points, sources.points);
    both.vertices = gatherAttributes(surface.vertices, sources.vertices);
    both.primitives = gatherAttributes(surface.primitives, sources.primitives);
    return both;
}

}  // namespace sunder
