#include "core/sim/implicit_stage.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr int kFrictionUpdates = 4;     // how often it is looked for where friction acts on a body in a step
constexpr int kFewestFrictionUpdates = 3, kPatience = 8;  // or as many iterations, if these have been short ones
constexpr int kQuiet = 2;               // iterations that lead a body nowhere: a linear solve that is not exact may miss one way, hardly two
constexpr double kFewer = 0.8;          // of the bodies solved for: a smaller system is worth setting up
constexpr double kLoosestSolve = 0.1;   // of Newton's linear solves, share of the right-hand side
constexpr int kLineSearchHalvings = 40;
constexpr int kSelectiveHalvings = 6;   // of which so many shorten the ways of single bodies
constexpr double kLeastShare = 0.125, kMostShare = 0.5;  // of its way that a body goes next
constexpr double kLonger = 2;           // than the last way, if that was good at once, is tried next
constexpr double kGoodFall = 0.3;       // of what its parabola promises, of a body's value: it may go further next time
constexpr double kStillDown = 0.5;      // of the slope that the least of the bodies' ways has if all take it
constexpr double kSmallRise = 0.05;     // of a body's value, share of the largest rise
constexpr double kArmijo = 1e-4;
constexpr double kLargestUnfinished = 1e-2;  // share of the force scale
constexpr double kWholeStep = 0.9;      // that the line search took of a direction counts as all of it
constexpr int kStrictIterations = 12;   // after which contactTolerance doubles every few
constexpr double kDoubling = 4;
constexpr double kLeastChange = 4;      // of sleepSpeed: velocities that change by less are held against this
constexpr double kOneSolveGain = 1.0 / 3;  // of the energy before and after a single solve: it has doubled
constexpr double kSmallGain = 1e-3;     // of energy, share of what is in play, in a step that ends so
constexpr double kGrinding = 0.1;       // of contactTolerance: two iterations that lower the value by less of the inertial energy
constexpr double kTight = 1e-4;     // of tolerances
// a step this short that changes the value this little (as shares) stands on a kink
constexpr double kShortStep = 1e-3, kFlat = 1e-12;
}  // namespace

bool ImplicitStage::solve(double time, double dt) {
    p_.begin(time, dt);
    for (auto* list : {&x_, &trial_}) list->resize(p_.placeCount());
    for (auto* list : {&gradient_, &trialGradient_}) list->resize(p_.unknownCount());
    direction_.assign(p_.unknownCount(), Vec3::Zero());
    share_.assign(p_.bodyCount(), 1.0);
    way_.assign(p_.bodyCount(), 1.0);
    farEnough_.assign(p_.bodyCount(), 0);
    unsettled_.clear();
    for (std::size_t b = 0; b < p_.bodyCount(); ++b) unsettled_.push_back(p_.isFree(b) ? 1 : 0);
    inPlay_ = unsettled_;
    effort_.assign(p_.bodyCount(), 0.0);
    quiet_.assign(p_.bodyCount(), 0);
    frictionUpdates_.assign(p_.bodyCount(), 0);
    const double still = settings_.contactTolerance * kLeastChange * settings_.sleepSpeed;
    stillEnergy_.assign(p_.bodyCount(), 0.0);
    for (std::size_t b = 0; b < p_.bodyCount(); ++b)
        if (unsettled_[b]) stillEnergy_[b] = p_.massOf(b) * still * still;
    if (settings_.oneSolve) return solveOnceOrNewton();
    if (!solveNewton()) return false;
    findFlows();
    return !p_.newmark() || keepsEnergy();
}

void ImplicitStage::findFlows() {
    if (!flowsAreKnown_) flows_ = p_.flows(x_);
    flowsAreKnown_ = true;
    p_.solveFor({});
}

