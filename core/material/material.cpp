#include "core/material/material.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/material/plastic_law.h"

namespace sunder {

namespace {

/// A NaN fails every condition, since conditions are written for what is allowed.
void require(bool allowed, const Material& material, const char* field, double value, const char* remedy) {
    if (allowed) return;
    throw Error(format("material '%s' has %s = %g", material.name.c_str(), field, value), remedy);
}

bool atLeastZero(double value) { return value >= 0 && std::isfinite(value); }
bool positive(double value) { return value > 0 && std::isfinite(value); }

void validateFracture(const Material& m) {
    const Fracture& f = m.fracture;
    if (!f.enabled) return;
    require(positive(f.force), m, "fracture.force", f.force, "give a toughness above zero, in N; leave `fracture` out if it is not to break");
    require(positive(f.stress), m, "fracture.stress", f.stress, "give a strength above zero, in Pa; leave `fracture` out if it is not to break");
    require(positive(f.energy), m, "fracture.energy", f.energy, "give a fracture energy above zero, in J/m2 (glass has about 8)");
    require(f.residual >= 0 && f.residual <= 1, m, "fracture.residual", f.residual, "give a share from 0 to 1");
    require(f.backCrackAngle >= 0 && f.backCrackAngle < 1.5, m, "fracture.backCrackAngle", f.backCrackAngle, "give an angle from 0 to 1.5 rad");
    require(f.grain.allFinite(), m, "fracture.grain", f.grain.sum(), "give finite angles");
    require(positive(f.weakness.minCoeff()) && f.weakness.maxCoeff() <= 1, m, "fracture.weakness", f.weakness.minCoeff(),
            "give shares above 0 and up to 1, the largest for the axis across which it breaks most easily");
}

}  // namespace

LawParams lawParams(const Material& material) {
    const double nu = material.poisson;
    LawParams p;
    p.lambda = material.youngs * nu / ((1 + nu) * (1 - 2 * nu));
    p.mu = material.youngs / (2 * (1 + nu));
    p.phi = material.phi + material.stiffnessDamping * p.lambda;
    p.psi = material.psi + material.stiffnessDamping * p.mu;
    return p;
}

void validate(const Material& m) {
    require(positive(m.density), m, "density", m.density,
            "give a density above zero, in kg/m3 (water has 1000)");
    require(positive(m.youngs), m, "youngs", m.youngs,
            "give a Young's modulus above zero, in Pa (rubber has about 2e6, steel 2.1e11)");
    require(m.poisson > -1 && m.poisson < 0.5, m, "poisson", m.poisson,
            "give a Poisson's ratio above -1 and below 0.5; for a nearly incompressible material take 0.45 "
            "to 0.49");
    require(atLeastZero(m.stiffnessDamping), m, "stiffnessDamping", m.stiffnessDamping,
            "give zero or a positive time in seconds");
    require(atLeastZero(m.massDamping), m, "massDamping", m.massDamping,
            "give zero or a positive rate in 1/s");
    require(atLeastZero(m.psi), m, "psi", m.psi, "give zero or a positive shear viscosity in Pa s");
    require(std::isfinite(m.phi) && m.phi + 2.0 / 3.0 * m.psi >= 0, m, "phi", m.phi,
            "give a viscosity in Pa s that is not negative, or at least not below -2/3 psi: the material "
            "would drive itself");
    validateFracture(m);
    validatePlasticity(m);
}

Material materialFromLame(const std::string& name, double density, double lambda, double mu) {
    Material material;
    material.name = name;
    material.density = density;
    material.youngs = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    material.poisson = lambda / (2 * (lambda + mu));
    return material;
}

std::size_t MaterialTable::find(const std::string& name) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].name == name) return i;
        names.push_back(rows[i].name);
    }
    const std::string nearest = nearestWord(name, names);
    throw Error("there is no material named '" + name + "'",
                nearest.empty() ? "define it, or use the name of one that is defined"
                                : "did you mean '" + nearest + "'?");
}

}  // namespace sunder
