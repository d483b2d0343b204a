#include "core/body/weak_field.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/body/weak_patterns.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

namespace {
MeshGuide meshOf(const CurveGuide& curve) {
    MeshGuide mesh;
    const std::size_t count = curve.points.size(), pieces = curve.closed ? count : count - 1;
    const bool swept = curve.sweep != Vec3::Zero();
    for (const Vec3& p : curve.points) mesh.points.push_back(swept ? Vec3(p - curve.sweep) : p);
    if (swept)
        for (const Vec3& p : curve.points) mesh.points.push_back(p + curve.sweep);
    for (std::size_t k = 0; k < pieces; ++k) {
        const auto a = static_cast<std::int32_t>(k), b = static_cast<std::int32_t>((k + 1) % count), up = static_cast<std::int32_t>(count);
        if (!swept) {
            mesh.segments.push_back({a, b});
            continue;
        }
        mesh.triangles.push_back({a, b, b + up});
        mesh.triangles.push_back({a, b + up, a + up});
    }
    return mesh;
}

MeshGuide meshOf(const WeakShape& shape) {
    if (const auto* curve = std::get_if<CurveGuide>(&shape)) return meshOf(*curve);
    if (const auto* mesh = std::get_if<MeshGuide>(&shape)) return *mesh;
    return {};
}

Vec3 nearestOnSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 way = b - a;
    const double lengthSq = way.squaredNorm();
    return a + (lengthSq > 0 ? std::clamp((p - a).dot(way) / lengthSq, 0.0, 1.0) : 0.0) * way;
}

double smoothStep(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); }
}  // namespace

struct WeakField::Prepared {
    WeakSurface surface;
    MeshGuide mesh;
    TriangleTree triangles;
    Bvh segments;

    explicit Prepared(const WeakSurface& s) : surface(s), mesh(meshOf(s.shape)) {
        if (!mesh.triangles.empty()) triangles = TriangleTree(mesh.points, mesh.triangles);
        std::vector<Aabb> boxes;
        for (const auto& e : mesh.segments) {
            Aabb box;
            for (const std::int32_t v : e) box.extend(mesh.points[static_cast<std::size_t>(v)]);
            boxes.push_back(box);
        }
        if (!boxes.empty()) segments = Bvh(boxes);
    }

    Vec3 corner(std::int32_t v) const { return mesh.points[static_cast<std::size_t>(v)]; }

    WeakPoint nearestOfMesh(const Vec3& p) const {
        WeakPoint found;
        if (!mesh.triangles.empty()) {
            const TriangleTree::Closest c = triangles.closest(p);
            const auto t = triangles.corners(c.triangle);
            found.distance = std::sqrt(c.distanceSq);
            found.direction = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
        }
        double boundSq = found.distance < 1e150 ? found.distance * found.distance : 1e300;
        const std::int32_t k = segments.nearest(p, boundSq, [&](std::int32_t s) {
            const auto& e = mesh.segments[static_cast<std::size_t>(s)];
            return (nearestOnSegment(p, corner(e[0]), corner(e[1])) - p).squaredNorm();
        });
        if (k < 0) return found;
        const auto& e = mesh.segments[static_cast<std::size_t>(k)];
        return {std::sqrt(boundSq), (corner(e[1]) - corner(e[0])).normalized(), true, 0};
    }

    WeakPoint nearest(const Vec3& p) const {
        if (const auto* plane = std::get_if<PlaneGuide>(&surface.shape)) {
            const Vec3 n = plane->normal.normalized();
            return {std::abs(n.dot(p - plane->point)), n, false, 0};
        }
        if (const auto* ball = std::get_if<SphereGuide>(&surface.shape)) {
            const Vec3 r = p - ball->center;
            return {std::abs(r.norm() - ball->radius), r.norm() > 0 ? Vec3(r.normalized()) : Vec3(Vec3::UnitX()), false, 0};
        }
        return std::visit([&](const auto& shape) { return nearestOf(shape, p); }, surface.shape);
    }

  private:
    template <class Shape>
    WeakPoint nearestOf(const Shape& shape, const Vec3& p) const {
        if constexpr (std::is_same_v<Shape, GrainPattern> || std::is_same_v<Shape, BrickPattern> || std::is_same_v<Shape, RadialPattern> || std::is_same_v<Shape, VoronoiPattern>) {
            WeakPoint found = nearestWeak(shape, surface.seed, surface.turn.transpose() * (p - surface.shift));
            found.direction = surface.turn * found.direction;
            return found;
        } else {
            return nearestOfMesh(p);
        }
    }
};

