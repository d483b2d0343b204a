#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <string>

#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"
#include "python/bindings/geometry_holder.h"

namespace sunder::python {

namespace py = pybind11;

/// A world as Python holds it. States are never changed in place: a step works on a copy, which shares all that is large, without the interpreter's
/// lock, and then takes the place of the old one. So arrays of earlier states stay good, and other threads see the world before or after.
struct WorldHolder {
    WorldState state;
    Workspace workspace;
    bool stepping = false;
};

/// A body at the time at which it was asked for.
struct BodyView {
    std::shared_ptr<const Body> body;
    std::shared_ptr<const BodyState> state;
};

/// Geometry files by name, some of them in memory. Made with the interpreter's lock, used without.
class ModelLoader {
  public:
    /// `models` is None or a dictionary from paths as the scene has them to geometries.
    ModelLoader(const Scene& scene, const py::object& models);
    GeometryLoader function() const;

  private:
    std::map<std::string, std::shared_ptr<ReadingGeometry>> held_;
    py::object models_;
};

}  // namespace sunder::python
