#include "core/sim/scene_guides.h"

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/mesh/tri_mesh.h"
#include "core/spatial/aabb.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
constexpr double kMostWeak = 0.9;  // of the vertices: beyond, a pattern no longer tells places apart

Mat3 turnOf(const Transform& t) {
    const Transform turn{Vec3::Zero(), t.rotate, Vec3::Ones()};
    Mat3 m;
    for (int k = 0; k < 3; ++k) m.col(k) = turn.apply(Vec3::Unit(k));
    return m;
}

/// Polygons, curves and the boundary of tets.
MeshGuide meshOf(const Geometry& geometry) {
    MeshGuide mesh;
    if (geometry.countOf(PrimitiveKind::kPolygon) > 0 || geometry.countOf(PrimitiveKind::kTet) > 0) {
        MeshAttributes unused;
        TriMesh surface = geometry.countOf(PrimitiveKind::kPolygon) > 0 ? triMeshFromGeometry(geometry) : boundaryMesh(tetMeshFromGeometry(geometry, unused));
        mesh.points = std::move(surface.positions);
        mesh.triangles = std::move(surface.triangles);
    }
    const auto first = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.insert(mesh.points.end(), geometry.positions.begin(), geometry.positions.end());
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        if (geometry.primitiveKind[p] != PrimitiveKind::kCurve) continue;
        const Span<const std::int32_t> points = geometry.primitivePoints(p);
        for (std::size_t k = 1; k < points.size(); ++k) mesh.segments.push_back({first + points[k - 1], first + points[k]});
    }
    return mesh;
}

/// Makes a placed weak surface of every kind of shape.
struct GuidePlacer {
    const Scene& scene;
    const SceneGuide& guide;
    const GeometryLoader& load;
    Monitor* monitor;
    WeakSurface& out;

    void operator()(const FileSource& file) const {
        MeshGuide mesh = meshOf(load((std::filesystem::path(scene.folder) / file.path).string(), monitor));
        for (Vec3& p : mesh.points) p = guide.transform.apply(p);
        out.shape = std::move(mesh);
    }
    void operator()(PlaneGuide plane) const {
        plane.point = guide.transform.apply(plane.point);
        plane.normal = turnOf(guide.transform) * plane.normal.cwiseQuotient(guide.transform.scale);
        out.shape = plane;
    }
    void operator()(SphereGuide ball) const {
        const Vec3& scale = guide.transform.scale;
        if (scale != Vec3::Constant(scale.x())) throw Error("it scales a sphere differently along x, y and z", "give one scale, or draw the surface in a file");
        ball.center = guide.transform.apply(ball.center);
        ball.radius *= scale.x();
        out.shape = ball;
    }
    void operator()(CurveGuide curve) const {
        const Vec3 origin = guide.transform.apply(Vec3::Zero());
        for (Vec3& p : curve.points) p = guide.transform.apply(p);
        curve.sweep = guide.transform.apply(curve.sweep) - origin;
        if (!(curve.sweep.norm() > 0)) curve.sweep.setZero();
        out.shape = std::move(curve);
    }
    template <class Pattern>
    void operator()(const Pattern& pattern) const {
        if (guide.transform.scale != Vec3::Ones()) throw Error("it scales a pattern", "leave `scale` out and give the pattern its size");
        out.shape = pattern;
        out.turn = turnOf(guide.transform);
        out.shift = guide.transform.translate;
    }
};

WeakSurface placeGuide(const Scene& scene, const SceneGuide& guide, const GeometryLoader& load, Monitor* monitor) {
    WeakSurface out;
    out.name = guide.name;
    out.strength = guide.strength;
    out.width = guide.width;
    out.follow = guide.follow;
    std::visit(GuidePlacer{scene, guide, load, monitor, out}, guide.shape);
    validate(out);
    return out;
}

