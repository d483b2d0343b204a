#pragma once

#include <cmath>
#include <string>

#include "core/sim/stage_problem.h"

namespace sunder {

/// One implicit or newmark step of the bodies of a problem. `solve` changes nothing but scratch; `commit` writes the new state and
/// the books.
class ImplicitStage {
  public:
    ImplicitStage(StageProblem& problem, const StepSettings& settings, StepReport& report, Monitor* monitor)
        : p_(problem), settings_(settings), report_(report), monitor_(monitor) {}
    /// False if no solution was found; the report's message says why.
    bool solve(double time, double dt);
    void commit(EnergyBooks& books);

  private:
    /// Where Newton's method stands.
    struct Progress {
        double value = 0;
        double residual = 0, residualBefore = 0;  ///< lengths of the gradient, now and an iteration ago, N
        double scale = 0;                         ///< of the forces, N
        double share = 1;                         ///< of the last direction that the line search took: of the fall of the value that it
                                                  ///< promised
        double fall = HUGE_VAL, fallBefore = HUGE_VAL;  ///< of the value in the last iteration and the one before, J
        double decrement = HUGE_VAL;              ///< fall of the value that the last direction promised, twice, J
        int iteration = 0;
        int trials = 0;                           ///< of the last line search that were rejected
        double linearResidual = 0;                ///< of the last linear solve, N
    };
    enum class Descent { kNone, kDown, kKink };

    bool solveNewton();
    bool accept(const Progress& now);
    bool acceptUnfinished(const Progress& now);
    bool solveOnceOrNewton();
    bool solveOnce();
    bool firstGuess();
    void updateContacts(const Progress& now);
    std::vector<std::uint8_t> dueForFriction(const Progress& now) const;
    bool frictionIsRight(const Progress& now) const;
    bool settle(const Progress& now);
    void choosePlay();
    double forceScale(double residual) const;
    double linearTolerance(const Progress& now) const;
    Descent descend(Progress& now);
    bool endsByVelocities(const Progress& now);
    bool addsLittle();
    bool mayBeUnsolved() const;
    struct Gain {
        double gained, inPlay;  ///< J
    };
    Gain energyGained();
    /// Along direction_: of some unknowns, of one body's, and of a share of it for every body.
    double slopeBetween(std::size_t begin, std::size_t count) const;
    double slopeOf(std::size_t body) const;
    double slopeAlong(Span<const double> share) const;
    void shortenWhereItRose();
    void noteWhatFellShort();
    double shorten(double slope);
    Descent lineSearch(double slope, Progress& now);
    bool keepsEnergy();
    void findFlows();

    StageProblem& p_;
    const StepSettings& settings_;
    StepReport& report_;
    Monitor* monitor_;
    EnergyBooks flows_;  ///< what the solved step lost and put in
    bool flowsAreKnown_ = false;  ///< at x_
    std::vector<Vec3> x_, trial_, gradient_, trialGradient_, direction_, whole_;
    bool endedBySolve_ = false;        ///< a single linear solve was the step
    double unsolvedLoss_ = 0;          ///< J, see StepReport
    bool gradientIsKnown_ = false;     ///< gradient_ is that at x_: the line search found it
    std::vector<double> share_, way_;  ///< of every body: what is safe, and what the line search took of that
    std::vector<std::uint8_t> farEnough_;  ///< bodies that the last line search did not let go as far as they tried first, or whose value fell by less than it should
    std::vector<double> valueBefore_;  ///< of every body
    // What Newton's method still works on
    std::vector<std::uint8_t> unsettled_;  ///< bodies whose velocities are not right yet
    std::vector<std::uint8_t> inPlay_;     ///< these, and what touches them: all that is solved for
    std::vector<double> effort_;           ///< of every body: inertiaOf the last direction, J
    std::vector<double> stillEnergy_;      ///< of every free body: |error|_M^2 of velocities that does not matter, J
    std::vector<int> quiet_;               ///< iterations in a row in which that was next to nothing
    std::vector<int> frictionUpdates_;     ///< of every body
};

}  // namespace sunder
