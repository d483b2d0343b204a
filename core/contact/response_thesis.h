#pragma once

#include "core/contact/contact_forces.h"

namespace sunder {

/// Contact forces of O'Brien (2000), section 5.3, with the corrections of the misprints: every pair of tets that overlap in a volume V is
/// pushed apart with
///   F = max(0, k_err V + k_dmp V s)
/// at the centre of the overlap, along the mean normal of a's surface in b, s the speed of closing there. Spread by barycentric
/// coordinates it is equal and opposite on the same line, so both momenta are kept to rounding.
///
/// k_err, N/m^3. Pushed flat into each other by d, bodies with an area A have V = A d in all pairs together and feel the pressure k_err d.
/// A ContactSpring of n's half k_n pushes with soft^2 k_n d / A_n on each side (contact_set.h), so
///   k_err = soft_a^2 k_n / A_n, a mean over a's corners, + the same of b = E_a E_b / (E_a + E_b) (1/h_a + 1/h_b)
/// sinks as deep as the overlap's potential does before that stiffens. Weights of the means are the corners' shares of the overlap.
/// k_dmp = soft^2 c_n / (A_n max(d_n, r_n / 8)) likewise: at a depth of r_n / 8, a 64th of a cell, the damper is that of the potential;
/// below it goes with the volume, as in (5.9), and above it stays, which explicit steps need.
///
/// There is no potential: the work around a closed path is not zero. The energy 1/2 F V / S of an even column, S the area of the
/// mean normal, stands in for it in the books and in ContactMemory::stored; `power` has all that the forces take, and `drawn` what of it
/// went into that energy, so what they lose or gain beside it is booked as lost, or as a negative loss.
/// Friction is that of computeContactForces, with the normal forces found here.
ContactTotals computeThesisForces(const ContactSet& set, Span<ContactBodyState> bodies, const ContactStep& step);

}  // namespace sunder
