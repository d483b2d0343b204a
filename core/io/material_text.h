#pragma once

#include <string>

#include "core/material/material.h"

namespace sunder {

/// A material as the `material` object of a scene file, every value spelled out, on one line: what geometry carries it as.
std::string materialToText(const Material& material);

/// The material again, to the bit. Throws Error, with `owner` in the message, for text that is not a material.
Material materialFromText(const std::string& text, const std::string& owner);

}  // namespace sunder
