#pragma once

#include <string>

#include "core/sim/body_work.h"

namespace sunder {

/// One implicit or newmark step of one body. `solve` changes nothing but scratch; `commit` writes the new state and the books.
class ImplicitStage {
  public:
    ImplicitStage(BodyWork& work, const StepSettings& settings, StepReport& report, Monitor* monitor);
    /// False if no solution was found; the report's message says why.
    bool solve(double time, double dt);
    void commit(EnergyBooks& books);

  private:
    /// Where Newton's method stands.
    struct Progress {
        double value = 0;
        double residual = 0, residualBefore = 0;  ///< lengths of the gradient, now and an iteration ago, N
        double scale = 0;                         ///< of the forces, N
        double share = 1;                         ///< of the last direction that the line search took
        int contactUpdates = 0;
        double linearResidual = 0;                ///< of the last linear solve, N
    };
    enum class Descent { kNone, kDown, kKink };

    bool solveNewton();
    bool accept(const Progress& now);
    bool acceptUnfinished(const Progress& now);
    bool solveOnce();
    bool firstGuess();
    void updateContacts(Progress& now);
    double forceScale(double residual) const;
    double linearTolerance(const Progress& now) const;
    Descent descend(Progress& now);
    double objective(Span<const Vec3> x, Span<Vec3> minusGradient);
    void updateVelocity(Span<const Vec3> x);
    void lookAhead();
    double heldWork();
    void updateFlows();
    bool keepsEnergy();
    double loadsAndInertia(Span<const Vec3> x, Span<Vec3> minusGradient);
    void assemble(Span<const Vec3> x);
    void assembleWithForces(Span<const Vec3> x, Span<Vec3> minusGradient);
    void addLoadsAndInertia(Span<const Vec3> x);
    /// Returns the residual, share of the right-hand side; negative if it failed.
    double solveLinear(Span<const Vec3> right, Span<Vec3> solution, double tolerance);
    bool solveByOldFactor(Span<const Vec3> right, Span<Vec3> solution, double tolerance, LinearReport& linear);
    LinearSolver& chooseSolver(double tolerance);
    Descent lineSearch(double slope, Progress& now);
    double roundOff() const;
    double freeNorm(Span<const Vec3> f) const;
    bool isHeld(std::size_t i) const { return !held_.fixed.empty() && held_.fixed[i]; }
    bool fail(const std::string& message);

    BodyWork& work_;
    const Body& body_;
    const StepSettings& settings_;
    StepReport& report_;
    Monitor* monitor_;
    bool newmark_, viscous_;

    double time_ = 0, dt_ = 0, inertia_ = 0, rate_ = 0;
    bool factorServes_ = false;  ///< the direct solver's factor is of this step and still a good preconditioner
    HeldVertices held_;
    EnergyBooks flows_;  ///< what the solved step lost and put in
    std::vector<Vec3> xPredicted_, xViscous_, x_, v_, trial_, gradient_, direction_;
};

}  // namespace sunder
