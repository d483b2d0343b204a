#pragma once

#include "core/material/material.h"
#include "core/material/preset_sources.h"

namespace sunder {

/// A material ready for use, and where its numbers are from. How it breaks is filled in, but switched off: a scene that wants it to break
/// says so. How it yields is on.
struct MaterialPreset {
    Material material;
    double friction = 0.5;  ///< Coulomb's, dry, on itself: a hint for contact, which has its own
    std::string source;                ///< what exactly it is, and for those of the Thesis the table
    std::vector<ValueSource> values;   ///< of presets of real materials: what each value was compared with
};

/// The eight materials of Thesis tables 6.2 to 6.9 as printed, whose moduli are 1/50 of the real ones and
/// whose damping was found by trial; and real materials by their handbook constants. Names
/// of the former that the latter also have begin with thesis_.
const std::vector<MaterialPreset>& materialPresets();

/// Throws Error that names the nearest preset for an unknown name.
const MaterialPreset& materialPreset(const std::string& name);

}  // namespace sunder
