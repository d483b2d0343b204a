#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/polled_parallel.h"
#include "core/meshing/lattice.h"
#include "core/meshing/surface_topology.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
enum class Fate : std::uint8_t { kKept, kLost, kBuried };

/// A face looks buried from p if the solid lies on both sides of it.
bool buriedAt(const HalfWinding& solid, const Vec3& p, const Vec3& normal, double step) {
    return solid.inside(p + step * normal) && solid.inside(p - step * normal);
}

Fate fateOf(const std::array<Vec3, 3>& c, const HalfWinding& solid, const TriangleTree& boundary,
            double limit) {
    const double longest = std::max({(c[1] - c[0]).norm(), (c[2] - c[1]).norm(), (c[0] - c[2]).norm()});
    // Samples no farther apart than the limit; a face of a thousand cells is sampled more coarsely.
    const int n = static_cast<int>(std::clamp(std::ceil(longest / limit), 1.0, 32.0));
    const Vec3 normal = (c[1] - c[0]).cross(c[2] - c[0]).normalized();
    const Vec3 middle = (c[0] + c[1] + c[2]) / 3;
    bool lost = false, buried = true;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; i + j <= n; ++j) {
            const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
            const Vec3 p = c[0] + u * (c[1] - c[0]) + v * (c[2] - c[0]);
            if (boundary.closest(p, limit * limit).triangle >= 0) continue;
            lost = true;
            // A corner may touch another face, where the two sides cannot be told apart: look a little
            // further in.
            buried &= buriedAt(solid, p + 0.01 * (middle - p), normal, 1e-3 * limit);
        }
    return !lost ? Fate::kKept : buried ? Fate::kBuried : Fate::kLost;
}

bool isBridged(const std::vector<std::int32_t>& loop, const TriMesh& surface, const TriangleTree& boundary,
               double limit) {
    const auto near = std::count_if(loop.begin(), loop.end(), [&](std::int32_t v) {
        return boundary.closest(surface.positions[v], limit * limit).triangle >= 0;
    });
    return 2 * static_cast<std::size_t>(near) > loop.size();
}
}  // namespace

LatticeLosses findLosses(const TriMesh& surface, const HalfWinding& solid, const TetMesh& mesh,
                         double limit, Monitor* monitor) {
    const BoundarySurface skin = extractBoundary(mesh);
    const TriangleTree boundary(mesh.rest, skin.triangles);
    std::vector<Fate> fate(surface.triangleCount(), Fate::kKept);
    polledParallelFor(monitor, fate.size(), 128, 32, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t)
            fate[t] = fateOf(solid.tree().corners(static_cast<std::int32_t>(t)), solid, boundary, limit);
    });
    LatticeLosses losses;
    for (std::size_t t = 0; t < fate.size(); ++t) {
        if (fate[t] == Fate::kLost) losses.lost.push_back(static_cast<std::int32_t>(t));
        if (fate[t] == Fate::kBuried) losses.buried.push_back(static_cast<std::int32_t>(t));
    }
    for (auto& loop : findOpenLoops(surface.triangles, buildEdgeTable(surface.triangles)))
        if (isBridged(loop, surface, boundary, limit)) losses.closedHoles.push_back(std::move(loop));
    return losses;
}

}  // namespace sunder
