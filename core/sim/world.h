#pragma once

#include <memory>
#include <vector>

#include "core/body/body.h"
#include "core/body/glue.h"
#include "core/sim/collider.h"
#include "core/sim/settings.h"

namespace sunder {

/// Energy by kind, J. The first six are of the present; the others are sums over all time so far.
struct EnergyBooks {
    double kinetic = 0;
    double elastic = 0;
    double gravity = 0;      ///< potential of gravity and of the uniform force, zero at the start of the world
    double contact = 0;      ///< in the springs of contact and of the ground
    double target = 0;       ///< in the springs of soft targets
    double glue = 0;         ///< in the bonds between bodies
    double damped = 0;       ///< lost in materials and in mass damping
    double friction = 0;     ///< lost in contact damping and friction, and by contact forces without a potential; what they gain is negative
    double targetDamped = 0; ///< lost in the dampers of soft targets
    double plastic = 0;      ///< lost to plastic flow
    double work = 0;         ///< done on the world by hard and moving soft targets, by painted forces, by those of hosts and by blasts; and what bodies that appear late bring along
    double glueBroken = 0;   ///< lost in bonds that broke: what was in them then
    double edits = 0;        ///< lost where cracks changed the topology: masses move to new vertices
    double fracture = 0;     ///< taken by cracks of materials with a fracture energy
    double departed = 0;     ///< motion and height of pieces when they left as particles, which the other books know nothing of
    double numerical = 0;    ///< lost to the integrator: what closes the books

    double mechanical() const { return kinetic + elastic + gravity + contact + target + glue; }
    double lost() const { return damped + friction + targetDamped + plastic + glueBroken + edits + fracture + departed; }
    /// What stays but for `numerical`.
    double balance() const { return mechanical() + lost() - work; }
};

/// A piece that has left its body as a point.
struct Particle {
    Vec3 x = Vec3::Zero();     ///< m
    Vec3 v = Vec3::Zero();     ///< m/s
    Vec3 rest = Vec3::Zero();  ///< its centre in the rest shape, m
    double mass = 0;           ///< kg
    double radius = 0;         ///< m, of the ball with its volume
    std::int32_t body = 0;     ///< that it was a piece of
    std::int32_t vertex = 0, tet = 0;  ///< its first ones there
    bool rests = false;        ///< it has met the ground
};

/// One body with its state at one time. States are never changed in place: a step makes new ones, so that hosts may keep
/// and share old ones.
struct WorldBody {
    std::shared_ptr<const Body> body;
    std::shared_ptr<const BodyState> state;
    std::shared_ptr<const std::vector<Vec3>> push = nullptr;  ///< force from outside on every vertex throughout the next step, N, or null. The step takes it away; no snapshot has it
};

/// All that a resume needs.
struct WorldState {
    double time = 0;          ///< s
    std::uint64_t stepCount = 0;   ///< accepted inner steps so far
    std::vector<WorldBody> bodies;
    std::vector<std::shared_ptr<const Collider>> colliders;
    std::vector<GlueBond> glue;
    std::vector<Particle> particles;
    double nextStep = 0;      ///< s; inner step that explicit or rkf45 will try next, 0 for none yet
    double contactLoss = 0;   ///< W that contact took at the end of the last explicit step; the books take the mean of two ends
    double contactWork = 0;   ///< W that colliders put in then
    EnergyBooks energy;
};

}  // namespace sunder
