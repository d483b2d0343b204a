#pragma once

#include "core/fem/element_table.h"
#include "core/fem/plastic_step.h"

namespace sunder {

/// Bounds of the largest eigenvalues of M^-1 K, 1/s2, and of M^-1 C, 1/s.
struct FrequencyBounds {
    double omegaSq = 0, damping = 0;
};

/// The bounds in the shape x, never below those at rest: each tet's bound at rest times how much stiffer its
/// law is in that shape. Squeezed or stretched tets can need far shorter explicit steps than at rest. Flow only softens; `plastic`
/// has the states of plastic tets, if there are any.
FrequencyBounds computeFrequencyBounds(const ElementTable& table, Span<const Vec3> x, Span<const PlasticState> plastic = {});

}  // namespace sunder
