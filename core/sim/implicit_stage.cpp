#include "core/sim/implicit_stage.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/timer.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr int kContactUpdates = 4;      // how often a step takes new normal forces for friction
constexpr double kLoosestSolve = 0.1;   // of Newton's linear solves, share of the right-hand side
constexpr int kMostOldFactorSolves = 12, kFewOldFactorSolves = 6;  // a new factor takes about the time of twenty solves
constexpr int kLineSearchHalvings = 40;
constexpr double kArmijo = 1e-4;
constexpr double kLargestUnfinished = 1e-2;  // share of the force scale
// a step this short that changes the value this little (as shares) stands on a kink
constexpr double kShortStep = 1e-3, kFlat = 1e-12;

bool isViscous(const Body& body) {
    return std::any_of(body.elements.chunks.begin(), body.elements.chunks.end(), [](const ElementChunk& c) { return c.viscous; });
}

bool allCorotated(const Body& body) {
    return std::all_of(body.elements.chunks.begin(), body.elements.chunks.end(),
                       [](const ElementChunk& c) { return c.law == ElasticLawId::kCorotated; });
}

/// Mean over the tets of the bound of each alone. (The largest bound may be that of a single sliver.)
double meanOmega(const ElementTable& table) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t p = 0; p < table.packs.size(); ++p)
        for (std::size_t lane = 0; lane < 4; ++lane)
            if (table.packTet[p][lane] >= 0) {
                sum += std::sqrt(table.packBounds[p].omegaSq[lane]);
                ++count;
            }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

ImplicitWork& ensureWork(BodyWork& work) {
    if (!work.implicit) {
        work.implicit = std::make_unique<ImplicitWork>();
        work.implicit->pattern = buildSparsePattern(work.body->elements);
        work.implicit->matrix.pattern = &work.implicit->pattern;
    }
    return *work.implicit;
}
}  // namespace

ImplicitStage::ImplicitStage(BodyWork& work, const StepSettings& settings, StepReport& report, Monitor* monitor)
    : work_(work), body_(*work.body), settings_(settings), report_(report), monitor_(monitor),
      newmark_(settings.integrator == Integrator::kNewmark), viscous_(isViscous(*work.body)) {
    ensureWork(work);
}

bool ImplicitStage::fail(const std::string& message) {
    report_.message = format("body '%s' at %g s, step %g s: ", body_.name.c_str(), time_, dt_) + message;
    return false;
}

bool ImplicitStage::solve(double time, double dt) {
    time_ = time;
    dt_ = dt;
    inertia_ = (newmark_ ? 4 : 1) / (dt * dt);
    rate_ = (newmark_ ? 2 : 1) / dt;
    held_ = heldVertices(body_, time, time + dt);
    work_.loads->beginStage({time, dt, rate_, newmark_});
    factorServes_ = false;
    const BodyState& s = work_.state;
    const std::size_t n = work_.vertexCount();
    for (auto* list : {&xPredicted_, &x_, &v_, &trial_, &gradient_}) list->resize(n);
    direction_.assign(n, Vec3::Zero());
    parallelFor(n, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            xPredicted_[i] = s.x[i] + dt * s.v[i];
            if (newmark_) xPredicted_[i] += (0.25 * dt * dt) * s.a[i];
        }
    });
    // viscosity of the shape at the start keeps its force a gradient; newmark, of second order, looks ahead instead
    xViscous_ = s.x;
    if (newmark_ && viscous_) lookAhead();
    if (!(settings_.oneSolve ? solveOnce() : solveNewton())) return false;
    updateFlows();
    return !newmark_ || keepsEnergy();
}

void ImplicitStage::lookAhead() {
    const BodyState& s = work_.state;
    for (std::size_t i = 0; i < xViscous_.size(); ++i) xViscous_[i] += dt_ * s.v[i];
    // viscosity goes with the volume in laws with a barrier; a tet that would turn inside out has none to go by
    if (needsPositiveDet(body_) && !(computeEnergy(body_.elements, xViscous_).smallestDetF > 0)) xViscous_ = s.x;
}

void ImplicitStage::updateVelocity(Span<const Vec3> x) {
    const BodyState& s = work_.state;
    parallelFor(x.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            v_[i] = rate_ * (x[i] - s.x[i]);
            if (newmark_) v_[i] -= s.v[i];
        }
    });
    // the mean of two speeds cannot follow a motion that starts or stops: it would swing about it for ever
    if (newmark_)
        for (std::size_t k = 0; k < held_.vertices.size(); ++k) v_[static_cast<std::size_t>(held_.vertices[k])] = held_.velocity[k];
}

