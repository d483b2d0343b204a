#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace sunder {

namespace detail {
/// gcc 12 loses the attribute of a typedef inside the class that has constructors from it, so it stands here.
template <class T, int N>
struct VectorOf {
    typedef T Type __attribute__((vector_size(sizeof(T) * N)));
};
}  // namespace detail

/// Several numbers that go through the same arithmetic side by side, one a lane. Built on the compilers'
/// vector extension (gcc, clang), so that the same source serves AVX2 and plainer machines. No operation
/// mixes lanes (but for any, all and transpose4), and none is fused but fma, so a lane has exactly the bits
/// that the same scalar arithmetic would have.
template <class T, int N>
struct Wide {
    using Vector = typename detail::VectorOf<T, N>::Type;
    using Scalar = T;
    static constexpr int kLanes = N;
    Vector v;

    Wide() = default;
    Wide(T s) : v(s - Vector{}) {}  // minus zero keeps the sign of a zero, plus zero would not
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
    using Vector = decltype(typename Wide<T, N>::Vector{} < typename Wide<T, N>::Vector{});
    Vector m;

    bool any() const {
#ifdef __AVX__
        if constexpr (sizeof(Vector) == 32) return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#endif
        auto bits = m[0];
        for (int i = 1; i < N; ++i) bits |= m[i];
        return bits != 0;
    }
    bool all() const { return !(!*this).any(); }
    /// Bit k: lane k.
    unsigned bits() const {
#ifdef __AVX__
        if constexpr (sizeof(Vector) == 32 && N == 4) return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m));
#endif
        unsigned bits = 0;
        for (int i = 0; i < N; ++i) bits |= (m[i] != 0 ? 1u : 0u) << i;
        return bits;
    }
    friend WideMask operator&(WideMask a, WideMask b) { return {a.m & b.m}; }
    friend WideMask operator|(WideMask a, WideMask b) { return {a.m | b.m}; }
    friend WideMask operator!(WideMask a) { return {~a.m}; }
};

template <class T, int N>
WideMask<T, N> operator<(Wide<T, N> a, Wide<T, N> b) {
    return {a.v < b.v};
}
template <class T, int N>
WideMask<T, N> operator<=(Wide<T, N> a, Wide<T, N> b) {
    return {a.v <= b.v};
}
template <class T, int N>
WideMask<T, N> operator>(Wide<T, N> a, Wide<T, N> b) {
    return {a.v > b.v};
}
template <class T, int N>
WideMask<T, N> operator>=(Wide<T, N> a, Wide<T, N> b) {
    return {a.v >= b.v};
}
template <class T, int N>
WideMask<T, N> operator==(Wide<T, N> a, Wide<T, N> b) {
    return {a.v == b.v};
}

/// mask ? a : b, lane by lane.
template <class T, int N>
Wide<T, N> select(WideMask<T, N> mask, Wide<T, N> a, Wide<T, N> b) {
    return Wide<T, N>(mask.m ? a.v : b.v);
}
template <class T, int N>
Wide<T, N> min(Wide<T, N> a, Wide<T, N> b) {
    return select(a < b, a, b);
}
template <class T, int N>
Wide<T, N> max(Wide<T, N> a, Wide<T, N> b) {
    return select(a < b, b, a);
}

namespace detail {
template <class T, int N>
using WideBits = typename WideMask<T, N>::Vector;
/// -0.0 in every lane: the sign bit alone.
template <class T, int N>
WideBits<T, N> signBits() {
    return (WideBits<T, N>)Wide<T, N>(T(-0.0)).v;
}
}  // namespace detail

template <class T, int N>
Wide<T, N> abs(Wide<T, N> a) {
    using Bits = detail::WideBits<T, N>;
    return Wide<T, N>((typename Wide<T, N>::Vector)((Bits)a.v & ~detail::signBits<T, N>()));
}
/// The magnitude of a with the sign of b.
template <class T, int N>
Wide<T, N> copysign(Wide<T, N> a, Wide<T, N> b) {
    using Bits = detail::WideBits<T, N>;
    const Bits sign = detail::signBits<T, N>();
    return Wide<T, N>((typename Wide<T, N>::Vector)(((Bits)a.v & ~sign) | ((Bits)b.v & sign)));
}
template <class T, int N>
Wide<T, N> sqrt(Wide<T, N> a) {
#ifdef __AVX__
    if constexpr (sizeof(a.v) == 32 && std::is_same_v<T, double>) {
        return Wide<T, N>((typename Wide<T, N>::Vector)_mm256_sqrt_pd((__m256d)a.v));
    } else if constexpr (sizeof(a.v) == 32 && std::is_same_v<T, float>) {
        return Wide<T, N>((typename Wide<T, N>::Vector)_mm256_sqrt_ps((__m256)a.v));
    }
#endif
    Wide<T, N> r;
    for (int i = 0; i < N; ++i) r.v[i] = std::sqrt(a.v[i]);
    return r;
}

