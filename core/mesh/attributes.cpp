#include "core/mesh/attributes.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
template <class Set>
auto* findByName(Set& items, const std::string& name) {
    const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
    return it == items.end() ? nullptr : &*it;
}

std::int32_t strongestParent(Span<const std::int32_t> parents, Span<const double> weights, std::size_t element,
                             std::size_t width) {
    std::size_t best = element * width;
    for (std::size_t k = element * width; k < (element + 1) * width; ++k)
        if (parents[k] >= 0 && (parents[best] < 0 || weights[k] > weights[best])) best = k;
    return parents[best];
}

bool isUnitLength(AttributeMeaning meaning) {
    return meaning == AttributeMeaning::kQuaternion || meaning == AttributeMeaning::kNormal;
}

template <class T>
void normalizeTuple(T* tuple, std::size_t size) {
    double lengthSq = 0;
    for (std::size_t c = 0; c < size; ++c) lengthSq += static_cast<double>(tuple[c]) * static_cast<double>(tuple[c]);
    if (lengthSq > 0)
        for (std::size_t c = 0; c < size; ++c) tuple[c] = static_cast<T>(static_cast<double>(tuple[c]) / std::sqrt(lengthSq));
}

/// A quaternion and its negative are the same turn, and mean nothing in between: -1 for one that is to be mixed with `reference` as its negative.
template <class T>
double mixSign(const Attribute& attribute, const T* reference, const T* tuple) {
    if (attribute.meaning != AttributeMeaning::kQuaternion) return 1;
    double dot = 0;
    for (int c = 0; c < attribute.tupleSize; ++c) dot += static_cast<double>(reference[c]) * static_cast<double>(tuple[c]);
    return dot < 0 ? -1 : 1;
}

/// Exact copies; a source of -1 leaves a zero.
template <class T>
std::vector<T> gatherTuples(const std::vector<T>& old, std::size_t size, Span<const std::int32_t> source) {
    std::vector<T> out(source.size() * size);
    for (std::size_t i = 0; i < source.size(); ++i)
        if (source[i] >= 0)
            std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(source[i]) * size), size,
                        out.begin() + static_cast<std::ptrdiff_t>(i * size));
    return out;
}

template <class T>
std::vector<T> interpolateValues(const Attribute& attribute, const std::vector<T>& old,
                                 Span<const std::int32_t> parents, Span<const double> weights, std::size_t width) {
    const auto size = static_cast<std::size_t>(attribute.tupleSize);
    const std::size_t count = parents.size() / width;
    std::vector<T> out(count * size);
    std::vector<double> sum(size);
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_floating_point_v<T>) {
            std::fill(sum.begin(), sum.end(), 0.0);
            const T* first = nullptr;
            for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
                if (parents[k] < 0) continue;
                const T* tuple = &old[static_cast<std::size_t>(parents[k]) * size];
                if (!first) first = tuple;
                const double weight = mixSign(attribute, first, tuple) * weights[k];
                for (std::size_t c = 0; c < size; ++c) sum[c] += weight * static_cast<double>(tuple[c]);
            }
            for (std::size_t c = 0; c < size; ++c) out[i * size + c] = static_cast<T>(sum[c]);
            if (isUnitLength(attribute.meaning)) normalizeTuple(&out[i * size], size);
        } else {
            const std::int32_t parent = strongestParent(parents, weights, i, width);
            if (parent < 0) continue;
            for (std::size_t c = 0; c < size; ++c) out[i * size + c] = old[static_cast<std::size_t>(parent) * size + c];
        }
    }
    return out;
}
}  // namespace

namespace {
template <class T>
void appendTuple(const Attribute& attribute, std::vector<T>& values, const ElementParents& p) {
    const auto size = static_cast<std::size_t>(attribute.tupleSize), place = values.size();
    const std::size_t first = static_cast<std::size_t>(p.first) * size, second = static_cast<std::size_t>(p.second) * size;
    const std::size_t strongest = p.weight > 0.5 ? second : first;
    double weight = p.weight;
    if constexpr (std::is_floating_point_v<T>) weight *= mixSign(attribute, &values[first], &values[second]);
    for (std::size_t c = 0; c < size; ++c) {
        if constexpr (std::is_floating_point_v<T>) {
            const double a = static_cast<double>(values[first + c]), b = static_cast<double>(values[second + c]);
            values.push_back(p.first == p.second ? values[first + c] : static_cast<T>((1 - p.weight) * a + weight * b));
        } else {
            const T copy = values[strongest + c];
            values.push_back(copy);
        }
    }
    if constexpr (std::is_floating_point_v<T>)
        if (p.first != p.second && isUnitLength(attribute.meaning)) normalizeTuple(&values[place], size);
}
}  // namespace

