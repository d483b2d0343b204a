#include "core/io/scene_json.h"
#include "core/material/presets.h"
#include "core/sim/stepper.h"
#include "python/bindings/bindings.h"
#include "python/bindings/fields.h"

namespace sunder::python {

namespace {
/// What json.dumps does not know.
py::object plainOf(const py::object& value) {
    for (const char* method : {"toDict", "tolist", "__fspath__"})
        if (py::hasattr(value, method)) return value.attr(method)();
    throw py::type_error("a scene cannot hold " + py::repr(value).cast<std::string>() + ": numbers, texts, lists, dictionaries, numpy arrays and paths are fine");
}

void bindPresets(py::module_& m) {
    py::class_<MaterialPreset>(m, "MaterialPreset", "A material ready for use, and where its numbers are from. How it breaks is filled in, but switched off.")
        .def_property_readonly("name", [](const MaterialPreset& p) { return p.material.name; })
        .def_property_readonly("material", [](const MaterialPreset& p) { return p.material; }, "a copy, yours to change")
        .def_readonly("friction", &MaterialPreset::friction, "Coulomb's, dry, on itself: a hint for contact, which has its own")
        .def_readonly("source", &MaterialPreset::source)
        .def("__repr__", [](const MaterialPreset& p) { return "<MaterialPreset " + p.material.name + ">"; });
    m.def("materialPresets", [] { return std::vector<MaterialPreset>(materialPresets()); });
    m.def("materialPreset", [](const std::string& name) { return materialPreset(name); }, py::arg("name"));
}

Scene sceneFromDict(const py::object& values, const std::string& name, const py::object& folder) {
    return parseScene(jsonOf(values), name, py::str(folder.attr("__fspath__")()));
}

py::object fsPath(const py::object& path) { return py::module_::import("pathlib").attr("Path")(path); }

void bindScene(py::module_& m) {
    py::class_<Scene>(m, "Scene", "What is to be simulated. Bodies, colliders and all else are read and written as a dictionary, as scene files have them.")
        .def_static("fromDict", [](const py::object& values, const py::object& folder) { return sceneFromDict(values, "scene", fsPath(folder)); }, py::arg("values"),
                    py::arg("folder") = ".", "A scene from a dictionary with the keys of a scene file; relative paths start in `folder`.")
        .def("toDict", [](const Scene& s) { return pythonOf(sceneToJson(s)); }, "Every value spelled out.")
        .def("toJson", &sceneToJson)
        .def_readwrite("name", &Scene::name)
        .def_readonly("folder", &Scene::folder, "where relative paths start")
        .def_readonly("fps", &Scene::fps)
        .def_readonly("startFrame", &Scene::startFrame)
        .def_property("endFrame", [](const Scene& s) { return s.endFrame; }, [](Scene& s, std::int64_t frame) {
            if (frame < s.startFrame) throw Error(format("endFrame %lld lies before startFrame %lld", static_cast<long long>(frame), static_cast<long long>(s.startFrame)));
            s.endFrame = frame;
        })
        .def_readwrite("seed", &Scene::seed)
        .def_property_readonly("settings", [](Scene& s) -> StepSettings& { return s.settings; }, py::return_value_policy::reference_internal)
        .def_property_readonly("bodyNames", [](const Scene& s) {
            std::vector<std::string> names;
            for (const SceneBody& b : s.bodies) names.push_back(b.name);
            return names;
        })
        .def("timeOf", &Scene::timeOf, py::arg("frame"), "s since the start")
        .def("identity", &sceneIdentity, "Equal for scenes that simulate alike; reads the files that the scene refers to.")
        .def("__repr__", [](const Scene& s) { return format("<Scene '%s', %zu bodies, frames %lld to %lld>", s.name.c_str(), s.bodies.size(),
                                                             static_cast<long long>(s.startFrame), static_cast<long long>(s.endFrame)); });
    m.def("readScene", [](const py::object& path) { return readScene(py::str(fsPath(path))); }, py::arg("path"), "A scene file.");
    m.def("parseScene", [](const std::string& text, const std::string& name, const py::object& folder) { return parseScene(text, name, py::str(fsPath(folder))); },
          py::arg("text"), py::arg("name") = "scene", py::arg("folder") = ".");
    m.def("sceneReference", &sceneReference, "Every key of a scene file, as Markdown.");
}
}  // namespace

std::string jsonOf(const py::object& value) {
    return py::module_::import("json").attr("dumps")(value, py::arg("default") = py::cpp_function(&plainOf)).cast<std::string>();
}

py::object pythonOf(const std::string& json) { return py::module_::import("json").attr("loads")(json); }

void bindStructs(py::module_& m) {
    bindFields<Fracture>(m, "Fracture");
    bindFields<Plasticity>(m, "Plasticity");
    bindFields<Material>(m, "Material").def("validate", [](const Material& self) { validate(self); }, "Raises Error for values that do not go together.");
    bindFields<TetrahedralizeOptions>(m, "TetrahedralizeOptions");
    bindFields<GroundPlane>(m, "GroundPlane");
    bindFields<FractureSettings>(m, "FractureSettings");
    bindFields<StepSettings>(m, "StepSettings").def("validate", [](const StepSettings& self) { validate(self); });
    bindPresets(m);
    bindScene(m);
}

}  // namespace sunder::python
