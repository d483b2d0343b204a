#pragma once

#include "core/base/span.h"
#include "core/math/types.h"

#include <string>

namespace sunder {

/// What an elastic law reads of a material, SI units. With the true Lame constants every law has the small-strain limit of
/// Hooke's law; phi and psi are their viscous companions (stress = phi tr(rate) I + 2 psi rate for slow small strain).
struct LawParams {
    double lambda = 0;  ///< first Lame constant, Pa
    double mu = 0;      ///< shear modulus, Pa
    double phi = 0;     ///< dilatational viscosity, Pa s
    double psi = 0;     ///< shear viscosity, Pa s

    double bulkModulus() const { return lambda + 2.0 / 3.0 * mu; }
    double bulkViscosity() const { return phi + 2.0 / 3.0 * psi; }
};

enum class ElasticLawId : std::uint8_t { kGreen, kCorotated, kViscoelastic, kNeoHookean };

/// A law as pure functions of the deformation gradient F (and its material rate), per unit of rest volume. It knows no mesh
/// and no thread. P is the first Piola-Kirchhoff stress; 9x9 matrices are derivatives of vec(P), flattened column by column.
struct ElasticLaw {
    ElasticLawId id;
    const char* name;
    const char* summary;   ///< one line for help texts
    bool needsPositiveDet; ///< a step that brings det F to zero or below has to be rejected

    double (*energy)(const LawParams&, const Mat3& F);                 ///< J/m3, zero at rest
    Mat3 (*stress)(const LawParams&, const Mat3& F);                   ///< P = d energy / dF, Pa
    Mat9 (*stiffness)(const LawParams&, const Mat3& F);                ///< dP/dF
    Mat9 (*projectedStiffness)(const LawParams&, const Mat3& F);       ///< the nearest positive semi-definite one, or close to it

    /// Viscous part. viscousStress = d dissipation / d rate; the power lost is 2 * dissipation (it is quadratic in the rate).
    double (*dissipation)(const LawParams&, const Mat3& F, const Mat3& rate);          ///< W/m3 / 2
    Mat3 (*viscousStress)(const LawParams&, const Mat3& F, const Mat3& rate);          ///< Pa
    Mat9 (*viscousTangentRate)(const LawParams&, const Mat3& F, const Mat3& rate);     ///< positive semi-definite
    Mat9 (*viscousTangentF)(const LawParams&, const Mat3& F, const Mat3& rate);        ///< not symmetric in general
};

/// Every law there is, in the order of ElasticLawId. Tests run over this list.
Span<const ElasticLaw> elasticLaws();
const ElasticLaw& elasticLaw(ElasticLawId id);
/// Throws Error that names the nearest law for an unknown name.
const ElasticLaw& elasticLawByName(const std::string& name);

}  // namespace sunder
