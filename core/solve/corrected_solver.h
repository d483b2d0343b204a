#pragma once

#include "core/solve/linear_solver.h"

namespace sunder {

/// An iterative solver that works on a rounded matrix, inside a loop that solves for the true residual again, in double, until it
/// is below the tolerance.
class CorrectedSolver : public LinearSolver {
  public:
    bool factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) final;
    LinearReport solve(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) final;

  protected:
    virtual bool prepare(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) = 0;
    /// Adds to x an approximate solution of A step = r that leaves about `reduction` of r. False, with a message, if it gives up.
    virtual bool iterate(Span<const Vec3> r, Span<Vec3> x, double reduction, const LinearSettings& settings,
                         LinearReport& report) = 0;
    bool isFixed(std::size_t i) const { return !fixed_.empty() && fixed_[i]; }

  private:
    double updateResidual(Span<const Vec3> b, Span<const Vec3> x);

    const BlockMatrix* matrix_ = nullptr;
    std::vector<std::uint8_t> fixed_;
    std::vector<Vec3> residual_;
};

}  // namespace sunder
