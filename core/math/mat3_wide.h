#pragma once

#include "core/math/wide.h"

namespace sunder {

/// A 3-vector and a 3x3 matrix of W, which is a Wide (one vector or matrix a lane) or a double.
template <class W>
struct Vec3w {
    W x, y, z;

    friend Vec3w operator+(const Vec3w& a, const Vec3w& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend Vec3w operator-(const Vec3w& a, const Vec3w& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend Vec3w operator*(const Vec3w& a, W s) { return {a.x * s, a.y * s, a.z * s}; }
    friend Vec3w operator/(const Vec3w& a, W s) { return {a.x / s, a.y / s, a.z / s}; }
};

template <class W>
W dot(const Vec3w<W>& a, const Vec3w<W>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class W>
Vec3w<W> cross(const Vec3w<W>& a, const Vec3w<W>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Mask, class W>
Vec3w<W> select(Mask mask, const Vec3w<W>& a, const Vec3w<W>& b) {
    return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

/// Stored column by column, as Mat3: m[3 j + i] is row i of column j.
template <class W>
struct Mat3w {
    W m[9];

    W& operator()(int i, int j) { return m[3 * j + i]; }
    const W& operator()(int i, int j) const { return m[3 * j + i]; }
    Vec3w<W> column(int j) const { return {m[3 * j], m[3 * j + 1], m[3 * j + 2]}; }
    static Mat3w fromColumns(const Vec3w<W>& a, const Vec3w<W>& b, const Vec3w<W>& c) {
        return {{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
    }
    friend Vec3w<W> operator*(const Mat3w& a, const Vec3w<W>& v) {
        return a.column(0) * v.x + a.column(1) * v.y + a.column(2) * v.z;
    }
    friend Mat3w operator*(const Mat3w& a, const Mat3w& b) {
        return fromColumns(a * b.column(0), a * b.column(1), a * b.column(2));
    }
    Mat3w transposed() const { return {{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}}; }
};

}  // namespace sunder
