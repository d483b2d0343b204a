#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/span.h"
#include "core/base/text.h"
#include "core/io/scene_json_node.h"
#include "core/io/scene_json_schema.h"

namespace sunder {

/// Visitor that only notes which keys an object has.
class KeyCollector {
  public:
    std::vector<std::string> keys;
    std::vector<Field> without;

    void refused(const Field& f) { without.push_back(f); }
    void title(const char*, const char*) {}
    template <class T>
    void number(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void numberUpTo(const Field& f, T&, const char*, const T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void texts(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void integer(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void natural(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void flag(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void text(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void vector(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void points(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void integers(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void preset(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void object(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void list(const Field& f, T&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void choice(const Field& f, T&, const Choices<T>&) {
        keys.emplace_back(f.key);
    }
    template <class T>
    void variant(const Field& f, T&, const std::vector<const char*>&) {
        keys.emplace_back(f.key);
    }
};

/// Visitor that fills a struct from one JSON object.
class ObjectReader {
  public:
    ObjectReader(const JsonNode& node, std::string pointer, const std::string& file)
        : node_(node), pointer_(std::move(pointer)), file_(file) {}

    /// Fills `value` from the object; throws on keys that it does not have.
    template <class T>
    void read(T& value) {
        KeyCollector known;
        describe(known, value);
        if (node_.kind != JsonNode::Kind::kObject)
            fail(node_, pointer_, expected("an object", node_), objectRemedy(known.keys));
        rejectRefused(known.without);
        rejectUnknown(known.keys);
        describe(*this, value);
    }

    void title(const char*, const char*) {}
    void refused(const Field&) {}
    void number(const Field& field, double& value);
    /// A number that is `limit`, the value of another key, unless written, and never above it.
    void numberUpTo(const Field& field, double& value, const char* limitKey, const double& limit);
    /// A list of texts, or a single one.
    void texts(const Field& field, std::vector<std::string>& values);
    void integer(const Field& field, int& value);
    void integer(const Field& field, std::int64_t& value);
    void natural(const Field& field, std::uint64_t& value);
    void flag(const Field& field, bool& value);
    void text(const Field& field, std::string& value);
    template <int N>
    void vector(const Field& field, Eigen::Matrix<double, N, 1>& value) {
        components(field, {value.data(), static_cast<std::size_t>(N)});
    }
    /// A list of points.
    void points(const Field& field, std::vector<Vec3>& values);
    void integers(const Field& field, std::array<int, 3>& value);
    void preset(const Field& field, Material& value);

    template <class T>
    void object(const Field& field, T& value) {
        if (const JsonNode* node = find(field)) ObjectReader(*node, at(field.key), file_).read(value);
    }
    void object(const Field& field, Material& value);
    void object(const Field& field, GroundPlane& value);
    void object(const Field& field, Fracture& value);

    template <class T>
    void list(const Field& field, std::vector<T>& values) {
        const JsonNode* node = find(field);
        if (!node) return;
        if (node->kind != JsonNode::Kind::kArray)
            fail(*node, at(field.key), expected("a list", *node), "put it in square brackets: [ ... ]");
        values.clear();
        for (std::size_t i = 0; i < node->items.size(); ++i)
            ObjectReader(node->items[i], at(field.key) + '/' + std::to_string(i), file_)
                .read(values.emplace_back());
    }

    template <class T>
    void choice(const Field& field, T& value, const Choices<T>& choices) {
        std::vector<std::string> names;
        for (const auto& c : choices) names.emplace_back(c.first);
        if (const JsonNode* node = find(field)) value = choices[chosen(*node, field, names)].second;
    }

    template <class... Ts>
    void variant(const Field& field, std::variant<Ts...>& value, const std::vector<const char*>& names) {
        const JsonNode* node = find(field);
        if (!node) return;
        const std::vector<std::string> keys(names.begin(), names.end());
        const std::size_t index = onlyKey(*node, field, keys);
        const ObjectReader reader(node->members[0].second, at(field.key) + '/' + keys[index], file_);
        readAlternative(reader, value, index, std::index_sequence_for<Ts...>());
    }

  private:
    template <class Variant, std::size_t... I>
    static void readAlternative(ObjectReader reader, Variant& value, std::size_t index,
                                std::index_sequence<I...>) {
        ((index == I ? reader.read(value.template emplace<I>()) : void()), ...);
    }

    [[noreturn]] void fail(const JsonNode& node, const std::string& pointer, const std::string& message,
                           const std::string& remedy) const;
    static std::string expected(const char* what, const JsonNode& found);
    static std::string objectRemedy(const std::vector<std::string>& keys);
    std::string at(const std::string& key) const { return pointer_ + '/' + key; }
    const JsonNode* find(const Field& field) const;
    void components(const Field& field, Span<double> value);
    void components(const JsonNode& node, const std::string& pointer, const Field& field, Span<double> value) const;
    void rejectRefused(const std::vector<Field>& without) const;
    void rejectUnknown(const std::vector<std::string>& known) const;
    double quantity(const JsonNode& node, const std::string& pointer, const Field& field) const;
    std::int64_t wholeNumber(const JsonNode& node, const std::string& pointer, const Field& field) const;
    void checkRange(double shown, const JsonNode& node, const std::string& pointer, const Field& field) const;
    std::size_t chosen(const JsonNode& node, const Field& field, const std::vector<std::string>& names) const;
    std::size_t onlyKey(const JsonNode& node, const Field& field,
                        const std::vector<std::string>& names) const;
    const std::string& textOf(const JsonNode& node, const Field& field) const;
    const std::string& nameOf(const JsonNode& node, const std::string& pointer) const;
    void applyPreset(const JsonNode& node, const std::string& pointer, Material& value) const;

    const JsonNode& node_;
    std::string pointer_;
    const std::string& file_;
};

/// "above 0", "from 0 to 1", "above -1 and below 0.5"; empty if anything goes. For messages and
/// documentation.
std::string rangeText(const Range& range);
/// "a, b or c".
std::string orList(const std::vector<std::string>& words);

}  // namespace sunder
