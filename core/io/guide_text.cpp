#include "core/io/guide_text.h"

#include "core/io/scene_json_reader.h"
#include "core/io/scene_json_writer.h"

namespace sunder {

std::string guideToText(const SceneGuide& guide) {
    SceneGuide copy = guide;
    return ObjectWriter::write(copy).dump();
}

SceneGuide guideFromText(const std::string& text, const std::string& owner) {
    const JsonNode root = parseJson(text, owner);
    SceneGuide guide;
    ObjectReader(root, "", owner).read(guide);
    return guide;
}

}  // namespace sunder
