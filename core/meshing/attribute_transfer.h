#pragma once

#include "core/base/monitor.h"
#include "core/mesh/attributes.h"
#include "core/mesh/tet_mesh.h"
#include "core/meshing/surface_repair.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

/// Attributes and groups of a surface on a solid made from it. Vertices take the point attributes (and vertex
/// attributes of other names) of the surface point nearest to them, interpolated inside its triangle; tets
/// take the primitive attributes of the polygon nearest to their middle.
MeshAttributes transferAttributes(const Geometry& geometry, const RepairedSurface& surface,
                                  const TetMesh& mesh, Monitor* monitor = nullptr);

}  // namespace sunder
