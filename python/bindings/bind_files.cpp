#include "core/io/describe.h"
#include "core/io/geometry_io.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bindings.h"
#include "python/bindings/fields.h"
#include "python/bindings/geometry_holder.h"
#include "python/bindings/monitor.h"

namespace sunder::python {

namespace {
std::string pathText(const py::object& path) { return py::str(py::module_::import("os").attr("fspath")(path)); }

GeometryHolder* read(const py::object& path, const py::object& progress) {
    PythonMonitor monitor(progress);
    const std::string file = pathText(path);
    Geometry geometry = runUnlocked(monitor, [&] { return readGeometry(file, &monitor); });
    monitor.issueWarnings();
    return new GeometryHolder(std::move(geometry));
}

void write(const py::object& path, GeometryHolder& holder, bool doublePositions) {
    PythonMonitor monitor(py::none{});
    const std::string file = pathText(path);
    const ReadingGeometry reading(holder);
    runUnlocked(monitor, [&] { writeGeometry(file, *reading, {doublePositions}); });
}

/// By the ending that a file of that format has.
GeometryFormat formatOf(const std::string& ending) { return formatOfPath("geometry." + ending); }

py::bytes encode(GeometryHolder& holder, const std::string& format, bool doublePositions) {
    PythonMonitor monitor(py::none{});
    const ReadingGeometry reading(holder);
    return bytesOut(runUnlocked(monitor, [&] { return encodeGeometry(*reading, formatOf(format), {doublePositions}); }));
}

GeometryHolder* decode(const py::buffer& bytes, const std::string& format) {
    PythonMonitor monitor(py::none{});
    const py::buffer_info info = bytes.request();
    const Span<const std::uint8_t> span = bytesIn(info);
    Geometry geometry = runUnlocked(monitor, [&] { return decodeGeometry(span, formatOf(format), "geometry." + format, &monitor); });
    monitor.issueWarnings();
    return new GeometryHolder(std::move(geometry));
}
}  // namespace

void bindFiles(py::module_& m) {
    m.def("readGeometry", &read, py::arg("path"), py::arg("progress") = py::none(), ".obj .ply .stl .geo .bgeo .bgeo.gz .bgeo.sc");
    m.def("writeGeometry", &write, py::arg("path"), py::arg("geometry"), py::arg("doublePositions") = false, ".bgeo.sc .bgeo .bgeo.gz .geo .obj, whole or not at all");
    m.def("encodeGeometry", &encode, py::arg("geometry"), py::arg("format") = "bgeo.sc", py::arg("doublePositions") = false, "The bytes of a file.");
    m.def("decodeGeometry", &decode, py::arg("bytes"), py::arg("format") = "bgeo.sc");
    m.def("describeGeometry", [](GeometryHolder& holder) { return pythonOf(toJson(describeGeometry(holder.geometry))); }, py::arg("geometry"),
          "Counts, bounds, volume and every attribute with its range, as a dictionary.");
}

}  // namespace sunder::python
