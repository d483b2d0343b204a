#pragma once

#include <cmath>
#include <cstddef>

namespace sunder {

/// Several numbers that go through the same arithmetic side by side, one a lane. Built on the compilers' vector extension
/// (gcc, clang), so that the same source serves AVX2 and plainer machines. No operation mixes lanes, and none is fused, so a
/// lane has exactly the bits that the same scalar arithmetic would have.
template <class T, int N>
struct Wide {
    typedef T Vector __attribute__((vector_size(sizeof(T) * N)));
    using Scalar = T;
    static constexpr int kLanes = N;
    Vector v;

    Wide() = default;
    Wide(T s) : v(Vector{} + s) {}
    explicit Wide(Vector x) : v(x) {}
    T operator[](int lane) const { return v[lane]; }
    void set(int lane, T s) { v[lane] = s; }

    /// From and to N contiguous numbers, of any alignment.
    static Wide load(const T* p) {
        Wide w;
        __builtin_memcpy(&w.v, p, sizeof(Vector));
        return w;
    }
    void store(T* p) const { __builtin_memcpy(p, &v, sizeof(Vector)); }

    friend Wide operator+(Wide a, Wide b) { return Wide(a.v + b.v); }
    friend Wide operator-(Wide a, Wide b) { return Wide(a.v - b.v); }
    friend Wide operator*(Wide a, Wide b) { return Wide(a.v * b.v); }
    friend Wide operator/(Wide a, Wide b) { return Wide(a.v / b.v); }
    friend Wide operator-(Wide a) { return Wide(-a.v); }
    Wide& operator+=(Wide b) { return *this = *this + b; }
    Wide& operator-=(Wide b) { return *this = *this - b; }
    Wide& operator*=(Wide b) { return *this = *this * b; }
};

/// The lane-wise result of a comparison: all bits set or none.
template <class T, int N>
struct WideMask {
    decltype(typename Wide<T, N>::Vector{} < typename Wide<T, N>::Vector{}) m;

    bool any() const {
        for (int i = 0; i < N; ++i)
            if (m[i]) return true;
        return false;
    }
    bool all() const {
        for (int i = 0; i < N; ++i)
            if (!m[i]) return false;
        return true;
    }
    friend WideMask operator&(WideMask a, WideMask b) { return {a.m & b.m}; }
    friend WideMask operator|(WideMask a, WideMask b) { return {a.m | b.m}; }
    friend WideMask operator!(WideMask a) { return {~a.m}; }
};

template <class T, int N>
WideMask<T, N> operator<(Wide<T, N> a, Wide<T, N> b) { return {a.v < b.v}; }
template <class T, int N>
WideMask<T, N> operator<=(Wide<T, N> a, Wide<T, N> b) { return {a.v <= b.v}; }
template <class T, int N>
WideMask<T, N> operator>(Wide<T, N> a, Wide<T, N> b) { return {a.v > b.v}; }
template <class T, int N>
WideMask<T, N> operator==(Wide<T, N> a, Wide<T, N> b) { return {a.v == b.v}; }

/// mask ? a : b, lane by lane.
template <class T, int N>
Wide<T, N> select(WideMask<T, N> mask, Wide<T, N> a, Wide<T, N> b) { return Wide<T, N>(mask.m ? a.v : b.v); }
template <class T, int N>
Wide<T, N> min(Wide<T, N> a, Wide<T, N> b) { return select(a < b, a, b); }
template <class T, int N>
Wide<T, N> max(Wide<T, N> a, Wide<T, N> b) { return select(a < b, b, a); }
template <class T, int N>
Wide<T, N> abs(Wide<T, N> a) { return select(a < Wide<T, N>(T(0)), -a, a); }
template <class T, int N>
Wide<T, N> sqrt(Wide<T, N> a) {
    Wide<T, N> r;
    for (int i = 0; i < N; ++i) r.v[i] = std::sqrt(a.v[i]);  // the compilers make one vector instruction of it
    return r;
}

using Wide4d = Wide<double, 4>;
using Wide8f = Wide<float, 8>;

/// Scalars take the same spelling, so that a kernel written once can be instantiated for double as its own reference.
inline double select(bool mask, double a, double b) { return mask ? a : b; }

}  // namespace sunder
