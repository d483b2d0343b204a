#pragma once

#include <memory>

#include "bench/cantilever.h"

namespace sunder::bench {

/// The same beam as a deformable body of Bullet: implicit, corotated force, one Newton iteration of conjugate gradients a step.
class BulletBeam {
  public:
    explicit BulletBeam(const BeamSize& size);
    ~BulletBeam();
    /// Seconds a step.
    double run(int steps, double dt);
    double tipDrop() const;
    /// Relative residual of its last linear solve, recomputed in double; not a number if it cannot be had.
    double residual() const;

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sunder::bench
