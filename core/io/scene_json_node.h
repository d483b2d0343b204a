#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sunder {

/// A JSON value that remembers the line it stands on, so that messages can name the place.
struct JsonNode {
    enum class Kind : std::uint8_t { kNull, kBool, kNumber, kText, kArray, kObject };
    Kind kind = Kind::kNull;
    int line = 1;
    bool flag = false;
    bool isInteger = false;  ///< `integer` (or `natural`, if not negative) holds the number exactly
    double number = 0;
    std::int64_t integer = 0;
    std::uint64_t natural = 0;
    std::string text;
    std::vector<JsonNode> items;
    std::vector<std::pair<std::string, JsonNode>> members;  ///< in the order of the file; keys are unique

    const JsonNode* find(const std::string& key) const;
};

/// What a message calls the kind: "a number", "an object" ...
const char* kindName(JsonNode::Kind kind);

/// Throws Error with line and column for text that is not JSON, for a key that an object has twice, and for
/// arrays and objects nested deeper than 64. `name` stands for the text in messages.
JsonNode parseJson(const std::string& text, const std::string& name);

}  // namespace sunder
