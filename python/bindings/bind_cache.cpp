#include <list>

#include "core/sim/cache_departed.h"
#include "core/sim/cache_pieces.h"
#include "core/sim/cache_surface.h"
#include "core/sim/cache_topology.h"
#include "python/bindings/bindings.h"
#include "python/bindings/geometry_holder.h"
#include "python/bindings/monitor.h"

namespace sunder::python {

namespace {
template <class Make>
auto madeOf(Make make) {
    return [make](GeometryHolder& frame) {
        PythonMonitor monitor(py::none{});
        const ReadingGeometry reading(frame);
        return GeometryHolder(runUnlocked(monitor, [&] { return make(makeCacheFrame(*reading)); }));
    };
}

template <class Make>
auto madeOfTwo(Make make) {
    return [make](GeometryHolder& frame, GeometryHolder& last) {
        PythonMonitor monitor(py::none{});
        const ReadingGeometry reading(frame), readingLast(last);
        return GeometryHolder(runUnlocked(monitor, [&] { return make(makeCacheFrame(*reading), makeCacheFrame(*readingLast)); }));
    };
}

std::vector<GeometryHolder> restoreDeparted(const std::vector<GeometryHolder*>& frames) {
    PythonMonitor monitor(py::none{});
    std::list<ReadingGeometry> reading;
    for (GeometryHolder* frame : frames) reading.emplace_back(*frame);
    return runUnlocked(monitor, [&] {
        DepartedPieces departed;
        std::vector<GeometryHolder> out;
        for (const ReadingGeometry& frame : reading) out.emplace_back(departed.restore(*frame));
        return out;
    });
}
}  // namespace

void bindCache(py::module_& m) {
    m.def("frameSurface", madeOf([](const CacheFrame& frame) { return makeSurface(frame).geometry; }), py::arg("frame"),
          "The skin of the bodies of a frame, with the groups inside and outside and uv.");
    m.def("onLastTopology", madeOfTwo([](const CacheFrame& frame, const CacheFrame& last) { return onLastTopology(frame, last); }), py::arg("frame"), py::arg("last"), "A frame on the topology of the last one.");
    m.def("restoreDeparted", &restoreDeparted, py::arg("frames"), "The tets of all frames of a simulation, in their order, those of pieces that left as particles among them, in the group departed.");
    m.def("restPieces", madeOf(&restPieces), py::arg("last"), "The skins of all pieces at rest.");
    m.def("pieceMotions", madeOfTwo([](const CacheFrame& frame, const CacheFrame& last) {
        const CachePieces pieces = collectPieces(last);
        return pieceGeometry(pieces, fitPieces(pieces, frame, last), frame);
    }), py::arg("frame"), py::arg("last"), "One point a piece with its rigid motion, as Bullet takes it.");
}

}  // namespace sunder::python
