#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/span.h"

namespace sunder {

/// How transforms and interpolation treat an attribute (Houdini's type info).
enum class AttributeMeaning { kNone, kPoint, kHPoint, kVector, kNormal, kColor, kQuaternion, kMatrix, kTextureCoord };

/// One named array: `tupleSize` values for every element. Strings have tuple size 1.
struct Attribute {
    using Values = std::variant<std::vector<float>, std::vector<double>, std::vector<std::int32_t>,
                                std::vector<std::int64_t>, std::vector<std::uint8_t>, std::vector<std::string>>;
    std::string name;
    int tupleSize = 1;
    AttributeMeaning meaning = AttributeMeaning::kNone;
    Values values;

    /// How many elements the array covers.
    std::size_t elementCount() const;
    bool isString() const { return std::holds_alternative<std::vector<std::string>>(values); }
    bool isFloat() const {
        return std::holds_alternative<std::vector<float>>(values) || std::holds_alternative<std::vector<double>>(values);
    }
    /// The typed array, or null if it holds another type.
    template <class T>
    std::vector<T>* as() { return std::get_if<std::vector<T>>(&values); }
    template <class T>
    const std::vector<T>* as() const { return std::get_if<std::vector<T>>(&values); }
    /// One component as a number, whatever the storage; strings read as 0.
    double number(std::size_t element, int component = 0) const;
};

/// A named set of elements: one byte each, 0 or 1.
struct Group {
    std::string name;
    std::vector<std::uint8_t> members;

    std::size_t count() const;
};

/// All attributes and groups of one class of elements (points, vertices, primitives, tets or the whole).
/// Names are unique among the attributes and among the groups.
struct AttributeSet {
    std::vector<Attribute> attributes;
    std::vector<Group> groups;

    Attribute* find(const std::string& name);
    const Attribute* find(const std::string& name) const;
    Group* findGroup(const std::string& name);
    const Group* findGroup(const std::string& name) const;
    /// Adds, or replaces one of the same name; values filled with zeros (empty strings) for `elements`.
    template <class T>
    std::vector<T>& add(const std::string& name, std::size_t elements, int tupleSize = 1,
                        AttributeMeaning meaning = AttributeMeaning::kNone) {
        Attribute& a = emplace(name);
        a.tupleSize = tupleSize;
        a.meaning = meaning;
        a.values = std::vector<T>(elements * static_cast<std::size_t>(tupleSize));
        return *a.as<T>();
    }
    Group& addGroup(const std::string& name, std::size_t elements);
    void erase(const std::string& name);
    /// Throws Error unless every array and group covers `elements`; `what` names the class in the message.
    void validate(std::size_t elements, const char* what) const;

  private:
    Attribute& emplace(const std::string& name);
};

/// Attributes that belong to a TetMesh and follow its edits.
struct MeshAttributes {
    AttributeSet vertices, tets, detail;
};

/// Adds an element for each pair of parents, which may be elements added before it: (1 - weight) first + weight second, as interpolateAttributes
/// would have it. At the cost of what is added.
struct ElementParents {
    std::int32_t first, second;
    double weight;
};
void appendAttributes(AttributeSet& set, Span<const ElementParents> parents);

/// New set in which element i is copied, bit for bit, from `source[i]` of the old one; -1 leaves zeros.
AttributeSet gatherAttributes(const AttributeSet& from, Span<const std::int32_t> source);

/// Interpolation of every element from up to `width` old ones: sum of weights[i*width+k] * old[parents[i*width+k]].
/// Floats are interpolated (quaternions and normals renormalised, quaternions with the sign nearer to the first parent's); integers, strings and groups come from the parent of
/// largest weight, the first of equals. A parent of -1 counts as absent.
AttributeSet interpolateAttributes(const AttributeSet& from, Span<const std::int32_t> parents,
                                   Span<const double> weights, int width);

}  // namespace sunder
