#include "core/base/error.h"
#include "core/base/parallel.h"
#include "python/bindings/bindings.h"

PYBIND11_MODULE(_core, m) {
    using namespace sunder::python;
    m.doc() = "Sunder's core. Import it as `sunder`; never inside Houdini, whose own TBB it would meet.";
    m.attr("__version__") = SUNDER_VERSION;
    m.def("setThreadCount", [](int count) {
        if (count < 0) throw sunder::Error("a thread count below 0", "0 stands for all of the machine");
        sunder::setThreadCount(count);
    }, pybind11::arg("count"), "Threads from now on, 0 for all of the machine. Results never depend on it.");
    m.def("threadCount", &sunder::threadCount);
    bindErrors(m);
    bindStructs(m);
    bindGeometry(m);
    bindFiles(m);
    bindMeshing(m);
    bindWorld(m);
    bindCache(m);
}
