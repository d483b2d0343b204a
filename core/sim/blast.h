#pragma once

#include "core/math/types.h"

namespace sunder {

/// An explosion in the air. Its size is given as a charge or by the pressure that it has at a distance.
struct Blast {
    Vec3 center = Vec3::Zero();  ///< m
    double time = 0;             ///< s since the start, when it goes off
    double charge = 0;           ///< kg of TNT, or 0
    double peak = 0;             ///< Pa above that of the air, side-on, that the wave has at `distance`, or 0
    double distance = 0;         ///< m
    bool onGround = false;       ///< a hard ground below throws its half of the wave back: as 1.8 times the charge
};

/// Throws Error with a remedy unless there is one size, and it makes sense.
void validate(const Blast& blast);

/// The pressure above that of the air at one place, from `arrival` on: peak (1 - t / duration) exp(-decay t / duration), Friedlander's pulse.
/// The suction behind it is left out.
struct BlastPulse {
    double arrival = 0;   ///< s
    double peak = 0;      ///< Pa, side-on
    double duration = 0;  ///< s
    double decay = 1;

    double pressure(double time) const;
    /// Integral of the pressure up to a time, Pa s.
    double impulse(double time) const;
};

/// How much more than side-on pressure a surface feels that the wave meets: `cosine` is that of the angle between its way and the inward normal.
double blastReflection(double peak, double cosine);

/// The wave of a blast as a function of place and time.
class BlastWave {
  public:
    explicit BlastWave(const Blast& blast);

    BlastPulse pulseAt(double distance) const;
    /// Pressure on a surface at `place`, with reflection, as a mean from one time to another; at a moment if both are the same, Pa.
    double pressureOn(const Vec3& place, const Vec3& outwardNormal, double from, double to) const;
    /// False if the wave has not come to the nearer distance by `to`, or has passed the farther one at `from`.
    bool reaches(double nearer, double farther, double from, double to) const;
    const Vec3& center() const { return blast_.center; }

  private:
    Blast blast_;
    double scale_;  ///< cube root of the charge in kg
};

}  // namespace sunder
