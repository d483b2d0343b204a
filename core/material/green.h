#pragma once

#include "core/material/elastic_law.h"

namespace sunder {

/// St. Venant-Kirchhoff: the elastic law of Thesis ch. 3, written with E = (F^T F - I) / 2 (half of its
/// strain) and the true Lame constants. Energy lambda/2 tr(E)^2 + mu |E|^2, P = F (lambda tr(E) I + 2 mu E).
///
/// Limits: good for any rotation and small to moderate strain. Under compression it softens, is unstable
/// below a uniaxial stretch of 1/sqrt(3) = 0.58, and has no force against collapse; the energy is even in
/// each stretch, so an inverted element comes to rest as a mirror image of itself.
ElasticLaw greenLaw();

}  // namespace sunder
