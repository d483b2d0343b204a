#pragma once

#include <pybind11/pybind11.h>

// One function a file; module.cpp calls them in an order in which every type is known before it is used.
namespace sunder::python {

void bindErrors(pybind11::module_& m);
void bindStructs(pybind11::module_& m);
void bindGeometry(pybind11::module_& m);
void bindFiles(pybind11::module_& m);
void bindMeshing(pybind11::module_& m);
void bindWorld(pybind11::module_& m);
void bindCache(pybind11::module_& m);

}  // namespace sunder::python