WeakField::WeakField(Span<const WeakSurface> surfaces) {
    for (const WeakSurface& s : surfaces) {
        validate(s);
        surfaces_.push_back(std::make_unique<const Prepared>(s));
    }
}
WeakField::~WeakField() = default;

std::size_t WeakField::size() const { return surfaces_.size(); }

WeakPoint WeakField::nearest(std::size_t surface, const Vec3& p) const { return surfaces_[surface]->nearest(p); }

WeakNode WeakField::at(std::size_t number, const Vec3& p, double cell) const {
    const WeakSurface& s = surfaces_[number]->surface;
    const WeakPoint near = nearest(number, p);
    const double beyond = near.distance - 0.5 * cell;
    const double faded = s.width > 0 ? smoothStep(beyond / s.width) : beyond > 0 ? 1 : 0;
    return {s.strength + (1 - s.strength) * faded, s.follow * (1 - faded) * near.direction, near.line};
}

WeakNode WeakField::at(const Vec3& p, double cell) const {
    WeakNode weakest;
    for (std::size_t k = 0; k < size(); ++k) {
        const WeakNode node = at(k, p, cell);
        if (node.scale < weakest.scale) weakest = node;
    }
    return weakest;
}

namespace {
/// What is wrong with a shape, or nothing.
struct ShapeCheck {
    using Text = const char*;
    static bool isPositive(double v) { return std::isfinite(v) && v > 0; }
    static bool isShare(double v) { return v >= 0 && v <= 1; }
    static bool isDirection(const Vec3& v) { return v.allFinite() && v.norm() > 0; }

    Text operator()(const PlaneGuide& s) const { return isDirection(s.normal) && s.point.allFinite() ? nullptr : "a normal that is zero"; }
    Text operator()(const SphereGuide& s) const { return isPositive(s.radius) && s.center.allFinite() ? nullptr : "a radius that is not above 0"; }
    Text operator()(const CurveGuide& s) const { return s.points.size() >= 2 ? nullptr : "fewer than two points"; }
    Text operator()(const MeshGuide& s) const { return !s.triangles.empty() || !s.segments.empty() ? nullptr : "no polygons and no curves"; }
    Text operator()(const GrainPattern& s) const {
        if (!isDirection(s.axis)) return "an axis that is zero";
        return isPositive(s.size) && s.length >= 0 && isShare(s.jitter) ? nullptr : "a size that is not above 0, a negative length, or a jitter that is not from 0 to 1";
    }
    Text operator()(const BrickPattern& s) const {
        return isPositive(s.size.x()) && isPositive(s.size.y()) && s.size.z() >= 0 && s.mortar >= 0 ? nullptr : "a size or mortar that is negative, or no length or height";
    }
    Text operator()(const RadialPattern& s) const {
        if (!isDirection(s.axis)) return "an axis that is zero";
        if (s.rays < 2) return "fewer than two rays";
        return s.ring >= 0 && s.growth >= 1 && s.radius >= 0 && isShare(s.jitter) ? nullptr : "a negative ring or radius, a growth below 1, or a jitter that is not from 0 to 1";
    }
    Text operator()(const VoronoiPattern& s) const { return isPositive(s.size) && isShare(s.jitter) ? nullptr : "a size that is not above 0, or a jitter that is not from 0 to 1"; }
};
}  // namespace

void validate(const WeakSurface& s) {
    const auto complain = [&](const char* what, const char* remedy) { throw Error(format("guide '%s' has %s", s.name.c_str(), what), remedy); };
    if (!(s.strength > 0) || !(s.strength <= 1)) complain("a strength that is not above 0 and at most 1", "0.2 leaves a fifth of the toughness; paint `fracturethreshold` to make places tougher");
    if (!(s.width >= 0) || !std::isfinite(s.width)) complain("a negative width", "give zero or more, in m");
    if (!(s.follow >= 0) || !(s.follow <= 1)) complain("a `follow` that is not from 0 to 1", "1 leads cracks along it, 0 leaves their plane to the stress");
    if (const char* what = std::visit(ShapeCheck{}, s.shape)) complain(what, "see its table in docs/scene.md");
}

}  // namespace sunder
