#pragma once

#include <cstdint>
#include <string>

#include "core/sim/scene.h"

namespace sunder {

/// Reads a scene file. An unknown key, a wrong unit or a value out of range throws Error that names file,
/// line, place (as a JSON pointer) and what to write instead.
Scene readScene(const std::string& path);
/// The same from text; `name` stands for the file in messages and `folder` is where relative paths start.
Scene parseScene(const std::string& text, const std::string& name = "scene", const std::string& folder = ".");

/// The scene with every value spelled out, as a scene file that reads back as the same scene.
std::string sceneToJson(const Scene& scene);

/// Equal for scenes that simulate alike: every value but `endFrame`, and the bytes of the files that it
/// refers to.
std::uint64_t sceneIdentity(const Scene& scene);

/// The reference of all keys as Markdown, made from the table that the reader uses.
std::string sceneReference();

}  // namespace sunder
