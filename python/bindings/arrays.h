#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/span.h"
#include "core/math/types.h"

// numpy arrays over core's memory. Every array that is handed out keeps alive what owns its memory, and nothing that owns memory
// moves or frees it while it lives.
namespace sunder::python {

namespace py = pybind11;

/// `columns` values for each of `rows` elements; one dimension if columns is 0.
template <class T>
py::array arrayView(const T* data, std::size_t rows, std::size_t columns, py::handle owner, bool writable) {
    std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(rows)};
    if (columns > 0) shape.push_back(static_cast<py::ssize_t>(columns));
    py::array view = py::array_t<T>(shape, data, owner);
    if (!writable) py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return view;
}

template <class T>
py::array arrayView(const std::vector<T>& values, py::handle owner, bool writable = false) {
    return arrayView(values.data(), values.size(), 0, owner, writable);
}
inline py::array arrayView(const std::vector<Vec3>& values, py::handle owner, bool writable = false) {
    return arrayView(reinterpret_cast<const double*>(values.data()), values.size(), 3, owner, writable);
}
inline py::array arrayView(const std::vector<Vec4>& values, py::handle owner, bool writable = false) {
    return arrayView(reinterpret_cast<const double*>(values.data()), values.size(), 4, owner, writable);
}
inline py::array arrayView(const std::vector<Tet>& values, py::handle owner, bool writable = false) {
    return arrayView(reinterpret_cast<const std::int32_t*>(values.data()), values.size(), 4, owner, writable);
}
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Vec4) == 4 * sizeof(double) && sizeof(Tet) == 4 * sizeof(std::int32_t));

/// Something that lives as long as an array over its memory.
template <class T>
py::capsule keeperOf(T value) {
    return py::capsule(new T(std::move(value)), [](void* p) { delete static_cast<T*>(p); });
}

/// An array that takes a vector over.
template <class T>
py::array ownedArray(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    return arrayView(*kept, py::capsule(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); }), true);
}

/// Numbers from Python, row by row; copied only if they are of another type or not contiguous.
using NumbersIn = py::array_t<double, py::array::c_style | py::array::forcecast>;
using IndicesIn = py::array_t<std::int32_t, py::array::c_style>;

/// The points of an array of three columns. `what` names it in the message.
inline Span<const Vec3> pointsIn(const NumbersIn& array, const char* what) {
    if (array.ndim() != 2 || array.shape(1) != 3)
        throw Error(std::string(what) + " is not an array of shape (n, 3)", "give one row of x, y, z for each point");
    return {reinterpret_cast<const Vec3*>(array.data()), static_cast<std::size_t>(array.shape(0))};
}

inline Span<const std::uint8_t> bytesIn(const py::buffer_info& info) {
    if (info.itemsize != 1 || info.ndim != 1 || info.strides[0] != 1) throw Error("bytes are expected", "pass bytes, a bytearray or a numpy array of uint8");
    return {static_cast<const std::uint8_t*>(info.ptr), static_cast<std::size_t>(info.size)};
}

inline py::bytes bytesOut(const std::vector<std::uint8_t>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace sunder::python
