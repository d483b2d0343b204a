#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/meshing/chart_mesh.h"
#include "core/meshing/jitter.h"
#include "core/sim/scene_shapes.h"

/// Round shapes: irregular triangles on a surface of revolution, in a plane where the axis is the origin, and layers of prisms over them.
/// A circle of radius r at arc length s of the profile becomes one of radius exp(integral of ds / r), which keeps angles.
namespace sunder {

namespace {
constexpr double kRowHeight = 0.866;  // of equilateral triangles, in edges

int countRows(double length, double edge) { return std::max(1, static_cast<int>(std::lround(length / (kRowHeight * edge)))); }
int countAround(double radius, double edge) { return std::max(5, static_cast<int>(std::lround(2 * M_PI * radius / edge))); }
double angleOf(const Vec2& p) { return std::atan2(p.y(), p.x()); }

Vec3 onCircle(double radius, double y, double angle) { return {radius * std::cos(angle), y, -radius * std::sin(angle)}; }
double angleOf(const Vec3& p) { return std::atan2(-p.z(), p.x()); }

/// Stereographic, from the top of the unit sphere: the bottom is the origin.
Chart sphereChart() {
    return {[](const Vec2& p) {
                const double polar = 2 * std::atan(p.norm());
                return onCircle(std::sin(polar), -std::cos(polar), angleOf(p));
            },
            [](const Vec3& p) {
                const double polar = std::atan2(std::hypot(p.x(), p.z()), -p.y());
                return Vec2(std::tan(0.5 * polar) * Vec2(std::cos(angleOf(p)), std::sin(angleOf(p))));
            }};
}

/// A disc of the given radius at y = 0, and from its edge on a wall upwards.
Chart walledChart(double radius) {
    return {[radius](const Vec2& p) {
                const double r = p.norm();
                return r <= radius ? flatChart().lift(p) : onCircle(radius, radius * std::log(r / radius), angleOf(p));
            },
            [radius](const Vec3& p) {
                if (p.y() <= 0) return flatChart().flatten(p);
                return Vec2(radius * std::exp(p.y() / radius) * Vec2(std::cos(angleOf(p)), std::sin(angleOf(p))));
            }};
}

/// Points of a disc of the given radius: fixed ones on its edge, free ones inside.
void addDisc(ChartPoints& points, double radius, double edge, std::uint64_t seed) {
    const int rows = countRows(radius, edge);
    points.addFixedRing(radius, countAround(radius, edge), 0);
    points.free.emplace_back(Vec2::Zero());
    for (int k = 1; k < rows; ++k) points.addFreeRing(radius * k / rows, countAround(radius * k / rows, edge), seed);
}

/// Points of a wall of that radius above the circle of that radius, which has its points already: rows of free ones, and fixed ones on top.
void addWall(ChartPoints& points, double radius, double height, double edge, std::uint64_t seed) {
    const int rows = countRows(height, edge), around = countAround(radius, edge);
    const auto planar = [&](int k) { return radius * std::exp(height * k / rows / radius); };
    for (int k = 1; k < rows; ++k) points.addFreeRing(planar(k), around, seed);
    points.addFixedRing(planar(rows), around, M_PI / around * (rows % 2));
}

void addGroup(Solid& solid, const char* name, const std::function<bool(std::size_t)>& isMember) {
    Group& group = solid.attributes.vertices.addGroup(name, solid.mesh.vertexCount());
    for (std::size_t v = 0; v < solid.mesh.vertexCount(); ++v) group.members[v] = isMember(v) ? 1 : 0;
}

/// `outer` and `inner`: the first and the last layer of vertices.
void addSides(Solid& solid, std::size_t layerSize) {
    addGroup(solid, "outer", [=](std::size_t v) { return v < layerSize; });
    addGroup(solid, "inner", [=, n = solid.mesh.vertexCount()](std::size_t v) { return v >= n - layerSize; });
}
}  // namespace

Solid makeShape(const BowlShape& shape) {
    const double edge = 2.0 / shape.cells, polar = std::acos(1 - shape.depth / shape.radius);
    const int rows = countRows(polar, edge);
    const auto planar = [&](int k) { return std::tan(0.5 * polar * k / rows); };
    ChartPoints points;
    points.addFixedRing(planar(rows), countAround(std::sin(polar), edge), 0);
    points.free.emplace_back(Vec2::Zero());
    for (int k = 1; k < rows; ++k) points.addFreeRing(planar(k), countAround(std::sin(polar * k / rows), edge), shape.seed);
    const Chart chart = sphereChart();
    const ChartMesh skin = fillChart(points, chart);
    Solid solid;
    solid.mesh = extrudeTriangles(skin.triangles, skin.points.size(), shape.layers, [&](std::size_t v, double share) {
        return Vec3(shape.radius * Vec3::UnitY() + (shape.radius - share * shape.thickness) * chart.lift(skin.points[v]));
    });
    addSides(solid, skin.points.size());
    addGroup(solid, "rim", [&](std::size_t v) { return v % skin.points.size() < points.fixed.size(); });
    return solid;
}

Solid makeShape(const TrayShape& shape) {
    const double t = shape.thickness, edge = 2 * shape.radius / shape.cells, middle = shape.radius - t / 2, rise = shape.height - t / 2;
    ChartPoints points;
    addDisc(points, middle, edge, shape.seed);
    const std::size_t corner = points.fixed.size();
    addWall(points, middle, rise, edge, shape.seed + 1);
    const ChartMesh skin = fillChart(points, walledChart(middle));
    // base and rim meet in a mitre, so that every layer bends in its own corner
    const auto place = [&](std::size_t v, double share) {
        const Vec2& p = skin.points[v];
        const double r = p.norm(), wall = shape.radius - share * t;
        const bool upright = v >= corner && r > middle;
        if (!upright) return onCircle(wall * std::min(r / middle, 1.0), share * t, angleOf(p));
        const double up = middle * std::log(r / middle) / rise;
        return onCircle(wall, share * t + (shape.height - share * t) * up, angleOf(p));
    };
    Solid solid;
    solid.mesh = extrudeTriangles(skin.triangles, skin.points.size(), shape.layers, place);
    addSides(solid, skin.points.size());
    addGroup(solid, "rim", [&](std::size_t v) {
        const std::size_t column = v % skin.points.size();
        return column >= corner && column < points.fixed.size();
    });
    addGroup(solid, "bottom", [&](std::size_t v) { return solid.mesh.rest[v].y() == 0; });
    return solid;
}

Solid makeShape(const HollowSphereShape& shape) {
    const double edge = 2.0 / shape.cells;
    const int rows = countRows(M_PI, edge);
    const auto planar = [&](int k) { return std::tan(0.5 * M_PI * k / rows); };
    const auto around = [&](int k) { return countAround(std::sin(M_PI * k / rows), edge); };
    // the top lies at infinity, so the last ring stays and is closed by hand; nothing lies outside of it, so its edges need no room
    ChartPoints points;
    const int last = around(rows - 1);
    points.addFixedRing(planar(rows - 1), last, 0);
    points.edges.clear();
    points.free.emplace_back(Vec2::Zero());
    for (int k = 1; k < rows - 1; ++k) points.addFreeRing(planar(k), around(k), shape.seed);
    const Chart chart = sphereChart();
    ChartMesh skin = fillChart(points, chart);
    const auto top = static_cast<std::int32_t>(skin.points.size());
    for (std::int32_t i = 0; i < last; ++i) skin.triangles.push_back({i, top, (i + 1) % last});
    Solid solid;
    solid.mesh = extrudeTriangles(skin.triangles, skin.points.size() + 1, shape.layers, [&](std::size_t v, double share) {
        return Vec3((shape.radius - share * shape.thickness) * (v < skin.points.size() ? chart.lift(skin.points[v]) : Vec3(Vec3::UnitY())));
    });
    addSides(solid, skin.points.size() + 1);
    return solid;
}

Solid makeShape(const CylinderShape& shape) {
    const double edge = 2 * shape.radius / shape.cells, half = shape.height / 2;
    ChartPoints points;
    addDisc(points, shape.radius, edge, shape.seed);
    const Chart chart = flatChart();
    const ChartMesh disc = fillChart(points, chart);
    const int layers = std::max(1, static_cast<int>(std::lround(shape.height / edge)));
    const std::size_t n = disc.points.size();
    Solid solid;
    solid.mesh = extrudeTriangles(disc.triangles, n, layers, [&](std::size_t v, double share) {
        return Vec3(chart.lift(disc.points[v]) + (share * shape.height - half) * Vec3::UnitY());
    });
    addGroup(solid, "bottom", [&](std::size_t v) { return v < n; });
    addGroup(solid, "top", [&](std::size_t v) { return v >= n * static_cast<std::size_t>(layers); });
    addGroup(solid, "side", [&](std::size_t v) { return v % n < points.fixed.size(); });
    jitterVertices(solid.mesh, shape.jitter, shape.seed, [&](const Vec3& from, Vec3 to) {
        if (std::abs(from.y()) > half * (1 - 1e-9)) to.y() = from.y();
        if (std::hypot(from.x(), from.z()) < shape.radius * (1 - 1e-9)) return to;
        return onCircle(shape.radius, to.y(), angleOf(to));
    });
    return solid;
}

Solid makeShape(const TubeShape& shape) {
    const double edge = 2 * shape.radius / shape.cells, middle = shape.radius - shape.thickness / 2;
    ChartPoints points;
    points.addFixedRing(middle, countAround(middle, edge), 0);
    const std::size_t lower = points.fixed.size();
    addWall(points, middle, shape.height, edge, shape.seed);
    const Chart chart = walledChart(middle);
    ChartMesh skin = fillChart(points, chart);
    const double within = middle * std::cos(M_PI / static_cast<double>(lower));
    dropTriangles(skin, [&](const Vec2& p) { return p.norm() > within; });
    const std::size_t n = skin.points.size();
    Solid solid;
    solid.mesh = extrudeTriangles(skin.triangles, n, shape.layers, [&](std::size_t v, double share) {
        const Vec2& p = skin.points[v];
        const double up = v < lower ? 0 : v < points.fixed.size() ? shape.height : chart.lift(p).y();
        return onCircle(shape.radius - share * shape.thickness, up - shape.height / 2, angleOf(p));
    });
    addSides(solid, n);
    addGroup(solid, "bottom", [&](std::size_t v) { return v % n < lower; });
    addGroup(solid, "top", [&](std::size_t v) { return v % n >= lower && v % n < points.fixed.size(); });
    return solid;
}

}  // namespace sunder
