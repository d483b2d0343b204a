#include "core/io/scene_json_reader.h"

#include <algorithm>

#include "core/material/presets.h"

namespace sunder {

std::string rangeText(const Range& range) {
    const bool low = std::isfinite(range.min), high = std::isfinite(range.max);
    if (low && high && !range.openMin && !range.openMax) return format("from %g to %g", range.min, range.max);
    std::string text;
    if (low) text = format(range.openMin ? "above %g" : "at least %g", range.min);
    if (low && high) text += " and ";
    if (high) text += format(range.openMax ? "below %g" : "at most %g", range.max);
    return text;
}

std::string orList(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

void ObjectReader::fail(const JsonNode& node, const std::string& pointer, const std::string& message,
                        const std::string& remedy) const {
    throw Error(format("%s, line %d, %s: %s", file_.c_str(), node.line,
                       pointer.empty() ? "/" : pointer.c_str(), message.c_str()),
                remedy);
}

std::string ObjectReader::expected(const char* what, const JsonNode& found) {
    return format("%s is expected, not %s", what, kindName(found.kind));
}

std::string ObjectReader::objectRemedy(const std::vector<std::string>& keys) {
    const std::string quoted = keys.empty()       ? ""
                               : keys.size() == 1 ? ", with the key '" + keys[0] + "'"
                                                  : ", with keys such as '" + keys.back() + "'";
    return "write { ... } in curly brackets" + quoted + "; 'sunder schema' lists all keys";
}

const JsonNode* ObjectReader::find(const Field& field) const {
    const JsonNode* node = node_.find(field.key);
    if (!node && field.required)
        fail(node_, pointer_, format("the key '%s' is missing", field.key),
             format("add it: %s", field.meaning));
    return node;
}

void ObjectReader::rejectRefused(const std::vector<Field>& without) const {
    for (const Field& field : without)
        if (const JsonNode* node = node_.find(field.key)) fail(*node, at(field.key), format("there is no '%s' here", field.key), field.meaning);
}

void ObjectReader::rejectUnknown(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : node_.members) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        const std::string nearest = nearestWord(key, known);
        fail(value, at(key), format("there is no key '%s' here", key.c_str()),
             nearest.empty()
                 ? format("the keys here are %s", orList(known).c_str())
                 : format("did you mean '%s'? All keys here: %s", nearest.c_str(), orList(known).c_str()));
    }
}

void ObjectReader::checkRange(double shown, const JsonNode& node, const std::string& pointer,
                              const Field& field) const {
    if (field.range.contains(shown)) return;
    const char* unit = field.dimension.unit;
    std::string remedy =
        format("write a value %s%s%s", rangeText(field.range).c_str(), *unit ? " " : "", unit);
    if (*field.range.remedy) remedy += std::string("; ") + field.range.remedy;
    fail(node, pointer, format("%s = %g%s%s is out of range", field.key, shown, *unit ? " " : "", unit),
         remedy);
}

double ObjectReader::quantity(const JsonNode& node, const std::string& pointer, const Field& field) const {
    double value = 0;
    if (node.kind == JsonNode::Kind::kNumber) {
        value = node.number * field.dimension.bareScale;
    } else if (node.kind == JsonNode::Kind::kText) {
        try {
            value = parseQuantity(node.text, field.dimension);
        } catch (const Error& e) {
            fail(node, pointer, e.what(), e.remedy());
        }
    } else {
        fail(node, pointer, expected(field.dimension.name, node),
             format("for instance %s", field.dimension.example));
    }
    checkRange(value / field.dimension.bareScale, node, pointer, field);
    return value;
}

std::int64_t ObjectReader::wholeNumber(const JsonNode& node, const std::string& pointer,
                                       const Field& field) const {
    const bool whole =
        node.kind == JsonNode::Kind::kNumber &&
        (node.isInteger || (std::floor(node.number) == node.number && std::abs(node.number) < 1e15));
    if (!whole)
        fail(node, pointer, expected("a whole number", node), "write it without a decimal point or unit");
    checkRange(node.number, node, pointer, field);
    return node.isInteger ? node.integer : static_cast<std::int64_t>(node.number);
}

void ObjectReader::number(const Field& field, double& value) {
    if (const JsonNode* node = find(field)) value = quantity(*node, at(field.key), field);
}

void ObjectReader::numberUpTo(const Field& field, double& value, const char* limitKey, const double& limit) {
    value = limit;
    const JsonNode* node = find(field);
    if (!node) return;
    value = quantity(*node, at(field.key), field);
    if (value > limit)
        fail(*node, at(field.key), format("%s = %g is above %s = %g", field.key, value, limitKey, limit),
             format("write at most %g, raise '%s', or leave '%s' out for the same value", limit, limitKey, field.key));
}

const std::string& ObjectReader::nameOf(const JsonNode& node, const std::string& pointer) const {
    if (node.kind != JsonNode::Kind::kText || node.text.empty())
        fail(node, pointer, node.kind == JsonNode::Kind::kText ? "the name is empty" : expected("a name", node),
             "write a name in quotes");
    return node.text;
}

void ObjectReader::texts(const Field& field, std::vector<std::string>& values) {
    const JsonNode* node = find(field);
    if (!node) return;
    values.clear();
    if (node->kind != JsonNode::Kind::kArray) {
        values.push_back(nameOf(*node, at(field.key)));
        return;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i)
        values.push_back(nameOf(node->items[i], at(field.key) + '/' + std::to_string(i)));
}

void ObjectReader::integer(const Field& field, int& value) {
    if (const JsonNode* node = find(field))
        value = static_cast<int>(wholeNumber(*node, at(field.key), field));
}

void ObjectReader::integer(const Field& field, std::int64_t& value) {
    if (const JsonNode* node = find(field)) value = wholeNumber(*node, at(field.key), field);
}

