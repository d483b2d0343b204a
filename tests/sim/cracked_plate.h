#pragma once

#include "core/base/random.h"
#include "core/fracture/crack_tip.h"
#include "core/fracture/separation.h"
#include "core/meshing/chart_mesh.h"
#include "tests/sim/physics_fixture.h"

namespace sunder::testing {

/// A plate of width 1 m (x) and height 2 m (y) with a crack of length 2a in its middle, across y: the specimen of centre-crack tension, for which
///   K = sigma sqrt(pi a sec(pi a / width))
/// (Feddersen's fit of Isida's series, within 0.3 percent up to 2a = 0.8 of the width). Irregular triangles, layers of prisms, three tets each.
struct CrackedPlate {
    static constexpr double kWidth = 1, kHeight = 2;
    double half = 0.2;       ///< a, m
    int cells = 24;          ///< over the width
    int layers = 2;
    std::uint64_t seed = 1;

    double edge() const { return kWidth / cells; }
    double thickness() const { return layers * edge(); }
    /// K over the mean stress.
    double shape() const { return std::sqrt(M_PI * half / std::cos(M_PI * half / kWidth)); }
    TetMesh mesh() const;
};

inline TetMesh CrackedPlate::mesh() const {
    ChartPoints points;
    const auto side = [&](const Vec2& from, const Vec2& to, int count) {
        for (int i = 0; i < count; ++i) points.fixed.push_back(from + (to - from) * i / count);
    };
    const Vec2 corner(kWidth / 2, kHeight / 2);
    side(-corner, Vec2(corner.x(), -corner.y()), cells);
    side(Vec2(corner.x(), -corner.y()), corner, 2 * cells);
    side(corner, Vec2(-corner.x(), corner.y()), cells);
    side(Vec2(-corner.x(), corner.y()), -corner, 2 * cells);
    const auto outline = static_cast<std::int32_t>(points.fixed.size());
    for (std::int32_t i = 0; i < outline; ++i) points.edges.push_back({i, (i + 1) % outline});
    const int parts = static_cast<int>(std::lround(2 * half / edge()));
    for (int i = 0; i <= parts; ++i) {
        points.fixed.emplace_back(-half + 2 * half * i / parts, 0);
        if (i > 0) points.edges.push_back({outline + i - 1, outline + i});
    }
    const int rows = static_cast<int>(std::lround(kHeight / (0.866 * edge())));
    for (int j = 1; j < rows; ++j)
        for (int i = 0; i < cells; ++i) {
            const std::size_t id = points.free.size();
            const Vec2 shift(randomRange(-1, 1, seed, id, 0), randomRange(-1, 1, seed, id, 1));
            points.free.push_back(Vec2((i + (j % 2 ? 0.75 : 0.25)) * edge(), kHeight * j / rows) - corner + 0.2 * edge() * shift);
        }
    const Chart plane{[](const Vec2& p) { return Vec3(p.x(), p.y(), 0); }, [](const Vec3& p) { return Vec2(p.x(), p.y()); }};
    ChartMesh front = fillChart(points, plane);
    const std::size_t whole = front.points.size();
    for (int i = 1; i < parts; ++i) front.points.push_back(Vec2(front.points[static_cast<std::size_t>(outline + i)]));
    for (Tri& t : front.triangles) {
        double height = 0;
        for (const std::int32_t v : t) height += front.points[static_cast<std::size_t>(v)].y();
        for (std::int32_t& v : t)
            if (height < 0 && v > outline && v < outline + parts) v = static_cast<std::int32_t>(whole) + v - outline - 1;
    }
    return extrudeTriangles(front.triangles, front.points.size(), layers, [&](std::size_t v, double share) {
        return Vec3(front.points[v].x(), front.points[v].y(), share * thickness());
    });
}

/// Held at both ends, which are drawn apart by `strain`; in balance after one long step.
inline WorldState stretchPlate(TetMesh mesh, const Material& material, double strain) {
    Body body = makeBody(std::move(mesh), material);
    const double end = CrackedPlate::kHeight / 2;
    Motion up;
    up.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0, strain * CrackedPlate::kHeight, 0), Vec3::Zero()}};
    pinWhere(body, [&](const Vec3& p) { return p.y() < -end + 1e-9; });
    pinWhere(body, [&](const Vec3& p) { return p.y() > end - 1e-9; }, up);
    WorldState world = makeWorld(std::move(body));
    StepSettings settings = spaceSettings(Integrator::kImplicit);
    settings.contact = false;
    settings.fracture.enabled = false;
    run(world, settings, 1000, 1);
    return world;
}

/// Mean stress over the width from what the upper end holds.
inline double meanStress(const WorldState& world, double area) {
    const WorldBody& b = world.bodies[0];
    ForceScratch scratch;
    std::vector<Vec3> force(b.state->x.size());
    computeForces(b.body->elements, b.state->x, {}, scratch, force);
    double sum = 0;
    for (std::size_t i = 0; i < force.size(); ++i)
        if (b.body->mesh.rest[i].y() > CrackedPlate::kHeight / 2 - 1e-9) sum -= force[i].y();
    return sum / area;
}

}  // namespace sunder::testing
