#include <pybind11/stl.h>

#include "core/base/text.h"
#include "core/mesh/tet_mesh.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bindings.h"
#include "python/bindings/geometry_holder.h"

namespace sunder::python {

namespace {
void addRows(Geometry& g, PrimitiveKind kind, const py::object& rows) {
    if (rows.is_none()) return;
    for (const py::handle row : rows) {
        const auto points = row.cast<std::vector<std::int32_t>>();
        g.addPrimitive(kind, points);
    }
}

void addTets(Geometry& g, const py::object& tets) {
    if (tets.is_none()) return;
    const auto array = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>::ensure(tets);
    if (!array || array.ndim() != 2 || array.shape(1) != 4) throw Error("tets is not an array of shape (n, 4)", "give four point numbers for each tet");
    const auto count = static_cast<std::size_t>(array.shape(0));
    for (std::size_t t = 0; t < count; ++t) g.addPrimitive(PrimitiveKind::kTet, {array.data() + 4 * t, 4});
}

GeometryHolder* makeGeometry(const NumbersIn& positions, const py::object& polygons, const py::object& tets, const py::object& curves) {
    Geometry g;
    const Span<const Vec3> points = pointsIn(positions, "positions");
    g.positions.assign(points.begin(), points.end());
    addTets(g, tets);
    addRows(g, PrimitiveKind::kPolygon, polygons);
    addRows(g, PrimitiveKind::kCurve, curves);
    g.validate();
    return new GeometryHolder(std::move(g));
}

/// Four points a tet: over the geometry's own memory if it holds nothing but tets.
py::array tetsOf(const py::object& self) {
    const Geometry& g = self.cast<GeometryHolder&>().geometry;
    const std::size_t tets = g.countOf(PrimitiveKind::kTet);
    if (tets == g.primitiveCount()) return arrayView(g.vertexPoint.data(), tets, 4, self, false);
    std::vector<Tet> list;
    for (std::size_t p = 0; p < g.primitiveCount(); ++p)
        if (g.primitiveKind[p] == PrimitiveKind::kTet) {
            const Span<const std::int32_t> points = g.primitivePoints(p);
            list.push_back({points[0], points[1], points[2], points[3]});
        }
    return ownedArray(std::move(list));
}

void bindAttributes(py::module_& m) {
    py::class_<AttributesView>(m, "Attributes", "Attributes and groups of points, vertices, primitives or the whole, like a dictionary of arrays over the geometry's memory.")
        .def("__getitem__", &AttributesView::get, py::arg("name"))
        .def("__setitem__", [](AttributesView& a, const std::string& name, const py::object& values) { a.put(name, values, ""); }, py::arg("name"), py::arg("values"))
        .def("__delitem__", &AttributesView::erase, py::arg("name"))
        .def("__contains__", &AttributesView::contains)
        .def("__len__", [](const AttributesView& a) { return a.names().size(); })
        .def("__iter__", [](const AttributesView& a) { return py::iter(py::cast(a.names())); })
        .def("keys", &AttributesView::names)
        .def("put", &AttributesView::put, py::arg("name"), py::arg("values"), py::arg("meaning") = "", "As [name] = values, with a meaning: vector, normal, color ...")
        .def("meaning", &AttributesView::meaning, py::arg("name"))
        .def_property_readonly("groups", &AttributesView::groupNames)
        .def("group", &AttributesView::group, py::arg("name"), "Booleans over the geometry's memory, one for each element.")
        .def("putGroup", &AttributesView::putGroup, py::arg("name"), py::arg("members"))
        .def_property_readonly("elementCount", &AttributesView::elements);
}

template <class Count>
auto attributesOf(AttributeSet Geometry::*set, Count count) {
    return [set, count](const py::object& self) { return AttributesView(self, set, count(self.cast<GeometryHolder&>().geometry)); };
}
}  // namespace

void bindGeometry(py::module_& m) {
    bindAttributes(m);
    py::class_<GeometryHolder>(m, "Geometry",
                               "What a geometry file holds: points, primitives over vertices, and attributes. Arrays are over its own memory. Polygons are counter-clockwise seen from "
                               "outside, tets have det[v1-v0, v2-v0, v3-v0] > 0; readers and writers turn what files have otherwise.")
        .def(py::init(&makeGeometry), py::arg("positions"), py::arg("polygons") = py::none(), py::arg("tets") = py::none(), py::arg("curves") = py::none())
        .def_property_readonly("positions", [](const py::object& self) { return arrayView(self.cast<GeometryHolder&>().geometry.positions, self, true); },
                               "(n, 3) m, to be read and written in place")
        .def_property_readonly("vertexPoint", [](const py::object& self) { return arrayView(self.cast<GeometryHolder&>().geometry.vertexPoint, self); }, "point of every vertex")
        .def_property_readonly("primitiveFirstVertex", [](const py::object& self) { return arrayView(self.cast<GeometryHolder&>().geometry.primitiveFirstVertex, self); },
                               "vertices of primitive p are [p] to [p + 1]")
        .def_property_readonly("primitiveKind", [](const py::object& self) {
            const auto& kinds = self.cast<GeometryHolder&>().geometry.primitiveKind;
            return arrayView(reinterpret_cast<const std::uint8_t*>(kinds.data()), kinds.size(), 0, self, false);
        }, "0 polygon, 1 open curve, 2 tet")
        .def_property_readonly("tets", &tetsOf, "(n, 4) points of the tets; no copy if all primitives are tets")
        .def_property_readonly("points", attributesOf(&Geometry::points, [](const Geometry& g) { return g.pointCount(); }))
        .def_property_readonly("vertices", attributesOf(&Geometry::vertices, [](const Geometry& g) { return g.vertexCount(); }))
        .def_property_readonly("primitives", attributesOf(&Geometry::primitives, [](const Geometry& g) { return g.primitiveCount(); }))
        .def_property_readonly("detail", attributesOf(&Geometry::detail, [](const Geometry&) { return std::size_t{1}; }))
        .def_property_readonly("pointCount", [](const GeometryHolder& h) { return h.geometry.pointCount(); })
        .def_property_readonly("vertexCount", [](const GeometryHolder& h) { return h.geometry.vertexCount(); })
        .def_property_readonly("primitiveCount", [](const GeometryHolder& h) { return h.geometry.primitiveCount(); })
        .def("primitivePoints", [](const GeometryHolder& h, std::size_t p) {
            if (p >= h.geometry.primitiveCount()) throw py::index_error("there is no primitive of that number");
            const Span<const std::int32_t> points = h.geometry.primitivePoints(p);
            return std::vector<std::int32_t>(points.begin(), points.end());
        }, py::arg("primitive"))
        .def("copy", [](const GeometryHolder& h) { return GeometryHolder(h); })
        .def("__copy__", [](const GeometryHolder& h) { return GeometryHolder(h); })
        .def("__deepcopy__", [](const GeometryHolder& h, const py::dict&) { return GeometryHolder(h); })
        .def("__repr__", [](const GeometryHolder& h) {
            const Geometry& g = h.geometry;
            return format("<Geometry of %zu points, %zu polygons, %zu tets, %zu curves>", g.pointCount(), g.countOf(PrimitiveKind::kPolygon),
                          g.countOf(PrimitiveKind::kTet), g.countOf(PrimitiveKind::kCurve));
        });
}

}  // namespace sunder::python
