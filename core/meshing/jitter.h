#pragma once

#include <cstdint>
#include <functional>

#include "core/mesh/tet_mesh.h"

namespace sunder {

/// Puts a vertex that was moved from `from` to `to` back onto the surface that it is on, if any.
using SlideOnSurface = std::function<Vec3(const Vec3& from, const Vec3& to)>;

/// Moves every vertex at random, by `seed`, up to `amount` times its shortest edge along each axis, so that the mesh loses its regular
/// directions. Moves are halved around every tet that would become worse than half of what the worst tet was before (tetQuality).
void jitterVertices(TetMesh& mesh, double amount, std::uint64_t seed, const SlideOnSurface& slide);

}  // namespace sunder