/// The value at x, or infinity where the law does not allow x; minus its gradient unless that span is empty.
double ImplicitStage::objective(Span<const Vec3> x, Span<Vec3> minusGradient) {
    Timer timer;
    updateVelocity(x);
    double value = minusGradient.empty() ? computeEnergy(body_.elements, x).energy
                                         : computeForces(body_.elements, x, {}, work_.scratch, minusGradient).energy;
    if (viscous_) value += 0.5 / rate_ * computeViscousForces(body_.elements, xViscous_, v_, work_.scratch, minusGradient);
    value += loadsAndInertia(x, minusGradient);
    report_.forceSeconds += timer.seconds();
    return std::isnan(value) ? HUGE_VAL : value;
}

/// The parts of the value, and of minus its gradient, that need no tets.
double ImplicitStage::loadsAndInertia(Span<const Vec3> x, Span<Vec3> minusGradient) {
    const double value = work_.loads->objective(x, v_, minusGradient);
    return value + parallelReduce(x.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 away = x[i] - xPredicted_[i];
            sum += 0.5 * inertia_ * body_.mass[i] * away.squaredNorm();
            if (!minusGradient.empty()) minusGradient[i] -= (inertia_ * body_.mass[i]) * away;
        }
        return sum;
    });
}

double ImplicitStage::freeNorm(Span<const Vec3> f) const {
    return std::sqrt(parallelReduce(f.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i)
            if (!isHeld(i)) sum += f[i].squaredNorm();
        return sum;
    }));
}

/// inertia M + K(x) + rate C + loads.
void ImplicitStage::assemble(Span<const Vec3> x) {
    Timer timer;
    ImplicitWork& w = *work_.implicit;
    AssembleOptions options;
    options.viscosity = viscous_ ? rate_ : 0;
    assembleStiffness(body_.elements, x, xViscous_, options, w.assemble, w.matrix);
    addLoadsAndInertia(x);
    report_.assembleSeconds += timer.seconds();
}

/// The same with the rotated rest stiffness, and minus the gradient at x besides.
void ImplicitStage::assembleWithForces(Span<const Vec3> x, Span<Vec3> minusGradient) {
    Timer timer;
    ImplicitWork& w = *work_.implicit;
    AssembleOptions options;
    options.viscosity = viscous_ ? rate_ : 0;
    assembleWarped(body_.elements, x, xViscous_, options, w.assemble, w.matrix, work_.scratch);
    parallelFor(work_.vertexCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) minusGradient[i] = gatherForce(body_.elements, work_.scratch, i);
    });
    updateVelocity(x);
    const bool moving = newmark_ || std::any_of(held_.vertices.begin(), held_.vertices.end(), [&](std::int32_t i) {
                            return v_[static_cast<std::size_t>(i)] != Vec3::Zero();
                        });
    if (viscous_ && moving) computeViscousForces(body_.elements, xViscous_, v_, work_.scratch, minusGradient);
    loadsAndInertia(x, minusGradient);
    addLoadsAndInertia(x);
    report_.assembleSeconds += timer.seconds();
}

void ImplicitStage::addLoadsAndInertia(Span<const Vec3> x) {
    ImplicitWork& w = *work_.implicit;
    parallelFor(work_.vertexCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            w.matrix.block(static_cast<std::size_t>(w.pattern.diagonal[i])).diagonal().array() += inertia_ * body_.mass[i];
    });
    work_.loads->addToMatrix(x, v_, w.matrix);
}

LinearSolver& ImplicitStage::chooseSolver(double tolerance) {
    ImplicitWork& w = *work_.implicit;
    const auto cholesky = [&]() -> LinearSolver& {
        if (!w.incomplete) w.incomplete = makeCholeskyCg();
        return *w.incomplete;
    };
    switch (settings_.linearSolver) {
        case LinearSolverKind::kCgJacobi:
            if (!w.jacobi) w.jacobi = makeJacobiCg();
            return *w.jacobi;
        case LinearSolverKind::kCgIncompleteCholesky: return cholesky();
        case LinearSolverKind::kCholmod:
        case LinearSolverKind::kAuto: break;
    }
    if (!w.direct) w.direct = makeDirectSolver();
    const double flops = w.direct->analyse(w.pattern);
    // For a digit, conjugate gradients take about a third as many iterations as a wave crosses elements in a step.
    const double cgIterations = 10 - 0.3 * std::log10(tolerance) * meanOmega(body_.elements) / std::sqrt(inertia_);
    const double cgFlops = cgIterations * 18 * 3 * static_cast<double>(w.pattern.blockCount());
    const bool forced = settings_.linearSolver == LinearSolverKind::kCholmod;
    if (flops <= settings_.cholmodFlops && (forced || flops < cgFlops)) return *w.direct;
    if (forced && report_.warnings.empty())
        report_.warnings.push_back(format("a factorization of body '%s' would take %.2g flops, more than cholmodFlops allows; "
                                          "conjugate gradients are used instead",
                                          body_.name.c_str(), flops));
    return cholesky();
}

