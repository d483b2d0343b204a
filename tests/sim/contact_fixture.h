#pragma once

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

inline Mat3 turnZ(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(); }

}  // namespace sunder::testing
