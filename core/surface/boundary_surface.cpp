#include "core/surface/boundary_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 4096;

/// Angle at corner k; atan2 stays right for needles.
double cornerAngle(const Tri& t, int k, Span<const Vec3> x) {
    const Vec3 u = x[t[(k + 1) % 3]] - x[t[k]], v = x[t[(k + 2) % 3]] - x[t[k]];
    return std::atan2(u.cross(v).norm(), u.dot(v));
}
}  // namespace

BoundarySurface extractBoundary(const TetMesh& mesh) {
    BoundarySurface surface;
    const auto neighbors = buildTetNeighbors(mesh.tets, mesh.vertexCount());
    std::vector<std::uint8_t> onSurface(mesh.vertexCount(), 0);
    for (const BoundaryFace& face : collectBoundaryFaces(mesh.tets, neighbors)) {
        surface.triangles.push_back(face.vertices);
        surface.tet.push_back(face.tet);
        for (const std::int32_t v : face.vertices) onSurface[v] = 1;
    }
    for (std::size_t v = 0; v < onSurface.size(); ++v)
        if (onSurface[v]) surface.vertices.push_back(static_cast<std::int32_t>(v));
    return surface;
}

TriMesh boundaryMesh(const TetMesh& mesh) {
    const BoundarySurface boundary = extractBoundary(mesh);
    std::vector<std::int32_t> number(mesh.vertexCount(), -1);
    TriMesh surface;
    for (const std::int32_t v : boundary.vertices) {
        number[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(surface.positions.size());
        surface.positions.push_back(mesh.rest[static_cast<std::size_t>(v)]);
    }
    surface.triangles = boundary.triangles;
    for (Tri& triangle : surface.triangles)
        for (std::int32_t& v : triangle) v = number[static_cast<std::size_t>(v)];
    return surface;
}

std::vector<Vec3> triangleAreaVectors(Span<const Tri> triangles, Span<const Vec3> x) {
    std::vector<Vec3> area(triangles.size());
    parallelFor(triangles.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Tri& t = triangles[i];
            area[i] = 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
        }
    });
    return area;
}

std::vector<Vec3> vertexNormals(Span<const Tri> triangles, Span<const Vec3> x) {
    const std::vector<Vec3> area = triangleAreaVectors(triangles, x);
    std::vector<Vec3> normals(x.size(), Vec3::Zero());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Vec3 n = area[i].normalized();
        for (int k = 0; k < 3; ++k) normals[triangles[i][k]] += cornerAngle(triangles[i], k, x) * n;
    }
    parallelFor(normals.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) normals[v] = normals[v].normalized();
    });
    return normals;
}

}  // namespace sunder
