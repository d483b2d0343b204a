#include "python/bindings/monitor.h"

namespace sunder::python {

namespace {
constexpr double kAskEvery = 0.05;  ///< s; the lock costs little, and a tenth of a second is what feels at once
}  // namespace

PythonMonitor::PythonMonitor(py::object progress) : progress_(std::move(progress)), thread_(std::this_thread::get_id()) {
    if (!progress_.is_none() && !PyCallable_Check(progress_.ptr()))
        throw py::type_error("progress has to be a function of one number, or None");
}

/// Signals belong to the main thread of Python, and progress to the thread that called; core's workers look at the flag alone.
bool PythonMonitor::cancelled() {
    if (std::this_thread::get_id() == thread_ && sinceAsked_.seconds() >= kAskEvery) askPython();
    return stop_;
}

void PythonMonitor::progress(double fraction) {
    if (std::this_thread::get_id() != thread_) return;
    fraction_ = fraction;
    if (sinceAsked_.seconds() >= kAskEvery) askPython();
}

void PythonMonitor::askPython() {
    if (stop_) return;
    const py::gil_scoped_acquire locked;
    sinceAsked_.restart();
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress_.is_none()) stop_ = progress_(fraction_).ptr() == Py_False;
    } catch (py::error_already_set&) {
        raised_ = std::current_exception();
        stop_ = true;
    }
}

void PythonMonitor::rethrow() {
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

void PythonMonitor::issueWarnings() {
    for (const std::string& text : std::exchange(warnings_, {})) {
        const py::object category = py::module_::import("sunder._core").attr("SunderWarning");
        if (PyErr_WarnEx(category.ptr(), text.c_str(), 2) != 0) throw py::error_already_set();
    }
}

}  // namespace sunder::python
