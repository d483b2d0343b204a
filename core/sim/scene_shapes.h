#pragma once

#include <functional>

#include "core/mesh/geometry.h"
#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"
#include "core/sim/scene.h"

namespace sunder {

TetMesh makeShape(const BoxShape& shape);
TetMesh makeShape(const SphereShape& shape);
TetMesh makeShape(const TorusShape& shape);
/// Groups `nose`, `ears` (their tips), `feet` and `tail` mark the points of these parts.
Geometry makeShape(const TapirShape& shape);
/// Two triangles.
TriMesh makeShape(const PlaneShape& shape);

/// The closed surface where `distance` is zero, negative inside, over a grid of cells of the given size
/// between the corners: one vertex a crossed cell (surface nets), drawn onto the surface and spread along it.
/// The box has to hold all of the surface.
TriMesh surfaceOf(const std::function<double(const Vec3&)>& distance, const Vec3& min, const Vec3& max,
                  double cellSize);

}  // namespace sunder