/// A single solve knows nothing of what bodies run into within the step, and drives them deep into it. It adds some energy at most impacts; where that would double, a
/// step leads to the next that adds more, so there Newton's method goes all the way.
bool ImplicitStage::solveOnceOrNewton() {
    if (!solveOnce()) return false;
    findFlows();
    const Gain gain = energyGained();
    if (gain.gained <= kOneSolveGain * gain.inPlay + p_.roundOffEnergy()) return !p_.newmark() || keepsEnergy();
    if (!solveNewton()) return false;
    findFlows();
    return !p_.newmark() || keepsEnergy();
}

/// Virtual04: (inertia M + K + rate C) step = forces, once, from the positions and velocities at the start.
bool ImplicitStage::solveOnce() {
    flowsAreKnown_ = false;
    std::copy(p_.xStart().begin(), p_.xStart().end(), x_.begin());
    p_.hold(x_);
    p_.updateContacts(x_);
    if (p_.allCorotated()) {
        p_.assembleWithForces(x_, gradient_);
    } else {
        if (!std::isfinite(p_.value(x_, gradient_))) return p_.fail("a held vertex would turn a tet inside out; use more substeps");
        p_.assemble(x_);
    }
    p_.wayToPredicted(x_, direction_);
    const double residual = p_.solveLinear(gradient_, direction_, settings_.linearTolerance);
    if (residual < 0) return false;
    endedBySolve_ = true;
    if (settings_.linearTolerance > kTight) unsolvedLoss_ = p_.unsolvedLoss(gradient_, direction_);
    report_.linearResidual = std::max(report_.linearResidual, residual);
    ++report_.newtonIterations;
    p_.move(x_, direction_, share_, trial_);
    x_.swap(trial_);
    return p_.allows(x_) || p_.fail("a tet would lose its volume; use more substeps");
}

/// Where the step came to before something broke in it; else the best of a few places to start from: free flight, the acceleration of the step before, a part of the way, none of it. Where
/// the body is about to hit the ground, free flight would drive it deep into it.
bool ImplicitStage::firstGuess() {
    const double bend = (p_.newmark() ? 0.25 : 1) * p_.dt() * p_.dt();
    double best = HUGE_VAL;
    const auto considerTrial = [&] {
        p_.safeShares(p_.xStart(), trial_, share_);
        p_.holdBack(share_, trial_);
        const double value = p_.value(trial_, {}, true);
        if (!(value < best)) return false;
        best = value;
        x_.swap(trial_);
        return true;
    };
    const auto consider = [&](double way, double bent) {
        p_.guess(way, bent, trial_);
        return considerTrial();
    };
    if (p_.hint(trial_) && considerTrial() && std::isfinite(best)) return true;
    consider(1, 0);
    if (p_.hasContact() && std::isfinite(best)) return true;  // nothing is driven deep into anything, and impacts leave accelerations that mislead
    consider(1, bend);
    for (const double way : {0.5, 0.25, 0.125, 0.0})
        if (!consider(way, 0) && std::isfinite(best)) break;
    return std::isfinite(best);
}

double ImplicitStage::slopeBetween(std::size_t begin, std::size_t count) const {
    return -parallelReduce(count, kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t u = begin + first; u < begin + last; ++u) sum += gradient_[u].dot(direction_[u]);
        return sum;
    });
}

double ImplicitStage::slopeAlong(Span<const double> share) const {
    double slope = 0;
    for (std::size_t b = 0; b < share.size(); ++b) slope += share[b] * slopeOf(b);
    return slope;
}

double ImplicitStage::slopeOf(std::size_t body) const {
    const auto [first, count] = p_.unknownsOf(body);
    return slopeBetween(first, count);
}

/// Shortens direction_ so that nothing passes through anything, each body by itself or, should the value not fall that way, all alike.
/// Returns the slope along it.
double ImplicitStage::shorten(double slope) {
    std::fill(share_.begin(), share_.end(), 1.0);
    p_.move(x_, direction_, share_, trial_);
    p_.safeShares(x_, trial_, share_);
    const double least = *std::min_element(share_.begin(), share_.end());
    if (least == 1) return slope;
    whole_ = direction_;
    p_.scaleWay(share_, direction_);
    const double shortened = slopeBetween(0, direction_.size());
    if (shortened < 0.5 * least * slope) return shortened;
    std::fill(share_.begin(), share_.end(), least);
    direction_ = whole_;
    p_.scaleWay(share_, direction_);
    return least * slope;
}