/// a * b + c, rounded once, on every machine.
template <class T, int N>
Wide<T, N> fma(Wide<T, N> a, Wide<T, N> b, Wide<T, N> c) {
#ifdef __FMA__
    if constexpr (sizeof(a.v) == 32 && std::is_same_v<T, double>) {
        return Wide<T, N>((typename Wide<T, N>::Vector)_mm256_fmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v));
    } else if constexpr (sizeof(a.v) == 32 && std::is_same_v<T, float>) {
        return Wide<T, N>((typename Wide<T, N>::Vector)_mm256_fmadd_ps((__m256)a.v, (__m256)b.v, (__m256)c.v));
    }
#endif
    Wide<T, N> r;
    for (int i = 0; i < N; ++i) r.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
    return r;
}
/// c - a * b, rounded once.
template <class T, int N>
Wide<T, N> fnma(Wide<T, N> a, Wide<T, N> b, Wide<T, N> c) {
    return fma(-a, b, c);
}

/// For normal positive a: the power of two 2^k with 2^k <= a < 2^(k+1), and 2^-k. Exact; k from -1022 to
/// 1022.
template <int N>
Wide<double, N> floorPowerOfTwo(Wide<double, N> a) {
    using Bits = detail::WideBits<double, N>;
    const Bits exponent = Bits{} + 0x7ff0000000000000ll;
    return Wide<double, N>((typename Wide<double, N>::Vector)((Bits)a.v & exponent));
}
template <int N>
Wide<double, N> inversePowerOfTwo(Wide<double, N> power) {
    using Bits = detail::WideBits<double, N>;
    const Bits twiceBias = Bits{} + (2046ll << 52);
    return Wide<double, N>((typename Wide<double, N>::Vector)(twiceBias - (Bits)power.v));
}

using Wide4d = Wide<double, 4>;
using Wide8f = Wide<float, 8>;

/// Four rows of four numbers become four columns: between structures in memory and one structure a lane.
inline void transpose4(Wide4d& a, Wide4d& b, Wide4d& c, Wide4d& d) {
    using V = Wide4d::Vector;
    const V ab0 = __builtin_shufflevector(a.v, b.v, 0, 4, 2, 6),
            ab1 = __builtin_shufflevector(a.v, b.v, 1, 5, 3, 7);
    const V cd0 = __builtin_shufflevector(c.v, d.v, 0, 4, 2, 6),
            cd1 = __builtin_shufflevector(c.v, d.v, 1, 5, 3, 7);
    a.v = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    b.v = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    c.v = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    d.v = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/// Doubles take the same spelling, so that a kernel written once can be instantiated for double as its own
/// reference. Templates for exactly double, so that no other argument is converted unawares.
inline double select(bool mask, double a, double b) { return mask ? a : b; }
template <class T>
using IfDouble = std::enable_if_t<std::is_same_v<T, double>, T>;
template <class T>
IfDouble<T> min(T a, T b) {
    return a < b ? a : b;
}
template <class T>
IfDouble<T> max(T a, T b) {
    return a < b ? b : a;
}
template <class T>
IfDouble<T> abs(T a) {
    return std::abs(a);
}
template <class T>
IfDouble<T> sqrt(T a) {
    return std::sqrt(a);
}
template <class T>
IfDouble<T> copysign(T a, T b) {
    return std::copysign(a, b);
}
template <class T>
IfDouble<T> floorPowerOfTwo(T a) {
    std::uint64_t bits;
    std::memcpy(&bits, &a, sizeof bits);
    bits &= 0x7ff0000000000000ull;
    std::memcpy(&a, &bits, sizeof bits);
    return a;
}
template <class T>
IfDouble<T> inversePowerOfTwo(T power) {
    std::uint64_t bits;
    std::memcpy(&bits, &power, sizeof bits);
    bits = (2046ull << 52) - bits;
    std::memcpy(&power, &bits, sizeof bits);
    return power;
}

}  // namespace sunder
