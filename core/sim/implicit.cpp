#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/body/apply_edit.h"
#include "core/fracture/crack_debt.h"
#include "core/sim/body_work.h"
#include "core/sim/glue.h"
#include "core/sim/implicit_stage.h"
#include "core/sim/release.h"
#include "core/sim/sleep.h"
#include "core/sim/world_fracture.h"

/// Backward Euler and Newmark (average acceleration). Both find x at the end of a step as the minimum of
///   inertia/2 |x - xPredicted|_M^2 + W(x) + loads(x) + dissipation(v(x)) / rate,   v(x) = rate (x - xStart) + vOffset:
///   implicit: inertia = 1/dt^2, xPredicted = x + dt v,              rate = 1/dt, vOffset = 0;
///   newmark:  inertia = 4/dt^2, xPredicted = x + dt v + dt^2/4 a,   rate = 2/dt, vOffset = -v.
/// A step that cannot be solved is taken as two of half the size.
namespace sunder {

namespace {
constexpr double kMostParts = 64;  // of a step

class ImplicitStepper {
  public:
    explicit ImplicitStepper(StepContext& context) : c_(context) {}

    bool run(double time, double duration) {
        // late in a long simulation the rounding of times is as large as 1e-9 of a short step, which is not to be split for it
        const int count = std::max(1, static_cast<int>(std::ceil(c_.settings.substeps * duration / c_.duration * (1 - 1e-6))));
        if (c_.settings.integrator == Integrator::kNewmark) {
            addGlueForces(c_.work);
            for (BodyWork& work : c_.work.bodies)
                if (!work.state.sleep.asleep && !hasAcceleration(work)) startAcceleration(work, time, duration / count);
        }
        for (BodyWork& work : c_.work.bodies) work.glueForce.clear();  // part of what is minimized from here on
        for (int k = 0; k < count; ++k) {
            const double first = time + duration * k / count, last = k + 1 == count ? time + duration : time + duration * (k + 1) / count;
            if (c_.monitor) c_.monitor->progress(static_cast<double>(k) / count);
            const int parts = countParts(first, last - first);
            for (int j = 0; j < parts; ++j) {
                const double from = first + (last - first) * j / parts, to = j + 1 == parts ? last : first + (last - first) * (j + 1) / parts;
                if (!stepBreaking(from, to - from)) return false;
                breakBonds(c_, to);
                letGoOfWhatPulls(c_, to);
            }
        }
        c_.report.message.clear();  // of halved steps
        return true;
    }

  private:
    /// What is led goes its way whatever is in it, so it has to go in steps that cannot take it through a body.
    int countParts(double time, double dt) {
        const WorldContact& contact = c_.work.contact;
        if (!contact.mayTouch(c_.work.bodies, time, dt)) return 1;
        const WorldContact::LedWay way = contact.longestLedWay(c_.work.bodies, time, dt);
        if (way.share > kMostParts && !warned_) {
            warned_ = true;
            c_.report.warnings.push_back(format("'%s' is led %.3g m within %.3g s from %g s on and may pass through bodies; use %.0f substeps",
                                                contact.name(way.led).c_str(), way.length, dt, time,
                                                std::ceil(c_.settings.substeps * way.share / kMostParts)));
        }
        return std::max(1, static_cast<int>(std::min(std::ceil(way.share), kMostParts)));
    }

    void noteStep(double size) {
        StepReport& r = c_.report;
        r.smallestStep = r.steps == 0 ? size : std::min(r.smallestStep, size);
        r.largestStep = std::max(r.largestStep, size);
        ++r.steps;
    }

    /// What is to break at the end of the step breaks, and the step is taken again from its start with the new topology, until nothing more breaks
    /// or the rounds are used up; what breaks in the last one stays where it is. A crack goes on by two nodes a round, and only in the last as far
    /// as its residual drives it.
    bool stepBreaking(double time, double dt) {
        if (!anyBreaks(c_.work.bodies, c_.settings)) return stepGroups(time, dt);
        std::vector<TopologyEdit> edits;
        for (int round = 0;; ++round) {
            std::vector<BodyState> start;
            for (const BodyWork& work : c_.work.bodies) start.push_back(work.state);
            updatePresent(c_.work, time, c_.books, &c_.report.contactSeconds);
            const EnergyBooks books = c_.books;
            const double unsolvedLoss = c_.report.unsolvedLoss;
            std::vector<std::vector<double>> depths = depthsNow(time);
            if (!stepGroups(time, dt)) return false;
            for (BodyWork& work : c_.work.bodies) work.hint.clear();
            payForCracks(c_, time, dt);
            const bool last = round == c_.settings.fracture.rounds;
            const int cuts = breakBodies(c_, {time + dt, dt, !last}, edits).cuts;
            if (last) noteUnsolved(cuts);
            if (cuts == 0 || last) return true;
            ++c_.report.solvedAgain;
            for (BodyWork& work : c_.work.bodies) work.hint = work.state.x;
            extendDepths(edits, depths);
            restart(std::move(start), edits, books, depths, time);
            c_.report.unsolvedLoss = unsolvedLoss;
        }
    }

