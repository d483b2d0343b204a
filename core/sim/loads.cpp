#include "core/sim/loads.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr double kPi = 3.14159265358979323846;

/// Damping ratio of an oscillator that bounces back with this share of its speed.
double dampingRatio(double restitution) {
    if (restitution <= 0) return 1;
    const double l = std::log(restitution);
    return -l / std::sqrt(kPi * kPi + l * l);
}

/// Friction as a share of its largest value at sliding speed s: 0 at rest, 1 from the slip speed on, with a continuous slope.
double slipShare(double s, double slipSpeed) { return s >= slipSpeed ? 1 : (2 - s / slipSpeed) * s / slipSpeed; }
/// Its derivative by s.
double slipSlope(double s, double slipSpeed) { return s >= slipSpeed ? 0 : 2 * (1 - s / slipSpeed) / slipSpeed; }
/// Its integral over s.
double slipPotential(double s, double slipSpeed) {
    return s >= slipSpeed ? s - slipSpeed / 3 : s * s / slipSpeed * (1 - s / (3 * slipSpeed));
}

double bodySize(const TetMesh& mesh) {
    Vec3 low = mesh.rest[0], high = low;
    for (const Vec3& p : mesh.rest) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    return (high - low).norm();
}
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

Loads::Loads(const Body& body, const StepSettings& settings)
    : body_(body), settings_(settings), acceleration_(settings.gravity + settings.uniformForce), normal_(settings.ground.normal.normalized()) {
    slipSpeed_ = 1e-3 * bodySize(body.mesh);
    contactRatio_ = 2 * dampingRatio(settings.ground.restitution);
    if (settings.ground.enabled)
        for (std::size_t i = 0; i < body.mass.size(); ++i) {
            const double k = settings.ground.stiffnessScale * body.stiffness[i] / body.mass[i];
            largestOmegaSq_ = std::max(largestOmegaSq_, k);
            largestDamping_ = std::max(largestDamping_, contactRatio_ * std::sqrt(k));
        }
    for (const SoftTarget& t : body.constraints.soft)
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            const double weight = (t.weight.empty() ? 1 : t.weight[k]) / body.mass[static_cast<std::size_t>(t.vertices[k])];
            largestOmegaSq_ = std::max(largestOmegaSq_, weight * t.strength);
            largestDamping_ = std::max(largestDamping_, weight * t.damping);
        }
    normalForce_.assign(settings.ground.enabled ? body.mass.size() : 0, 0.0);
}

bool Loads::touches(std::size_t i, const Vec3& x, Contact& contact) const {
    contact.depth = normal_.dot(settings_.ground.point - x);
    contact.stiffness = settings_.ground.stiffnessScale * body_.stiffness[i];
    contact.damping = contactRatio_ * std::sqrt(contact.stiffness * body_.mass[i]);
    return contact.depth > 0;
}

/// Calls visit(vertex, place at `time`, strength, damping) for every softly held vertex.
template <class Visit>
void Loads::visitTargets(double time, Visit visit) const {
    for (const SoftTarget& t : body_.constraints.soft) {
        if (time > t.releaseTime) continue;
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            const double weight = t.weight.empty() ? 1 : t.weight[k];
            visit(static_cast<std::size_t>(t.vertices[k]), t.motion, t.anchor[k], weight * t.strength, weight * t.damping);
        }
    }
}

