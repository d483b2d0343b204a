#include "core/contact/feature_pairs.h"

#include <algorithm>
#include <array>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;

/// A triangle of a pair with the boxes of its parts.
struct Part {
    std::int32_t body, face;
    Tri vertices;
    std::uint8_t owned;
    std::array<Aabb, 3> vertexBox;
    Aabb box;

    Part(std::int32_t bodyNumber, std::int32_t triangle, const FeatureSurface& surface,
         const BodyMotion& motion)
        : body(bodyNumber),
          face(triangle),
          vertices(surface.triangles[triangle]),
          owned(surface.owned[triangle]) {
        for (int k = 0; k < 3; ++k) {
            vertexBox[k].extend(motion.start[vertices[k]]);
            if (!motion.end.empty()) vertexBox[k].extend(motion.end[vertices[k]]);
            box.extend(vertexBox[k]);
        }
    }
    bool ownsVertex(int k) const { return owned >> k & 1; }
    bool ownsEdge(int k) const { return owned >> (3 + k) & 1; }
    Edge edge(int k) const {
        const std::int32_t v = vertices[k], w = vertices[(k + 1) % 3];
        return {std::min(v, w), std::max(v, w)};
    }
    Aabb edgeBox(int k) const {
        Aabb b = vertexBox[k];
        b.extend(vertexBox[(k + 1) % 3]);
        return b;
    }
    bool has(std::int32_t body2, std::int32_t vertex) const {
        return body == body2 && std::find(vertices.begin(), vertices.end(), vertex) != vertices.end();
    }
};

void meetVertices(const Part& s, const Part& t, double distance, std::vector<VertexFacePair>& out) {
    const Aabb box = t.box.inflated(distance);
    for (int k = 0; k < 3; ++k)
        if (s.ownsVertex(k) && box.overlaps(s.vertexBox[k]) && !t.has(s.body, s.vertices[k]))
            out.push_back({s.body, s.vertices[k], t.body, t.face});
}

bool joined(const Part& s, const Part& t, const Edge& e, const Edge& f) {
    return s.body == t.body && (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]);
}

void meetEdges(const Part& s, const Part& t, double distance, std::vector<EdgeEdgePair>& out) {
    for (int k = 0; k < 3; ++k) {
        if (!s.ownsEdge(k)) continue;
        const Aabb box = s.edgeBox(k).inflated(distance);
        for (int l = 0; l < 3; ++l)
            if (t.ownsEdge(l) && box.overlaps(t.edgeBox(l)) && !joined(s, t, s.edge(k), t.edge(l)))
                out.push_back({s.body, t.body, s.edge(k), t.edge(l)});
    }
}
}  // namespace

FeatureSurface buildFeatureSurface(Span<const Tri> triangles) {
    FeatureSurface surface;
    surface.triangles.assign(triangles.begin(), triangles.end());
    surface.owned.assign(triangles.size(), 0);
    std::int32_t vertexCount = 0;
    for (const Tri& t : triangles) vertexCount = std::max({vertexCount, t[0] + 1, t[1] + 1, t[2] + 1});
    std::vector<std::uint8_t> taken(vertexCount, 0);
    struct Side {
        Edge edge;
        std::int32_t triangle, k;
    };
    std::vector<Side> sides;
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const std::int32_t v = triangles[t][k], w = triangles[t][(k + 1) % 3];
            if (!taken[v]) surface.owned[t] |= static_cast<std::uint8_t>(1 << k);
            taken[v] = 1;
            sides.push_back({{std::min(v, w), std::max(v, w)}, static_cast<std::int32_t>(t), k});
        }
    std::stable_sort(sides.begin(), sides.end(),
                     [](const Side& a, const Side& b) { return a.edge < b.edge; });
    for (std::size_t k = 0; k < sides.size(); ++k)
        if (k == 0 || sides[k].edge != sides[k - 1].edge)
            surface.owned[sides[k].triangle] |= static_cast<std::uint8_t>(8 << sides[k].k);
    return surface;
}

void collectFeaturePairs(const PairList& pairs, Span<const FeatureSurface> surfaces,
                         Span<const BodyMotion> motion, double distance, FeaturePairs& out) {
    out.vertexFace.clear();
    out.edgeEdge.clear();
    for (const BodyPairRange& range : pairs.ranges) {
        const Span<const ElementPair> list = pairs.of(range);
        std::vector<FeaturePairs> parts((list.size() + kGrain - 1) / kGrain);
        parallelFor(list.size(), kGrain, [&](std::size_t first, std::size_t last) {
            FeaturePairs& part = parts[first / kGrain];
            for (std::size_t k = first; k < last; ++k) {
                const std::int32_t a = range.bodyA, b = range.bodyB;
                const Part s(a, list[k].i, surfaces[a], motion[a]), t(b, list[k].j, surfaces[b], motion[b]);
                meetVertices(s, t, distance, part.vertexFace);
                meetVertices(t, s, distance, part.vertexFace);
                meetEdges(s, t, distance, part.edgeEdge);
            }
        });
        for (const FeaturePairs& part : parts) {
            out.vertexFace.insert(out.vertexFace.end(), part.vertexFace.begin(), part.vertexFace.end());
            out.edgeEdge.insert(out.edgeEdge.end(), part.edgeEdge.begin(), part.edgeEdge.end());
        }
    }
}

}  // namespace sunder
