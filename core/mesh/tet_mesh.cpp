#include "core/mesh/tet_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

double signedVolume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).dot((c - a).cross(d - a)) / 6.0;
}

double restVolume(const TetMesh& mesh, std::size_t tet) {
    const Tet& t = mesh.tets[tet];
    const auto& r = mesh.rest;
    return signedVolume(r[static_cast<std::size_t>(t[0])], r[static_cast<std::size_t>(t[1])],
                        r[static_cast<std::size_t>(t[2])], r[static_cast<std::size_t>(t[3])]);
}

DihedralRange dihedralRange(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 p[4] = {a, b, c, d};
    Vec3 normal[4];
    for (int i = 0; i < 4; ++i)
        normal[i] = (p[kTetFaces[i][1]] - p[kTetFaces[i][0]]).cross(p[kTetFaces[i][2]] - p[kTetFaces[i][0]]);
    DihedralRange range{M_PI, 0};
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) {
            // atan2 keeps its accuracy for needles and slivers, where acos of a dot product does not
            const double angle = std::atan2(normal[i].cross(normal[j]).norm(), -normal[i].dot(normal[j]));
            range.smallest = std::min(range.smallest, angle);
            range.largest = std::max(range.largest, angle);
        }
    return range;
}

double tetAltitude(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 p[4] = {a, b, c, d};
    double largest = 0;
    for (const auto& f : kTetFaces) largest = std::max(largest, 0.5 * (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).norm());
    return 3 * signedVolume(a, b, c, d) / largest;
}

double tetQuality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 p[4] = {a, b, c, d};
    double lengthSq = 0;
    for (const auto& e : kTetEdges) lengthSq += (p[e[0]] - p[e[1]]).squaredNorm();
    if (lengthSq == 0) return 0;
    return 6.0 * std::sqrt(2.0) * signedVolume(a, b, c, d) / std::pow(lengthSq / 6.0, 1.5);
}

void validate(const TetMesh& mesh) {
    const auto count = static_cast<std::int32_t>(mesh.vertexCount());
    for (std::size_t i = 0; i < mesh.vertexCount(); ++i)
        if (!mesh.rest[i].allFinite())
            throw Error(format("vertex %zu has a coordinate that is not a number", i), "remove or repair that point");
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        Tet sorted = mesh.tets[t];
        std::sort(sorted.begin(), sorted.end());
        if (sorted.front() < 0 || sorted.back() >= count)
            throw Error(format("tet %zu refers to a vertex that does not exist", t), "write the mesh again; vertices count from 0");
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
            throw Error(format("tet %zu uses a vertex twice", t), "remove degenerate tetrahedra");
        if (!(restVolume(mesh, t) > 0))
            throw Error(format("tet %zu has rest volume %g", t, restVolume(mesh, t)), "tetrahedralize the surface again");
    }
}

TetMesh tetMeshFromGeometry(const Geometry& geometry, MeshAttributes& attributes) {
    TetMesh mesh;
    std::vector<std::int32_t> newVertex(geometry.pointCount(), -1), oldPoint, oldPrimitive;
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        if (geometry.primitiveKind[p] != PrimitiveKind::kTet) continue;
        for (const std::int32_t point : geometry.primitivePoints(p)) newVertex[static_cast<std::size_t>(point)] = 0;
        oldPrimitive.push_back(static_cast<std::int32_t>(p));
    }
    for (std::size_t i = 0; i < newVertex.size(); ++i)
        if (newVertex[i] == 0) {
            newVertex[i] = static_cast<std::int32_t>(oldPoint.size());
            oldPoint.push_back(static_cast<std::int32_t>(i));
            mesh.rest.push_back(geometry.positions[i]);
        }
    for (const std::int32_t p : oldPrimitive) {
        const auto points = geometry.primitivePoints(static_cast<std::size_t>(p));
        Tet tet;
        for (std::size_t k = 0; k < 4; ++k) tet[k] = newVertex[static_cast<std::size_t>(points[k])];
        mesh.tets.push_back(tet);
        if (restVolume(mesh, mesh.tetCount() - 1) < 0) std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
    }
    attributes.vertices = gatherAttributes(geometry.points, oldPoint);
    attributes.tets = gatherAttributes(geometry.primitives, oldPrimitive);
    attributes.detail = geometry.detail;
    return mesh;
}

Geometry geometryFromTetMesh(const TetMesh& mesh, const MeshAttributes& attributes, Span<const Vec3> x) {
    SUNDER_ASSERT(x.empty() || x.size() == mesh.vertexCount());
    Geometry geometry;
    if (x.empty())
        geometry.positions = mesh.rest;
    else
        geometry.positions.assign(x.begin(), x.end());
    geometry.vertexPoint.reserve(4 * mesh.tetCount());
    for (const Tet& t : mesh.tets) geometry.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(t.data(), 4));
    geometry.points = attributes.vertices;
    geometry.primitives = attributes.tets;
    geometry.detail = attributes.detail;
    return geometry;
}

}  // namespace sunder