LoadTotals Loads::addForces(Span<const Vec3> x, Span<const Vec3> v, double time, double dt, Span<Vec3> force) const {
    LoadTotals sum = parallelReduce(x.size(), kGrain, LoadTotals{}, [&](std::size_t first, std::size_t last) {
        LoadTotals totals;
        for (std::size_t i = first; i < last; ++i) {
            const double mass = body_.mass[i];
            Vec3 f = mass * acceleration_;
            totals.gravity -= f.dot(x[i] - body_.mesh.rest[i]);
            if (!body_.force.empty()) {
                f += body_.force[i];
                totals.paintedPower += body_.force[i].dot(v[i]);
            }
            if (!body_.massDamping.empty()) {
                f -= body_.massDamping[i] * v[i];
                totals.dragPower += body_.massDamping[i] * v[i].squaredNorm();
            }
            Contact contact;
            if (settings_.ground.enabled && touches(i, x[i], contact)) {
                const double speed = normal_.dot(v[i]), elastic = contact.stiffness * contact.depth;
                const double damper = contact.damping * std::max(0.0, -speed), normalForce = elastic + damper;
                const Vec3 slide = v[i] - speed * normal_;
                const double slideSpeed = slide.norm();
                double friction = settings_.ground.friction * normalForce * slipShare(slideSpeed, slipSpeed_);
                if (dt > 0) friction = std::min(friction, mass * slideSpeed / dt);
                f += normalForce * normal_;
                if (slideSpeed > 0) f -= friction / slideSpeed * slide;
                totals.contact += 0.5 * elastic * contact.depth;
                totals.frictionPower += damper * std::max(0.0, -speed) + friction * slideSpeed;
            }
            force[i] += f;
        }
        return totals;
    });
    constexpr double kDelta = 1e-6;  // s, for the speed of a moving target
    visitTargets(time, [&](std::size_t i, const Motion& motion, const Vec3& anchor, double strength, double damping) {
        const Vec3 place = motion.apply(anchor, time);
        const Vec3 speed = motion.keys.empty() ? Vec3::Zero() : Vec3((motion.apply(anchor, time + kDelta) - motion.apply(anchor, time - kDelta)) / (2 * kDelta));
        const Vec3 pull = strength * (place - x[i]), drag = damping * (speed - v[i]);
        force[i] += pull + drag;
        sum.target += 0.5 * pull.dot(place - x[i]);
        sum.targetPower += drag.dot(speed - v[i]);
        sum.motionPower += (pull + drag).dot(speed);
    });
    return sum;
}

LoadTotals Loads::potentials(Span<const Vec3> x, double time) const {
    LoadTotals sum = parallelReduce(x.size(), kGrain, LoadTotals{}, [&](std::size_t first, std::size_t last) {
        LoadTotals totals;
        for (std::size_t i = first; i < last; ++i) {
            totals.gravity -= body_.mass[i] * acceleration_.dot(x[i] - body_.mesh.rest[i]);
            Contact contact;
            if (settings_.ground.enabled && touches(i, x[i], contact))
                totals.contact += 0.5 * contact.stiffness * contact.depth * contact.depth;
        }
        return totals;
    });
    visitTargets(time, [&](std::size_t i, const Motion& motion, const Vec3& anchor, double strength, double) {
        sum.target += 0.5 * strength * (motion.apply(anchor, time) - x[i]).squaredNorm();
    });
    return sum;
}

void Loads::updateNormalForces(Span<const Vec3> x) {
    parallelFor(normalForce_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Contact contact;
            normalForce_[i] = touches(i, x[i], contact) ? contact.stiffness * contact.depth : 0;
        }
    });
}

