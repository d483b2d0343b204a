#include "core/meshing/chart_mesh.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/meshing/planar_delaunay.h"

namespace sunder {

namespace {
constexpr int kRelaxations = 4;
constexpr double kRandomShift = 0.25;  // of the distance of points
constexpr double kClearance = 1.2;     // of half an edge: how near its middle a free point may be

/// Points that must not come near certain edges, or the edges would not be in the triangulation.
class EdgeGuard {
  public:
    explicit EdgeGuard(const ChartPoints& points) {
        for (const auto& [a, b] : points.edges) {
            const Vec2 &p = points.fixed[static_cast<std::size_t>(a)], &q = points.fixed[static_cast<std::size_t>(b)];
            circles_.push_back({0.5 * (p + q), std::pow(0.5 * kClearance * (q - p).norm(), 2)});
        }
    }
    bool clear(const Vec2& p) const {
        return std::none_of(circles_.begin(), circles_.end(), [&](const Circle& c) { return (p - c.centre).squaredNorm() < c.radiusSq; });
    }

  private:
    struct Circle {
        Vec2 centre;
        double radiusSq;
    };
    std::vector<Circle> circles_;
};

/// Moves points from `first` on to the middle of their neighbours on the surface.
void relax(ChartMesh& mesh, std::size_t first, const Chart& chart, const EdgeGuard& guard) {
    const std::size_t n = mesh.points.size();
    std::vector<Vec3> lifted(n), sum(n, Vec3::Zero());
    std::vector<int> count(n, 0);
    for (std::size_t v = 0; v < n; ++v) lifted[v] = chart.lift(mesh.points[v]);
    for (const Tri& t : mesh.triangles)
        for (std::size_t c = 0; c < 3; ++c) {
            const auto a = static_cast<std::size_t>(t[c]), b = static_cast<std::size_t>(t[(c + 1) % 3]);
            sum[a] += lifted[b];
            ++count[a];
        }
    for (std::size_t v = first; v < n; ++v) {
        const Vec2 moved = chart.flatten(sum[v] / count[v]);
        if (guard.clear(moved)) mesh.points[v] = moved;
    }
}

/// Three tets of the prism over a triangle, whose vertices have the numbers of the triangle plus `below` and `above`. Every diagonal starts
/// below at the smaller number of its two columns, so neighbours agree.
void addPrism(TetMesh& mesh, Tri t, std::int32_t below, std::int32_t above) {
    std::sort(t.begin(), t.end());
    const auto [a, b, c] = t;
    for (Tet tet : {Tet{a + below, b + below, c + below, c + above}, Tet{a + below, b + below, b + above, c + above},
                    Tet{a + below, a + above, b + above, c + above}}) {
        mesh.tets.push_back(tet);
        if (restVolume(mesh, mesh.tetCount() - 1) < 0) std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
    }
}
}  // namespace

Chart flatChart() {
    return {[](const Vec2& p) { return Vec3(p.x(), 0, -p.y()); }, [](const Vec3& p) { return Vec2(p.x(), -p.z()); }};
}

void ChartPoints::addFixedRing(double radius, int count, double phase) {
    const auto first = static_cast<std::int32_t>(fixed.size());
    for (int i = 0; i < count; ++i) {
        const double angle = phase + 2 * M_PI * i / count;
        fixed.push_back(radius * Vec2(std::cos(angle), std::sin(angle)));
        edges.push_back({first + i, first + (i + 1) % count});
    }
}

void ChartPoints::addFreeRing(double radius, int count, std::uint64_t seed) {
    const double distance = 2 * M_PI * radius / count, phase = randomRange(0, 2 * M_PI, seed, free.size(), 0);
    for (int i = 0; i < count; ++i) {
        const std::size_t id = free.size();
        const double angle = phase + 2 * M_PI * i / count;
        const Vec2 shift(randomRange(-1, 1, seed, id, 1), randomRange(-1, 1, seed, id, 2));
        free.push_back(radius * Vec2(std::cos(angle), std::sin(angle)) + kRandomShift * distance * shift);
    }
}

ChartMesh fillChart(const ChartPoints& points, const Chart& chart) {
    const EdgeGuard guard(points);
    ChartMesh mesh{points.fixed, {}};
    std::copy_if(points.free.begin(), points.free.end(), std::back_inserter(mesh.points), [&](const Vec2& p) { return guard.clear(p); });
    mesh.triangles = triangulatePlane(mesh.points);
    for (int i = 0; i < kRelaxations; ++i) {
        relax(mesh, points.fixed.size(), chart, guard);
        mesh.triangles = triangulatePlane(mesh.points);
    }
    return mesh;
}

void dropTriangles(ChartMesh& mesh, const std::function<bool(const Vec2&)>& keep) {
    const auto middle = [&](const Tri& t) {
        const auto at = [&](std::size_t c) { return mesh.points[static_cast<std::size_t>(t[c])]; };
        return Vec2((at(0) + at(1) + at(2)) / 3);
    };
    mesh.triangles.erase(std::remove_if(mesh.triangles.begin(), mesh.triangles.end(), [&](const Tri& t) { return !keep(middle(t)); }),
                         mesh.triangles.end());
}

TetMesh extrudeTriangles(const std::vector<Tri>& triangles, std::size_t vertexCount, int layers,
                         const std::function<Vec3(std::size_t, double)>& place) {
    TetMesh mesh;
    for (int k = 0; k <= layers; ++k)
        for (std::size_t v = 0; v < vertexCount; ++v) mesh.rest.push_back(place(v, static_cast<double>(k) / layers));
    const auto n = static_cast<std::int32_t>(vertexCount);
    for (int k = 0; k < layers; ++k)
        for (const Tri& t : triangles) {
            const bool turned = k % 2 == 1;
            addPrism(mesh, t, n * (turned ? k + 1 : k), n * (turned ? k : k + 1));
        }
    return mesh;
}

}  // namespace sunder
