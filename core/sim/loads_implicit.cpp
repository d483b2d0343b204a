#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/contact/contact_law.h"
#include "core/sim/loads_visit.h"

/// The loads as part of what an implicit step minimizes.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;

void addToDiagonal(BlockMatrix& matrix, std::size_t i, double value) {
    matrix.block(static_cast<std::size_t>(matrix.pattern->diagonal[i])).diagonal().array() += value;
}
}  // namespace

void Loads::beginStage(const LoadStage& stage, Span<const Vec3> xStart) {
    stage_ = stage;
    beginBlasts(xStart);
    std::fill(normalForce_.begin(), normalForce_.end(), -1.0);
}

void Loads::updateContacts(Span<const Vec3> x, Span<const Vec3> v) {
    parallelFor(normalForce_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Touch t = touch(i, x[i]);
            normalForce_[i] = t.depth > 0 ? std::max(0.0, t.stiffness * t.depth - t.damping * normal_.dot(v[i])) : -1;
        }
    });
}

/// Within a step the normal speed is a function of the depth, so max(0, k d - c s) is a straight line of slope k + c rate, cut off
/// at zero, and has a potential.
double Loads::groundObjective(std::size_t i, const Vec3& x, const Vec3& v, Vec3& force) const {
    const Touch t = touch(i, x);
    if (normalForce_[i] < 0) {
        const double push = t.stiffness * std::max(0.0, t.depth);
        force += push * normal_;
        return 0.5 * push * std::max(0.0, t.depth);
    }
    const double push = std::max(0.0, t.stiffness * t.depth - t.damping * normal_.dot(v));
    force += push * normal_ + friction(v, normalForce_[i]);
    const double slide = (v - normal_.dot(v) * normal_).norm();
    return 0.5 * push * push / (t.stiffness + stage_.rate * t.damping) +
           settings_.ground.friction * normalForce_[i] * slipPotential(slide, slipSpeed_) / stage_.rate;
}

/// The speed that a soft target's damper sees. Backward Euler takes the mean over the step, so that the work is damper times way.
Vec3 Loads::targetSpeed(const Motion& motion, const Vec3& anchor) const {
    const double end = stage_.time + stage_.dt;
    if (stage_.secondOrder) return motion.velocity(anchor, end);
    return motion.moves() ? Vec3((motion.apply(anchor, end) - motion.apply(anchor, stage_.time)) / stage_.dt) : Vec3(Vec3::Zero());
}

double Loads::objective(Span<const Vec3> x, Span<const Vec3> v, Span<Vec3> force) const {
    const bool wantForce = !force.empty();
    double sum = parallelReduce(x.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double value = 0;
        for (std::size_t i = first; i < last; ++i) {
            Vec3 f = body_.mass[i] * acceleration_;
            if (isPushed()) f += pushAt(i);
            if (!blastForce_.empty()) f += blastForce_[i];
            value -= f.dot(x[i] - body_.mesh.rest[i]);
            if (!body_.massDamping.empty()) {
                f -= body_.massDamping[i] * v[i];
                value += 0.5 / stage_.rate * body_.massDamping[i] * v[i].squaredNorm();
            }
            if (settings_.ground.enabled) value += groundObjective(i, x[i], v[i], f);
            if (wantForce) force[i] += f;
        }
        return value;
    });
    visitTargets([&](std::size_t i, const Motion& motion, const Vec3& anchor, double strength, double damping) {
        const Vec3 away = motion.apply(anchor, stage_.time + stage_.dt) - x[i], slow = targetSpeed(motion, anchor) - v[i];
        if (wantForce) force[i] += strength * away + damping * slow;
        sum += 0.5 * strength * away.squaredNorm() + 0.5 / stage_.rate * damping * slow.squaredNorm();
    });
    return sum;
}

/// Derivative of minus the friction by the velocity, per unit of its largest value: across the slide it turns with it; along the slide
/// it only grows, and no more once it slips. Or force over speed, in both directions.
Mat3 Loads::frictionSlope(const Vec3& v) const {
    const Mat3 along = Mat3::Identity() - normal_ * normal_.transpose();
    const Vec3 slide = along * v;
    const double speed = slide.norm();
    if (speed < 1e-9 * slipSpeed_) return slipSlope(0, slipSpeed_) * along;
    if (frictionBySpeed_) return slipShare(speed, slipSpeed_) / speed * along;
    const Mat3 onward = slide * slide.transpose() / (speed * speed);
    return slipShare(speed, slipSpeed_) / speed * (along - onward) + slipSlope(speed, slipSpeed_) * onward;
}

