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
    bool solveNewton();
    bool acceptUnfinished(double residual);
    bool acceptKink(double residual);
    bool solveOnce();
    bool firstGuess();
    double objective(Span<const Vec3> x, Span<Vec3> minusGradient);
    void updateVelocity(Span<const Vec3> x);
    void lookAhead();
    double heldWork();
    double loadsAndInertia(Span<const Vec3> x, Span<Vec3> minusGradient);
    void assemble(Span<const Vec3> x);
    void assembleWithForces(Span<const Vec3> x, Span<Vec3> minusGradient);
    void addLoadsAndInertia(Span<const Vec3> x);
    bool solveLinear(Span<const Vec3> right, Span<Vec3> solution);
    LinearSolver& chooseSolver();
    enum class Descent { kNone, kDown, kKink };
    Descent lineSearch(double value, double slope);
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
    HeldVertices held_;
    std::vector<Vec3> xPredicted_, xViscous_, x_, v_, trial_, gradient_, direction_;
};

}  // namespace sunder
