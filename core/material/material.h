#pragma once

#include <string>
#include <vector>

#include "core/material/elastic_law.h"

namespace sunder {

/// One row of a MaterialTable, SI units.
struct Material {
    std::string name;
    ElasticLawId law = ElasticLawId::kCorotated;
    double density = 1000;        ///< kg/m3
    double youngs = 1e6;          ///< Pa
    double poisson = 0.3;         ///< below 0.5
    double phi = 0;               ///< dilatational viscosity, Pa s
    double psi = 0;               ///< shear viscosity, Pa s
    double stiffnessDamping = 0;  ///< s; adds stiffnessDamping * (lambda, mu) to (phi, psi)
    double massDamping = 0;       ///< 1/s; a drag of massDamping * mass * velocity
};

LawParams lawParams(const Material& material);
/// Throws Error with a remedy for values that make no sense.
void validate(const Material& material);

}  // namespace sunder
