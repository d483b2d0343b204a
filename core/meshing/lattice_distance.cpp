#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/polled_parallel.h"
#include "core/meshing/lattice.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 256;
/// Middle, sides and points between; the corners lie on the surface by construction.
constexpr double kSamples[10][3] = {{1, 1, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {4, 1, 1},
                                    {1, 4, 1}, {1, 1, 4}, {3, 3, 1}, {1, 3, 3}, {3, 1, 3}};

double distanceAt(const Vec3& p, const Vec3& normal, const HalfWinding& solid, double step) {
    const double distance = std::sqrt(solid.tree().closest(p).distanceSq);
    for (double s = step; s < distance; s += step)
        if (solid.inside(p + s * normal) != solid.inside(p - s * normal)) return s;
    return distance;
}
}  // namespace

double distanceToHalfWinding(const TetMesh& mesh, const HalfWinding& solid, double step, Monitor* monitor) {
    const BoundarySurface skin = extractBoundary(mesh);
    const auto& x = mesh.rest;
    std::vector<double> farthest((skin.triangles.size() + kGrain - 1) / kGrain, 0.0);
    polledParallelFor(monitor, skin.triangles.size(), kGrain, 32, [&](std::size_t first, std::size_t last) {
        double& own = farthest[first / kGrain];
        for (std::size_t i = first; i < last; ++i) {
            const Tri& t = skin.triangles[i];
            const Vec3 normal = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).normalized();
            for (const auto& w : kSamples) {
                const Vec3 p = (w[0] * x[t[0]] + w[1] * x[t[1]] + w[2] * x[t[2]]) / (w[0] + w[1] + w[2]);
                // Nothing nearer than what is known already matters.
                if (solid.tree().closest(p, own * own).triangle < 0)
                    own = std::max(own, distanceAt(p, normal, solid, step));
            }
        }
    });
    return farthest.empty() ? 0.0 : *std::max_element(farthest.begin(), farthest.end());
}

}  // namespace sunder
