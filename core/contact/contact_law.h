#pragma once

namespace sunder {

/// What pushes a vertex out of another body: k d (1 + 2 (d/r)^2), so that light touches are soft and nothing sinks in deep.
struct ContactSpring {
    double stiffness = 0;  ///< k, N/m
    double reach = 1;      ///< r, m: the depth d with three times the force of an even spring

    double force(double d) const { return stiffness * d * (1 + 2 * d / reach * (d / reach)); }
    double energy(double d) const { return 0.5 * stiffness * d * d * (1 + d / reach * (d / reach)); }
    double slope(double d) const { return stiffness * stiffening(d); }
    double stiffening(double d) const { return 1 + 6 * d / reach * (d / reach); }
    /// Where force(d) + damper (d - start) = 0, for a damper of zero or more (N/m) and start >= 0.
    double balance(double damper, double start) const;
};

/// Friction as a share of its largest value at sliding speed s: 0 at rest, 1 from the slip speed on, with a continuous slope.
inline double slipShare(double s, double slipSpeed) { return s >= slipSpeed ? 1 : (2 - s / slipSpeed) * s / slipSpeed; }
/// Its derivative by s.
inline double slipSlope(double s, double slipSpeed) { return s >= slipSpeed ? 0 : 2 * (1 - s / slipSpeed) / slipSpeed; }
/// Its integral over s.
inline double slipPotential(double s, double slipSpeed) {
    return s >= slipSpeed ? s - slipSpeed / 3 : s * s / slipSpeed * (1 - s / (3 * slipSpeed));
}

/// The sliding speed s at the end of a step with s + most * slipShare(s) = speed: what friction that could take away `most` leaves of
/// `speed`.
double speedAfterFriction(double speed, double most, double slipSpeed);

/// Share of its speed with which a mass leaves a spring and damper of damping ratio z that can push but not pull.
double bounce(double dampingRatio);
/// The damping ratio for that share; at most 1, which leaves 0.135 of the speed.
double dampingRatioOfBounce(double restitution);

}  // namespace sunder
