#include "core/sim/loads.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/contact/contact_law.h"
#include "core/sim/loads_visit.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;

Vec3 valueOr0(const std::vector<Vec3>& values, std::size_t i) { return values.empty() ? Vec3(Vec3::Zero()) : values[i]; }
}  // namespace

LoadTotals operator+(LoadTotals a, const LoadTotals& b) {
    a.gravity += b.gravity;
    a.contact += b.contact;
    a.target += b.target;
    a.dragPower += b.dragPower;
    a.frictionPower += b.frictionPower;
    a.targetPower += b.targetPower;
    a.paintedPower += b.paintedPower;
    a.motionPower += b.motionPower;
    return a;
}

Loads::Loads(const Body& body, const StepSettings& settings, const LoadSurface* surface)
    : body_(body), settings_(settings), acceleration_(settings.gravity + settings.uniformForce), normal_(settings.ground.normal.normalized()), surface_(surface) {
    if (surface)
        for (const Blast& blast : settings.blasts) waves_.emplace_back(blast);
    for (const Vec3& p : body.mesh.rest) measure(p);
    slipSpeed_ = 1e-3 * (high_ - low_).norm();
    contactRatio_ = 2 * dampingRatioOfBounce(settings.ground.restitution);
    normalForce_.assign(settings.ground.enabled ? body.mass.size() : 0, -1.0);
    if (settings.ground.enabled)
        for (std::size_t i = 0; i < body.mass.size(); ++i) boundGround(i);
    if (!body.constraints.soft.empty()) boundTargets();
}

void Loads::measure(const Vec3& rest) {
    low_ = low_.cwiseMin(rest);
    high_ = high_.cwiseMax(rest);
}

void Loads::boundGround(std::size_t i) {
    const double k = settings_.ground.stiffnessScale * body_.stiffness[i] / body_.mass[i];
    largestOmegaSq_ = std::max(largestOmegaSq_, k);
    largestDamping_ = std::max(largestDamping_, contactRatio_ * std::sqrt(k));
}

void Loads::follow(Span<const std::int32_t> vertices) {
    SUNDER_ASSERT(!hasTargets());
    if (settings_.ground.enabled) normalForce_.resize(body_.mass.size(), -1.0);
    for (const std::int32_t v : vertices) {
        const auto i = static_cast<std::size_t>(v);
        measure(body_.mesh.rest[i]);
        if (settings_.ground.enabled) boundGround(i);
    }
    slipSpeed_ = 1e-3 * (high_ - low_).norm();
}

/// Several targets may draw at one vertex, in contact with the ground besides.
void Loads::boundTargets() {
    std::vector<double> omegaSq(body_.mass.size(), 0.0), damping(omegaSq);
    for (const SoftTarget& t : body_.constraints.soft)
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            const auto i = static_cast<std::size_t>(t.vertices[k]);
            const double weight = (t.weight.empty() ? 1 : t.weight[k]) / body_.mass[i];
            omegaSq[i] += weight * t.strength;
            damping[i] += weight * t.damping;
        }
    largestOmegaSq_ += *std::max_element(omegaSq.begin(), omegaSq.end());
    largestDamping_ += *std::max_element(damping.begin(), damping.end());
}

double Loads::constantForceNorm() const {
    return std::sqrt(parallelReduce(body_.mass.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i)
            sum += (body_.mass[i] * acceleration_ + pushAt(i) + valueOr0(blastForce_, i)).squaredNorm();
        return sum;
    }));
}

Vec3 Loads::pushAt(std::size_t i) const { return valueOr0(body_.force, i) + (push_ ? valueOr0(*push_, i) : Vec3(Vec3::Zero())); }

Loads::Touch Loads::touch(std::size_t i, const Vec3& x) const {
    const double stiffness = settings_.ground.stiffnessScale * body_.stiffness[i];
    return {normal_.dot(settings_.ground.point - x), stiffness, contactRatio_ * std::sqrt(stiffness * body_.mass[i])};
}

Vec3 Loads::friction(const Vec3& v, double normalForce) const {
    const Vec3 slide = v - normal_.dot(v) * normal_;
    const double speed = slide.norm();
    if (speed == 0) return Vec3::Zero();
    return -settings_.ground.friction * normalForce * slipShare(speed, slipSpeed_) / speed * slide;
}

/// Friction on a vertex that goes on from the velocity `start` for dt under `force`; returns the power lost.
double Loads::addStepFriction(std::size_t i, const Vec3& start, double normalForce, double dt, Vec3& force) const {
    const auto along = [&](const Vec3& a) { return Vec3(a - normal_.dot(a) * normal_); };
    const Vec3 slide = along(start + dt / body_.mass[i] * force);
    const double speed = slide.norm(), most = dt * settings_.ground.friction * normalForce / body_.mass[i];
    if (speed == 0) return 0;
    const double left = speedAfterFriction(speed, most, slipSpeed_);
    const Vec3 friction = -body_.mass[i] * (speed - left) / (dt * speed) * slide;
    force += friction;
    return -0.5 * friction.dot(along(start) + left / speed * slide);
}

