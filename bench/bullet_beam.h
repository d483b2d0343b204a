#pragma once

#include <memory>

#include "bench/cantilever.h"

namespace sunder::bench {

// Debian has Bullet in both precisions; the two cannot be in one program, since their symbols are the same.
#ifdef BT_USE_DOUBLE_PRECISION
inline constexpr const char* kBulletName = "bullet-float64";
inline constexpr const char* kBulletSuffix = "_float64";
#else
inline constexpr const char* kBulletName = "bullet";
inline constexpr const char* kBulletSuffix = "";
#endif

/// The same beam as a deformable body of Bullet: implicit, corotated force, one Newton iteration of conjugate
/// gradients a step.
class BulletBeam {
  public:
    explicit BulletBeam(const BeamSize& size);
    ~BulletBeam();
    /// Seconds a step.
    double run(int steps, double dt);
    double tipDrop() const;
    /// Largest relative residual of its linear solves so far, recomputed in double; not a number before the
    /// first step.
    double residual() const;
    /// Of conjugate gradients, mean of a step.
    double iterations() const;

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sunder::bench
