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
}  // namespace

void bindCache(py::module_& m) {
    m.def("frameSurface", madeOf([](const CacheFrame& frame) { return makeSurface(frame).geometry; }), py::arg("frame"),
          "The skin of the bodies of a frame, with the groups inside and outside and uv.");
    m.def("onLastTopology", madeOfTwo([](const CacheFrame& frame, const CacheFrame& last) { return onLastTopology(frame, last); }), py::arg("frame"), py::arg("last"), "A frame on the topology of the last one.");
    m.def("restPieces", madeOf(&restPieces), py::arg("last"), "The skins of all pieces at rest.");
    m.def("pieceMotions", madeOfTwo([](const CacheFrame& frame, const CacheFrame& last) {
        const CachePieces pieces = collectPieces(last);
        return pieceGeometry(pieces, fitPieces(pieces, frame, last), frame);
    }), py::arg("frame"), py::arg("last"), "One point a piece with its rigid motion, as Bullet takes it.");
}

}  // namespace sunder::python
