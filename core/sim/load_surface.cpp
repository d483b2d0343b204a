#include "core/sim/load_surface.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/mesh/adjacency.h"

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

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Gives a face its place among the triangles, or takes it.
void placeFace(std::int32_t tet, int face, bool open, Span<const Tet> tets, LoadSurface& surface) {
    std::int32_t& place = surface.place[4 * at(tet) + at(face)];
    if (place < 0 && !open) return;
    if (place < 0) {
        if (surface.unused.empty()) {
            surface.unused.push_back(static_cast<std::int32_t>(surface.triangles.size()));
            surface.triangles.emplace_back();
        }
        place = surface.unused.back();
        surface.unused.pop_back();
    }
    const Tet& c = tets[at(tet)];
    const auto corner = [&](int k) { return c[at(kTetFaces[face][k])]; };
    surface.triangles[at(place)] = open ? Tri{corner(0), corner(1), corner(2)} : Tri{corner(0), corner(0), corner(0)};
    if (open) return;
    surface.unused.push_back(place);
    place = -1;
}

void listTriangles(std::int32_t vertex, Span<const std::int32_t> around, Span<const Tet> tets, LoadSurface& surface) {
    std::vector<std::int32_t> list;
    for (const std::int32_t t : around)
        for (std::size_t f = 0; f < 4; ++f)
            if (const std::int32_t place = surface.place[4 * at(t) + f]; place >= 0 && tets[at(t)][f] != vertex) list.push_back(place);
    surface.vertexTriangles.assign(at(vertex), list);
}
}  // namespace

LoadSurface buildLoadSurface(const TetMesh& mesh) {
    LoadSurface surface;
    const auto neighbors = buildTetNeighbors(mesh.tets, mesh.vertexCount());
    const IndexLists around = buildVertexTets(mesh.tets, mesh.vertexCount());
    surface.place.assign(4 * mesh.tetCount(), -1);
    surface.vertexTriangles.resize(mesh.vertexCount());
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (int f = 0; f < 4; ++f) placeFace(static_cast<std::int32_t>(t), f, neighbors[t][at(f)] < 0, mesh.tets, surface);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) listTriangles(static_cast<std::int32_t>(v), around[v], mesh.tets, surface);
    return surface;
}

void patchLoadSurface(const TopologyEdit& edit, Span<const Tet> tets, const TetStars& stars, const TetLinks& links, LoadSurface& surface) {
    const EditReach reach = findReach(edit, tets, stars);
    surface.place.resize(4 * tets.size(), -1);
    surface.vertexTriangles.resize(stars.vertexCount());
    for (const std::int32_t t : reach.tets)
        for (int f = 0; f < 4; ++f) placeFace(t, f, links.neighbors[at(t)][at(f)] < 0, tets, surface);
    for (const std::int32_t v : reach.vertices) listTriangles(v, stars.around(v), tets, surface);
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