/// Shortens the ways of the bodies whose value rose and of what they touch: most bodies have nothing to do with what is in the way of one. Each goes to where
/// the parabola through its value and slope before and its value now has its minimum, within limits.
void ImplicitStage::shortenWhereItRose() {
    const Span<const double> after = p_.valueOfBodies();
    double most = 0;
    for (std::size_t b = 0; b < way_.size(); ++b) most = std::max(most, after[b] - valueBefore_[b]);
    std::vector<std::uint8_t> rose(way_.size(), 0);
    for (std::size_t b = 0; b < way_.size(); ++b) rose[b] = !(after[b] - valueBefore_[b] <= kSmallRise * most);
    const std::vector<std::uint8_t> own = rose;
    for (const auto& [a, b] : p_.touching()) {
        if (own[a]) rose[b] = 1;
        if (own[b]) rose[a] = 1;
    }
    for (std::size_t b = 0; b < way_.size(); ++b) {
        if (!rose[b]) continue;
        farEnough_[b] = 1;
        const double rise = after[b] - valueBefore_[b], slope = way_[b] * slopeOf(b);
        way_[b] *= rise > 0 && slope < 0 ? std::clamp(-slope / (2 * (rise - slope)), kLeastShare, kMostShare) : kMostShare;
    }
}

/// Beyond the way just gone a body whose value fell by much less than its slope promises would only be held back again.
void ImplicitStage::noteWhatFellShort() {
    const Span<const double> after = p_.valueOfBodies();
    for (std::size_t b = 0; b < way_.size(); ++b) {
        const double promise = way_[b] * (1 - 0.5 * way_[b]) * slopeOf(b);
        if (after[b] - valueBefore_[b] > kGoodFall * std::min(0.0, promise)) farEnough_[b] = 1;
    }
}

/// Moves x_ along direction_ as far as the value falls enough. What leads down with all bodies may lead up with some of them held back, as those that
/// push each other go together. Then those whose own part leads up go no further than the one held back most: of a sum of slopes below zero the
/// parts above zero get the least weight, and the sum stays below zero.
ImplicitStage::Descent ImplicitStage::lineSearch(double slope, Progress& now) {
    const double promised = slope;
    shorten(slope);
    valueBefore_.assign(p_.valueOfBodies().begin(), p_.valueOfBodies().end());
    const double whole = slopeBetween(0, direction_.size());
    // where the last direction was good for a short way only, this one hardly is for all of it
    for (std::size_t b = 0; b < way_.size(); ++b) way_[b] = p_.hasContact() ? std::min(1.0, (farEnough_[b] ? 1 : kLonger) * way_[b]) : 1;
    std::fill(farEnough_.begin(), farEnough_.end(), 0);
    for (int k = 0; k < kLineSearchHalvings; ++k) {
        slope = slopeAlong(way_);
        const double least = *std::min_element(way_.begin(), way_.end());
        if (!(slope < kStillDown * least * whole)) {
            for (std::size_t b = 0; b < way_.size(); ++b)
                if (slopeOf(b) > 0) way_[b] = least;
            slope = slopeAlong(way_);
        }
        now.share = promised < 0 ? slope / promised : 1;
        p_.move(x_, direction_, way_, trial_);
        // where the first trial was taken last time it mostly is again, and then its gradient is the next one needed
        const bool withGradient = k == 0 && now.trials == 0;
        const double trialValue = p_.value(trial_, withGradient ? Span<Vec3>(trialGradient_) : Span<Vec3>(), true);
        // near the minimum the value no longer resolves the step; then a fall within round-off is as good as can be seen
        if (trialValue <= now.value + kArmijo * slope || std::abs(trialValue - now.value) <= 1e-14 * std::abs(now.value)) {
            noteWhatFellShort();
            x_.swap(trial_);
            if (withGradient) gradient_.swap(trialGradient_);
            gradientIsKnown_ = withGradient;
            now.trials = k;
            now.fallBefore = now.fall;
            now.fall = now.value - trialValue;
            const bool flat = now.value - trialValue <= kFlat * std::abs(now.value);
            now.value = trialValue;
            return flat && now.share < kShortStep ? Descent::kKink : Descent::kDown;
        }
        if (std::isfinite(trialValue) && k < kSelectiveHalvings)
            shortenWhereItRose();
        else
            for (double& way : way_) way /= 2;
    }
    return Descent::kNone;
}

