#pragma once

#include "core/contact/collider_surface.h"

namespace sunder::testing {

/// A closed box from the origin, each side cut into cells x cells squares of two triangles.
ColliderSurface boxCollider(int cells, const Vec3& size);
ColliderSurface sphereCollider(int subdivisions, double radius);
/// An open square in the plane z = 0, facing up.
ColliderSurface sheetCollider(int cells, double size);
/// A strip of radius 1 and width 0.4 with half a turn, two triangles a cell, two cells wide.
ColliderSurface moebiusCollider(int cells);

}  // namespace sunder::testing