    std::vector<std::vector<double>> depthsNow(double time) {
        const Timed timed(c_.report.contactSeconds);
        c_.work.contact.detect(c_.work.bodies, time);
        return c_.work.contact.depths(c_.work.bodies);
    }

    void noteUnsolved(int cuts) {
        c_.report.roundsUsedUp += cuts > 0;
        c_.report.unsolvedCuts += cuts;
    }

    void restart(std::vector<BodyState> start, const std::vector<TopologyEdit>& edits, const EnergyBooks& books,
                 const std::vector<std::vector<double>>& depths, double time) {
        for (std::size_t b = 0; b < start.size(); ++b) {
            if (!edits[b].empty()) {
                applyEdit(edits[b], start[b]);
                addDebts(edits[b], *c_.work.bodies[b].body, start[b]);
            }
            c_.work.bodies[b].state = std::move(start[b]);
            c_.work.bodies[b].loads->begin(time);
        }
        {
            const Timed timed(c_.report.contactSeconds);
            c_.work.contact.allowBeyond(c_.work.bodies, depths, time);
        }
        allowGlued(c_.work);
        c_.books = books;
        updatePresent(c_.work, time, c_.books, &c_.report.contactSeconds);
        c_.books.edits += books.mechanical() - c_.books.mechanical();
        if (c_.settings.integrator != Integrator::kNewmark) return;
        for (std::size_t b = 0; b < start.size(); ++b)
            if (!edits[b].empty()) startAcceleration(c_.work.bodies[b], time, c_.duration);
    }

    /// Bodies that may touch on the way are stepped together, all others one by one.
    bool stepGroups(double time, double dt) {
        const std::vector<std::uint8_t> stirring = findStirring(c_.work.bodies, c_.work.contact, time, time + dt);
        if (c_.work.contact.active()) c_.work.contact.setStirring(stirring);
        std::vector<std::vector<BodyWork*>> groups;
        if (anyBond(c_.work.glue) || c_.work.contact.mayTouch(c_.work.bodies, time, dt)) {
            groups.emplace_back();
            for (BodyWork& work : c_.work.bodies) groups[0].push_back(&work);
        } else {
            for (BodyWork& work : c_.work.bodies)
                if (!work.state.sleep.asleep) groups.push_back({&work});
        }
        if (std::find(stirring.begin(), stirring.end(), 1) == stirring.end()) groups.clear();
        const int stepsBefore = c_.report.steps;
        int most = 0;  // inner steps of a group
        for (const std::vector<BodyWork*>& group : groups) {
            StageProblem problem(group, c_.work, c_.settings, c_.report, c_.monitor);
            if (!advance(problem, time, dt, c_.settings.stepHalvings)) return false;
            most = std::max(most, c_.report.steps - stepsBefore);
            c_.report.steps = stepsBefore;
        }
        c_.report.steps = stepsBefore + most;
        if (!groups.empty() && c_.work.contact.active()) {
            const Timed timed(c_.report.contactSeconds);
            c_.work.contact.detect(c_.work.bodies, time + dt);
            updateSleep(c_.work, stirring, c_.settings, dt);
        }
        return true;
    }

    /// By dt, in halves where it has to be.
    bool advance(StageProblem& problem, double time, double dt, int halvings) {
        throwIfCancelled(c_.monitor);
        ImplicitStage stage(problem, c_.settings, c_.report, c_.monitor);
        if (stage.solve(time, dt)) {
            stage.commit(c_.books);
            if (problem.hasContact()) {
                const Timed timed(c_.report.contactSeconds);
                c_.work.contact.detect(c_.work.bodies, time + dt);
                c_.books.work += c_.work.contact.shrinkOverlaps(c_.work.bodies, dt * c_.settings.separationSpeed);
            }
            noteStep(dt);
            return true;
        }
        ++c_.report.rejected;
        if (halvings == 0) return problem.letGoOfHeld() && advance(problem, time, dt, 0);
        for (BodyWork& work : c_.work.bodies) work.hint.clear();  // the end of the whole step is no place for its half to start from
        return advance(problem, time, dt / 2, halvings - 1) && advance(problem, time + dt / 2, dt - dt / 2, halvings - 1);
    }

    StepContext& c_;
    bool warned_ = false;  ///< of something led
};
}  // namespace

bool stepImplicit(StepContext& context, double time, double duration) { return ImplicitStepper(context).run(time, duration); }

}  // namespace sunder