/// Friction goes with the normal forces at the last place that a whole step led a body to: those on the way there can be many times too
/// large. Where it acts is looked at a few times, as vertices that come and go would keep Newton's method from ending; how large it is always: with normal forces that are too
/// large for it, what should slide creeps.
void ImplicitStage::updateContacts(const Progress& now) {
    std::vector<std::uint8_t> due = dueForFriction(now), again(due.size(), 0);
    for (std::size_t b = 0; b < due.size(); ++b) {
        if (!due[b] || frictionUpdates_[b]++ < kFrictionUpdates) continue;
        due[b] = 0;
        again[b] = 1;
    }
    const auto any = [](const std::vector<std::uint8_t>& list) { return std::find(list.begin(), list.end(), 1) != list.end(); };
    if (any(due)) p_.updateContacts(x_, due);
    if (any(again)) p_.updateNormalForces(x_, again);
    gradientIsKnown_ = gradientIsKnown_ && !any(due) && !any(again);
}

std::vector<std::uint8_t> ImplicitStage::dueForFriction(const Progress& now) const {
    if (now.iteration == 0) return std::vector<std::uint8_t>(p_.bodyCount(), 1);
    std::vector<std::uint8_t> due(p_.bodyCount(), 0);
    for (std::size_t b = 0; b < due.size(); ++b) due[b] = inPlay_[b] && way_[b] * share_[b] >= kWholeStep;
    const std::vector<std::uint8_t> own = due;
    for (const auto& [a, b] : p_.touching()) {
        if (own[a] && !p_.isFree(b)) due[b] = 1;
        if (own[b] && !p_.isFree(a)) due[a] = 1;
    }
    return due;
}

bool ImplicitStage::frictionIsRight(const Progress& now) const {
    if (now.iteration >= kPatience) return true;
    if (now.iteration + 1 < kFewestFrictionUpdates) return false;
    const auto right = [&](std::size_t b) { return !unsettled_[b] || frictionUpdates_[b] >= kFewestFrictionUpdates; };
    const auto touching = p_.touching();
    return std::all_of(touching.begin(), touching.end(), [&](const auto& pair) { return right(pair.first) && right(pair.second); });
}

/// Where bodies touch, most have found their velocities long before the last one. Those take no further part unless something that they
/// touch has not. In a heap that hardly moves there is next to nothing that forces change, and what is next to sleep is good enough. False if none
/// is left.
bool ImplicitStage::settle(const Progress& now) {
    if (!p_.hasContact()) return true;
    std::size_t free = 0;
    for (std::size_t b = 0; b < unsettled_.size(); ++b) free += p_.isFree(b) ? 1 : 0;
    const double tolerance = settings_.contactTolerance, enough = 2 * tolerance * tolerance * p_.inertialEnergy(x_) / static_cast<double>(free);
    std::vector<std::uint8_t> touches(unsettled_.size(), 0);
    for (const auto& [a, b] : p_.touching()) touches[a] = touches[b] = 1;
    for (std::size_t b = 0; b < unsettled_.size(); ++b) {
        if (!inPlay_[b]) continue;
        const bool held = !touches[b] || frictionUpdates_[b] >= kFewestFrictionUpdates || now.iteration >= kPatience;
        quiet_[b] = effort_[b] <= std::max(enough, stillEnergy_[b]) ? quiet_[b] + 1 : 0;
        unsettled_[b] = !(held && quiet_[b] >= kQuiet);
    }
    if (std::find(unsettled_.begin(), unsettled_.end(), 1) == unsettled_.end()) return false;
    choosePlay();
    return true;
}