/// With the factor of an earlier iteration of the same step, while that is cheaper than a new one. (A factor of an earlier step would
/// make the result depend on what the workspace happens to hold.)
bool ImplicitStage::solveByOldFactor(Span<const Vec3> right, Span<Vec3> solution, double tolerance, LinearReport& linear) {
    ImplicitWork& w = *work_.implicit;
    if (!factorServes_) return false;
    w.direct->keepFactor(w.matrix);
    linear = w.direct->solve(right, solution, {tolerance, kMostOldFactorSolves, monitor_});
    report_.linearIterations += linear.iterations;
    factorServes_ = linear.iterations <= kFewOldFactorSolves;
    return linear.converged;
}

double ImplicitStage::solveLinear(Span<const Vec3> right, Span<Vec3> solution, double tolerance) {
    Timer timer;
    LinearSolver& solver = chooseSolver(tolerance);
    const bool direct = &solver == work_.implicit->direct.get();
    LinearReport linear;
    bool good = true;
    if (!direct || !solveByOldFactor(right, solution, tolerance, linear)) {
        good = solver.factor(work_.implicit->matrix, held_.fixed);
        if (good) linear = solver.solve(right, solution, {tolerance, settings_.linearIterations, monitor_});
        report_.linearIterations += linear.iterations;
        factorServes_ = direct && good;
    }
    report_.solveSeconds += timer.seconds();
    if (good && linear.converged) return linear.residual;
    if (!good)
        fail("the system matrix is not positive definite; look for degenerate tets");
    else
        fail(linear.message + "; raise linearIterations, choose another linearSolver, or use more substeps");
    return -1;
}

/// Virtual04: (inertia M + K + rate C) step = forces, once, from the positions and velocities at the start.
bool ImplicitStage::solveOnce() {
    std::copy(work_.state.x.begin(), work_.state.x.end(), x_.begin());
    for (std::size_t k = 0; k < held_.vertices.size(); ++k) x_[static_cast<std::size_t>(held_.vertices[k])] = held_.position[k];
    updateVelocity(x_);
    work_.loads->updateContacts(x_, v_);
    if (allCorotated(body_)) {
        assembleWithForces(x_, gradient_);
    } else {
        if (!std::isfinite(objective(x_, gradient_))) return fail("a held vertex would turn a tet inside out; use more substeps");
        assemble(x_);
    }
    parallelFor(work_.vertexCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            if (!isHeld(i)) direction_[i] = xPredicted_[i] - x_[i];
    });
    const double residual = solveLinear(gradient_, direction_, settings_.linearTolerance);
    if (residual < 0) return false;
    report_.linearResidual = std::max(report_.linearResidual, residual);
    ++report_.newtonIterations;
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += direction_[i];
    if (needsPositiveDet(body_) && !(computeEnergy(body_.elements, x_).smallestDetF > 0))
        return fail("a tet would lose its volume; use more substeps");
    return true;
}

/// The best of a few places to start from: free flight, the acceleration of the step before, a part of the way, none of it. Where
/// the body is about to hit the ground, free flight would drive it deep into it.
bool ImplicitStage::firstGuess() {
    const BodyState& s = work_.state;
    const double bend = newmark_ ? 0.25 * dt_ * dt_ : dt_ * dt_;
    double best = HUGE_VAL;
    const auto consider = [&](double way, double bent) {
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = s.x[i] + way * (xPredicted_[i] - s.x[i]) + bent * s.a[i];
        for (std::size_t k = 0; k < held_.vertices.size(); ++k) trial_[static_cast<std::size_t>(held_.vertices[k])] = held_.position[k];
        const double value = objective(trial_, {});
        if (!(value < best)) return false;
        best = value;
        x_.swap(trial_);
        return true;
    };
    consider(1, 0);
    consider(1, bend);
    for (const double way : {0.5, 0.25, 0.125, 0.0})
        if (!consider(way, 0) && std::isfinite(best)) break;
    return std::isfinite(best);
}

