#include "core/contact/contact_shape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/contact/contact_law.h"
#include "core/mesh/adjacency.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
/// Every vertex's quarter of its tets.
std::vector<double> vertexVolumes(const TetMesh& mesh) {
    std::vector<double> volume(mesh.vertexCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (const std::int32_t v : mesh.tets[t]) volume[static_cast<std::size_t>(v)] += restVolume(mesh, t) / 4;
    return volume;
}

void collectSkin(const Body& body, const BoundarySurface& surface, ContactShape& shape) {
    std::vector<std::uint8_t> onSurface(body.mesh.vertexCount(), 0);
    for (const std::int32_t v : surface.vertices) onSurface[static_cast<std::size_t>(v)] = 1;
    const std::vector<std::int32_t> piece = labelComponents(buildTetNeighbors(body.mesh.tets, body.mesh.vertexCount()));
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const Tet& tet = body.mesh.tets[t];
        shape.pieceCount = std::max(shape.pieceCount, static_cast<std::size_t>(piece[t]) + 1);
        bool skin = false;
        for (const std::int32_t v : tet) skin |= onSurface[static_cast<std::size_t>(v)] != 0;
        if (!skin) continue;
        shape.tets.push_back(static_cast<std::int32_t>(t));
        shape.corners.push_back(tet);
        shape.pieces.push_back(piece[t]);
    }
}
}  // namespace

std::vector<double> computeContactAreas(Span<const Tri> surface, Span<const Vec3> x, Span<const double> volume) {
    std::vector<std::vector<Vec3>> around(x.size());
    const std::vector<Vec3> vectors = triangleAreaVectors(surface, x);
    for (std::size_t k = 0; k < surface.size(); ++k)
        for (const std::int32_t v : surface[k]) around[static_cast<std::size_t>(v)].push_back(vectors[k] / 3);
    std::vector<double> area(x.size(), 0.0);
    for (std::size_t i = 0; i < area.size(); ++i) {
        for (const Vec3& along : around[i]) {
            double seen = 0;
            for (const Vec3& other : around[i]) seen += std::max(0.0, other.dot(along.normalized()));
            area[i] = std::max(area[i], seen);
        }
        if (area[i] == 0) area[i] = std::pow(volume[i], 2.0 / 3);
    }
    return area;
}

ContactShape buildContactShape(const Body& body) {
    ContactShape shape;
    shape.surface = body.contact;
    const BoundarySurface surface = extractBoundary(body.mesh);
    const std::vector<double> volume = vertexVolumes(body.mesh);
    shape.area = computeContactAreas(surface.triangles, body.mesh.rest, volume);
    collectSkin(body, surface, shape);
    if (const Attribute* painted = body.attributes.vertices.find("friction"))
        for (std::size_t i = 0; i < volume.size(); ++i) shape.frictionScale.push_back(painted->number(i));
    const double ratio = 2 * dampingRatioOfBounce(body.contact.restitution);
    double all = 0;
    for (std::size_t i = 0; i < volume.size(); ++i) {
        // as a column of the material on that area, and as high as the vertex's share of the volume makes it: E A / (2 v / A)
        const double youngs = body.stiffness[i] / std::cbrt(volume[i]);
        const double k = 0.5 * body.contact.stiffnessScale * youngs * shape.area[i] * shape.area[i] / (2 * volume[i]);
        shape.stiffness.push_back(k);
        shape.damping.push_back(ratio * std::sqrt(k * body.mass[i]));
        shape.modulus += volume[i] * youngs;
        all += volume[i];
    }
    shape.modulus /= all;
    return shape;
}

}  // namespace sunder
