#pragma once

#include <vector>

#include "core/base/span.h"
#include "core/math/types.h"

namespace sunder {

/// Delaunay triangulation of points in the plane, counter-clockwise triangles. Wherever the circle over two points as diameter is empty, it
/// has the edge between them, so a polygon whose edges are shorter than the distance to all other points is kept. No two points may be equal.
std::vector<Tri> triangulatePlane(Span<const Vec2> points);

}  // namespace sunder