Mat3 Loads::groundStiffness(std::size_t i, const Vec3& x, const Vec3& v) const {
    const Touch t = touch(i, x);
    const double damping = normalForce_[i] < 0 ? 0 : t.damping;
    Mat3 sum = Mat3::Zero();
    if (t.stiffness * t.depth > damping * normal_.dot(v)) sum += (t.stiffness + stage_.rate * damping) * normal_ * normal_.transpose();
    if (normalForce_[i] > 0) sum += stage_.rate * settings_.ground.friction * normalForce_[i] * frictionSlope(v);
    return sum;
}

void Loads::addToMatrix(Span<const Vec3> x, Span<const Vec3> v, BlockMatrix& matrix) const {
    parallelFor(x.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (!body_.massDamping.empty()) addToDiagonal(matrix, i, stage_.rate * body_.massDamping[i]);
            if (settings_.ground.enabled)
                matrix.block(static_cast<std::size_t>(matrix.pattern->diagonal[i])) += groundStiffness(i, x[i], v[i]);
        }
    });
    visitTargets([&](std::size_t i, const Motion&, const Vec3&, double strength, double damping) {
        addToDiagonal(matrix, i, strength + stage_.rate * damping);
    });
}

/// The ground's damper and friction as forces of the solved step; newmark steps see the mean of both ends.
Vec3 Loads::groundLoss(std::size_t i, const LoadEnds& ends) const {
    const auto lossAt = [&](const Vec3& x, const Vec3& v, double normalForce) {
        const Touch t = touch(i, x);
        const double push = std::max(0.0, t.stiffness * t.depth - t.damping * normal_.dot(v));
        return Vec3((push - t.stiffness * std::max(0.0, t.depth)) * normal_ + friction(v, normalForce));
    };
    Vec3 force = normalForce_[i] < 0 ? Vec3(Vec3::Zero()) : lossAt(ends.x[i], ends.v[i], normalForce_[i]);
    if (!stage_.secondOrder) return force;
    const Touch t = touch(i, ends.xStart[i]);
    if (t.depth > 0) {
        const double push = std::max(0.0, t.stiffness * t.depth - t.damping * normal_.dot(ends.vStart[i]));
        force += lossAt(ends.xStart[i], ends.vStart[i], push);
    }
    return 0.5 * force;
}

void Loads::addTargetPowers(const LoadEnds& ends, LoadTotals& sum) const {
    const double end = stage_.time + stage_.dt;
    visitTargets([&](std::size_t i, const Motion& motion, const Vec3& anchor, double strength, double damping) {
        const Vec3 start = motion.apply(anchor, stage_.time), stop = motion.apply(anchor, end);
        const Vec3 speed = (stop - start) / stage_.dt, slow = speed - (ends.x[i] - ends.xStart[i]) / stage_.dt;
        const Vec3 away = stage_.secondOrder ? Vec3(0.5 * (start - ends.xStart[i] + stop - ends.x[i])) : Vec3(stop - ends.x[i]);
        sum.targetPower += damping * slow.squaredNorm();
        sum.motionPower += (strength * away + damping * slow).dot(speed);
    });
}

LoadTotals Loads::stagePowers(const LoadEnds& ends) const {
    LoadTotals sum = parallelReduce(ends.x.size(), kGrain, LoadTotals{}, [&](std::size_t first, std::size_t last) {
        LoadTotals totals;
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 mean = (ends.x[i] - ends.xStart[i]) / stage_.dt;
            if (isPushed()) totals.paintedPower += pushAt(i).dot(mean);
            if (!blastMean_.empty()) totals.paintedPower += blastMean_[i].dot(mean);
            if (!body_.massDamping.empty()) totals.dragPower += body_.massDamping[i] * mean.squaredNorm();
            if (settings_.ground.enabled) totals.frictionPower -= groundLoss(i, ends).dot(mean);
        }
        return totals;
    });
    addTargetPowers(ends, sum);
    return sum;
}

}  // namespace sunder
