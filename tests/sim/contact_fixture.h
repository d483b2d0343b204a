#pragma once

#include "core/contact/collider_surface.h"
#include "tests/sim/physics_fixture.h"

namespace sunder::testing {

inline TetMesh placed(TetMesh mesh, const Vec3& at, const Mat3& turn = Mat3::Identity()) {
    for (Vec3& p : mesh.rest) p = turn * p + at;
    return mesh;
}

inline void addBody(WorldState& world, Body body) {
    body.name = "body" + std::to_string(world.bodies.size());
    const auto built = buildBody(std::move(body));
    world.bodies.push_back({built, std::make_shared<const BodyState>(makeBodyState(*built))});
}

/// Rigid velocity: `linear`, and `spin` about the centre of mass.
inline void setMotion(WorldState& world, std::size_t b, const Vec3& linear, const Vec3& spin = Vec3::Zero()) {
    const Vec3 centre = massCentre(world.bodies[b]);
    editState(
        world,
        [&](BodyState& s) {
            for (std::size_t i = 0; i < s.v.size(); ++i) s.v[i] = linear + spin.cross(s.x[i] - centre);
        },
        b);
}

inline double lowestVertex(const BodyState& s) {
    double low = HUGE_VAL;
    for (const Vec3& x : s.x) low = std::min(low, x.y());
    return low;
}

inline const char* name(ContactResponse response) {
    constexpr const char* kNames[] = {"overlap", "thesis", "nodes"};
    return kNames[static_cast<int>(response)];
}

/// Two blocks of different meshes and stiffness, turning, about to meet at an edge and a face.
inline WorldState makeCollision(double restitution, bool rigid = false, double friction = 0.5) {
    WorldState world;
    Material soft = elastic(2e5, 0.3, 800), hard = elastic(1e6, 0.25, 1500, ElasticLawId::kNeoHookean);
    soft.stiffnessDamping = hard.stiffnessDamping = 1e-4;
    Body a = makeBody(placed(makeBox(3, 3, 3, Vec3(1, 1, 1)), Vec3(-1.2, -0.4, -0.5), Mat3(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()))), soft);
    Body b = makeBody(placed(makeBox(2, 4, 3, Vec3(0.7, 1.2, 0.9)), Vec3(0.35, -0.55, -0.3), Mat3(Eigen::AngleAxisd(-0.7, Vec3(3, -1, 2).normalized()))), hard);
    a.contact.restitution = b.contact.restitution = restitution;
    for (Body* body : {&a, &b}) body->contact.friction = body->contact.dynamicFriction = friction;
    b.rigid = rigid;
    addBody(world, std::move(a));
    addBody(world, std::move(b));
    setMotion(world, 0, Vec3(2, 0.3, 0), Vec3(0, 1, 2));
    setMotion(world, 1, Vec3(-2, 0, 0.2), Vec3(1, -2, 0));
    return world;
}

/// A closed box between two corners.
inline ColliderSurface boxSurface(const Vec3& low, const Vec3& high) {
    ColliderSurface s;
    for (int k = 0; k < 8; ++k) s.positions.push_back(Vec3(k & 1 ? high.x() : low.x(), k & 2 ? high.y() : low.y(), k & 4 ? high.z() : low.z()));
    s.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return s;
}

inline Mat3 turnZ(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(); }

}  // namespace sunder::testing
