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

IndexLists listTrianglesAround(const std::vector<Tri>& triangles, std::size_t vertexCount) {
    IndexLists lists;
    lists.first.assign(vertexCount + 1, 0);
    for (const Tri& t : triangles)
        for (const std::int32_t v : t) ++lists.first[static_cast<std::size_t>(v) + 1];
    for (std::size_t v = 0; v < vertexCount; ++v) lists.first[v + 1] += lists.first[v];
    lists.items.resize(3 * triangles.size());
    std::vector<std::int32_t> next(lists.first.begin(), lists.first.end() - 1);
    for (std::size_t k = 0; k < triangles.size(); ++k)
        for (const std::int32_t v : triangles[k])
            lists.items[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = static_cast<std::int32_t>(k);
    return lists;
}

std::vector<Edge> edgesOf(const std::vector<Tri>& triangles) {
    std::vector<Edge> edges;
    for (const Tri& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

/// Bits of the tet's faces that are among the triangles around its corners.
std::uint8_t surfaceFaces(const ElementCorners& tet, std::int32_t number, Span<const Tri> triangles, Span<const std::int32_t> tetOf,
                          const IndexLists& around) {
    std::uint8_t faces = 0;
    for (const std::int32_t v : tet)
        for (const std::int32_t k : around[static_cast<std::size_t>(v)]) {
            if (tetOf[static_cast<std::size_t>(k)] != number) continue;
            const Tri& t = triangles[static_cast<std::size_t>(k)];
            for (std::size_t c = 0; c < 4; ++c)
                if (std::find(t.begin(), t.end(), tet[c]) == t.end()) faces = static_cast<std::uint8_t>(faces | 1u << c);
        }
    return faces;
}
}  // namespace

void markFeatures(std::vector<Tri> triangles, Span<const std::int32_t> tetOf, std::size_t vertexCount, ContactShape& shape) {
    shape.triangles = std::move(triangles);
    shape.trianglesAround = listTrianglesAround(shape.triangles, vertexCount);
    const std::vector<Edge> edges = edgesOf(shape.triangles);
    std::vector<std::uint8_t> ownedEdge(edges.size(), 0), ownedVertex(vertexCount, 0);
    const auto mark = [](std::uint8_t& all, std::uint8_t& own, std::uint8_t& owned, std::size_t bit) {
        all = static_cast<std::uint8_t>(all | 1u << bit);
        if (!owned) own = static_cast<std::uint8_t>(own | 1u << bit);
        owned = 1;
    };
    for (std::size_t s = 0; s < shape.corners.size(); ++s) {
        const ElementCorners& tet = shape.corners[s];
        SkinFeatures f;
        f.faces = surfaceFaces(tet, shape.tets[s], shape.triangles, tetOf, shape.trianglesAround);
        for (std::size_t k = 0; k < 4; ++k) {
            const auto v = static_cast<std::size_t>(tet[k]);
            if (!shape.trianglesAround[v].empty()) mark(f.vertices, f.ownVertices, ownedVertex[v], k);
        }
        for (std::size_t k = 0; k < 6; ++k) {
            const std::int32_t p = tet[static_cast<std::size_t>(kTetEdges[k][0])], q = tet[static_cast<std::size_t>(kTetEdges[k][1])];
            const Edge edge = {std::min(p, q), std::max(p, q)};
            const auto found = std::lower_bound(edges.begin(), edges.end(), edge);
            if (found != edges.end() && *found == edge)
                mark(f.edges, f.ownEdges, ownedEdge[static_cast<std::size_t>(found - edges.begin())], k);
        }
        shape.features.push_back(f);
    }
}

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

namespace {
constexpr double kRigidTouches = 4;

/// False for bodies that keep their shape whatever touches them: rigid ones, and those that are held everywhere for ever.
bool yields(const Body& body) {
    if (body.rigid) return false;
    std::vector<std::uint8_t> held(body.mesh.vertexCount(), 0);
    for (const HardTarget& t : body.constraints.hard)
        if (t.releaseTime >= 1e300 && !t.releases())
            for (const std::int32_t v : t.vertices) held[static_cast<std::size_t>(v)] = 1;
    return std::find(held.begin(), held.end(), 0) != held.end();
}
}  // namespace

ContactShape buildContactShape(const Body& body) {
    ContactShape shape;
    shape.surface = body.contact;
    const BoundarySurface surface = extractBoundary(body.mesh);
    const std::vector<double> volume = vertexVolumes(body.mesh);
    shape.area = computeContactAreas(surface.triangles, body.mesh.rest, volume);
    collectSkin(body, surface, shape);
    markFeatures(surface.triangles, surface.tet, volume.size(), shape);
    if (const Attribute* painted = body.attributes.vertices.find("friction"))
        for (std::size_t i = 0; i < volume.size(); ++i) shape.frictionScale.push_back(painted->number(i));
    shape.dampingRatio = dampingRatioOfBounce(body.contact.restitution);
    // all of a rigid body is behind the vertices that touch, of which there are a few
    double behind = 0;
    for (const double m : body.mass) behind += m / kRigidTouches;
    double allVolume = 0;
    for (std::size_t i = 0; i < volume.size(); ++i) {
        // as a column of the material on that area, and as high as the vertex's share of the volume makes it: E A / (2 v / A)
        const bool broken = !body.columnHeight.empty();
        const double youngs = broken ? body.stiffness[i] * body.cellSize[i] * body.cellSize[i] / volume[i] : body.stiffness[i] / std::cbrt(volume[i]);
        const double height = broken ? body.columnHeight[i] : 2 * volume[i] / shape.area[i];
        const double k = 0.5 * body.contact.stiffnessScale * youngs * shape.area[i] / height;
        shape.stiffness.push_back(k);
        shape.reach.push_back(kContactReach * height);
        shape.criticalDamping.push_back(2 * std::sqrt(k * (body.rigid ? behind : body.mass[i])));
        shape.modulus += volume[i] * youngs;
        allVolume += volume[i];
    }
    shape.modulus = yields(body) ? shape.modulus / allVolume : HUGE_VAL;
    return shape;
}

}  // namespace sunder
