#include "core/io/usda_mesh.h"

#include <algorithm>
#include <array>

#include "core/mesh/tet_mesh.h"

namespace sunder::usda {

namespace {
struct TetFace {
    std::array<std::int32_t, 3> sortedPoints;
    std::int32_t primitive, face;
};

std::vector<TetFace> allFaces(const Geometry& geometry) {
    std::vector<TetFace> faces;
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        if (geometry.primitiveKind[p] != PrimitiveKind::kTet) continue;
        const auto points = geometry.primitivePoints(p);
        for (std::int32_t f = 0; f < 4; ++f) {
            TetFace face{{}, static_cast<std::int32_t>(p), f};
            for (std::size_t k = 0; k < 3; ++k)
                face.sortedPoints[k] = points[static_cast<std::size_t>(kTetFaces[f][k])];
            std::sort(face.sortedPoints.begin(), face.sortedPoints.end());
            faces.push_back(face);
        }
    }
    return faces;
}

/// Faces that one tet alone has, in the order of the tets.
std::vector<TetFace> boundaryFaces(const Geometry& geometry) {
    std::vector<TetFace> faces = allFaces(geometry), boundary;
    std::sort(faces.begin(), faces.end(),
              [](const TetFace& a, const TetFace& b) { return a.sortedPoints < b.sortedPoints; });
    for (std::size_t first = 0; first < faces.size();) {
        std::size_t last = first;
        while (last < faces.size() && faces[last].sortedPoints == faces[first].sortedPoints) ++last;
        if (last == first + 1) boundary.push_back(faces[first]);
        first = last;
    }
    std::sort(boundary.begin(), boundary.end(), [](const TetFace& a, const TetFace& b) {
        return a.primitive != b.primitive ? a.primitive < b.primitive : a.face < b.face;
    });
    return boundary;
}

void addBoundary(const Geometry& geometry, SurfaceMesh& mesh) {
    for (const TetFace& face : boundaryFaces(geometry)) {
        mesh.faceSizes.push_back(3);
        mesh.primitive.push_back(face.primitive);
        const std::int32_t first = geometry.primitiveFirstVertex[static_cast<std::size_t>(face.primitive)];
        for (const int corner : kTetFaces[face.face]) mesh.vertex.push_back(first + corner);
    }
}

void addPolygons(const Geometry& geometry, SurfaceMesh& mesh) {
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        // fewer than three corners make no face, and USD forbids them
        if (geometry.primitiveKind[p] != PrimitiveKind::kPolygon || geometry.primitiveSize(p) < 3) continue;
        mesh.faceSizes.push_back(geometry.primitiveSize(p));
        mesh.primitive.push_back(static_cast<std::int32_t>(p));
        for (std::int32_t v = geometry.primitiveFirstVertex[p]; v < geometry.primitiveFirstVertex[p + 1]; ++v)
            mesh.vertex.push_back(v);
    }
}

void numberPoints(const Geometry& geometry, SurfaceMesh& mesh) {
    std::vector<std::int32_t> number(geometry.pointCount(), -1);
    for (const std::int32_t v : mesh.vertex)
        number[static_cast<std::size_t>(geometry.vertexPoint[static_cast<std::size_t>(v)])] = 0;
    for (std::size_t i = 0; i < number.size(); ++i)
        if (number[i] == 0) {
            number[i] = static_cast<std::int32_t>(mesh.point.size());
            mesh.point.push_back(static_cast<std::int32_t>(i));
        }
    for (const std::int32_t v : mesh.vertex)
        mesh.faceVertices.push_back(
            number[static_cast<std::size_t>(geometry.vertexPoint[static_cast<std::size_t>(v)])]);
}
}  // namespace

SurfaceMesh extractSurface(const Geometry& geometry) {
    SurfaceMesh mesh;
    addBoundary(geometry, mesh);
    addPolygons(geometry, mesh);
    numberPoints(geometry, mesh);
    return mesh;
}

}  // namespace sunder::usda
