#include <algorithm>

#include "core/base/text.h"
#include "python/bindings/arrays.h"
#include "python/bindings/geometry_holder.h"

namespace sunder::python {

namespace {
constexpr std::pair<const char*, AttributeMeaning> kMeanings[] = {
    {"none", AttributeMeaning::kNone},     {"point", AttributeMeaning::kPoint},   {"hpoint", AttributeMeaning::kHPoint},
    {"vector", AttributeMeaning::kVector}, {"normal", AttributeMeaning::kNormal}, {"color", AttributeMeaning::kColor},
    {"quaternion", AttributeMeaning::kQuaternion}, {"matrix", AttributeMeaning::kMatrix}, {"texturecoord", AttributeMeaning::kTextureCoord}};

AttributeMeaning meaningOf(const std::string& word) {
    std::vector<std::string> words;
    for (const auto& [name, meaning] : kMeanings) {
        if (name == word) return meaning;
        words.emplace_back(name);
    }
    throw Error(format("'%s' is no meaning of an attribute", word.c_str()), format("did you mean '%s'?", nearestWord(word, words).c_str()));
}

[[noreturn]] void throwWrongShape(const std::string& name, std::size_t elements) {
    throw Error(format("the values of '%s' do not have one row for each of %zu elements", name.c_str(), elements), format("give an array of shape (%zu,) or (%zu, k)", elements, elements));
}

template <class T>
Attribute::Values copyValues(const py::array& array) {
    const auto plain = py::array_t<T, py::array::c_style | py::array::forcecast>(array);
    return std::vector<T>(plain.data(), plain.data() + plain.size());
}

/// Types that files have stay as they are; others become the nearest that holds them.
Attribute::Values valuesOf(const std::string& name, const py::array& array) {
    const char kind = array.dtype().kind();
    const auto size = array.dtype().itemsize();
    if (kind == 'f') return size == 8 ? copyValues<double>(array) : copyValues<float>(array);
    if (kind == 'b' || (kind == 'u' && size == 1)) return copyValues<std::uint8_t>(array);
    if (kind == 'i' || (kind == 'u' && size < 8)) return size <= (kind == 'i' ? 4 : 2) ? copyValues<std::int32_t>(array) : copyValues<std::int64_t>(array);
    throw Error(format("the values of '%s' are neither numbers nor texts", name.c_str()), "give floats, integers, booleans or a list of texts");
}

Attribute attributeOf(const std::string& name, const py::object& values, std::size_t elements) {
    Attribute a;
    a.name = name;
    const bool numbers = py::isinstance<py::array>(values);
    if (!numbers && py::isinstance<py::sequence>(values) && py::len(values) > 0 && py::isinstance<py::str>(values[py::int_(0)])) {
        a.values = values.cast<std::vector<std::string>>();
    } else {
        const py::array array = numbers ? py::reinterpret_borrow<py::array>(values) : py::array::ensure(values);
        if (!array || array.ndim() < 1 || array.ndim() > 2) throwWrongShape(name, elements);
        a.tupleSize = array.ndim() == 2 ? static_cast<int>(array.shape(1)) : 1;
        if (a.tupleSize < 1 || static_cast<std::size_t>(array.shape(0)) != elements) throwWrongShape(name, elements);
        a.values = valuesOf(name, array);
    }
    if (a.elementCount() != elements) throwWrongShape(name, elements);
    return a;
}

/// Into the memory that arrays may look at, if the new values fit it.
bool overwrite(Attribute& old, const Attribute& fresh) {
    if (old.tupleSize != fresh.tupleSize || old.values.index() != fresh.values.index() || old.isString()) return false;
    std::visit([&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(fresh.values);
        std::copy(from.begin(), from.end(), to.begin());
    }, old.values);
    return true;
}
}  // namespace

void GeometryHolder::throwIfRead() const {
    if (readers > 0) throw Error("the geometry is being read by a call in another thread", "change it once that call is done, or change a copy");
}

AttributesView::AttributesView(py::object owner, AttributeSet Geometry::*set, std::size_t elements) : owner_(std::move(owner)), set_(set), elements_(elements) {}

GeometryHolder& AttributesView::holder() const { return owner_.cast<GeometryHolder&>(); }
AttributeSet& AttributesView::set() const { return holder().geometry.*set_; }

std::vector<std::string> AttributesView::names() const {
    std::vector<std::string> names;
    for (const Attribute& a : set().attributes) names.push_back(a.name);
    return names;
}

std::vector<std::string> AttributesView::groupNames() const {
    std::vector<std::string> names;
    for (const Group& g : set().groups) names.push_back(g.name);
    return names;
}

const Attribute& AttributesView::existing(const std::string& name) const {
    if (const Attribute* a = set().find(name)) return *a;
    throw py::key_error(name);
}

py::object AttributesView::get(const std::string& name) const {
    const Attribute& a = existing(name);
    return std::visit([&](const auto& values) -> py::object {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
            return py::cast(values);
        } else {
            return arrayView(values.data(), a.elementCount(), a.tupleSize > 1 ? static_cast<std::size_t>(a.tupleSize) : 0, owner_, true);
        }
    }, a.values);
}

void AttributesView::put(const std::string& name, const py::object& values, const std::string& meaning) {
    Attribute fresh = attributeOf(name, values, elements_);
    if (!meaning.empty()) fresh.meaning = meaningOf(meaning);
    holder().throwIfRead();
    Attribute* old = set().find(name);
    if (!old) {
        set().attributes.push_back(std::move(fresh));
        return;
    }
    if (meaning.empty()) fresh.meaning = old->meaning;
    old->meaning = fresh.meaning;
    if (!overwrite(*old, fresh)) holder().retiredAttributes.push_back(std::exchange(*old, std::move(fresh)));
}

void AttributesView::erase(const std::string& name) {
    const std::ptrdiff_t index = &existing(name) - set().attributes.data();
    holder().throwIfRead();
    const auto place = set().attributes.begin() + index;
    holder().retiredAttributes.push_back(std::move(*place));
    set().attributes.erase(place);
}

std::string AttributesView::meaning(const std::string& name) const {
    const Attribute& a = existing(name);
    return std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const auto& m) { return m.second == a.meaning; })->first;
}

py::object AttributesView::group(const std::string& name) const {
    const Group* g = set().findGroup(name);
    if (!g) throw py::key_error(name);
    return arrayView(g->members, owner_, true).attr("view")("bool");
}

void AttributesView::putGroup(const std::string& name, const py::object& members) {
    const auto mask = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(members);
    if (!mask || mask.ndim() != 1 || static_cast<std::size_t>(mask.size()) != elements_) throwWrongShape(name, elements_);
    holder().throwIfRead();
    if (Group* old = set().findGroup(name)) {
        std::copy(mask.data(), mask.data() + mask.size(), old->members.begin());
        return;
    }
    set().groups.push_back({name, std::vector<std::uint8_t>(mask.data(), mask.data() + mask.size())});
}

}  // namespace sunder::python
