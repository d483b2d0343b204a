#include "core/meshing/attribute_transfer.h"

#include "core/base/parallel.h"

namespace sunder {

namespace {
struct Sources {
    std::vector<std::int32_t> points, vertices, primitives;
    std::vector<double> weights;  ///< three for each of points and vertices
};

template <class Position>
Sources nearestSources(const RepairedSurface& surface, const TriangleTree& tree, std::size_t count,
                       const Position& position) {
    Sources s;
    s.points.resize(3 * count);
    s.vertices.resize(3 * count);
    s.weights.resize(3 * count);
    s.primitives.resize(count);
    parallelFor(count, 256, [&](std::size_t first, std::size_t last) {
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
                                  const TetMesh& mesh) {
    const TriangleTree tree(surface.mesh.positions, surface.mesh.triangles);
    MeshAttributes out;
    const Sources ofVertices =
        nearestSources(surface, tree, mesh.vertexCount(), [&](std::size_t v) { return mesh.rest[v]; });
    out.vertices = interpolateAttributes(geometry.points, ofVertices.points, ofVertices.weights, 3);
    addMissing(out.vertices,
               interpolateAttributes(geometry.vertices, ofVertices.vertices, ofVertices.weights, 3));
    const Sources ofTets = nearestSources(surface, tree, mesh.tetCount(), [&](std::size_t t) -> Vec3 {
        const Tet& v = mesh.tets[t];
        return (mesh.rest[v[0]] + mesh.rest[v[1]] + mesh.rest[v[2]] + mesh.rest[v[3]]) / 4;
    });
    out.tets = gatherAttributes(geometry.primitives, ofTets.primitives);
    out.detail = geometry.detail;
    return out;
}

}  // namespace sunder
