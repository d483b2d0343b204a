#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/geometry.h"

namespace sunder::usda {

/// The surface of a frame, and where each part of it comes from.
struct SurfaceMesh {
    std::vector<std::int32_t> faceSizes, faceVertices;   ///< faceVertices number the points of `point`
    std::vector<std::int32_t> point, vertex, primitive;  ///< in the geometry
};

/// The boundary of the tets, then the polygons. Only points that are used.
SurfaceMesh extractSurface(const Geometry& geometry);

}  // namespace sunder::usda
