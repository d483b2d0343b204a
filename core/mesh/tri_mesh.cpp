#include "core/mesh/tri_mesh.h"

#include <Eigen/Geometry>

namespace sunder {

namespace {
Vec3 areaVector(const std::vector<Vec3>& positions, Span<const std::int32_t> polygon) {
    Vec3 sum = Vec3::Zero();
    const Vec3 origin = positions[static_cast<std::size_t>(polygon[0])];
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
        sum += (positions[static_cast<std::size_t>(polygon[i])] - origin)
                   .cross(positions[static_cast<std::size_t>(polygon[i + 1])] - origin);
    return sum;
}

bool insideTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) {
    return (b - a).cross(p - a).dot(normal) >= 0 && (c - b).cross(p - b).dot(normal) >= 0 && (a - c).cross(p - c).dot(normal) >= 0;
}

/// True if corner `i` of what is left of the polygon is convex and no other corner lies in its triangle.
bool isEar(const std::vector<Vec3>& positions, const std::vector<std::int32_t>& left, std::size_t i, const Vec3& normal) {
    const std::size_t n = left.size();
    const auto at = [&](std::size_t k) -> const Vec3& { return positions[static_cast<std::size_t>(left[k % n])]; };
    const Vec3 &a = at(i + n - 1), &b = at(i), &c = at(i + 1);
    if ((b - a).cross(c - b).dot(normal) <= 0) return false;
    for (std::size_t k = i + 2; k < i + n - 1; ++k)
        if (insideTriangle(at(k), a, b, c, normal)) return false;
    return true;
}

void clipEars(const std::vector<Vec3>& positions, Span<const std::int32_t> polygon, std::vector<Tri>& out) {
    std::vector<std::int32_t> left(polygon.begin(), polygon.end());
    const Vec3 normal = areaVector(positions, polygon);
    while (left.size() > 3) {
        std::size_t ear = 0;
        while (ear < left.size() && !isEar(positions, left, ear, normal)) ++ear;
        if (ear == left.size()) ear = 1;  // degenerate polygon: any cut is as good as another
        const std::size_t n = left.size();
        out.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    out.push_back({left[0], left[1], left[2]});
}
}  // namespace

TriMesh triMeshFromGeometry(const Geometry& geometry) {
    TriMesh mesh;
    mesh.positions = geometry.positions;
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        if (geometry.primitiveKind[p] != PrimitiveKind::kPolygon || geometry.primitiveSize(p) < 3) continue;
        const auto q = geometry.primitivePoints(p);
        const auto at = [&](std::size_t k) -> const Vec3& { return geometry.positions[static_cast<std::size_t>(q[k])]; };
        if (q.size() == 3) {
            mesh.triangles.push_back({q[0], q[1], q[2]});
        } else if (q.size() == 4 && (at(0) - at(2)).squaredNorm() <= (at(1) - at(3)).squaredNorm()) {
            mesh.triangles.push_back({q[0], q[1], q[2]});
            mesh.triangles.push_back({q[0], q[2], q[3]});
        } else if (q.size() == 4) {
            mesh.triangles.push_back({q[0], q[1], q[3]});
            mesh.triangles.push_back({q[1], q[2], q[3]});
        } else {
            clipEars(geometry.positions, q, mesh.triangles);
        }
        mesh.face.resize(mesh.triangles.size(), static_cast<std::int32_t>(p));
    }
    return mesh;
}

Geometry geometryFromTriMesh(const TriMesh& mesh) {
    Geometry geometry;
    geometry.positions = mesh.positions;
    for (const Tri& t : mesh.triangles) geometry.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
    return geometry;
}

}  // namespace sunder
