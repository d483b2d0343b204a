#include "core/sim/load_surface.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 1024;

/// Duration where the wave meets a box first, if it acts on a part of it between two times.
double pulseOnBox(const BlastWave& wave, const Vec3& low, const Vec3& high, double from, double to) {
    const double nearest = (wave.center().cwiseMax(low).cwiseMin(high) - wave.center()).norm();
    const double farthest = (low - wave.center()).cwiseAbs().cwiseMax((high - wave.center()).cwiseAbs()).norm();
    return wave.reaches(nearest, farthest, from, to) ? wave.pulseAt(nearest).duration : 1e300;
}
}  // namespace

LoadSurface buildLoadSurface(const TetMesh& mesh) {
    LoadSurface surface;
    surface.triangles = extractBoundary(mesh).triangles;
    std::vector<std::int32_t>& first = surface.vertexTriangles.first;
    first.assign(mesh.vertexCount() + 1, 0);
    for (const Tri& t : surface.triangles)
        for (const std::int32_t v : t) ++first[static_cast<std::size_t>(v) + 1];
    for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
    surface.vertexTriangles.items.resize(3 * surface.triangles.size());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t f = 0; f < surface.triangles.size(); ++f)
        for (const std::int32_t v : surface.triangles[f])
            surface.vertexTriangles.items[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = static_cast<std::int32_t>(f);
    return surface;
}

void addPressureForces(const LoadSurface& surface, Span<const Vec3> x, const PressureField& pressure, Span<Vec3> force) {
    std::vector<Vec3> third(surface.triangles.size());
    parallelFor(third.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t f = first; f < last; ++f) {
            const auto at = [&](std::size_t c) -> const Vec3& { return x[static_cast<std::size_t>(surface.triangles[f][c])]; };
            const Vec3 area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0));
            const double size = area.norm();
            third[f] = size > 0 ? Vec3(-pressure((at(0) + at(1) + at(2)) / 3, area / size) / 3 * area) : Vec3(Vec3::Zero());
        }
    });
    parallelFor(x.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            for (const std::int32_t f : surface.vertexTriangles[v]) force[v] += third[static_cast<std::size_t>(f)];
    });
}

double shortestPulse(const std::vector<BlastWave>& waves, Span<const Vec3> x, double from, double to) {
    double shortest = 1e300;
    if (waves.empty()) return shortest;
    Vec3 low = x[0], high = low;
    for (const Vec3& p : x) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    for (const BlastWave& wave : waves) shortest = std::min(shortest, pulseOnBox(wave, low, high, from, to));
    return shortest;
}

bool addBlastForces(const std::vector<BlastWave>& waves, const LoadSurface& surface, Span<const Vec3> x, double from, double to, Span<Vec3> force) {
    if (shortestPulse(waves, x, from, to) == 1e300) return false;
    addPressureForces(
        surface, x,
        [&](const Vec3& middle, const Vec3& normal) {
            double sum = 0;
            for (const BlastWave& wave : waves) sum += wave.pressureOn(middle, normal, from, to);
            return sum;
        },
        force);
    return true;
}

}  // namespace sunder
