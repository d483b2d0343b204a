#pragma once

#include "core/mesh/adjacency.h"
#include "core/sim/cache_cracks.h"

namespace sunder {

/// The skin of the bodies of a frame.
struct CacheSurface {
    Geometry geometry;                ///< triangles, in the order of `faces`; then what addCracks adds
    std::vector<BoundaryFace> faces;  ///< of the frame's tets, over the frame's points
    std::vector<std::int32_t> point;  ///< of every point of the frame: its number here, -1 if it lies within
};

/// Triangles with all attributes of their points and tets, the piece's `name` among them, in the groups `inside` (opened by cracks) and `outside`. The vertex
/// attribute `uv` is that of the points (which lose it) outside, and on inside faces the place at rest in metres, seen along the axis that the face's
/// rest normal is nearest to.
CacheSurface makeSurface(const CacheFrame& frame);

/// Adds `age` (s, -1 on what no crack opened) and `openingspeed` (m/s, positive where both sides part) to the faces, and the edges of cracks with both
/// as curves of two points in the group `crackedges`: where inside faces meet outside ones, and where the two sides of a crack still meet.
void addCracks(CacheSurface& surface, const CrackHistory& cracks);

}  // namespace sunder