void ObjectReader::natural(const Field& field, std::uint64_t& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    if (node->kind != JsonNode::Kind::kNumber || !node->isInteger || node->integer < 0)
        fail(*node, at(field.key), "a whole number of at least 0 is expected", "for instance 7");
    value = node->natural;
}

void ObjectReader::flag(const Field& field, bool& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    if (node->kind != JsonNode::Kind::kBool)
        fail(*node, at(field.key), expected("true or false", *node), "write true or false without quotes");
    value = node->flag;
}

const std::string& ObjectReader::textOf(const JsonNode& node, const Field& field) const {
    if (node.kind != JsonNode::Kind::kText)
        fail(node, at(field.key), expected("a text", node), "put it in quotes");
    return node.text;
}

void ObjectReader::text(const Field& field, std::string& value) {
    if (const JsonNode* node = find(field)) value = textOf(*node, field);
    if (field.required && value.empty())
        fail(*find(field), at(field.key), format("'%s' is empty", field.key), field.meaning);
}

void ObjectReader::components(const Field& field, Span<double> value) {
    if (const JsonNode* node = find(field)) components(*node, at(field.key), field, value);
}

void ObjectReader::components(const JsonNode& node, const std::string& pointer, const Field& field, Span<double> value) const {
    const bool single = node.kind == JsonNode::Kind::kNumber || node.kind == JsonNode::Kind::kText;
    if (field.uniform && single) {
        std::fill(value.begin(), value.end(), quantity(node, pointer, field));
        return;
    }
    const bool three = value.size() == 3;
    if (node.kind != JsonNode::Kind::kArray || node.items.size() != value.size())
        fail(node, pointer, expected(three ? "a list of three numbers" : "a list of two numbers", node),
             three ? "for instance [0, 1, 0]" : "for instance [4, 2]");
    for (std::size_t c = 0; c < value.size(); ++c)
        value[c] = quantity(node.items[c], pointer + '/' + std::to_string(c), field);
}

void ObjectReader::points(const Field& field, std::vector<Vec3>& values) {
    const JsonNode* node = find(field);
    if (!node) return;
    if (node->kind != JsonNode::Kind::kArray) fail(*node, at(field.key), expected("a list of points", *node), "for instance [[0, 0, 0], [1, 0, 0]]");
    values.clear();
    for (std::size_t i = 0; i < node->items.size(); ++i)
        components(node->items[i], at(field.key) + '/' + std::to_string(i), field, {values.emplace_back(Vec3::Zero()).data(), 3});
}

void ObjectReader::integers(const Field& field, std::array<int, 3>& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    const std::string pointer = at(field.key);
    if (field.uniform && node->kind == JsonNode::Kind::kNumber) {
        value.fill(static_cast<int>(wholeNumber(*node, pointer, field)));
        return;
    }
    if (node->kind != JsonNode::Kind::kArray || node->items.size() != 3)
        fail(*node, pointer, expected("a list of three whole numbers", *node), "for instance [4, 4, 4]");
    for (std::size_t c = 0; c < 3; ++c)
        value[c] = static_cast<int>(wholeNumber(node->items[c], pointer + '/' + std::to_string(c), field));
}

std::size_t ObjectReader::chosen(const JsonNode& node, const Field& field,
                                 const std::vector<std::string>& names) const {
    const std::string& name = textOf(node, field);
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) return static_cast<std::size_t>(it - names.begin());
    const std::string nearest = nearestWord(name, names);
    fail(node, at(field.key), format("'%s' is no %s", name.c_str(), field.key),
         (nearest.empty() ? "" : format("did you mean '%s'? ", nearest.c_str())) + "It can be " +
             orList(names));
}

std::size_t ObjectReader::onlyKey(const JsonNode& node, const Field& field,
                                  const std::vector<std::string>& names) const {
    if (node.kind != JsonNode::Kind::kObject || node.members.size() != 1)
        fail(node, at(field.key), format("an object with one key is expected: %s", orList(names).c_str()),
             format("for instance \"%s\": {\"%s\": {...}}", field.key, names[0].c_str()));
    const std::string& key = node.members[0].first;
    const auto it = std::find(names.begin(), names.end(), key);
    if (it != names.end()) return static_cast<std::size_t>(it - names.begin());
    const std::string nearest = nearestWord(key, names);
    fail(node.members[0].second, at(field.key) + '/' + key, format("there is no key '%s' here", key.c_str()),
         (nearest.empty() ? "" : format("did you mean '%s'? ", nearest.c_str())) + "It can be " +
             orList(names));
}

void ObjectReader::applyPreset(const JsonNode& node, const std::string& pointer, Material& value) const {
    try {
        value = materialPreset(node.text).material;
    } catch (const Error& e) {
        fail(node, pointer, e.what(), e.remedy());
    }
}

void ObjectReader::preset(const Field& field, Material& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    if (!textOf(*node, field).empty()) applyPreset(*node, at(field.key), value);
}

void ObjectReader::object(const Field& field, Material& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    if (node->kind == JsonNode::Kind::kText)
        applyPreset(*node, at(field.key), value);
    else
        ObjectReader(*node, at(field.key), file_).read(value);
}

void ObjectReader::object(const Field& field, Fracture& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    value.enabled = true;
    ObjectReader(*node, at(field.key), file_).read(value);
}

void ObjectReader::object(const Field& field, GroundPlane& value) {
    const JsonNode* node = find(field);
    if (!node) return;
    value.enabled = true;
    ObjectReader(*node, at(field.key), file_).read(value);
    if (!(value.normal.norm() > 0))
        fail(*node, at(field.key), "the normal of the ground has no length", "for instance [0, 1, 0]");
}

}  // namespace sunder
