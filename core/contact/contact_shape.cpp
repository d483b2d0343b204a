#include "core/contact/contact_shape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/contact/contact_law.h"
#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr double kRigidTouches = 4;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The first tet that has both vertices.
std::int32_t ownerOf(const SkinSource& skin, std::int32_t p, std::int32_t q) {
    for (const std::int32_t t : skin.around(p))
        if (cornerOf(skin.tets[at(t)], q) >= 0) return t;
    return -1;
}

bool isOnSurface(const ContactShape& shape, std::int32_t vertex) { return !shape.trianglesAround[at(vertex)].empty(); }

bool isOnSurface(const SkinSource& skin, const ContactShape& shape, std::int32_t p, std::int32_t q) {
    for (const std::int32_t code : shape.trianglesAround[at(p)]) {
        const Tet& tet = skin.tets[at(code / 4)];
        const int corner = cornerOf(tet, q);
        if (corner >= 0 && corner != code % 4) return true;
    }
    return false;
}

std::uint8_t bit(bool set, std::size_t k) { return static_cast<std::uint8_t>(set ? 1u << k : 0u); }
}  // namespace

void markTriangles(const SkinSource& skin, std::int32_t vertex, ContactShape& shape) {
    std::vector<std::int32_t> codes;
    for (const std::int32_t t : skin.around(vertex))
        for (int f = 0; f < 4 && !skin.isGone(t); ++f)
            if (skin.neighbors[at(t)][at(f)] < 0 && skin.tets[at(t)][at(f)] != vertex) codes.push_back(4 * t + f);
    shape.trianglesAround.assign(at(vertex), codes);
}

void markFeatures(const SkinSource& skin, std::int32_t tet, bool all, ContactShape& shape) {
    const Tet& corners = skin.tets[at(tet)];
    if (skin.isGone(tet)) {
        shape.corners[at(tet)] = kNoElement;
        shape.features[at(tet)] = {};
        return;
    }
    SkinFeatures f;
    for (std::size_t k = 0; k < 4; ++k) {
        const bool on = isOnSurface(shape, corners[k]);
        f.vertices |= bit(on, k);
        f.ownVertices |= bit(on && skin.around(corners[k])[0] == tet, k);
        f.faces |= bit(skin.neighbors[at(tet)][k] < 0, k);
    }
    for (std::size_t k = 0; k < 6; ++k) {
        const std::int32_t p = corners[at(kTetEdges[k][0])], q = corners[at(kTetEdges[k][1])];
        if (!isOnSurface(skin, shape, p, q)) continue;
        f.edges |= bit(true, k);
        f.ownEdges |= bit(ownerOf(skin, p, q) == tet, k);
    }
    shape.corners[at(tet)] = all || f.vertices ? corners : kNoElement;
    shape.features[at(tet)] = f;
}

double contactArea(Span<const Tet> tets, Span<const std::int32_t> triangles, Span<const Vec3> x, double volume) {
    std::vector<Vec3> thirds;
    for (const std::int32_t code : triangles) {
        const auto corner = [&](int k) -> const Vec3& { return x[at(tets[at(code / 4)][at(kTetFaces[code % 4][k])])]; };
        const Vec3 area = 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0));
        thirds.push_back(area / 3);
    }
    double area = 0;
    for (const Vec3& along : thirds) {
        double seen = 0;
        for (const Vec3& other : thirds) seen += std::max(0.0, other.dot(along.normalized()));
        area = std::max(area, seen);
    }
    return area == 0 ? std::pow(volume, 2.0 / 3) : area;
}

namespace {
/// False for bodies that keep their shape whatever touches them: rigid ones, and those that are held everywhere for ever.
bool yields(const Body& body) {
    if (body.rigid) return false;
    std::vector<std::uint8_t> held(body.mesh.vertexCount(), 0);
    for (const HardTarget& t : body.constraints.hard)
        if (t.releaseTime >= 1e300 && !t.releases())
            for (const std::int32_t v : t.vertices) held[static_cast<std::size_t>(v)] = 1;
    return std::find(held.begin(), held.end(), 0) != held.end();
}

/// By one formula before and after the first break: only touched vertices are marked again then, and a resume marks all.
double youngsOf(const Body& body, std::size_t i, double volume) {
    return body.cellSize.empty() ? body.stiffness[i] / std::cbrt(volume) : body.stiffness[i] * body.cellSize[i] * body.cellSize[i] / volume;
}

/// As a column of the material on a vertex's area, and as high as its share of the volume makes it: E A / (2 v / A). All of a rigid body is behind
/// the vertices that touch: `behind`, kg.
void markVertex(const SkinSource& skin, const Body& body, double behind, std::int32_t vertex, ContactShape& shape) {
    const std::size_t i = at(vertex);
    shape.volume[i] = 0;
    for (const std::int32_t t : skin.around(vertex)) shape.volume[i] += restVolume(body.mesh, at(t)) / 4;
    shape.area[i] = contactArea(skin.tets, shape.trianglesAround[i], body.mesh.rest, shape.volume[i]);
    const double height = body.columnHeight.empty() ? 2 * shape.volume[i] / shape.area[i] : body.columnHeight[i];
    const double k = 0.5 * body.contact.stiffnessScale * youngsOf(body, i, shape.volume[i]) * shape.area[i] / height;
    shape.stiffness[i] = k;
    shape.reach[i] = kContactReach * height;
    shape.criticalDamping[i] = 2 * std::sqrt(k * (body.rigid ? behind : body.mass[i]));
}

/// What meets nothing: tets that have left, and those whose painted `collide`, or that of one of their points, is not above zero.
class LeftOut {
  public:
    explicit LeftOut(const Body& body) : gone_(body.goneTets) {
        const Attribute *onTets = body.attributes.tets.find("collide"), *onVertices = body.attributes.vertices.find("collide");
        if (!onTets && !onVertices) return;
        painted_ = body.goneTets;
        painted_.resize(body.mesh.tetCount(), 0);
        for (std::size_t t = 0; t < painted_.size(); ++t) {
            if (onTets && !(onTets->number(t) > 0)) painted_[t] = 1;
            for (const std::int32_t v : body.mesh.tets[t])
                if (onVertices && !(onVertices->number(at(v)) > 0)) painted_[t] = 1;
        }
        gone_ = painted_;
    }
    LeftOut(const LeftOut&) = delete;
    LeftOut& operator=(const LeftOut&) = delete;
    Span<const std::uint8_t> tets() const { return gone_; }

