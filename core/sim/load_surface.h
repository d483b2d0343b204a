#pragma once

#include <functional>
#include <vector>

#include "core/mesh/adjacency.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/blast.h"

namespace sunder {

/// The boundary of a body as what pressure acts on, once per topology.
struct LoadSurface {
    std::vector<Tri> triangles;    ///< outward
    IndexLists vertexTriangles;    ///< triangles around every vertex of the body
};
LoadSurface buildLoadSurface(const TetMesh& mesh);

/// Pressure on a triangle, by its middle and its outward normal, Pa.
using PressureField = std::function<double(const Vec3& middle, const Vec3& normal)>;

/// Adds minus pressure times area vector of every triangle at x, a third to each of its vertices, N.
void addPressureForces(const LoadSurface& surface, Span<const Vec3> x, const PressureField& pressure, Span<Vec3> force);

/// Adds the forces of all waves, as means from one time to another. False if there were none.
bool addBlastForces(const std::vector<BlastWave>& waves, const LoadSurface& surface, Span<const Vec3> x, double from, double to, Span<Vec3> force);
/// Shortest duration of the waves that act on a body at x between two times, s; 1e300 if none does.
double shortestPulse(const std::vector<BlastWave>& waves, Span<const Vec3> x, double from, double to);

}  // namespace sunder
