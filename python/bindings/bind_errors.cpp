#include "core/base/error.h"
#include "python/bindings/bindings.h"

namespace sunder::python {

namespace py = pybind11;

namespace {
/// Exceptions with core's text as their own, the remedy as an attribute and, where Python has notes (3.11), as a note.
void raise(py::handle type, const Error& e) {
    py::object exception = type(e.what());
    exception.attr("remedy") = e.remedy();
    if (!e.remedy().empty() && py::hasattr(exception, "add_note")) exception.attr("add_note")("remedy: " + e.remedy());
    PyErr_SetObject(type.ptr(), exception.ptr());
}

py::handle newException(py::module_& m, const char* name, py::handle base, const char* doc) {
    const std::string full = std::string("sunder.") + name;
    PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr);
    if (!type) throw py::error_already_set();
    m.add_object(name, type);
    return type;
}

py::handle errorType, writeErrorType, cancelledType;  // of types that the module holds for as long as Python runs
}  // namespace

void bindErrors(py::module_& m) {
    errorType = newException(m, "Error", PyExc_ValueError, "Bad input. `remedy` says what to do about it.");
    errorType.attr("remedy") = "";
    writeErrorType = newException(m, "WriteError", errorType, "A file could not be written.");
    newException(m, "StepError", errorType, "A step could not be taken; the world is as it was. `report` tells more.");
    cancelledType = newException(m, "Cancelled", PyExc_RuntimeError, "The progress function returned False; nothing has changed.");
    newException(m, "SunderWarning", PyExc_UserWarning, "Something odd that was repaired or left out.");
    py::register_exception_translator([](std::exception_ptr p) {
        try {
            if (p) std::rethrow_exception(p);
        } catch (const WriteError& e) {
            raise(writeErrorType, e);
        } catch (const Error& e) {
            raise(errorType, e);
        } catch (const Cancelled& e) {
            PyErr_SetString(cancelledType.ptr(), e.what());
        }
    });
}

}  // namespace sunder::python
