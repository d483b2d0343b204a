#pragma once

#include <cstdint>
#include <vector>

#include "core/contact/grown_boxes.h"
#include "core/contact/pair_list.h"
#include "core/mesh/adjacency.h"

namespace sunder {

/// The triangles of one body as continuous detection sees them. Each vertex and each edge belongs to the
/// first triangle that has it, so that nothing comes up once more with every triangle around it.
struct FeatureSurface {
    std::vector<Tri> triangles;
    std::vector<std::uint8_t>
        owned;  ///< a triangle's own: bit k vertex k, bit 3 + k the edge from vertex k to the next
};
FeatureSurface buildFeatureSurface(Span<const Tri> triangles);

struct VertexFacePair {
    std::int32_t vertexBody, vertex, faceBody, face;  ///< face is a triangle's number
};
struct EdgeEdgePair {
    std::int32_t bodyA, bodyB;
    Edge a, b;
};
struct FeaturePairs {
    std::vector<VertexFacePair> vertexFace;
    std::vector<EdgeEdgePair> edgeEdge;
};

/// What of the triangles in `pairs` may touch on the way from start to end: vertices with triangles, and
/// edges with edges, whose boxes are at most `distance` apart on every axis and that have no vertex in
/// common. Each is listed once, in the order of the pairs. A vertex and a triangle of the same body that are
/// joined by another triangle come up only if the pairs were made with skipNeighbors off.
void collectFeaturePairs(const PairList& pairs, Span<const FeatureSurface> surfaces,
                         Span<const BodyMotion> motion, double distance, FeaturePairs& out);

}  // namespace sunder
