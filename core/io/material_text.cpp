#include "core/io/material_text.h"

#include "core/io/scene_json_reader.h"
#include "core/io/scene_json_writer.h"

namespace sunder {

std::string materialToText(const Material& material) {
    Material copy = material;
    return ObjectWriter::write(copy).dump();
}

Material materialFromText(const std::string& text, const std::string& owner) {
    const JsonNode root = parseJson(text, owner);
    Material material;
    ObjectReader(root, "", owner).read(material);
    validate(material);
    return material;
}

}  // namespace sunder
