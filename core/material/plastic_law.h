#pragma once

#include "core/material/material.h"

namespace sunder {

/// What a plastic law reads of a material. Norms are those of all nine entries of a deviator.
struct PlasticParams {
    PlasticLawId law = PlasticLawId::kNone;
    double yield = 0;      ///< largest elastic norm: of the Green strain (additive, creep), of the Kirchhoff stress in Pa (multiplicative)
    double limit = 1e300;  ///< largest norm of the plastic Green strain
    double rate = 0;       ///< 1/s of flow; 0: at once
    double hardening = 0;  ///< `yield` rises by 2 mu hardening per norm of plastic strain
};

/// What flow has left behind in one tet.
struct PlasticState {
    Mat3 flow = Mat3::Zero();  ///< additive, creep: plastic Green strain; multiplicative: inverse of the plastic part of F, minus 1
    double hardened = 0;       ///< Pa added to the multiplicative law's `yield`
};

/// One tet at the start of a step.
struct PlasticPoint {
    const ElasticLaw& elastic;
    LawParams moduli;
    PlasticParams plastic;
    PlasticState before;
    double dt;  ///< s in which it may flow; 0: it does not, whatever the stress
};

/// What a law makes of F at the end of the step, per unit of rest volume. Newton's method minimizes energy + potential, whose
/// gradient is the stress.
struct PlasticResponse {
    double energy = 0;      ///< elastic, after flow, J/m3
    double potential = 0;   ///< of the resistance to flow, J/m3: what a step pays for it
    double dissipated = 0;  ///< by the stress at the end of the step, J/m3; never negative
    Mat3 stress;            ///< first Piola-Kirchhoff, Pa
    PlasticState after;
};

/// A law of plastic flow on top of an elastic one, as pure functions. Flow within the step is part of stress and stiffness.
struct PlasticLaw {
    PlasticLawId id;
    const char* name;
    const char* strain;  ///< the strain that it splits into an elastic and a plastic part
    bool needsGreen;     ///< defined for the elastic law `green` alone
    PlasticResponse (*respond)(const PlasticPoint&, const Mat3& F);
    Mat9 (*stiffness)(const PlasticPoint&, const Mat3& F);           ///< derivative of the stress
    Mat9 (*projectedStiffness)(const PlasticPoint&, const Mat3& F);  ///< positive semi-definite, and close to it
};

/// First Piola-Kirchhoff stress without any more flow, Pa; that of the elastic law where nothing is plastic.
Mat3 computeHeldStress(PlasticPoint point, const Mat3& F);

/// Every law but kNone, in the order of PlasticLawId. Tests run over this list.
Span<const PlasticLaw> plasticLaws();
const PlasticLaw& plasticLaw(PlasticLawId id);

/// Of a material with the shear modulus mu; `yieldScale` multiplies the yield.
PlasticParams plasticParams(const Plasticity& plasticity, double mu, double yieldScale = 1);

/// Throws Error that says what the law needs and does not know.
void validatePlasticity(const Material& material);

/// The plastic strain of the same norm in plain tension: of the Green strain or, for the multiplicative law, of the Hencky strain.
double plasticStrain(PlasticLawId law, const PlasticState& state);

}  // namespace sunder
