#include "core/sim/blast.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

/// Peak, duration and impulse of a charge of TNT in free air over the scaled distance Z = R / W^(1/3), m / kg^(1/3), and the speed of the
/// shock: Kinney and Graham, Explosive Shocks in Air, 2nd ed. 1985, chapter 6, fits to their tables. The decay is that which gives the pulse
/// their impulse. Arrival is the integral of dR / U with U = a sqrt(1 + 6/7 p/p0), Rankine and Hugoniot for air.
/// Reflection p = pr cos^2 + ps (1 + cos^2 - 2 cos) on what faces the blast, ps elsewhere: Randers-Pehrson and Bannister, ARL-TR-1310, 1997.
/// A hemisphere on the ground counts as 1.8 charges in free air: the same report.
namespace sunder {

namespace {
constexpr double kAir = 101325;        // Pa
constexpr double kSoundSpeed = 340.3;  // m/s, at 15 C
constexpr double kGroundFactor = 1.8;
// Nearer than this is the fireball, where the fits have no meaning and the values at this distance are taken.
constexpr double kNearest = 0.5;
constexpr double kFarthest = 1000;
constexpr double kSmallestDecay = 0.01;

double square(double a) { return a * a; }

double scaledPeak(double z) {
    return kAir * 808 * (1 + square(z / 4.5)) / std::sqrt((1 + square(z / 0.048)) * (1 + square(z / 0.32)) * (1 + square(z / 1.35)));
}

/// s / kg^(1/3)
double scaledDuration(double z) {
    return 0.98 * (1 + std::pow(z / 0.54, 10)) / ((1 + std::pow(z / 0.02, 3)) * (1 + std::pow(z / 0.74, 6)) * std::sqrt(1 + square(z / 6.9)));
}

/// Pa s / kg^(1/3)
double scaledImpulse(double z) { return 6.7 * std::sqrt(1 + std::pow(z / 0.23, 4)) / (z * z * std::cbrt(1 + std::pow(z / 1.55, 3))); }

/// Impulse of the pulse over peak times duration up to the share u of its duration.
double pulseShare(double decay, double u) {
    const double e = std::exp(-decay * u);
    return (1 - e) / decay - (1 - e * (1 + decay * u)) / (decay * decay);
}

/// The decay whose pulse has the given share; far off, where the fits ask for more than a straight fall has, the smallest.
double decayOfShare(double share) {
    double low = kSmallestDecay, high = 1000;
    if (pulseShare(low, 1) <= share) return low;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (pulseShare(middle, 1) > share ? low : high) = middle;
    }
    return low;
}

/// The pulse of 1 kg over the logarithm of the distance.
class UnitCharge {
  public:
    static const UnitCharge& get() {
        static const UnitCharge charge;
        return charge;
    }

    BlastPulse at(double z) const {
        if (z > kFarthest) {
            BlastPulse far = rows_.back();
            far.arrival += (z - kFarthest) / kSoundSpeed;
            far.peak *= kFarthest / z;
            return far;
        }
        const double place = std::max(0.0, std::log(z / kStart) / kSpacing);
        const auto row = std::min(static_cast<std::size_t>(place), rows_.size() - 2);
        const double t = place - static_cast<double>(row);
        const auto mix = [&](double BlastPulse::*field) { return (1 - t) * rows_[row].*field + t * rows_[row + 1].*field; };
        return {mix(&BlastPulse::arrival), mix(&BlastPulse::peak), mix(&BlastPulse::duration), mix(&BlastPulse::decay)};
    }

  private:
    static constexpr double kStart = 0.01, kSpacing = 0.005;

    UnitCharge() {
        const auto slowness = [](double z) { return 1 / (kSoundSpeed * std::sqrt(1 + 6.0 / 7.0 * scaledPeak(z) / kAir)); };
        double arrival = kStart * slowness(0.5 * kStart), before = kStart;
        for (double z = kStart; before < kFarthest; z *= std::exp(kSpacing)) {
            // Simpson's rule between two rows
            arrival += (z - before) / 6 * (slowness(before) + 4 * slowness(0.5 * (before + z)) + slowness(z));
            const double fit = std::max(z, kNearest), peak = scaledPeak(fit), duration = scaledDuration(fit);
            rows_.push_back({arrival, peak, duration, decayOfShare(scaledImpulse(fit) / (peak * duration))});
            before = z;
        }
    }

