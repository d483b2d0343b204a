#pragma once

#include <string>
#include <vector>

#include "core/material/elastic_law.h"
#include "core/material/fracture_law.h"
#include "core/material/plasticity.h"

namespace sunder {

/// What a body is made of, SI units.
struct Material {
    std::string name;
    double density = 1000;  ///< kg/m3 at rest
    double youngs = 1e6;    ///< Young's modulus, Pa
    double poisson = 0.3;   ///< above -1 and below 0.5; linear tetrahedra lock from about 0.45 on
    ElasticLawId law = ElasticLawId::kCorotated;
    double stiffnessDamping =
        0;                   ///< s; adds stiffnessDamping * lambda to phi and stiffnessDamping * mu to psi
    double phi = 0;          ///< dilatational viscosity, Pa s; phi + 2/3 psi must not be negative
    double psi = 0;          ///< shear viscosity, Pa s
    double massDamping = 0;  ///< 1/s; slows rigid motion too, as if moving through a fluid
    Fracture fracture;
    Plasticity plasticity;
};

/// Lame constants and viscosities, as the laws take them.
LawParams lawParams(const Material& material);

/// Throws Error, which names the material, the field and its value, and says what is allowed.
void validate(const Material& material);

/// A material given by its Lame constants (Pa) instead of Young's modulus and Poisson's ratio.
Material materialFromLame(const std::string& name, double density, double lambda, double mu);

/// The materials of a scene.
struct MaterialTable {
    std::vector<Material> rows;

    /// The row of that name; throws Error that names the nearest one.
    std::size_t find(const std::string& name) const;
};

}  // namespace sunder
