#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "core/mesh/geometry.h"

namespace sunder::python {

/// A geometry as Python holds it. Its points and primitives are fixed, so arrays over them stay good as long as it lives; attributes and groups
/// may be replaced, and then what arrays may still look at is kept here.
struct GeometryHolder {
    Geometry geometry;
    std::vector<Attribute> retiredAttributes;
    int readers = 0;  ///< calls into core that read it without the interpreter's lock

    explicit GeometryHolder(Geometry g) : geometry(std::move(g)) {}
    GeometryHolder(const GeometryHolder& other) : geometry(other.geometry) {}
    GeometryHolder(GeometryHolder&&) = default;
    GeometryHolder& operator=(const GeometryHolder&) = delete;
    /// Throws Error while core reads it in another thread.
    void throwIfRead() const;
};

/// Keeps attributes as they are while core reads a geometry. Made and destroyed with the interpreter's lock.
class ReadingGeometry {
  public:
    explicit ReadingGeometry(GeometryHolder& holder) : holder_(holder) { ++holder_.readers; }
    ~ReadingGeometry() { --holder_.readers; }
    ReadingGeometry(const ReadingGeometry&) = delete;
    ReadingGeometry& operator=(const ReadingGeometry&) = delete;
    const Geometry& operator*() const { return holder_.geometry; }

  private:
    GeometryHolder& holder_;
};

/// Attributes and groups of one class of elements of a geometry.
class AttributesView {
  public:
    AttributesView(pybind11::object owner, AttributeSet Geometry::*set, std::size_t elements);

    std::vector<std::string> names() const;
    std::vector<std::string> groupNames() const;
    bool contains(const std::string& name) const { return set().find(name) != nullptr; }
    /// An array over the values, (n,) or (n, k); texts as a list.
    pybind11::object get(const std::string& name) const;
    /// Adds or replaces. Values of the same type and shape go into the memory that is there.
    void put(const std::string& name, const pybind11::object& values, const std::string& meaning);
    void erase(const std::string& name);
    std::string meaning(const std::string& name) const;
    pybind11::object group(const std::string& name) const;
    void putGroup(const std::string& name, const pybind11::object& members);
    std::size_t elements() const { return elements_; }

  private:
    AttributeSet& set() const;
    GeometryHolder& holder() const;
    const Attribute& existing(const std::string& name) const;

    pybind11::object owner_;
    AttributeSet Geometry::*set_;
    std::size_t elements_;
};

}  // namespace sunder::python