void ImplicitStage::choosePlay() {
    std::vector<std::uint8_t> next = unsettled_;
    for (const auto& [a, b] : p_.touching()) {
        if (unsettled_[a] && p_.isFree(b)) next[b] = 1;
        if (unsettled_[b] && p_.isFree(a)) next[a] = 1;
    }
    bool grows = false;
    for (std::size_t b = 0; b < next.size(); ++b) grows |= next[b] && !inPlay_[b];
    const auto count = [](const std::vector<std::uint8_t>& list) { return static_cast<double>(std::count(list.begin(), list.end(), 1)); };
    if (!grows && count(next) > kFewer * count(inPlay_)) return;
    inPlay_ = std::move(next);
    p_.solveFor(inPlay_);
    gradientIsKnown_ = false;
    for (auto* list : {&gradient_, &trialGradient_, &direction_}) list->resize(p_.unknownCount());
}

/// The largest of weight, inertial forces and residual at the first guess.
double ImplicitStage::forceScale(double residual) const {
    const double inertial = p_.inertia() * std::sqrt(parallelReduce(x_.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i)
            if (!p_.isHeld(i)) sum += (p_.mass(i) * (x_[i] - p_.xPredicted()[i])).squaredNorm();
        return sum;
    }));
    return std::max({residual, inertial, p_.constantForceNorm()});
}

/// No finer than the present iteration can use (Eisenstat and Walker 1996, choice 2), and no finer than Newton's method needs to end.
double ImplicitStage::linearTolerance(const Progress& now) const {
    const double ratio = now.residualBefore > 0 ? now.residual / now.residualBefore : 1;
    const double enough = std::min(settings_.linearTolerance, 0.3 * settings_.newtonTolerance) * now.scale / now.residual;
    return std::min(kLoosestSolve, std::max(0.9 * ratio * ratio, enough));
}

/// One Newton iteration from x_ with its gradient.
ImplicitStage::Descent ImplicitStage::descend(Progress& now) {
    p_.takeFrictionBySpeed(now.share < kWholeStep);
    p_.assemble(x_);
    std::fill(direction_.begin(), direction_.end(), Vec3::Zero());
    const double residual = p_.solveLinear(gradient_, direction_, linearTolerance(now));
    if (residual < 0) return Descent::kNone;
    now.linearResidual = residual * now.residual;
    ++report_.newtonIterations;
    const double slope = slopeBetween(0, direction_.size());
    now.decrement = -slope;
    for (std::size_t b = 0; b < effort_.size(); ++b)
        if (inPlay_[b]) effort_[b] = p_.inertiaOf(b, direction_);
    const Descent descent = lineSearch(slope, now);
    if (descent == Descent::kNone) p_.fail("the line search found no way down; use more substeps");
    return descent;
}

/// Tolerances so small that what they leave is not worth a look.
bool ImplicitStage::mayBeUnsolved() const { return settings_.newtonTolerance > kTight || (p_.hasContact() && settings_.contactTolerance > kTight); }

