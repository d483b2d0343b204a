#include "python/bindings/world_holder.h"

#include <filesystem>

#include "core/io/geometry_io.h"
#include "core/io/material_text.h"

namespace sunder::python {

ModelLoader::ModelLoader(const Scene& scene, const py::object& models) : models_(models) {
    if (models.is_none()) return;
    for (const auto& [path, geometry] : models.cast<py::dict>()) {
        const std::string file = (std::filesystem::path(scene.folder) / py::str(path).cast<std::string>()).string();
        held_[file] = std::make_shared<ReadingGeometry>(geometry.cast<GeometryHolder&>());
    }
}

GeometryLoader ModelLoader::function() const {
    const auto read = [this](const std::string& path, Monitor* monitor) {
        const auto it = held_.find(path);
        return it != held_.end() ? **it->second : readGeometry(path, monitor);
    };
    return {read, materialFromText};
}

}  // namespace sunder::python