void appendAttributes(AttributeSet& set, Span<const ElementParents> parents) {
    for (Attribute& a : set.attributes)
        std::visit(
            [&](auto& values) {
                for (const ElementParents& p : parents) appendTuple(a, values, p);
            },
            a.values);
    for (Group& g : set.groups)
        for (const ElementParents& p : parents) g.members.push_back(g.members[static_cast<std::size_t>(p.weight > 0.5 ? p.second : p.first)]);
}

std::size_t Attribute::elementCount() const {
    return std::visit([&](const auto& v) { return v.size() / static_cast<std::size_t>(tupleSize); }, values);
}

double Attribute::number(std::size_t element, int component) const {
    const std::size_t i = element * static_cast<std::size_t>(tupleSize) + static_cast<std::size_t>(component);
    return std::visit(
        [&](const auto& v) -> double {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<std::string>>)
                return 0;
            else
                return static_cast<double>(v[i]);
        },
        values);
}

std::size_t Group::count() const {
    return static_cast<std::size_t>(std::count(members.begin(), members.end(), std::uint8_t{1}));
}

Attribute* AttributeSet::find(const std::string& name) { return findByName(attributes, name); }
const Attribute* AttributeSet::find(const std::string& name) const { return findByName(attributes, name); }
Group* AttributeSet::findGroup(const std::string& name) { return findByName(groups, name); }
const Group* AttributeSet::findGroup(const std::string& name) const { return findByName(groups, name); }

Attribute& AttributeSet::emplace(const std::string& name) {
    if (Attribute* existing = find(name)) return *existing;
    attributes.emplace_back();
    attributes.back().name = name;
    return attributes.back();
}

Group& AttributeSet::addGroup(const std::string& name, std::size_t elements) {
    Group* group = findGroup(name);
    if (!group) {
        groups.emplace_back();
        group = &groups.back();
        group->name = name;
    }
    group->members.assign(elements, 0);
    return *group;
}

void AttributeSet::erase(const std::string& name) {
    attributes.erase(std::remove_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; }),
                     attributes.end());
}

void AttributeSet::validate(std::size_t elements, const char* what) const {
    for (const Attribute& a : attributes)
        if (a.tupleSize < 1 || a.elementCount() != elements)
            throw Error(format("attribute '%s' covers %zu %s, there are %zu", a.name.c_str(),
                               a.tupleSize < 1 ? 0 : a.elementCount(), what, elements),
                        "give it one value for each");
    for (const Group& g : groups)
        if (g.members.size() != elements)
            throw Error(format("group '%s' covers %zu %s, there are %zu", g.name.c_str(), g.members.size(), what, elements),
                        "give it one member flag for each");
}

AttributeSet gatherAttributes(const AttributeSet& from, Span<const std::int32_t> source) {
    AttributeSet to;
    for (const Attribute& a : from.attributes) {
        Attribute b{a.name, a.tupleSize, a.meaning, {}};
        std::visit([&](const auto& old) { b.values = gatherTuples(old, static_cast<std::size_t>(a.tupleSize), source); }, a.values);
        to.attributes.push_back(std::move(b));
    }
    for (const Group& g : from.groups) to.groups.push_back({g.name, gatherTuples(g.members, 1, source)});
    return to;
}

AttributeSet interpolateAttributes(const AttributeSet& from, Span<const std::int32_t> parents,
                                   Span<const double> weights, int width) {
    const auto w = static_cast<std::size_t>(width);
    SUNDER_ASSERT(parents.size() == weights.size() && parents.size() % w == 0);
    AttributeSet to;
    for (const Attribute& a : from.attributes) {
        Attribute b{a.name, a.tupleSize, a.meaning, {}};
        std::visit([&](const auto& old) { b.values = interpolateValues(a, old, parents, weights, w); }, a.values);
        to.attributes.push_back(std::move(b));
    }
    for (const Group& g : from.groups) {
        Group h{g.name, std::vector<std::uint8_t>(parents.size() / w)};
        for (std::size_t i = 0; i < h.members.size(); ++i) {
            const std::int32_t parent = strongestParent(parents, weights, i, w);
            h.members[i] = parent < 0 ? std::uint8_t{0} : g.members[static_cast<std::size_t>(parent)];
        }
        to.groups.push_back(std::move(h));
    }
    return to;
}

}  // namespace sunder
