#pragma once

#include <functional>
#include <vector>

#include "core/base/row_lists.h"
#include "core/mesh/tet_links.h"
#include "core/sim/blast.h"

namespace sunder {

/// The boundary of a body as what pressure acts on.
struct LoadSurface {
    std::vector<Tri> triangles;       ///< outward; those that are no more have one vertex three times
    RowLists vertexTriangles;         ///< triangles around every vertex of the body, by tet and face
    std::vector<std::int32_t> place;  ///< of face f of tet t among the triangles: [4 t + f], or -1
    std::vector<std::int32_t> unused; ///< triangles that are no more
};
LoadSurface buildLoadSurface(const TetMesh& mesh);
/// After an edit, at the cost of what it changed. Gives the same forces as one built anew.
void patchLoadSurface(const TopologyEdit& edit, Span<const Tet> tets, const TetStars& stars, const TetLinks& links, LoadSurface& surface);

/// Pressure on a triangle, by its middle and its outward normal, Pa.
using PressureField = std::function<double(const Vec3& middle, const Vec3& normal)>;

/// Adds minus pressure times area vector of every triangle at x, a third to each of its vertices, N.
void addPressureForces(const LoadSurface& surface, Span<const Vec3> x, const PressureField& pressure, Span<Vec3> force);

/// Adds the forces of all waves, as means from one time to another. False if there were none.
bool addBlastForces(const std::vector<BlastWave>& waves, const LoadSurface& surface, Span<const Vec3> x, double from, double to, Span<Vec3> force);
/// Shortest duration of the waves that act on a body at x between two times, s; 1e300 if none does.
double shortestPulse(const std::vector<BlastWave>& waves, Span<const Vec3> x, double from, double to);

}  // namespace sunder
