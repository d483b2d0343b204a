#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/fracture/breaker.h"
#include "core/sim/settings.h"
#include "core/sim/world.h"

namespace sunder {

/// Scratch of the stepper: rebuildable, so that throwing it away between two steps changes no bit of the result.
class Workspace {
  public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    struct Data;
    Data& data() { return *data_; }

  private:
    std::unique_ptr<Data> data_;
};

/// Small pieces that left as a step began (small_pieces.h).
struct Departures {
    int rigid = 0, particles = 0;
    double mass = 0;  ///< kg

    bool any() const { return rigid + particles > 0; }
};

/// What a step did. If `failed`, the world is as it was and `message` says why and what to change.
struct StepReport {
    bool failed = false;
    std::string message;
    std::vector<std::string> warnings;
    int steps = 0;               ///< inner steps taken
    int rejected = 0;            ///< inner steps thrown away (energy watch, error control, inversion, halvings)
    int newtonIterations = 0;
    int linearIterations = 0;
    double linearResidual = 0;   ///< largest residual that a step's last linear solve left, recomputed in double: share of the force
                                 ///< scale, or of its right-hand side with oneSolve
    double newtonResidual = 0;   ///< largest residual at which Newton stopped, share of the force scale
    double unsolvedLoss = 0;     ///< implicit, newmark: what steps lost, or gained below zero, because their solves ended before all forces were in balance, J; part of `numerical`
    double smallestStep = 0, largestStep = 0;  ///< s
    double smallestDetF = 0;     ///< over all tets at the end
    EnergyBooks energy;
    BreakTotals broken;
    int solvedAgain = 0;         ///< implicit, newmark: how often a step was solved again because something broke in it
    int roundsUsedUp = 0;        ///< steps that were solved again `fracture.rounds` times, and in which more was to break
    int unsolvedCuts = 0;        ///< cuts of that, made in a shape that has not been solved for again; what they leave to break breaks in the next step
    Departures departures;
    int released = 0;            ///< vertices that pins and targets let go of because they pulled too hard
    int bondsBroken = 0;         ///< of glue
    int held = 0;                ///< vertices that at the end are far through a face of another body, and are held by it
    double fractureSeconds = 0;  ///< looking for what breaks, cutting, and making tables for the new topology: the next three and the books of edits
    double criterionSeconds = 0; ///< looking for what breaks
    double splitSeconds = 0;     ///< cutting, and patching what hangs on the topology
    double compactSeconds = 0;   ///< copies of bodies and whole tables: of a body once in a step in which it breaks
    double symbolicSeconds = 0;  ///< sparse patterns of implicit steps, one a solve with a new topology
    double assembleSeconds = 0, solveSeconds = 0, forceSeconds = 0, contactSeconds = 0, totalSeconds = 0;
};

/// Steps the world by `duration` (a frame, or a part of one), in as many inner steps as the settings ask for. The new state is
/// a pure function of the old one and the settings. Hosts set world.time to frame / fps afterwards, so that no rounding of sums
/// builds up. Throws Cancelled if the monitor says so; then, too, the world is as it was.
StepReport step(WorldState& world, double duration, const StepSettings& settings, Workspace& workspace,
                Monitor* monitor = nullptr);

/// For hosts that have changed a state, or the settings, between two steps: brings the present part of the books up to date.
void refreshEnergy(WorldState& world, const StepSettings& settings);

/// Throws Error with a remedy for settings that make no sense: negative steps, courant above 1, tolerances of zero ...
void validate(const StepSettings& settings);

}  // namespace sunder
