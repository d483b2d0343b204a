#pragma once

#include "core/material/material.h"

namespace sunder {

/// A material ready for use, and where its numbers are from. The fields below `material` are zero where the
/// source has none.
struct MaterialPreset {
    Material material;
    double toughness = 0;  ///< tau of the Thesis, N: a force, so it goes with the resolution of the mesh
    double residualPropagation = 0;  ///< alpha of the Thesis
    double plasticOnset = 0;         ///< k1 of the Thesis, in its strain, which is twice the Green strain
    double plasticLimit = 0;         ///< k2, likewise
    std::string source;
};

/// The eight materials of Thesis tables 6.2 to 6.9 as printed, whose moduli are 1/50 of the real ones and
/// whose damping was found by trial; and real materials by their handbook constants, without damping. Names
/// of the former that the latter also have begin with thesis_.
const std::vector<MaterialPreset>& materialPresets();

/// Throws Error that names the nearest preset for an unknown name.
const MaterialPreset& materialPreset(const std::string& name);

}  // namespace sunder
