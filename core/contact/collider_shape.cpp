#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/contact/collider_mesh.h"
#include "core/contact/contact_law.h"
#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
std::vector<double> vertexVolumes(const ColliderSlab& slab) {
    std::vector<double> volume(slab.vertices.size(), 0.0);
    for (const Tet& t : slab.tets) {
        const double all = signedVolume(slab.vertices[t[0]], slab.vertices[t[1]], slab.vertices[t[2]], slab.vertices[t[3]]);
        for (const std::int32_t v : t) volume[v] += std::max(0.0, all) / 4;
    }
    return volume;
}

void markSurface(const ColliderSlab& slab, Span<const std::array<std::int32_t, 4>> neighbors, ContactShape& shape) {
    const IndexLists around = buildVertexTets(slab.tets, slab.vertices.size());
    const SkinSource skin{slab.tets, neighbors, [&](std::int32_t v) { return around[static_cast<std::size_t>(v)]; }};
    shape.corners = slab.tets;
    shape.features.resize(slab.tets.size());
    shape.trianglesAround.resize(around.size());
    for (std::size_t v = 0; v < around.size(); ++v) markTriangles(skin, static_cast<std::int32_t>(v), shape);
    for (std::size_t v = 0; v < around.size(); ++v) {
        const double area = contactArea(slab.tets, shape.trianglesAround[v], slab.vertices, shape.volume[v]);
        shape.area.push_back(area > 0 ? area : slab.thickness * slab.thickness);  // else nothing around it has an area, and nothing touches
    }
    for (std::size_t t = 0; t < slab.tets.size(); ++t) markFeatures(skin, static_cast<std::int32_t>(t), true, shape);
}
}  // namespace

ContactShape buildContactShape(const ColliderSlab& slab, const ColliderProperties& properties) {
    if (!(properties.youngs > 0))
        throw Error(format("the collider's modulus is %g Pa", properties.youngs), "Use a modulus above 0, or infinity for a rigid one.");
    ContactShape shape;
    shape.surface = properties.surface;
    shape.surface.self = SelfContact::kNone;
    shape.modulus = properties.youngs;
    const auto neighbors = buildTetNeighbors(slab.tets, slab.vertices.size());
    const std::vector<double> volume = vertexVolumes(slab);
    shape.volume = volume;
    shape.pieces = labelComponents(neighbors);
    shape.inPieces = *std::max_element(shape.pieces.begin(), shape.pieces.end()) > 0;
    markSurface(slab, neighbors, shape);
    shape.outerFaces = slab.outerFaces;
    shape.stiffness.assign(volume.size(), 0.0);
    shape.reach.assign(volume.size(), 1.0);
    shape.criticalDamping.assign(volume.size(), 0.0);
    shape.dampingRatio = dampingRatioOfBounce(properties.surface.restitution);
    if (!std::isfinite(properties.youngs)) return shape;  // nothing counts at its vertices
    for (std::size_t i = 0; i < volume.size(); ++i) {
        if (!(volume[i] > 0)) continue;
        const double k = 0.5 * properties.surface.stiffnessScale * properties.youngs * shape.area[i] * shape.area[i] / (2 * volume[i]);
        shape.stiffness[i] = k;
        shape.reach[i] = kContactReach * 2 * volume[i] / shape.area[i];
        shape.criticalDamping[i] = 2 * std::sqrt(k * properties.density * volume[i]);
    }
    return shape;
}

}  // namespace sunder