std::string boundsText(const std::vector<Vec3>& points) {
    Aabb box;
    for (const Vec3& p : points) box.extend(p);
    return format("(%g, %g, %g) to (%g, %g, %g)", box.lower.x(), box.lower.y(), box.lower.z(), box.upper.x(), box.upper.y(), box.upper.z());
}

bool isPattern(const WeakShape& shape) { return shape.index() >= WeakShape(GrainPattern{}).index(); }

void checkGuide(const Body& body, std::size_t number, Monitor* monitor) {
    const WeakSurface& surface = body.weakSurfaces[number];
    const std::vector<Vec3>& rest = body.mesh.rest;
    std::size_t weak = 0;
    double nearest = 1e300;
    for (std::size_t v = 0; v < rest.size(); ++v) {
        weak += body.lead.field->at(number, rest[v], body.cellSize[v]).scale < 1;
        nearest = std::min(nearest, body.lead.field->nearest(number, rest[v]).distance);
    }
    if (weak == 0 && surface.strength < 1)
        throw Error(format("guide '%s' lies outside the body: its nearest vertex is %.3g m away", surface.name.c_str(), nearest),
                    format("the body goes from %s m; move the guide into it, or give it a `width`", boundsText(rest).c_str()));
    if (monitor && isPattern(surface.shape) && static_cast<double>(weak) > kMostWeak * static_cast<double>(rest.size()))
        monitor->warn(format("body '%s': the pattern '%s' makes %.0f percent of the vertices weak, since its cells are hardly larger than those of the mesh; give it larger "
                             "cells, less `width`, or the body a finer mesh",
                             body.name.c_str(), surface.name.c_str(), 100.0 * static_cast<double>(weak) / static_cast<double>(rest.size())));
}
}  // namespace

std::vector<WeakSurface> buildGuides(const Scene& scene, std::size_t body, const GeometryLoader& load, Monitor* monitor) {
    std::vector<WeakSurface> surfaces;
    for (const SceneGuide& guide : scene.bodies[body].guides) {
        try {
            surfaces.push_back(placeGuide(scene, guide, load, monitor));
        } catch (const Error& e) {
            throw Error(format("guide '%s': %s", guide.name.c_str(), e.what()), e.remedy());
        }
        surfaces.back().seed = randomBits(scene.seed, body, surfaces.size());
    }
    return surfaces;
}

void addPatternParts(const SceneBody& body, const std::vector<WeakSurface>& surfaces, Solid& solid) {
    const WeakField field(surfaces);
    std::vector<std::uint64_t> cell(solid.mesh.tetCount(), 0);
    bool any = false;
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
        if (!body.guides[k].parts) continue;
        if (!isPattern(surfaces[k].shape))
            throw Error(format("guide '%s' has `parts` and no cells to make them of", surfaces[k].name.c_str()), "leave `parts` to grain, brick, radial and voronoi");
        any = true;
        for (std::size_t t = 0; t < cell.size(); ++t) {
            Vec3 centre = Vec3::Zero();
            for (const std::int32_t v : solid.mesh.tets[t]) centre += 0.25 * solid.mesh.rest[static_cast<std::size_t>(v)];
            cell[t] = randomBits(cell[t], field.nearest(k, centre).cell);
        }
    }
    if (!any) return;
    std::vector<std::uint64_t> order = cell;
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    std::vector<std::int32_t>& part = solid.attributes.tets.add<std::int32_t>("fracturepart", cell.size());
    for (std::size_t t = 0; t < cell.size(); ++t) part[t] = static_cast<std::int32_t>(std::lower_bound(order.begin(), order.end(), cell[t]) - order.begin());
}

void checkGuides(const Body& body, Monitor* monitor) {
    if (body.weakSurfaces.empty()) return;
    if (!body.breaks()) {
        if (monitor) monitor->warn(format("body '%s' has guides, but its material does not break; write `fracture` in it", body.name.c_str()));
        return;
    }
    for (std::size_t k = 0; k < body.weakSurfaces.size(); ++k) checkGuide(body, k, monitor);
}

}  // namespace sunder
