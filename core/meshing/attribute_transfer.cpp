#include "core/meshing/attribute_transfer.h"

#include "core/base/polled_parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kBetween = 32;  // blocks: from the middle of a ball all of its surface is the nearest, and a block takes milliseconds

bool isEmpty(const AttributeSet& set) { return set.attributes.empty() && set.groups.empty(); }

struct Sources {
    std::vector<std::int32_t> points, vertices, primitives;
    std::vector<double> weights;  ///< three for each of points and vertices
};

template <class Position>
Sources nearestSources(const RepairedSurface& surface, const TriangleTree& tree, std::size_t count, Monitor* monitor,
                       const Position& position) {
    Sources s;
    s.points.resize(3 * count);
    s.vertices.resize(3 * count);
    s.weights.resize(3 * count);
    s.primitives.resize(count);
    polledParallelFor(monitor, count, 256, kBetween, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const TriangleTree::Closest c = tree.closest(position(i));
            s.primitives[i] = surface.mesh.face[c.triangle];
            for (int k = 0; k < 3; ++k) {
                s.points[3 * i + k] = surface.point[surface.mesh.triangles[c.triangle][k]];
                s.vertices[3 * i + k] = surface.geometryVertex[c.triangle][k];
                s.weights[3 * i + k] = c.weights[k];
            }
        }
    });
    return s;
}

void addMissing(AttributeSet& to, AttributeSet from) {
    for (Attribute& a : from.attributes)
        if (!to.find(a.name)) to.attributes.push_back(std::move(a));
    for (Group& g : from.groups)
        if (!to.findGroup(g.name)) to.groups.push_back(std::move(g));
}
}  // namespace

MeshAttributes transferAttributes(const Geometry& geometry, const RepairedSurface& surface,
                                  const TetMesh& mesh, Monitor* monitor) {
    MeshAttributes out;
    out.detail = geometry.detail;
    const bool ofPoints = !isEmpty(geometry.points) || !isEmpty(geometry.vertices);
    if (!ofPoints && isEmpty(geometry.primitives)) return out;
    const TriangleTree tree(surface.mesh.positions, surface.mesh.triangles);
    const Sources ofVertices =
        nearestSources(surface, tree, ofPoints ? mesh.vertexCount() : 0, monitor, [&](std::size_t v) { return mesh.rest[v]; });
    out.vertices = interpolateAttributes(geometry.points, ofVertices.points, ofVertices.weights, 3);
    addMissing(out.vertices,
               interpolateAttributes(geometry.vertices, ofVertices.vertices, ofVertices.weights, 3));
    if (isEmpty(geometry.primitives)) return out;
    const Sources ofTets = nearestSources(surface, tree, mesh.tetCount(), monitor, [&](std::size_t t) -> Vec3 {
        const Tet& v = mesh.tets[t];
        return (mesh.rest[v[0]] + mesh.rest[v[1]] + mesh.rest[v[2]] + mesh.rest[v[3]]) / 4;
    });
    out.tets = gatherAttributes(geometry.primitives, ofTets.primitives);
    return out;
}

}  // namespace sunder
