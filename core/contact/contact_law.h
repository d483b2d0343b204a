#pragma once

namespace sunder {

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
