#pragma once

namespace sunder {

/// What a held vertex feels: force, its derivative by the depth, and the integral of the force over the depth.
struct HoldPush {
    double force = 0, slope = 0, value = 0;  ///< N, N/m, J
};

/// The spring and damper of a vertex that is e deeper than it may be, see ContactSides.
///   E = 1/2 k e^4 / r^2,  up to e = 4 r; from there on with an even slope of 96 k
///   c = 2 c0 e / r,       likewise; c0 = z 2 sqrt(k m), with z the damping ratio of the two bodies and m what the spring moves
/// Spring and damper start without a jump, and bounce as all contact does: in w = e^2 / 2 and u = e' the motion m e'' = -f - c e' is
///   u du/dw = -(4 k / (m r^2) w + 2 c0 / (m r) u),
/// that of an even spring and damper of damping ratio c0 / (2 sqrt(k m)) = z. So the share of its speed that a vertex comes back with is bounce(z), however
/// fast it is. The damper may push less than the spring, and never pulls.
struct HoldSpring {
    double stiffness = 0, reach = 1;  ///< k, N/m; r, m
    double critical = 0;              ///< c0, N s/m

    double force(double e) const { return e < end() ? 2 * stiffness * e * share(e) : stiffness * (32 * end() + kSteep * (e - end())); }
    double energy(double e) const {
        const double beyond = e - end();
        return beyond < 0 ? 0.5 * stiffness * e * e * share(e) : stiffness * (8 * end() * end() + (32 * end() + 0.5 * kSteep * beyond) * beyond);
    }
    double slope(double e) const { return e < end() ? 6 * stiffness * share(e) : kSteep * stiffness; }
    /// c, N s/m.
    double damping(double e) const { return 2 * critical * (e < end() ? e : end()) / reach; }
    /// At a depth that changes with a speed, m/s.
    double forceAt(double e, double speed) const {
        const double sum = force(e) + damping(e) * speed;
        return sum > 0 ? sum : 0;
    }
    /// Of a step in which the speed is rate (e - start): a function of e alone, so spring and damper have a potential together.
    HoldPush pushAt(double e, double start, double rate) const;

  private:
    static constexpr double kSteep = 96;
    double end() const { return 4 * reach; }
    double share(double e) const { return e / reach * (e / reach); }
    double balance(double start, double rate) const;
    double drag(double e, double start) const;
};

}  // namespace sunder
