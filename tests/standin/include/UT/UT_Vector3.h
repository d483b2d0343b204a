#pragma once
// Provenance: class page of UT_Vector3T and callers in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <SYS/SYS_Types.h>

template <typename T>
class UT_Vector3T {
  public:
    UT_Vector3T() = default;
    constexpr UT_Vector3T(T x, T y, T z) : vec_{x, y, z} {}
    template <typename S>
    explicit UT_Vector3T(const UT_Vector3T<S>& o) : vec_{static_cast<T>(o.x()), static_cast<T>(o.y()), static_cast<T>(o.z())} {}
    T x() const { return vec_[0]; }
    T y() const { return vec_[1]; }
    T z() const { return vec_[2]; }
    T& operator()(int i) { return vec_[i]; }
    T operator()(int i) const { return vec_[i]; }
    T& operator[](int i) { return vec_[i]; }
    T operator[](int i) const { return vec_[i]; }
    friend bool operator==(const UT_Vector3T& a, const UT_Vector3T& b) { return a.x() == b.x() && a.y() == b.y() && a.z() == b.z(); }
    friend bool operator!=(const UT_Vector3T& a, const UT_Vector3T& b) { return !(a == b); }

  private:
    T vec_[3] = {0, 0, 0};
};
using UT_Vector3 = UT_Vector3T<fpreal32>;
using UT_Vector3F = UT_Vector3T<fpreal32>;
using UT_Vector3D = UT_Vector3T<fpreal64>;
