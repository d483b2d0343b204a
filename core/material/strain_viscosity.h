#pragma once

#include "core/material/elastic_law.h"

/// Kelvin-Voigt viscosity from the rate of Green strain, E' = sym(F^T F'): viscous second Piola-Kirchhoff
/// stress S = phi tr(E') I + 2 psi E', P = F S (Thesis 3.13 and 3.29 in true strain; its sigma is twice this
/// S, as its strain is twice E). The dissipation potential is phi/2 tr(E')^2 + psi |E'|^2, and the power lost
/// P : F' = S : E' is twice that.
///
/// Limits: it is linear in the rate of Green strain, so at a stretch s the same spatial rate of strain meets
/// s^4 times the viscosity, and a body crushed to a point is not damped at all. Any F is admitted.
namespace sunder {

double strainDissipation(const LawParams& p, const Mat3& F, const Mat3& rate);
Mat3 strainViscousStress(const LawParams& p, const Mat3& F, const Mat3& rate);
Mat9 strainViscousTangentRate(const LawParams& p, const Mat3& F, const Mat3& rate);
Mat9 strainViscousTangentF(const LawParams& p, const Mat3& F, const Mat3& rate);

}  // namespace sunder
