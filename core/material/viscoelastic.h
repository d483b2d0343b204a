#pragma once

#include "core/material/elastic_law.h"

namespace sunder {

/// Visco97 (16), with D = F^T F, J = det F, bulk modulus K = lambda + 2/3 mu and shear modulus mu. In its
/// coefficients d0 = det D, d1 = sum of the principal 2x2 minors of D, d2 = tr D (the paper's (12) has their
/// signs wrong): K/32 (d0^2 + 1/d0^2 - 2) + mu/6 (d2^2 - 3 d1) = K/32 (J^2 - 1/J^2)^2 + mu/4 |dev D|^2, P =
/// K/8 (J^3 - J^-5) cof F + mu F dev D.
///
/// Viscosity: (17) with the factors that make eta1 a bulk and eta2 a shear viscosity, power eta1/4 (tr D')^2
/// + eta2/2 |dev D'|^2 a unit of *current* volume (5.4). With D' = 2 E' that is the Kelvin-Voigt viscosity of
/// the other laws (strain_viscosity.h, with phi = eta1 - 2/3 eta2 and psi = eta2) times J, the current volume
/// of a unit of rest volume, which these functions are for.
///
/// Limits: the energy grows without bound as the volume goes to zero, and is even in J, so an inverted
/// element would look relaxed: energy is infinite and everything else not a number for J <= 0, and a step
/// that crosses zero has to be rejected. Very stiff at large strain (fourth power of the stretch, eighth of
/// the volume).
ElasticLaw viscoelasticLaw();

}  // namespace sunder
