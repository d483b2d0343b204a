#pragma once

#include <unordered_map>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// The bodies of one frame of a simulation as its file has them, with what addLineage wrote; colliders are left out.
struct CacheFrame {
    struct Origin {
        std::int64_t a, b;  ///< ids
        double weight;      ///< of b
    };

    Geometry geometry;       ///< tets alone, and their points
    std::vector<Tet> tets;
    std::vector<Vec3> rest;  ///< of every point, m
    std::vector<std::int64_t> pointId, tetId, tetParent;
    std::vector<Origin> origin;  ///< of every point
    std::vector<std::uint8_t> insideFaces;  ///< of every tet: bits of the faces that are a crack's
    std::vector<std::uint8_t> openFaces;    ///< of these, those that are open by now: all, but in frames of onLastTopology
    std::unordered_map<std::int64_t, std::int32_t> pointOf, tetOf;  ///< by id
    double time = 0;  ///< s

    bool isInside(std::size_t tet, int face) const { return (insideFaces[tet] >> face & 1) != 0; }
    bool isOpen(std::size_t tet, int face) const { return (openFaces[tet] >> face & 1) != 0; }
    /// The point that it is a copy of, itself if none, or if that had left before the first frame that was looked at.
    std::int32_t copyOf(std::size_t point) const;
};

/// The tets of a frame and their points, in their order.
Geometry tetsOf(const Geometry& frame);

/// Throws Error for a frame without tets, or without what addLineage writes; of frames with particles it takes what DepartedPieces makes of them.
CacheFrame makeCacheFrame(const Geometry& frame, Monitor* monitor = nullptr);

/// Where the elements of a later frame were in an earlier one.
struct Ancestry {
    std::vector<ElementParents> added;  ///< points that the earlier frame has not, numbered behind its own; parents may be among them
    std::vector<std::int32_t> point;    ///< of every later point: an earlier one, or one of those added
    std::vector<std::int32_t> tet;      ///< of every later tet: the earlier one that it is a part of
};

/// Throws Error if the frames are not of one simulation, in this order.
Ancestry findAncestry(const CacheFrame& earlier, const CacheFrame& later, Monitor* monitor = nullptr);

/// The vectors of a point attribute; throws Error if it is not there, or not of three numbers.
std::vector<Vec3> pointVectors(const Geometry& geometry, const char* name);

}  // namespace sunder