/// Moves x_ along direction_ as far as the value falls enough.
ImplicitStage::Descent ImplicitStage::lineSearch(double slope, Progress& now) {
    now.share = 1;
    for (int k = 0; k < kLineSearchHalvings; ++k, now.share /= 2) {
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + now.share * direction_[i];
        const double trialValue = objective(trial_, {});
        // near the minimum the value no longer resolves the step; then a fall within round-off is as good as can be seen
        if (trialValue <= now.value + kArmijo * now.share * slope ||
            std::abs(trialValue - now.value) <= 1e-14 * std::abs(now.value)) {
            x_.swap(trial_);
            const bool flat = now.value - trialValue <= kFlat * std::abs(now.value);
            return flat && now.share < kShortStep ? Descent::kKink : Descent::kDown;
        }
    }
    return Descent::kNone;
}

/// What rounding of the positions makes of the forces: no residual can be told from zero below it.
double ImplicitStage::roundOff() const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const double stiffness = body_.mass[i] * (inertia_ + body_.elements.largestOmegaSq + work_.loads->largestOmegaSq());
        sum += stiffness * stiffness * xPredicted_[i].squaredNorm();
    }
    return 2.2e-16 * std::sqrt(sum);
}

/// Friction goes with the normal forces at the last place that a whole step led to: those on the way there can be many times too
/// large.
void ImplicitStage::updateContacts(Progress& now) {
    if (now.share < 1 || now.contactUpdates == kContactUpdates) return;
    ++now.contactUpdates;
    updateVelocity(x_);
    work_.loads->updateContacts(x_, v_);
}

/// The largest of weight, inertial forces and residual at the first guess.
double ImplicitStage::forceScale(double residual) const {
    const double inertial = inertia_ * std::sqrt(parallelReduce(x_.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i)
            if (!isHeld(i)) sum += (body_.mass[i] * (x_[i] - xPredicted_[i])).squaredNorm();
        return sum;
    }));
    return std::max({residual, inertial, work_.loads->constantForceNorm()});
}

/// No finer than the present iteration can use (Eisenstat and Walker 1996, choice 2), and no finer than Newton's method needs to end.
double ImplicitStage::linearTolerance(const Progress& now) const {
    const double ratio = now.residualBefore > 0 ? now.residual / now.residualBefore : 1;
    const double enough = std::min(settings_.linearTolerance, 0.3 * settings_.newtonTolerance) * now.scale / now.residual;
    return std::min(kLoosestSolve, std::max(0.9 * ratio * ratio, enough));
}

/// One Newton iteration from x_ with its gradient.
ImplicitStage::Descent ImplicitStage::descend(Progress& now) {
    work_.loads->takeFrictionBySpeed(now.share < 1);
    assemble(x_);
    std::fill(direction_.begin(), direction_.end(), Vec3::Zero());
    const double residual = solveLinear(gradient_, direction_, linearTolerance(now));
    if (residual < 0) return Descent::kNone;
    now.linearResidual = residual * now.residual;
    ++report_.newtonIterations;
    double slope = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) slope -= gradient_[i].dot(direction_[i]);
    const Descent descent = lineSearch(slope, now);
    if (descent == Descent::kNone) fail("the line search found no way down; use more substeps");
    return descent;
}

bool ImplicitStage::solveNewton() {
    if (!firstGuess()) return fail("a held vertex would turn a tet inside out; use more substeps");
    const double floor = roundOff();
    Progress now;
    for (int iteration = 0;; ++iteration) {
        throwIfCancelled(monitor_);
        updateContacts(now);
        now.value = objective(x_, gradient_);
        if (!std::isfinite(now.value)) return fail("the forces are not finite; look for degenerate tets or huge velocities");
        now.residualBefore = now.residual;
        now.residual = freeNorm(gradient_);
        if (iteration == 0) now.scale = forceScale(now.residual);
        if (now.residual <= floor || (iteration > 0 && now.residual <= settings_.newtonTolerance * now.scale)) return accept(now);
        if (iteration == settings_.newtonIterations) return acceptUnfinished(now);
        const Descent descent = descend(now);
        if (descent == Descent::kNone) return false;
        // The corotated law has creases where a tet is inside out, stretched, and has two stretches that cancel. A step whose minimum
        // lies in a crease is solved when the value falls no more, though the force on either side is not zero.
        if (descent == Descent::kKink) return accept(now);
    }
}

bool ImplicitStage::accept(const Progress& now) {
    if (now.scale > 0) {
        report_.newtonResidual = std::max(report_.newtonResidual, now.residual / now.scale);
        report_.linearResidual = std::max(report_.linearResidual, now.linearResidual / now.scale);
    }
    return true;
}