    std::vector<BlastPulse> rows_;
};

/// The scaled distance at which a charge has that peak.
double distanceOfPeak(double peak) {
    double low = kNearest, high = kFarthest;
    for (int i = 0; i < 100; ++i) {
        const double middle = std::sqrt(low * high);
        (scaledPeak(middle) > peak ? low : high) = middle;
    }
    return low;
}

/// In free air.
double chargeOf(const Blast& b) {
    return b.charge > 0 ? b.charge * (b.onGround ? kGroundFactor : 1) : std::pow(b.distance / distanceOfPeak(b.peak), 3);
}

void require(bool condition, const std::string& message, const std::string& remedy) {
    if (!condition) throw Error(message, remedy);
}
}  // namespace

void validate(const Blast& b) {
    require(b.center.allFinite() && std::isfinite(b.time), "a blast has a place or time that is no number", "give it a finite center and time");
    require(std::isfinite(b.charge) && b.charge >= 0, format("a blast has a charge of %g kg", b.charge), "give its charge in kg of TNT, above 0");
    require(b.charge == 0 || (b.peak == 0 && b.distance == 0), "a blast has both a charge and a peak at a distance", "give one of the two: charge, or peak and distance");
    if (b.charge > 0) return;
    require(!b.onGround, "a blast with a peak at a distance has onGround", "leave it out: the peak counts what the ground throws back");
    require(std::isfinite(b.distance) && b.distance > 0 && b.peak > 0, format("a blast has no charge, and a peak of %g Pa at %g m", b.peak, b.distance),
            "give it a charge in kg of TNT, or peak and distance above 0");
    const double most = scaledPeak(kNearest), least = scaledPeak(kFarthest);
    require(b.peak < most && b.peak > least, format("a blast has a peak of %g Pa", b.peak),
            format("give a peak between %.2g and %.2g Pa; above is the fireball, at another distance it may be right", least, most));
}

double BlastPulse::pressure(double time) const {
    const double u = (time - arrival) / duration;
    return u < 0 || u > 1 ? 0 : peak * (1 - u) * std::exp(-decay * u);
}

double BlastPulse::impulse(double time) const {
    const double u = std::clamp((time - arrival) / duration, 0.0, 1.0);
    return peak * duration * pulseShare(decay, u);
}

double blastReflection(double peak, double cosine) {
    if (!(cosine > 0)) return 1;
    const double normal = 2 * (7 * kAir + 4 * peak) / (7 * kAir + peak);
    return normal * cosine * cosine + 1 + cosine * cosine - 2 * cosine;
}

BlastWave::BlastWave(const Blast& blast) : blast_(blast), scale_(std::cbrt(chargeOf(blast))) {}

BlastPulse BlastWave::pulseAt(double distance) const {
    BlastPulse pulse = UnitCharge::get().at(distance / scale_);
    pulse.arrival = blast_.time + scale_ * pulse.arrival;
    pulse.duration *= scale_;
    return pulse;
}

double BlastWave::pressureOn(const Vec3& place, const Vec3& outwardNormal, double from, double to) const {
    const Vec3 way = place - blast_.center;
    const double distance = way.norm();
    const BlastPulse pulse = pulseAt(distance);
    const double sideOn = to > from ? (pulse.impulse(to) - pulse.impulse(from)) / (to - from) : pulse.pressure(from);
    if (sideOn == 0) return 0;
    return sideOn * blastReflection(pulse.peak, distance > 0 ? -way.dot(outwardNormal) / distance : 0);
}

bool BlastWave::reaches(double nearer, double farther, double from, double to) const {
    if (to < blast_.time) return false;
    const BlastPulse last = pulseAt(farther);
    return to >= pulseAt(nearer).arrival && from <= last.arrival + last.duration;
}

}  // namespace sunder
