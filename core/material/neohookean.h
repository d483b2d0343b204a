#pragma once

#include "core/material/elastic_law.h"

namespace sunder {

/// Stable neo-Hookean (Smith, de Goes and Kim 2018), with I = |F|^2, J = det F, m = 4/3 mu and l = lambda +
/// 5/6 mu, for which the small-strain limit is Hooke's law with lambda and mu. Energy m/2 (I - 3 - log((I +
/// 1) / 4)) - 3/4 m (J - 1) + l/2 (J - 1)^2: the paper's l/2 (J - a)^2 with a = 1 + 3 m / (4 l), written so
/// that energy and stress at rest are exactly zero. P = m I / (I + 1) F + (l (J - 1) - 3/4 m) cof F.
///
/// Limits: meant for flesh and rubber, also nearly incompressible. Finite and smooth everywhere, inverted and
/// collapsed elements included; at F = 0 force and stiffness are exactly zero, so a body crushed to one point
/// needs a nudge to come back. No limit of stretch, as real rubber has.
ElasticLaw neoHookeanLaw();

}  // namespace sunder