/// Out of iterations. Where tets are crushed or inside out the stiffness that Newton uses is far from the true one and the last
/// digits come slowly; every iteration has lowered the value and kept the momentum, so a small rest is taken as it is.
bool ImplicitStage::acceptUnfinished(const Progress& now) {
    const double residual = now.residual / now.scale;
    const std::string what = format("Newton's method stopped at a residual of %.1e after %d iterations", residual, settings_.newtonIterations);
    if (residual > kLargestUnfinished) return fail(what + "; use more substeps or raise newtonIterations");
    if (report_.warnings.empty()) report_.warnings.push_back(format("body '%s' at %g s: ", body_.name.c_str(), time_) + what);
    return accept(now);
}

/// What hard targets did on the body. Backward Euler: force at the end times way, inertia included. Newmark: the mean force times way,
/// and what the held vertices gained in speed.
double ImplicitStage::heldWork() {
    const BodyState& s = work_.state;
    const auto wayTimes = [&](Span<const Vec3> force) {
        double sum = 0;
        for (const std::int32_t k : held_.vertices) sum += force[static_cast<std::size_t>(k)].dot(x_[static_cast<std::size_t>(k)] - s.x[static_cast<std::size_t>(k)]);
        return sum;
    };
    const double gained = kineticEnergy(body_, v_, held_.vertices) - kineticEnergy(body_, s.v, held_.vertices);
    const bool moved = std::any_of(held_.vertices.begin(), held_.vertices.end(), [&](std::int32_t k) {
        return x_[static_cast<std::size_t>(k)] != s.x[static_cast<std::size_t>(k)];
    });
    if (!moved) return newmark_ ? gained : 0;
    if (!newmark_) {
        objective(x_, gradient_);
        return -wayTimes(gradient_);
    }
    evaluateForces(work_, s.x, s.v, time_, {}, gradient_);
    const double before = wayTimes(gradient_);
    evaluateForces(work_, x_, v_, time_ + dt_, {}, gradient_);
    return gained - 0.5 * (before + wayTimes(gradient_));
}

/// What the solved step lost and put in, by kind.
void ImplicitStage::updateFlows() {
    const BodyState& s = work_.state;
    updateVelocity(x_);
    const LoadTotals loads = work_.loads->stagePowers({s.x, s.v, x_, v_});
    flows_ = EnergyBooks{};
    flows_.friction = dt_ * loads.frictionPower;
    flows_.targetDamped = dt_ * loads.targetPower;
    flows_.damped = dt_ * loads.dragPower;
    flows_.work = dt_ * (loads.paintedPower + loads.motionPower) + heldWork();
    if (!viscous_) return;
    for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = (x_[i] - s.x[i]) / dt_;
    flows_.damped += dt_ * computeViscousForces(body_.elements, xViscous_, trial_, work_.scratch, {});
}

/// Average acceleration keeps the energy of linear springs alone. Where a barrier or a contact stiffens within a step it can add as
/// much as was there, again and again, so its steps are watched like explicit ones.
bool ImplicitStage::keepsEnergy() {
    const auto present = [&](Span<const Vec3> x, Span<const Vec3> v, double time, double& inPlay) {
        const LoadTotals loads = work_.loads->potentials(x, time);
        const double stored = kineticEnergy(body_, v) + computeEnergy(body_.elements, x).energy + loads.contact + loads.target;
        inPlay += stored;
        return stored + loads.gravity;
    };
    const BodyState& s = work_.state;
    double inPlay = 0;
    const double before = present(s.x, s.v, time_, inPlay), after = present(x_, v_, time_ + dt_, inPlay);
    const double lost = flows_.damped + flows_.friction + flows_.targetDamped;
    const double gained = after - before + lost - flows_.work;
    inPlay += std::abs(lost) + std::abs(flows_.work);
    if (gained <= settings_.energyTolerance * inPlay) return true;
    return fail(format("the step would add %.2g J to the %.2g J in play; use more substeps, more damping, or the implicit integrator", gained, inPlay));
}

void ImplicitStage::commit(EnergyBooks& books) {
    BodyState& s = work_.state;
    books.friction += flows_.friction;
    books.targetDamped += flows_.targetDamped;
    books.damped += flows_.damped;
    books.work += flows_.work;
    for (std::size_t i = 0; i < x_.size(); ++i)
        s.a[i] = newmark_ ? Vec3((2 / dt_) * (v_[i] - s.v[i]) - s.a[i]) : Vec3((v_[i] - s.v[i]) / dt_);
    if (newmark_)
        for (const std::int32_t k : held_.vertices) s.a[static_cast<std::size_t>(k)].setZero();
    s.x.swap(x_);
    s.v.swap(v_);
}

}  // namespace sunder
