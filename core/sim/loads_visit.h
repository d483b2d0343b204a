#pragma once

#include "core/sim/loads.h"

namespace sunder {

/// A soft target has let go of a vertex.
inline bool isLoose(const std::vector<std::uint8_t>* released, std::int32_t vertex) {
    return released && !released->empty() && ((*released)[static_cast<std::size_t>(vertex)] & kReleasedTarget) != 0;
}

/// Calls visit(vertex, motion, anchor, strength, damping) for every vertex that is softly held now.
template <class Visit>
void Loads::visitTargets(Visit visit) const {
    for (const SoftTarget& t : body_.constraints.soft) {
        if (begin_ >= t.releaseTime) continue;
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            if (isLoose(released_, t.vertices[k])) continue;
            const double weight = t.weight.empty() ? 1 : t.weight[k];
            visit(static_cast<std::size_t>(t.vertices[k]), t.motion, t.anchor[k], weight * t.strength, weight * t.damping);
        }
    }
}

inline double springEnergy(const SoftTarget& t, Span<const Vec3> x, double time, const std::vector<std::uint8_t>* released) {
    double sum = 0;
    for (std::size_t k = 0; k < t.vertices.size(); ++k) {
        if (isLoose(released, t.vertices[k])) continue;
        const Vec3 away = t.motion.apply(t.anchor[k], time) - x[static_cast<std::size_t>(t.vertices[k])];
        sum += 0.5 * (t.weight.empty() ? 1 : t.weight[k]) * t.strength * away.squaredNorm();
    }
    return sum;
}

}  // namespace sunder
