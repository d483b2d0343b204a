#pragma once

#include <Eigen/Geometry>

#include "core/sim/stepper.h"
#include "tests/support/builders.h"

namespace sunder::testing {

/// Settings with no gravity and no ground: a body in space.
inline StepSettings spaceSettings(Integrator integrator) {
    StepSettings settings;
    settings.integrator = integrator;
    settings.gravity.setZero();
    return settings;
}

inline Body makeBody(TetMesh mesh, const Material& material) {
    Body body;
    body.name = "body";
    body.mesh = std::move(mesh);
    body.materials = {material};
    return body;
}

inline WorldState makeWorld(Body body) {
    WorldState world;
    const auto built = buildBody(std::move(body));
    world.bodies.push_back({built, std::make_shared<const BodyState>(makeBodyState(*built))});
    return world;
}

/// Replaces the state of body b by edit(state).
template <class Edit>
void editState(WorldState& world, Edit edit, std::size_t b = 0) {
    BodyState state = *world.bodies[b].state;
    edit(state);
    world.bodies[b].state = std::make_shared<const BodyState>(std::move(state));
}

/// Pins every vertex for which `choose` of its rest position holds.
template <class Choose>
void pinWhere(Body& body, Choose choose, const Motion& motion = {}) {
    HardTarget pin;
    pin.name = "pin";
    pin.motion = motion;
    for (std::size_t i = 0; i < body.mesh.vertexCount(); ++i)
        if (choose(body.mesh.rest[i])) {
            pin.vertices.push_back(static_cast<std::int32_t>(i));
            pin.anchor.push_back(body.mesh.rest[i]);
        }
    body.constraints.hard.push_back(pin);
}

struct Momenta {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    double linearScale = 0, angularScale = 0;  ///< sums of the parts' lengths
};

inline Momenta momenta(const WorldState& world) {
    Momenta m;
    for (const WorldBody& b : world.bodies)
        for (std::size_t i = 0; i < b.body->mass.size(); ++i) {
            const Vec3 p = b.body->mass[i] * b.state->v[i], l = b.state->x[i].cross(p);
            m.linear += p;
            m.angular += l;
            m.linearScale += p.norm();
            m.angularScale += l.norm();
        }
    return m;
}

}  // namespace sunder::testing
