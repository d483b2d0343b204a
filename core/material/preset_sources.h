#pragma once

#include <string>
#include <vector>

namespace sunder {

/// What a source says of one value of a preset, SI units.
struct ValueSource {
    std::string value;  ///< density, youngs, poisson, strength (fracture.stress), energy (fracture.energy), toughness (K_Ic of plane strain, Pa sqrt(m), which the
                        ///< energy has to give), yield (plasticity.yieldStress), along (strength along the grain) or loss (loss factor)
    double low = 0, high = 0;  ///< range; where the source has a single value, that value as exactly as it is printed
    std::string source;        ///< title of the table or page that was read, or kTypicalValue

    bool isTypical() const;
};

/// Source of a value for which no public table was found: a usual value, for looks, not for engineering.
extern const char* const kTypicalValue;

/// One for each value of a book preset; none for those of the Thesis, whose tables are their source.
std::vector<ValueSource> presetSources(const std::string& preset);

}  // namespace sunder