bool ImplicitStage::solveNewton() {
    endedBySolve_ = false;
    unsolvedLoss_ = 0;
    if (!firstGuess()) return p_.fail("a held vertex would turn a tet inside out; use more substeps");
    const double floor = p_.roundOff(p_.xPredicted());
    Progress now;
    gradientIsKnown_ = false;
    for (int iteration = 0;; ++iteration) {
        throwIfCancelled(monitor_);
        now.iteration = iteration;
        flowsAreKnown_ = false;
        p_.updateSides(x_);
        if (settings_.keepSides) gradientIsKnown_ = false;
        updateContacts(now);
        if (!gradientIsKnown_) now.value = p_.value(x_, gradient_);
        if (!std::isfinite(now.value)) return p_.fail("the forces are not finite; look for degenerate tets or huge velocities");
        now.residualBefore = now.residual;
        now.residual = p_.freeNorm(gradient_);
        if (iteration == 0) now.scale = forceScale(now.residual);
        if (now.residual <= floor || (iteration > 0 && now.residual <= settings_.newtonTolerance * now.scale)) return accept(now);
        if (iteration == settings_.newtonIterations) return acceptUnfinished(now);
        const Descent descent = descend(now);
        if (descent == Descent::kNone) return false;
        // The corotated law has creases where a tet is inside out, stretched, and has two stretches that cancel. A step whose minimum
        // lies in a crease is solved when the value falls no more, though the force on either side is not zero.
        if (descent == Descent::kKink && p_.hasContact() && !addsLittle()) return p_.fail("the value falls no more, but the step would add energy; use more substeps");
        if (descent == Descent::kKink || endsByVelocities(now) || !settle(now)) return accept(now);
    }
}

/// The second derivative of the value is at least that of inertia, so the promised fall bounds what is left to change in the velocities. Where
/// bodies touch, forces answer to the smallest ways and tell less.
bool ImplicitStage::endsByVelocities(const Progress& now) {
    if (!p_.hasContact() || !frictionIsRight(now)) return false;
    const double tolerance = settings_.contactTolerance, energy = p_.inertialEnergy(x_);
    if (now.decrement <= 2 * tolerance * tolerance * energy) return true;
    // What does not end soon is where many faces come to lie on each other at once, and the value bends sharply: that is done better in
    // the next steps, unless what is left would add energy.
    const double grown = tolerance * std::exp2(std::max(0, now.iteration - kStrictIterations) / kDoubling);
    const bool grinds = now.share < kWholeStep && now.fallBefore + now.fall <= kGrinding * grown * energy;
    if (!grinds && now.decrement > 2 * grown * grown * energy) return false;
    return addsLittle();
}

/// To the energy, if x_ were the end of the step.
bool ImplicitStage::addsLittle() {
    gradientIsKnown_ = false;
    findFlows();
    p_.solveFor(inPlay_);
    const Gain gain = energyGained();
    return gain.gained <= kSmallGain * gain.inPlay + p_.roundOffEnergy();
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
    if (residual > kLargestUnfinished) return p_.fail(what + "; use more substeps or raise newtonIterations");
    if (report_.warnings.empty()) report_.warnings.push_back(format("body '%s' at %g s: ", p_.name().c_str(), p_.time()) + what);
    return accept(now);
}

/// What the step to x_, whose flows_ are known, adds to the energy, and what is in play.
ImplicitStage::Gain ImplicitStage::energyGained() {
    const StageProblem::Stored before = p_.storedAtStart(), after = p_.storedAt(x_);
    const double lost = flows_.lost();
    return {after.inPlay + after.gravity - before.inPlay - before.gravity + lost - flows_.work,
            before.inPlay + after.inPlay + std::abs(lost) + std::abs(flows_.work)};
}

/// Average acceleration keeps the energy of linear springs alone. Where a barrier or a contact stiffens within a step it can add as
/// much as was there, again and again, so its steps are watched like explicit ones.
bool ImplicitStage::keepsEnergy() {
    const Gain gain = energyGained();
    if (gain.gained <= settings_.energyTolerance * gain.inPlay + p_.roundOffEnergy()) return true;
    return p_.fail(format("the step would add %.2g J to the %.2g J in play; use more substeps, more damping, or the implicit integrator", gain.gained, gain.inPlay));
}

void ImplicitStage::commit(EnergyBooks& books) {
    books.friction += flows_.friction;
    books.targetDamped += flows_.targetDamped;
    books.damped += flows_.damped;
    books.plastic += flows_.plastic;
    books.work += flows_.work;
    if (!endedBySolve_ && mayBeUnsolved()) unsolvedLoss_ = p_.unsolvedLoss(x_);
    report_.unsolvedLoss += unsolvedLoss_;
    p_.commit(x_);
}

}  // namespace sunder
