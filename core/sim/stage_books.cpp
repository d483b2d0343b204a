#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/timer.h"
#include "core/sim/stage_problem.h"

/// The energy books of an implicit step: what it lost, what led things put in, and what is stored before and after.
namespace sunder {

/// What hard targets did in a step of backward Euler: all forces at the end, inertia and contact included, times way.
double StageProblem::heldWorkAtEnd(Span<const Vec3> x) {
    bool moved = false;
    for (std::size_t i = 0; i < fixed_.size(); ++i) moved |= fixed_[i] && x[i] != xStart_[i];
    if (!moved) return 0;
    placeValue(x, scratch_);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (!isLed(b)) continue;
        std::vector<Vec3> own(bodies_[b]->vertexCount(), Vec3::Zero());
        bodyValue(b, part(x, b), own);
        for (std::size_t i = 0; i < own.size(); ++i) scratch_[offset_[b] + i] += own[i];
    }
    double sum = 0;
    for (std::size_t i = 0; i < fixed_.size(); ++i)
        if (fixed_[i]) sum -= scratch_[i].dot(x[i] - xStart_[i]);
    return sum;
}

/// What contact forces at the end did against all that is led.
double StageProblem::contactWork(Span<const Vec3> x) {
    bool moved = false;
    for (std::size_t i = 0; i < fixed_.size(); ++i) moved |= fixed_[i] && x[i] != xStart_[i];
    if (!moved) return 0;
    std::fill(scratch_.begin(), scratch_.end(), Vec3::Zero());
    contact_.value(contactsAt(x, true), x, scratch_);
    double sum = 0;
    for (std::size_t i = 0; i < fixed_.size(); ++i)
        if (fixed_[i]) sum -= scratch_[i].dot(x[i] - xStart_[i]);
    return sum;
}

/// What hard targets did on a body in a newmark step: the mean force times way, and what the held vertices gained in speed.
double StageProblem::heldWork(std::size_t b, Span<const Vec3> x) {
    BodyWork& work = *bodies_[b];
    const HeldVertices& held = held_[b];
    const Span<const Vec3> start = part<const Vec3>(xStart_, b), v = part<const Vec3>(v_, b);
    const auto wayTimes = [&](Span<const Vec3> force) {
        double sum = 0;
        for (const std::int32_t k : held.vertices) sum += force[static_cast<std::size_t>(k)].dot(x[static_cast<std::size_t>(k)] - start[static_cast<std::size_t>(k)]);
        return sum;
    };
    const double gained = kineticEnergy(*work.body, v, held.vertices) - kineticEnergy(*work.body, part<const Vec3>(vStart_, b), held.vertices);
    const bool moved = std::any_of(held.vertices.begin(), held.vertices.end(),
                                   [&](std::int32_t k) { return x[static_cast<std::size_t>(k)] != start[static_cast<std::size_t>(k)]; });
    if (!moved) return gained;
    std::vector<Vec3> force(x.size());
    evaluateForces(work, start, part<const Vec3>(vStart_, b), time_, {}, force);
    const double before = wayTimes(force);
    evaluateForces(work, x, v, time_ + dt_, {}, force, dt_);
    return gained - 0.5 * (before + wayTimes(force));
}

/// Newmark's rule makes the new acceleration of the way, which is that of the forces if the step is solved. Where something is held by springs that would
/// throw it out within a small part of the step, it is solved as far as contact asks for, which leaves much of those forces; taken from the way alone, the next step
/// would begin with an acceleration that nothing causes, in steps of whatever length. So the forces that are left, into scratch_, are to be added; false if
/// nothing is held.
bool StageProblem::findUnsolved(Span<const Vec3> x) {
    if (!newmark_ || !contacts_ || !(heldAtStart_ || work_.contact.heldCount() > 0)) return false;
    placeValue(x, scratch_);
    return true;
}

/// Of a solved step minus the gradient is zero. What is left of it, r, is a force that the step did without: x is where a force of -r besides would have led a step that is solved, and that
/// does the work -r (x - xStart), which no book has.
double StageProblem::unsolvedLoss(Span<const Vec3> x) {
    placeValue(x, scratch_);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!isHeld(i)) sum += scratch_[i].dot(x[i] - xStart_[i]);
    return sum;
}