  private:
    std::vector<std::uint8_t> painted_;
    Span<const std::uint8_t> gone_;  ///< of every tet; empty: all count
};

void resize(const Body& body, ContactShape& shape) {
    const std::size_t vertices = body.mesh.vertexCount(), tets = body.mesh.tetCount();
    for (auto* list : {&shape.volume, &shape.area, &shape.stiffness, &shape.reach, &shape.criticalDamping}) list->resize(vertices);
    shape.trianglesAround.resize(vertices);
    shape.corners.resize(tets, kNoElement);
    shape.features.resize(tets);
    shape.pieces.resize(tets);
    if (const Attribute* painted = body.attributes.vertices.find("friction"))
        for (std::size_t i = shape.frictionScale.size(); i < vertices; ++i) shape.frictionScale.push_back(painted->number(i));
}
}  // namespace

void updateModulus(const Body& body, ContactShape& shape) {
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < shape.volume.size(); ++i) {
        sum += shape.volume[i] * youngsOf(body, i, shape.volume[i]);
        all += shape.volume[i];
    }
    shape.modulus = yields(body) ? sum / all : HUGE_VAL;
}

ContactShape buildContactShape(const Body& body, const TetLinks& links) {
    ContactShape shape;
    shape.surface = body.contact;
    shape.dampingRatio = dampingRatioOfBounce(body.contact.restitution);
    shape.inPieces = links.pieceNumbers > 1;
    resize(body, shape);
    shape.pieces = links.piece;
    const IndexLists around = buildVertexTets(body.mesh.tets, body.mesh.vertexCount());
    const LeftOut leftOut(body);
    const SkinSource skin{body.mesh.tets, links.neighbors, [&](std::int32_t v) { return around[at(v)]; }, leftOut.tets()};
    double behind = 0;
    for (const double m : body.mass) behind += m / kRigidTouches;
    for (std::size_t v = 0; v < around.size(); ++v) markTriangles(skin, static_cast<std::int32_t>(v), shape);
    parallelFor(around.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) markVertex(skin, body, behind, static_cast<std::int32_t>(v), shape);
    });
    parallelFor(body.mesh.tetCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) markFeatures(skin, static_cast<std::int32_t>(t), false, shape);
    });
    updateModulus(body, shape);
    return shape;
}

ContactShape buildContactShape(const Body& body) { return buildContactShape(body, buildTetLinks(body.mesh)); }

std::vector<ElementChange> patchContactShape(const ShapeEdit& e, ContactShape& shape) {
    const LeftOut leftOut(e.body);
    const SkinSource skin{e.body.mesh.tets, e.links.neighbors, [&](std::int32_t v) { return Span<const std::int32_t>(e.stars.around(v)); }, leftOut.tets()};
    const EditReach reach = findReach(e.edit, skin.tets, e.stars);
    resize(e.body, shape);
    shape.inPieces = e.links.pieceNumbers > 1;
    for (const std::int32_t v : reach.vertices) markTriangles(skin, v, shape);
    for (const std::int32_t v : reach.vertices) markVertex(skin, e.body, 0, v, shape);
    std::vector<std::int32_t> changed(e.renumbered.begin(), e.renumbered.end());
    for (const std::int32_t t : reach.tets) {
        const ElementCorners before = shape.corners[at(t)];
        markFeatures(skin, t, false, shape);
        if (shape.corners[at(t)] != before || at(t) >= e.edit.tetCount) changed.push_back(t);
    }
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    std::vector<ElementChange> changes;
    for (const std::int32_t t : changed) {
        shape.pieces[at(t)] = e.links.piece[at(t)];
        changes.push_back({t, shape.corners[at(t)], shape.pieces[at(t)]});
    }
    return changes;
}

}  // namespace sunder
