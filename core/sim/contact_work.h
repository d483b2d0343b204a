#pragma once

#include <vector>

#include "core/sim/body_work.h"

namespace sunder {

/// Contact forces and positions at the start of an explicit step.
///
/// Steps that kick, drift and kick change the kinetic energy by half the sum of the forces before and after times the way, but for the
/// change of dt^2/8 f^2/m, which comes and goes. So this is the work that forces without a potential are booked with: it stays true where
/// they jump, unlike a mean of powers.
class ContactWork {
  public:
    /// Before the bodies move, with the forces that were last found.
    explicit ContactWork(const std::vector<BodyWork>& bodies);
    /// On the bodies until now, with the forces that were last found, J.
    double done(const std::vector<BodyWork>& bodies) const;

  private:
    std::vector<std::vector<Vec3>> x_, force_;
};

}  // namespace sunder
