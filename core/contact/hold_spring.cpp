#include "core/contact/hold_spring.h"

#include <cmath>

namespace sunder {

/// Where force and rate c (e - start) cancel, for start > 0: in the bent part e = 0 or the root of 2 k / r^2 e^2 + 2 c0 rate / r (e - start).
double HoldSpring::balance(double start, double rate) const {
    const double damper = 2 * critical * rate / reach;
    if (!(damper > 0)) return 0;
    const double root = 2 * start * damper / (damper + std::sqrt(damper * damper + 8 * stiffness / (reach * reach) * damper * start));
    if (root < end()) return root;
    const double even = damping(end()) * rate;
    return (even * start + stiffness * (kSteep - 32) * end()) / (kSteep * stiffness + even);
}

/// Integral of c (e - start) over e, from 0.
double HoldSpring::drag(double e, double start) const {
    const double bent = e < end() ? e : end(), even = damping(end());
    double sum = 2 * critical / reach * bent * bent * (bent / 3 - start / 2);
    if (e > end()) sum += 0.5 * even * ((e - start) * (e - start) - (end() - start) * (end() - start));
    return sum;
}

HoldPush HoldSpring::pushAt(double e, double start, double rate) const {
    const double damper = rate * damping(e), way = e - start;
    const double sum = force(e) + damper * way;
    if (!(sum > 0)) return {};
    const double steeper = e < end() ? 2 * critical * rate / reach * way : 0;
    const double from = start > 0 ? balance(start, rate) : 0;
    return {sum, slope(e) + damper + steeper, energy(e) - energy(from) + rate * (drag(e, start) - drag(from, start))};
}

}  // namespace sunder