EnergyBooks StageProblem::flows(Span<const Vec3> x) {
    EnergyBooks sum;
    solveFor({});
    updateVelocity(x);
    if (!newmark_) sum.work += heldWorkAtEnd(x);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Span<const Vec3> start = part<const Vec3>(xStart_, b), end = part(x, b);
        const LoadTotals loads = bodies_[b]->loads->stagePowers({start, part<const Vec3>(vStart_, b), end, part<const Vec3>(v_, b)});
        sum.friction += dt_ * loads.frictionPower;
        sum.targetDamped += dt_ * loads.targetPower;
        sum.damped += dt_ * loads.dragPower;
        sum.work += dt_ * (loads.paintedPower + loads.motionPower) + (newmark_ ? heldWork(b, end) : 0);
        if (bodies_[b]->body->elements.plastic()) sum.plastic += computeEnergy(bodies_[b]->body->elements, end, flowOf(b)).plasticWork;
        if (!viscous_[b]) continue;
        const Span<Vec3> mean = part<Vec3>(scratch_, b);
        for (std::size_t i = 0; i < end.size(); ++i) mean[i] = (end[i] - start[i]) / dt_;
        sum.damped += dt_ * computeViscousForces(bodies_[b]->body->elements, part<const Vec3>(xViscous_, b), mean, bodies_[b]->scratch, {});
    }
    if (contacts_) {
        updateSides(x);
        const Timed timed(report_.contactSeconds);
        const ContactSet& set = contactsAt(x);
        std::vector<std::uint8_t> frozen(bodyCount(), 0);
        for (std::size_t b = 0; b < bodies_.size(); ++b) frozen[b] = bodies_[b]->state.sleep.asleep && !work_.contact.matters(b);
        sum.friction += contact_.commit(set, x, frozen, contactAfter_);
    }
    if (contacts_ && newmark_) sum.work += contactWork(x);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (!isRigid(b)) continue;
        RigidField velocity, acceleration;
        endRigid(b, part(x, b), velocity, acceleration);
        const RigidFrame frame = rigidFrame(bodies_[b]->body->mass, part(x, b));
        for (std::size_t i = offset_[b]; i < offset_[b + 1]; ++i) v_[i] = velocity.at(frame, x[i]);
    }
    return sum;
}

/// All but contact and glue.
StageProblem::Stored StageProblem::stored(Span<const Vec3> x, Span<const Vec3> v, double time) const {
    std::vector<Stored> ofBodies(bodies_.size());
    parallelFor(bodies_.size(), 1, [&](std::size_t b, std::size_t) {
        const Span<const Vec3> own = part(x, b);
        const LoadTotals loads = bodies_[b]->loads->potentials(own, time);
        const PlasticStep flow = time > time_ ? flowOf(b) : PlasticStep{bodies_[b]->state.plastic};
        ofBodies[b].inPlay = kineticEnergy(*bodies_[b]->body, part(v, b)) + computeEnergy(bodies_[b]->body->elements, own, flow).energy + loads.contact + loads.target;
        ofBodies[b].gravity = loads.gravity;
    });
    Stored sum;
    for (const Stored& s : ofBodies) {
        sum.inPlay += s.inPlay;
        sum.gravity += s.gravity;
    }
    return sum;
}

/// The same all through the step: what is known of contact at the start need not be found again.
StageProblem::Stored StageProblem::storedAtStart() {
    if (storedAtStart_) return *storedAtStart_;
    Stored sum = stored(xStart_, vStart_, time_);
    if (contacts_) sum.inPlay += contactAtStart_ + contact_.heldEnergyAtStart();
    sum.inPlay += glue_.energy(xStart_);
    storedAtStart_ = sum;
    return sum;
}

StageProblem::Stored StageProblem::storedAt(Span<const Vec3> x) {
    Stored sum = stored(x, v_, time_ + dt_);
    if (contacts_) {
        const Timed timed(report_.contactSeconds);
        sum.inPlay += contact_.energy(contactsAt(x), &contactAfter_) + contact_.heldEnergy(x);
    }
    sum.inPlay += glue_.energy(x);
    return sum;
}

}  // namespace sunder
