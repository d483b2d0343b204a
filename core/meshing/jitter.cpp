#include "core/meshing/jitter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"

namespace sunder {

namespace {
constexpr double kWorstShare = 0.5;
constexpr int kHalvings = 5;  // after these a vertex stays where it was

double qualityOf(const TetMesh& mesh, const Tet& t) {
    const auto at = [&](std::size_t c) -> const Vec3& { return mesh.rest[static_cast<std::size_t>(t[c])]; };
    return tetQuality(at(0), at(1), at(2), at(3));
}

std::vector<double> shortestEdges(const TetMesh& mesh) {
    std::vector<double> shortest(mesh.vertexCount(), 1e300);
    for (const Tet& t : mesh.tets)
        for (const auto& [i, j] : kTetEdges) {
            const auto a = static_cast<std::size_t>(t[static_cast<std::size_t>(i)]), b = static_cast<std::size_t>(t[static_cast<std::size_t>(j)]);
            const double length = (mesh.rest[b] - mesh.rest[a]).norm();
            shortest[a] = std::min(shortest[a], length);
            shortest[b] = std::min(shortest[b], length);
        }
    return shortest;
}
}  // namespace

void jitterVertices(TetMesh& mesh, double amount, std::uint64_t seed, const SlideOnSurface& slide) {
    if (amount == 0) return;
    const std::vector<Vec3> start = mesh.rest;
    const std::vector<double> shortest = shortestEdges(mesh);
    double worst = 1;
    for (const Tet& t : mesh.tets) worst = std::min(worst, qualityOf(mesh, t));
    std::vector<double> share(start.size(), 1.0);
    for (;;) {
        for (std::size_t v = 0; v < start.size(); ++v) {
            const Vec3 random(randomRange(-1, 1, seed, v, 0), randomRange(-1, 1, seed, v, 1), randomRange(-1, 1, seed, v, 2));
            mesh.rest[v] = share[v] > 0 ? slide(start[v], start[v] + share[v] * amount * shortest[v] * random) : start[v];
        }
        std::vector<std::uint8_t> back(start.size(), 0);
        bool good = true;
        for (const Tet& t : mesh.tets)
            if (qualityOf(mesh, t) < kWorstShare * worst) {
                good = false;
                for (const std::int32_t v : t) back[static_cast<std::size_t>(v)] = 1;
            }
        if (good) return;
        for (std::size_t v = 0; v < start.size(); ++v)
            if (back[v]) share[v] = share[v] > std::pow(0.5, kHalvings) ? 0.5 * share[v] : 0.0;
    }
}

}  // namespace sunder
