#pragma once

#include <functional>

#include "core/mesh/geometry.h"
#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"
#include "core/sim/scene.h"

namespace sunder {

/// Tets with what belongs to them.
struct Solid {
    TetMesh mesh;
    MeshAttributes attributes;
};

/// Throws Error with a remedy, with `owner` in the message, for a shape whose measures contradict each other.
void validateShape(const BodySource& source, const std::string& owner);

TetMesh makeShape(const BoxShape& shape);
TetMesh makeShape(const SphereShape& shape);
TetMesh makeShape(const TorusShape& shape);
/// Groups `nose`, `ears` (their tips), `feet` and `tail` mark the points of these parts.
Geometry makeShape(const TapirShape& shape);
/// Vertex groups: `inner`, `outer`, `rim`.
Solid makeShape(const BowlShape& shape);
/// Vertex groups: `inner`, `outer`, `rim` (its top), `bottom`.
Solid makeShape(const TrayShape& shape);
/// Vertex groups: `inner`, `outer`.
Solid makeShape(const HollowSphereShape& shape);
/// Vertex groups: `bottom`, `top`, `side`.
Solid makeShape(const CylinderShape& shape);
/// Vertex groups: `inner`, `outer`, `bottom`, `top`.
Solid makeShape(const TubeShape& shape);
/// Vertex groups: `bottom`, `top`, `hole`, `cut`.
Solid makeShape(const NotchedBlockShape& shape);
/// Two triangles.
TriMesh makeShape(const PlaneShape& shape);

/// The surface with a second one inside, turned inwards, that keeps a wall of about the given thickness between them, m. Points and polygons of the
/// inner one take their attributes from the nearest of the outer one. Parts that are thinner than two walls stay solid. Throws Error if all are.
Geometry hollowSurface(const Geometry& surface, double thickness);

/// The closed surface where `distance` is zero, negative inside, over a grid of cells of the given size
/// between the corners: one vertex a crossed cell (surface nets), drawn onto the surface and spread along it.
/// The box has to hold all of the surface.
TriMesh surfaceOf(const std::function<double(const Vec3&)>& distance, const Vec3& min, const Vec3& max,
                  double cellSize);

}  // namespace sunder
