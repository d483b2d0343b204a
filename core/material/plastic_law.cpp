#include "core/material/plastic_law.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/material/strain_flow.h"
#include "core/material/stretch_flow.h"
#include "core/math/decompose.h"

namespace sunder {

namespace {

/// Conditions are written for what is allowed, so that a NaN fails every one.
void require(bool allowed, const Material& m, const std::string& message, const char* remedy) {
    if (!allowed) throw Error(format("material '%s' %s", m.name.c_str(), message.c_str()), remedy);
}

void requireUnused(const Material& m, const char* field, double value, double unused) {
    require(value == unused, m, format("has %s = %g, which the plastic law '%s' does not know", field, value, plasticLaw(m.plasticity.law).name),
            "leave it out, or choose the law that has it");
}

void validateStrainLaw(const Material& m) {
    const Plasticity& p = m.plasticity;
    require(m.law == ElasticLawId::kGreen, m,
            format("has the plastic law '%s' and the elastic law '%s': the former splits the Green strain, which the latter is no law of", plasticLaw(p.law).name,
                   elasticLaw(m.law).name),
            "use the elastic law 'green', or the plastic law 'multiplicative'");
    require(p.yield >= 0 && p.yieldStress >= 0 && std::isfinite(p.yield) && std::isfinite(p.yieldStress), m,
            format("has yield = %g and yieldStress = %g", p.yield, p.yieldStress), "give a strain, or a stress in Pa, above zero");
    require(p.yield == 0 || p.yieldStress == 0, m, "has both a yield and a yieldStress", "leave one of them out");
    require(p.limit >= 0, m, format("has limit = %g", p.limit), "give a strain of zero or more");
    require(p.yield > 0 || p.yieldStress > 0 || p.limit == 0, m, "would flow under no stress at all: its yield is zero",
            "give yield or yieldStress above zero, or limit = 0 for no flow");
    if (p.law == PlasticLawId::kCreep)
        require(p.creep > 0 && std::isfinite(p.creep), m, format("has creep = %g", p.creep), "give a rate above zero, in 1/s");
    else
        requireUnused(m, "creep", p.creep, 0);
    requireUnused(m, "flowRate", p.flowRate, 0);
    requireUnused(m, "hardening", p.hardening, 0);
}

void validateMultiplicative(const Material& m) {
    const Plasticity& p = m.plasticity;
    require(p.yieldStress > 0 && std::isfinite(p.yieldStress), m, format("has yieldStress = %g", p.yieldStress), "give a stress above zero, in Pa");
    require(p.flowRate >= 0 && std::isfinite(p.flowRate), m, format("has flowRate = %g", p.flowRate), "give a rate in 1/s, or 0 for flow at once");
    require(p.hardening > -1 && std::isfinite(p.hardening), m, format("has hardening = %g", p.hardening),
            "give a number above -1: softer than that it would give way faster than it can be bent");
    requireUnused(m, "yield", p.yield, 0);
    requireUnused(m, "limit", p.limit, 1e300);
    requireUnused(m, "creep", p.creep, 0);
}

}  // namespace

Span<const PlasticLaw> plasticLaws() {
    static const std::vector<PlasticLaw> laws = {additivePlasticity(), creepPlasticity(), multiplicativePlasticity()};
    return laws;
}

const PlasticLaw& plasticLaw(PlasticLawId id) {
    SUNDER_ASSERT(id != PlasticLawId::kNone);
    return plasticLaws()[static_cast<std::size_t>(id) - 1];
}

Mat3 computeHeldStress(PlasticPoint point, const Mat3& F) {
    if (point.plastic.law == PlasticLawId::kNone) return point.elastic.stress(point.moduli, F);
    point.dt = 0;
    return plasticLaw(point.plastic.law).respond(point, F).stress;
}

void validatePlasticity(const Material& material) {
    if (material.plasticity.law == PlasticLawId::kMultiplicative)
        validateMultiplicative(material);
    else if (material.plasticity.law != PlasticLawId::kNone)
        validateStrainLaw(material);
}

PlasticParams plasticParams(const Plasticity& p, double mu, double yieldScale) {
    PlasticParams out;
    out.law = p.law;
    if (p.law == PlasticLawId::kMultiplicative) {
        out.yield = yieldScale * std::sqrt(2.0 / 3.0) * p.yieldStress;
        out.rate = p.flowRate;
        out.hardening = p.hardening;
    } else if (p.law != PlasticLawId::kNone) {
        const double fromStress = std::sqrt(2.0 / 3.0) * p.yieldStress / mu;
        out.yield = yieldScale * 0.5 * (p.yield + fromStress);
        out.limit = 0.5 * p.limit;
        out.rate = p.creep;
    }
    return out;
}

double plasticStrain(PlasticLawId law, const PlasticState& state) {
    const double norm = law == PlasticLawId::kMultiplicative ? svd3(Mat3::Identity() + state.flow).sigma.array().log().matrix().norm()
                                                             : state.flow.norm();
    return std::sqrt(2.0 / 3.0) * norm;
}

}  // namespace sunder