double Loads::objective(Span<const Vec3> x, Span<const Vec3> v, double time, double rate, Span<Vec3> force) const {
    const bool wantForce = !force.empty();
    double sum = parallelReduce(x.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double value = 0;
        for (std::size_t i = first; i < last; ++i) {
            Vec3 f = body_.mass[i] * acceleration_;
            if (!body_.force.empty()) f += body_.force[i];
            value -= f.dot(x[i] - body_.mesh.rest[i]);
            if (!body_.massDamping.empty()) {
                f -= body_.massDamping[i] * v[i];
                value += 0.5 / rate * body_.massDamping[i] * v[i].squaredNorm();
            }
            if (settings_.ground.enabled) {
                Contact contact;
                if (touches(i, x[i], contact)) {
                    f += contact.stiffness * contact.depth * normal_;
                    value += 0.5 * contact.stiffness * contact.depth * contact.depth;
                }
                if (normalForce_[i] > 0) {
                    const double speed = normal_.dot(v[i]), approach = std::max(0.0, -speed);
                    const Vec3 slide = v[i] - speed * normal_;
                    const double slideSpeed = slide.norm(), largest = settings_.ground.friction * normalForce_[i];
                    f += contact.damping * approach * normal_;
                    if (slideSpeed > 0) f -= largest * slipShare(slideSpeed, slipSpeed_) / slideSpeed * slide;
                    value += (0.5 * contact.damping * approach * approach + largest * slipPotential(slideSpeed, slipSpeed_)) / rate;
                }
            }
            if (wantForce) force[i] += f;
        }
        return value;
    });
    constexpr double kDelta = 1e-6;
    visitTargets(time, [&](std::size_t i, const Motion& motion, const Vec3& anchor, double strength, double damping) {
        const Vec3 place = motion.apply(anchor, time);
        const Vec3 speed = motion.keys.empty() ? Vec3::Zero() : Vec3((motion.apply(anchor, time + kDelta) - motion.apply(anchor, time - kDelta)) / (2 * kDelta));
        if (wantForce) force[i] += strength * (place - x[i]) + damping * (speed - v[i]);
        sum += 0.5 * strength * (place - x[i]).squaredNorm() + 0.5 / rate * damping * (speed - v[i]).squaredNorm();
    });
    return sum;
}

void Loads::addToMatrix(Span<const Vec3> x, Span<const Vec3> v, double rate, BlockMatrix& matrix) const {
    const SparsePattern& pattern = *matrix.pattern;
    const Mat3 across = normal_ * normal_.transpose(), along = Mat3::Identity() - across;
    parallelFor(x.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            auto block = matrix.block(static_cast<std::size_t>(pattern.diagonal[i]));
            if (!body_.massDamping.empty()) block.diagonal().array() += rate * body_.massDamping[i];
            if (!settings_.ground.enabled) continue;
            Contact contact;
            if (touches(i, x[i], contact)) block += contact.stiffness * across;
            if (normalForce_[i] > 0) {
                const double speed = normal_.dot(v[i]), largest = rate * settings_.ground.friction * normalForce_[i];
                if (speed < 0) block += rate * contact.damping * across;
                const Vec3 slide = v[i] - speed * normal_;
                const double slideSpeed = slide.norm();
                if (slideSpeed < 1e-9 * slipSpeed_) {
                    block += largest * slipSlope(0, slipSpeed_) * along;
                } else {
                    // across the slide friction turns with it; along the slide it only grows, and no more once it slips
                    const Mat3 onward = slide * slide.transpose() / (slideSpeed * slideSpeed);
                    block += largest * (slipShare(slideSpeed, slipSpeed_) / slideSpeed * (along - onward) + slipSlope(slideSpeed, slipSpeed_) * onward);
                }
            }
        }
    });
}

namespace {
void addToDiagonal(BlockMatrix& matrix, std::size_t i, double value) {
    matrix.block(static_cast<std::size_t>(matrix.pattern->diagonal[i])).diagonal().array() += value;
}
}  // namespace

void Loads::addTargetsToMatrix(double time, double rate, BlockMatrix& matrix) const {
    visitTargets(time, [&](std::size_t i, const Motion&, const Vec3&, double strength, double damping) {
        addToDiagonal(matrix, i, strength + rate * damping);
    });
}

HeldVertices heldVertices(const Body& body, double startTime, double endTime) {
    HeldVertices held;
    for (const HardTarget& t : body.constraints.hard) {
        if (startTime >= t.releaseTime) continue;
        held.fixed.resize(body.mesh.vertexCount(), 0);
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            std::uint8_t& fixed = held.fixed[static_cast<std::size_t>(t.vertices[k])];
            if (fixed) continue;  // the first target wins
            fixed = 1;
            held.vertices.push_back(t.vertices[k]);
            held.position.push_back(t.motion.apply(t.anchor[k], endTime));
        }
    }
    return held;
}

}  // namespace sunder
