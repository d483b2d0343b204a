#pragma once

#include <cstdint>

namespace sunder {

enum class PlasticLawId : std::uint8_t { kNone, kAdditive, kCreep, kMultiplicative };

/// How a material keeps a part of its deformation, SI units. Fields that a law does not know have to keep their
/// defaults. Strains are those of the papers, eps = F^T F - 1: twice the Green strain.
struct Plasticity {
    PlasticLawId law = PlasticLawId::kNone;
    double yield = 0;        ///< additive, creep: norm of the elastic strain's deviator from which on it flows
    double yieldStress = 0;  ///< Pa in plain tension; for additive and creep another way to give `yield`, which
                             ///< then has to be 0: yield = sqrt(2/3) yieldStress / mu
    double limit = 1e300;    ///< additive, creep: largest norm of the plastic strain; elastic again beyond. 0: never flows
    double creep = 0;        ///< creep: share of the elastic strain that becomes plastic, 1/s; must be above 0
    double flowRate = 0;     ///< multiplicative: share of the stress beyond yield that flow takes away, 1/s; 0: all at once
    double hardening = 0;    ///< multiplicative: a stress of hardening * 3 mu is added to the yield stress per unit of
                             ///< plastic strain in plain tension; negative softens; must be above -1
};

}  // namespace sunder
