#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "core/io/scene_json_reader.h"
#include "core/io/scene_json_writer.h"

// Structs of scene files as Python classes, made from the same describe() that reads, writes and documents them: the words, units, ranges
// and messages are those of scene files, and a new key is there without a line here.
namespace sunder::python {

namespace py = pybind11;

/// Any plain value of Python as JSON: numbers, texts, lists, dictionaries, numpy arrays, paths, and objects with toDict.
std::string jsonOf(const py::object& value);
py::object pythonOf(const std::string& json);

/// Visitor that lists the keys.
class FieldLister {
  public:
    struct Entry {
        const char* key;
        std::string doc;
    };
    std::vector<Entry> entries;
    std::string summary;

    void title(const char*, const char* text) { summary = text; }
    void refused(const Field&) {}
    template <class T, class... More>
    void number(const Field& f, T&, const More&...) { add(f); }
    template <class T, class... More>
    void numberUpTo(const Field& f, T&, const More&...) { add(f); }
    template <class T>
    void integer(const Field& f, T&) { add(f); }
    template <class T>
    void flag(const Field& f, T&) { add(f); }
    template <class T>
    void text(const Field& f, T&) { add(f); }
    template <class T>
    void vector(const Field& f, T&) { add(f); }
    template <class T>
    void preset(const Field& f, T&) { add(f); }
    template <class T>
    void object(const Field& f, T&) { add(f); }
    template <class T>
    void choice(const Field& f, T&, const Choices<T>& choices) {
        add(f);
        for (const auto& c : choices) entries.back().doc += std::string(&c == &choices.front() ? ". One of " : ", ") + c.first;
    }

  private:
    void add(const Field& f) {
        const std::string unit = f.dimension.unit, range = rangeText(f.range);
        entries.push_back({f.key, std::string(f.meaning) + (unit.empty() ? "" : " (" + unit + ")") + (range.empty() ? "" : "; " + range)});
    }
};

/// Visitor that reads one key: values as scene files write them, objects as references into their owner.
class FieldGetter {
  public:
    FieldGetter(const char* key, py::handle owner) : key_(key), owner_(owner) {}
    py::object value;

    void title(const char*, const char*) {}
    void refused(const Field&) {}
    void number(const Field& f, const double& v) { take(f, [&] { return py::float_(v / f.dimension.bareScale); }); }
    template <class T>
    void integer(const Field& f, const T& v) { take(f, [&] { return py::int_(v); }); }
    void flag(const Field& f, const bool& v) { take(f, [&] { return py::bool_(v); }); }
    void text(const Field& f, const std::string& v) { take(f, [&] { return py::str(v); }); }
    template <int N>
    void vector(const Field& f, const Eigen::Matrix<double, N, 1>& v) {
        take(f, [&] {
            py::tuple t(N);
            for (int i = 0; i < N; ++i) t[static_cast<std::size_t>(i)] = v[i] / f.dimension.bareScale;
            return t;
        });
    }
    void preset(const Field& f, const Material& m) { take(f, [&] { return py::str(m.name); }); }
    template <class T>
    void object(const Field& f, T& v) {
        take(f, [&] { return py::cast(&v, py::return_value_policy::reference_internal, owner_); });
    }
    template <class T>
    void choice(const Field& f, const T& v, const Choices<T>& choices) {
        for (const auto& c : choices)
            if (c.second == v) take(f, [&] { return py::str(c.first); });
    }

  private:
    template <class Make>
    void take(const Field& f, Make&& make) {
        if (key_ == f.key) value = make();
    }
    std::string key_;
    py::handle owner_;
};

/// Visitor that hands one key to the reader of scene files and leaves the others as they are.
class FieldSetter {
  public:
    FieldSetter(const char* key, ObjectReader& reader) : key_(key), reader_(reader) {}

    void title(const char*, const char*) {}
    void refused(const Field&) {}
    template <class T>
    void number(const Field& f, T& v) { if (key_ == f.key) reader_.number(f, v); }
    template <class T>
    void integer(const Field& f, T& v) { if (key_ == f.key) reader_.integer(f, v); }
    void flag(const Field& f, bool& v) { if (key_ == f.key) reader_.flag(f, v); }
    void text(const Field& f, std::string& v) { if (key_ == f.key) reader_.text(f, v); }
    template <class T>
    void vector(const Field& f, T& v) { if (key_ == f.key) reader_.vector(f, v); }
    void preset(const Field& f, Material& v) { if (key_ == f.key) reader_.preset(f, v); }
    template <class T>
    void object(const Field& f, T& v) { if (key_ == f.key) reader_.object(f, v); }
    template <class T>
    void choice(const Field& f, T& v, const Choices<T>& choices) { if (key_ == f.key) reader_.choice(f, v, choices); }

  private:
    std::string key_;
    ObjectReader& reader_;
};

/// Reads a whole struct from a dictionary; `name` stands for the file in messages.
template <class T>
T fromDict(const py::object& values, const std::string& name, T value = {}) {
    const JsonNode root = parseJson(jsonOf(values), name);
    ObjectReader(root, "", name).read(value);
    return value;
}

template <class T>
std::string jsonText(const T& value) {
    T copy = value;
    return ObjectWriter::write(copy).dump();
}

template <class T>
void setField(T& value, const char* key, const std::string& name, const py::object& to) {
    py::dict values;
    values[key] = to;
    const JsonNode root = parseJson(jsonOf(values), name);
    ObjectReader reader(root, "", name);
    T changed = value;  // a value that is refused leaves all as it was
    FieldSetter write(key, reader);
    describe(write, changed);
    value = changed;
}

/// A class with a property for every key, keyword arguments, toDict and fromDict, equality and copies.
template <class T>
py::class_<T> bindFields(py::module_& m, const char* className) {
    const std::string name = className;
    FieldLister lister;
    T example{};
    describe(lister, example);
    py::class_<T> c(m, className, lister.summary.c_str());
    c.def(py::init([name](const py::kwargs& values) { return fromDict<T>(values, name); }), "Keyword arguments are the fields.");
    for (const FieldLister::Entry& entry : lister.entries) {
        const char* key = entry.key;  // of a string that lives for ever
        const auto get = [key](const py::object& self) {
            FieldGetter read(key, self);
            describe(read, self.cast<T&>());
            return read.value;
        };
        const auto set = [key, name](T& self, const py::object& to) { setField(self, key, name, to); };
        c.def_property(key, get, set, entry.doc.c_str());
    }
    c.def("toDict", [](const T& self) { return pythonOf(jsonText(self)); }, "Every value spelled out, as a scene file has it.");
    c.def_static("fromDict", [name](const py::dict& values) { return fromDict<T>(values, name); }, py::arg("values"));
    c.def("__eq__", [](const T& a, const T& b) { return jsonText(a) == jsonText(b); }, py::is_operator());
    c.attr("__hash__") = py::none();
    c.def("__repr__", [name](const T& self) { return name + ".fromDict(" + jsonText(self) + ")"; });
    c.def("__copy__", [](const T& self) { return T(self); });
    c.def("__deepcopy__", [](const T& self, const py::dict&) { return T(self); });
    return c;
}

}  // namespace sunder::python
