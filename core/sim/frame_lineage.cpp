#include "core/sim/frame_lineage.h"

#include "core/mesh/adjacency.h"
#include "core/sim/small_pieces.h"

namespace sunder {

namespace {
/// Ids of the elements of one body or collider.
struct Numbering {
    std::size_t source, sources;

    std::int64_t operator()(std::size_t number) const { return static_cast<std::int64_t>(number * sources + source); }
};

/// Attributes of a frame, filled body by body.
struct Lineage {
    std::vector<std::int64_t> pointId, pointParents, tetId, tetParent;
    std::vector<double> weight;
    std::vector<float> rest, mass;
    std::vector<std::int32_t> insideFaces;

    void add(const Body& body, const Numbering& id) {
        addPoints(body, id);
        addTets(body, id);
    }
    void add(const FrameShare& share, const Numbering& id) {
        for (std::size_t i = 0; i < share.points; ++i) addPoint(id(i), id(i), id(i), 0);
        for (std::size_t i = 0; i < share.primitives; ++i) addPrimitive(id(i), id(i), 0);
    }

  private:
    void addPoint(std::int64_t id, std::int64_t a, std::int64_t b, double share) {
        pointId.push_back(id);
        pointParents.push_back(a);
        pointParents.push_back(b);
        weight.push_back(share);
    }
    void addPrimitive(std::int64_t id, std::int64_t parent, std::uint8_t inside) {
        tetId.push_back(id);
        tetParent.push_back(parent);
        insideFaces.push_back(inside);
    }
    void addPoints(const Body& body, const Numbering& id) {
        const std::size_t count = body.mesh.vertexCount(), fromStart = count - body.origin.size();
        for (std::size_t v = 0; v < count; ++v) {
            for (int c = 0; c < 3; ++c) rest.push_back(static_cast<float>(body.mesh.rest[v][c]));
            mass.push_back(static_cast<float>(body.mass[v]));
            if (v < fromStart) {
                addPoint(id(v), id(v), id(v), 0);
                continue;
            }
            const VertexOrigin& o = body.origin[v - fromStart];
            addPoint(id(v), id(static_cast<std::size_t>(o.a)), id(static_cast<std::size_t>(o.b)), o.weight);
        }
    }
    void addTets(const Body& body, const Numbering& id) {
        const std::size_t count = body.mesh.tetCount(), fromStart = count - body.tetParent.size();
        for (std::size_t t = 0; t < count; ++t) {
            const std::size_t parent = t < fromStart ? t : static_cast<std::size_t>(body.tetParent[t - fromStart]);
            addPrimitive(id(t), id(parent), body.insideFaces.empty() ? std::uint8_t{0} : body.insideFaces[t]);
        }
    }
};
}  // namespace

void addLineage(Geometry& geometry, const WorldState& world, const std::vector<FrameShare>& others) {
    const std::size_t sources = world.bodies.size() + others.size();
    Lineage l;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) l.add(*world.bodies[b].body, {b, sources});
    for (std::size_t o = 0; o < others.size(); ++o) l.add(others[o], {world.bodies.size() + o, sources});
    const std::size_t points = geometry.pointCount(), primitives = geometry.primitiveCount();
    l.rest.resize(3 * points, 0);
    l.mass.resize(points, 0);
    geometry.points.add<std::int64_t>("id", points) = std::move(l.pointId);
    geometry.points.add<std::int64_t>("parent", points, 2) = std::move(l.pointParents);
    geometry.points.add<double>("parentweight", points) = std::move(l.weight);
    geometry.points.add<float>("restP", points, 3) = std::move(l.rest);
    geometry.points.add<float>("mass", points) = std::move(l.mass);
    geometry.primitives.add<std::int64_t>("id", primitives) = std::move(l.tetId);
    geometry.primitives.add<std::int64_t>("parent", primitives) = std::move(l.tetParent);
    geometry.primitives.add<std::int32_t>("insidefaces", primitives) = std::move(l.insideFaces);
}

std::vector<std::string> pieceNames(const Body& body) {
    const std::vector<std::int32_t> piece = labelComponents(buildTetNeighbors(body.mesh.tets, body.mesh.vertexCount()));
    std::vector<std::string> nameOf, names;
    names.reserve(piece.size());
    for (std::size_t t = 0; t < piece.size(); ++t) {
        if (static_cast<std::size_t>(piece[t]) == nameOf.size()) nameOf.push_back(pieceName(body, t));
        names.push_back(nameOf[static_cast<std::size_t>(piece[t])]);
    }
    return names;
}

}  // namespace sunder
