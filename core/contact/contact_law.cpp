#include "core/contact/contact_law.h"

#include <cmath>

namespace sunder {

double ContactSpring::balance(double damper, double start) const {
    // from where an even spring would have it, which is beyond; the function is convex, so Newton's method comes down from there
    double d = damper > 0 ? damper * start / (stiffness + damper) : 0;
    for (int k = 0; k < 50; ++k) {
        const double next = d - (force(d) + damper * (d - start)) / (slope(d) + damper);
        if (!(next < d)) break;
        d = next;
    }
    return d;
}

double speedAfterFriction(double speed, double most, double slipSpeed) {
    if (speed >= slipSpeed + most) return speed - most;
    const double slope = 1 + 2 * most / slipSpeed;
    return 2 * speed / (slope + std::sqrt(slope * slope - 4 * most * speed / (slipSpeed * slipSpeed)));
}

/// Motion x'' + 2 z x' + x = 0 from x = 0, x' = 1, until the force k d - c s, and with it x'', falls to zero: there tan(w t) is
/// 2 z w / (2 z^2 - 1) with w = sqrt(1 - z^2), and the speed is exp(-z t).
double bounce(double z) {
    if (z >= 1) return std::exp(-2.0);
    const double w = std::sqrt(1 - z * z);
    return std::exp(-z / w * std::atan2(2 * z * w, 2 * z * z - 1));
}

double dampingRatioOfBounce(double restitution) {
    double low = 0, high = 1;
    if (restitution >= 1) return 0;
    if (restitution <= bounce(1)) return 1;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (bounce(middle) > restitution ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace sunder