LoadTotals Loads::addGround(std::size_t i, const Vec3& x, const Vec3& v, const SlidingStep& sliding, Vec3& force) const {
    LoadTotals totals;
    const Touch t = touch(i, x);
    if (t.depth <= 0) return totals;
    const double speed = normal_.dot(v), elastic = t.stiffness * t.depth, push = std::max(0.0, elastic - t.damping * speed);
    force += push * normal_;
    totals.contact = 0.5 * elastic * t.depth;
    totals.frictionPower = (elastic - push) * speed;
    if (sliding.dt > 0 && (sliding.held.empty() || !sliding.held[i])) {
        totals.frictionPower += addStepFriction(i, v - 0.5 * sliding.dt * sliding.acceleration[i], push, sliding.dt, force);
    } else {
        const Vec3 drag = friction(v, push);
        force += drag;
        totals.frictionPower -= drag.dot(v);
    }
    return totals;
}

LoadTotals Loads::addTargets(Span<const Vec3> x, Span<const Vec3> v, double time, Span<Vec3> force) const {
    LoadTotals sum;
    visitTargets([&](std::size_t i, const Motion& motion, const Vec3& anchor, double strength, double damping) {
        const Vec3 away = motion.apply(anchor, time) - x[i], speed = motion.velocity(anchor, time);
        const Vec3 pull = strength * away, drag = damping * (speed - v[i]);
        force[i] += pull + drag;
        sum.target += 0.5 * pull.dot(away);
        sum.targetPower += drag.dot(speed - v[i]);
        sum.motionPower += (pull + drag).dot(speed);
    });
    return sum;
}

void Loads::addVertexForces(std::size_t i, const Vec3& x, const Vec3& v, const SlidingStep& sliding, Vec3& force,
                            LoadTotals& totals) const {
    const Vec3 weight = body_.mass[i] * acceleration_;
    force += weight;
    totals.gravity -= weight.dot(x - body_.mesh.rest[i]);
    if (isPushed()) {
        const Vec3 push = pushAt(i);
        force += push;
        totals.paintedPower += push.dot(v);
    }
    if (!body_.massDamping.empty()) {
        force -= body_.massDamping[i] * v;
        totals.dragPower += body_.massDamping[i] * v.squaredNorm();
    }
    if (settings_.ground.enabled) totals = totals + addGround(i, x, v, sliding, force);
}

LoadTotals Loads::potentials(Span<const Vec3> x, double time) const {
    LoadTotals sum = parallelReduce(x.size(), kGrain, LoadTotals{}, [&](std::size_t first, std::size_t last) {
        LoadTotals totals;
        for (std::size_t i = first; i < last; ++i) {
            totals.gravity -= body_.mass[i] * acceleration_.dot(x[i] - body_.mesh.rest[i]);
            if (!settings_.ground.enabled) continue;
            const Touch t = touch(i, x[i]);
            if (t.depth > 0) totals.contact += 0.5 * t.stiffness * t.depth * t.depth;
        }
        return totals;
    });
    for (const SoftTarget& t : body_.constraints.soft)
        if (time <= t.releaseTime) sum.target += springEnergy(t, x, time, released_);
    return sum;
}

double Loads::releasedEnergy(Span<const Vec3> x, double time) const {
    double sum = 0;
    for (const SoftTarget& t : body_.constraints.soft)
        if (time == t.releaseTime) sum += springEnergy(t, x, time, released_);
    return sum;
}

HeldVertices heldVertices(const Body& body, const BodyState& state, double startTime, double endTime) {
    HeldVertices held;
    for (const HardTarget& t : body.constraints.hard) {
        if (startTime >= t.releaseTime) continue;
        held.fixed.resize(body.mesh.vertexCount(), 0);
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            if (state.isReleased(static_cast<std::size_t>(t.vertices[k]), kReleasedPin)) continue;
            std::uint8_t& fixed = held.fixed[static_cast<std::size_t>(t.vertices[k])];
            if (fixed) continue;  // the first target wins
            fixed = 1;
            held.vertices.push_back(t.vertices[k]);
            held.position.push_back(t.motion.apply(t.anchor[k], endTime));
            held.velocity.push_back(t.motion.velocity(t.anchor[k], endTime));
        }
    }
    if (state.sleep.still.empty()) return held;
    held.fixed.resize(body.mesh.vertexCount(), 0);
    for (std::size_t i = 0; i < held.fixed.size(); ++i) {
        if (!state.sleep.still[i] || held.fixed[i]) continue;
        held.fixed[i] = 1;
        held.vertices.push_back(static_cast<std::int32_t>(i));
        held.position.push_back(state.x[i]);
        held.velocity.push_back(Vec3::Zero());
    }
    return held;
}

}  // namespace sunder
