#include "core/meshing/tetrahedralize.h"

#include "core/surface/boundary_surface.h"
#include "core/surface/surface_map.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bindings.h"
#include "python/bindings/fields.h"
#include "python/bindings/geometry_holder.h"
#include "python/bindings/monitor.h"

namespace sunder::python {

namespace {
using MeshPointer = std::shared_ptr<TetMesh>;
using ResultPointer = std::shared_ptr<TetrahedralizeResult>;

ResultPointer runTetrahedralize(GeometryHolder& surface, const py::object& options, const py::object& progress, const py::kwargs& values) {
    TetrahedralizeOptions chosen = options.is_none() ? TetrahedralizeOptions{} : options.cast<TetrahedralizeOptions>();
    if (py::len(values) > 0) chosen = fromDict<TetrahedralizeOptions>(values, "tetrahedralize", chosen);
    PythonMonitor monitor(progress);
    const ReadingGeometry reading(surface);
    auto result = std::make_shared<TetrahedralizeResult>(runUnlocked(monitor, [&] { return tetrahedralize(*reading, chosen, &monitor); }));
    monitor.issueWarnings();
    return result;
}

py::dict qualityOf(const MeshQuality& q) {
    py::dict d;
    d["smallestDihedral"] = q.smallestDihedral;
    d["largestDihedral"] = q.largestDihedral;
    d["smallestQuality"] = q.smallestQuality;
    d["meanQuality"] = q.meanQuality;
    d["volume"] = q.volume;
    d["slivers"] = q.slivers;
    return d;
}

void bindDiagnosis(py::module_& m) {
    py::class_<Finding>(m, "Finding", "One kind of trouble of a surface with everything that has it.")
        .def_readonly("name", &Finding::name)
        .def_readonly("text", &Finding::text)
        .def_readonly("remedy", &Finding::remedy)
        .def_readonly("count", &Finding::count)
        .def_readonly("points", &Finding::points)
        .def_readonly("primitives", &Finding::primitives)
        .def_property_readonly("preventsTetgen", [](const Finding& f) { return preventsTetgen(f.kind); })
        .def("__repr__", [](const Finding& f) { return "<Finding " + f.name + ": " + f.text + ">"; });
    m.def("diagnose", [](GeometryHolder& surface, const py::object& progress) {
        PythonMonitor monitor(progress);
        const ReadingGeometry reading(surface);
        return runUnlocked(monitor, [&] { return diagnose(*reading, &monitor); }).findings;
    }, py::arg("surface"), py::arg("progress") = py::none(), "What is wrong with a surface; an empty list for a clean solid.");
}

void bindMesh(py::module_& m) {
    py::class_<TetMesh, MeshPointer>(m, "TetMesh", "A solid at rest.")
        .def(py::init([](const NumbersIn& rest, const py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>& tets) {
            auto mesh = std::make_shared<TetMesh>();
            const Span<const Vec3> points = pointsIn(rest, "rest");
            if (tets.ndim() != 2 || tets.shape(1) != 4) throw Error("tets is not an array of shape (n, 4)", "give four vertex numbers for each tet");
            mesh->rest.assign(points.begin(), points.end());
            const Tet* first = reinterpret_cast<const Tet*>(tets.data());
            mesh->tets.assign(first, first + tets.shape(0));
            validate(*mesh);
            return mesh;
        }), py::arg("rest"), py::arg("tets"))
        .def_property_readonly("rest", [](const py::object& self) { return arrayView(self.cast<TetMesh&>().rest, self); }, "(n, 3) m")
        .def_property_readonly("tets", [](const py::object& self) { return arrayView(self.cast<TetMesh&>().tets, self); }, "(n, 4) vertices")
        .def_property_readonly("vertexCount", &TetMesh::vertexCount)
        .def_property_readonly("tetCount", &TetMesh::tetCount)
        .def("boundary", [](const TetMesh& mesh) { return GeometryHolder(geometryFromTriMesh(boundaryMesh(mesh))); }, "The skin at rest.")
        .def("measureQuality", [](const TetMesh& mesh) { return qualityOf(measureQuality(mesh)); });
}

void bindSurfaceMap(py::module_& m) {
    struct Embedded {
        MeshPointer mesh;
        SurfaceMap map;
    };
    py::class_<Embedded>(m, "SurfaceMap", "A render mesh embedded in a solid: every point follows the tet that holds it.")
        .def(py::init([](const MeshPointer& mesh, const NumbersIn& points) {
            const Span<const Vec3> span = pointsIn(points, "points");
            PythonMonitor monitor(py::none{});
            return new Embedded{mesh, runUnlocked(monitor, [&] { return SurfaceMap(*mesh, span, &monitor); })};
        }), py::arg("mesh"), py::arg("points"))
        .def_property_readonly("tets", [](const py::object& self) {
            const Span<const std::int32_t> tets = self.cast<Embedded&>().map.tets();
            return arrayView(tets.data(), tets.size(), 0, self, false);
        })
        .def_property_readonly("weights", [](const py::object& self) {
            const Span<const Vec4> weights = self.cast<Embedded&>().map.weights();
            return arrayView(reinterpret_cast<const double*>(weights.data()), weights.size(), 4, self, false);
        })
        .def_property_readonly("outsideCount", [](const Embedded& e) { return e.map.outsideCount(); })
        .def("interpolate", [](const Embedded& e, const NumbersIn& values) {
            const Span<const Vec3> span = pointsIn(values, "values");
            if (span.size() != e.mesh->vertexCount()) throw Error("values do not have one row for each vertex of the mesh", "give an array of shape (vertexCount, 3)");
            return ownedArray(e.map.interpolate(*e.mesh, span));
        }, py::arg("values"), "Values of the solid's vertices at the embedded points.")
        .def("deformNormals", [](const Embedded& e, const NumbersIn& x, const NumbersIn& restNormals) {
            const Span<const Vec3> places = pointsIn(x, "x"), normals = pointsIn(restNormals, "restNormals");
            if (places.size() != e.mesh->vertexCount() || normals.size() != e.map.size())
                throw Error("x has to have a row for each vertex of the mesh and restNormals one for each point", "check the shapes of both");
            return ownedArray(e.map.deformNormals(*e.mesh, places, normals));
        }, py::arg("x"), py::arg("restNormals"));
}
}  // namespace

void bindMeshing(py::module_& m) {
    bindDiagnosis(m);
    bindMesh(m);
    bindSurfaceMap(m);
    py::class_<TetrahedralizeResult, ResultPointer>(m, "TetrahedralizeResult")
        .def_property_readonly("mesh", [](const ResultPointer& r) { return MeshPointer(r, &r->mesh); })
        .def_property_readonly("method", [](const TetrahedralizeResult& r) { return std::string(nameOf(r.method)); })
        .def_property_readonly("findings", [](const TetrahedralizeResult& r) { return r.diagnosis.findings; }, "of the surface as it came")
        .def_property_readonly("explanations", [](const TetrahedralizeResult& r) { return r.explanations; })
        .def_property_readonly("quality", [](const TetrahedralizeResult& r) { return qualityOf(r.quality); })
        .def_readonly("cellSize", &TetrahedralizeResult::cellSize)
        .def_readonly("lostPrimitives", &TetrahedralizeResult::lostPrimitives)
        .def("geometry", [](const TetrahedralizeResult& r) { return GeometryHolder(geometryFromTetMesh(r.mesh, r.attributes)); }, "The tets with all attributes.")
        .def("diagnosed", [](const TetrahedralizeResult& r, const GeometryHolder& surface) {
            GeometryHolder copy(surface);
            addTetrahedralizeGroups(copy.geometry, r);
            return copy;
        }, py::arg("surface"), "A copy of the surface with a group for every finding.");
    m.def("tetrahedralize", &runTetrahedralize, py::arg("surface"), py::arg("options") = py::none(), py::arg("progress") = py::none(),
          "Fills a surface with tets. Options are TetrahedralizeOptions, or its fields as keyword arguments.");
}

}  // namespace sunder::python
