#pragma once

#include <string>

#include "core/sim/scene.h"

namespace sunder {

/// A guide as the object of a scene file, on one line: how geometry carries those that are not drawn.
std::string guideToText(const SceneGuide& guide);
/// The guide again. Throws Error, with `owner` in the message, for text that is none.
SceneGuide guideFromText(const std::string& text, const std::string& owner);

}  // namespace sunder
