#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/sim/body_work.h"
#include "core/sim/glue.h"
#include "core/sim/release.h"

/// Runge-Kutta-Fehlberg: six evaluations give a step of order 5 and, as its error, the difference to one of order 4. Losses and
/// work are integrated along with the same weights, so the energy books are as exact as the motion.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr int kStages = 6;
constexpr double kNode[kStages] = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
constexpr double kMatrix[kStages][kStages - 1] = {{},
                                                  {1.0 / 4},
                                                  {3.0 / 32, 9.0 / 32},
                                                  {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                                                  {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
                                                  {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}};
constexpr double kFifth[kStages] = {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
constexpr double kFourth[kStages] = {25.0 / 216, 0, 1408.0 / 2565, 2197.0 / 4104, -1.0 / 5, 0};

/// Rates of the books.
struct Rates {
    double damped = 0, friction = 0, targetDamped = 0, work = 0;
};

struct Stages {
    std::vector<Vec3> x, v;                  ///< arguments of a stage
    std::vector<Vec3> dx[kStages], dv[kStages];
    Rates rates[kStages];
};

class Rkf45Stepper {
  public:
    explicit Rkf45Stepper(StepContext& context) : c_(context), stages_(context.work.bodies.size()) {
        for (const BodyWork& work : c_.work.bodies) {
            Vec3 low = work.body->mesh.rest[0], high = low;
            for (const Vec3& p : work.body->mesh.rest) {
                low = low.cwiseMin(p);
                high = high.cwiseMax(p);
            }
            size_.push_back((high - low).norm());
            speed_.push_back(waveSpeed(*work.body));
        }
    }

    bool run(double time, double duration) {
        const double end = time + duration;
        for (const BodyWork& work : c_.work.bodies)
            if (work.body->rigid) {
                c_.report.message = format("body '%s' is rigid, and rkf45 steps vertices only; use explicit, implicit or newmark", work.body->name.c_str());
                return false;
            }
        for (const BodyWork& work : c_.work.bodies)
            if (work.body->elements.plastic()) {
                c_.report.message = format("body '%s' is plastic, and rkf45 has no place for flow: it measures its error on forces that depend on the present "
                                           "shape alone; use explicit, implicit or newmark",
                                           work.body->name.c_str());
                return false;
            }
        for (const BodyWork& work : c_.work.bodies)
            if (anyReleases(*work.body) || anyBond(c_.work.glue)) {
                c_.report.message = format("rkf45 takes no glue and no pins that let go above a force, as those of body '%s'; use explicit, implicit or newmark", work.body->name.c_str());
                return false;
            }
        if (c_.work.contact.active() && c_.report.warnings.empty())
            c_.report.warnings.push_back("rkf45 steps every body for itself, so bodies do not meet; use explicit, implicit or newmark for contact");
        double dt = c_.nextStep > 0 ? c_.nextStep : initialStep();
        while (time < end) {
            throwIfCancelled(c_.monitor);
            if (c_.monitor) c_.monitor->progress(1 - (end - time) / duration);
            const double left = end - time, size = dt >= left ? left : (2 * dt > left ? left / 2 : dt);
            const double error = tryStep(time, size);
            const double factor = std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 4.0);
            if (error <= 1) {
                commit(time, size);
                time = size == left ? end : time + size;
                // a step cut short by the end of the frame says little of the next one
                dt = size < dt ? std::max(dt, size * factor) : size * factor;
                continue;
            }
            ++c_.report.rejected;
            dt = std::isfinite(error) ? size * factor : size * 0.5;
            if (dt < c_.settings.smallestStep) {
                c_.report.message = format("the rkf45 step fell to %g s; raise errorTolerance or use the implicit integrator", dt);
                return false;
            }
        }
        c_.nextStep = dt;
        return true;
    }

  private:
    double initialStep() const {
        double stable = 1e300;
        for (const BodyWork& work : c_.work.bodies) stable = std::min(stable, stableStep(work));
        return 0.5 * stable;
    }

    /// All stages of all bodies; the largest error as a share of the tolerance, infinite if the step cannot be taken.
    double tryStep(double time, double dt) {
        double error = 0;
        for (std::size_t b = 0; b < stages_.size(); ++b) {
            for (int s = 0; s < kStages; ++s)
                if (!evaluateStage(b, s, time, dt)) return HUGE_VAL;
            error = std::max(error, bodyError(b, dt));
            if (error <= 1 && !combineStages(b, time, dt)) return HUGE_VAL;
        }
        return error;
    }

    /// The state at the end of the step, into st.x and st.v; false if a law does not allow it.
    bool combineStages(std::size_t b, double time, double dt) {
        const BodyWork& work = c_.work.bodies[b];
        Stages& st = stages_[b];
        st.x = work.state.x;
        st.v = work.state.v;
        for (std::size_t i = 0; i < work.vertexCount(); ++i)
            for (int s = 0; s < kStages; ++s) {
                st.x[i] += dt * kFifth[s] * st.dx[s][i];
                st.v[i] += dt * kFifth[s] * st.dv[s][i];
            }
        holdVertices(work, st, time, time + dt);
        return !needsPositiveDet(*work.body) || computeEnergy(work.body->elements, st.x).smallestDetF > 0;
    }

    bool evaluateStage(std::size_t b, int s, double time, double dt) {
        BodyWork& work = c_.work.bodies[b];
        Stages& st = stages_[b];
        const std::size_t n = work.vertexCount();
        st.x.resize(n);
        st.v.resize(n);
        st.dx[s].resize(n);
        st.dv[s].resize(n);
        parallelFor(n, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                Vec3 x = work.state.x[i], v = work.state.v[i];
                for (int k = 0; k < s; ++k) {
                    x += dt * kMatrix[s][k] * st.dx[k][i];
                    v += dt * kMatrix[s][k] * st.dv[k][i];
                }
                st.x[i] = x;
                st.v[i] = v;
            }
        });
        const double t = time + kNode[s] * dt;
        const HeldVertices held = holdVertices(work, st, time, t);
        const Evaluation e = evaluateForces(work, st.x, st.v, t, {}, work.force);
        if (!e.finite() || (needsPositiveDet(*work.body) && e.internal.smallestDetF <= 0)) return false;
        double heldPower = 0;
        for (std::size_t i = 0; i < n; ++i) {
            st.dx[s][i] = st.v[i];
            st.dv[s][i] = work.force[i] / work.body->mass[i];
        }
        for (const std::int32_t vertex : held.vertices) {
            const auto i = static_cast<std::size_t>(vertex);
            heldPower -= work.force[i].dot(st.v[i]);
            st.dv[s][i].setZero();
        }
        st.rates[s] = {e.internal.dissipation + e.loads.dragPower, e.loads.frictionPower, e.loads.targetPower,
                       e.loads.paintedPower + e.loads.motionPower + heldPower};
        return true;
    }

    /// Puts held vertices where their motion has them at time t, with its speed.
    static HeldVertices holdVertices(const BodyWork& work, Stages& st, double startTime, double t) {
        HeldVertices held = heldVertices(*work.body, work.state, startTime, t);
        for (std::size_t k = 0; k < held.vertices.size(); ++k) {
            const auto i = static_cast<std::size_t>(held.vertices[k]);
            st.x[i] = held.position[k];
            st.v[i] = held.velocity[k];
        }
        return held;
    }

    double bodyError(std::size_t b, double dt) const {
        const BodyWork& work = c_.work.bodies[b];
        const Stages& st = stages_[b];
        double largest = 0;
        for (std::size_t i = 0; i < work.vertexCount(); ++i) {
            Vec3 ex = Vec3::Zero(), ev = Vec3::Zero();
            for (int s = 0; s < kStages; ++s) {
                ex += dt * (kFifth[s] - kFourth[s]) * st.dx[s][i];
                ev += dt * (kFifth[s] - kFourth[s]) * st.dv[s][i];
            }
            largest = std::max({largest, ex.norm() / size_[b], ev.norm() / speed_[b]});
        }
        return largest / c_.settings.errorTolerance;
    }

    void commit(double time, double dt) {
        for (std::size_t b = 0; b < stages_.size(); ++b) {
            BodyWork& work = c_.work.bodies[b];
            Stages& st = stages_[b];
            const HeldVertices held = heldVertices(*work.body, work.state, time, time + dt);
            const double heldBefore = kineticEnergy(*work.body, work.state.v, held.vertices);
            work.state.x = st.x;
            work.state.v = st.v;
            work.state.a = st.dv[4];  // the stage at the end of the step
            for (int s = 0; s < kStages; ++s) {
                c_.books.damped += dt * kFifth[s] * st.rates[s].damped;
                c_.books.friction += dt * kFifth[s] * st.rates[s].friction;
                c_.books.targetDamped += dt * kFifth[s] * st.rates[s].targetDamped;
                c_.books.work += dt * kFifth[s] * st.rates[s].work;
            }
            c_.books.work += kineticEnergy(*work.body, work.state.v, held.vertices) - heldBefore;
        }
        StepReport& r = c_.report;
        r.smallestStep = r.steps == 0 ? dt : std::min(r.smallestStep, dt);
        r.largestStep = std::max(r.largestStep, dt);
        ++r.steps;
    }

    StepContext& c_;
    std::vector<Stages> stages_;
    std::vector<double> size_, speed_;  ///< what errors are compared with, m and m/s
};
}  // namespace

bool stepRkf45(StepContext& context, double time, double duration) { return Rkf45Stepper(context).run(time, duration); }

}  // namespace sunder
