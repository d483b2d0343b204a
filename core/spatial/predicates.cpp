#include "core/spatial/predicates.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sunder {

namespace {
// Expansion arithmetic after Dekker, Knuth, Priest and Shewchuk: an expansion is a list of doubles of
// increasing size that do not overlap; the sign of their sum is the sign of the last nonzero one.
constexpr double kUnit = 0x1.0p-53;
// Bounds of the error of the plain evaluations over the sum of the magnitudes of their terms: 3 and 7 units
// and a little.
constexpr double kBound2d = 4 * kUnit;
constexpr double kBound3d = 8 * kUnit;

template <int Capacity>
struct Expansion {
    std::array<double, Capacity> term;
    int size = 0;
    void push(double value) {
        if (value != 0) term[size++] = value;
    }
};

struct Pair {
    double high, low;
};
Pair twoSum(double a, double b) {
    const double s = a + b, bb = s - a;
    return {s, (a - (s - bb)) + (b - bb)};
}
Pair twoProduct(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
}

/// e + b: b runs through the terms from the smallest up.
template <int N>
void grow(Expansion<N>& e, double b) {
    int kept = 0;
    for (int i = 0; i < e.size; ++i) {
        const Pair s = twoSum(b, e.term[i]);
        b = s.high;
        if (s.low != 0) e.term[kept++] = s.low;
    }
    e.size = kept;
    e.push(b);
}

template <int N, int M>
Expansion<N + M> sum(const Expansion<N>& e, const Expansion<M>& f) {
    Expansion<N + M> out;
    for (int i = 0; i < e.size; ++i) out.term[out.size++] = e.term[i];
    for (int i = 0; i < f.size; ++i) grow(out, f.term[i]);
    return out;
}

template <int N>
Expansion<N> negated(Expansion<N> e) {
    for (int i = 0; i < e.size; ++i) e.term[i] = -e.term[i];
    return e;
}

template <int N, int M>
Expansion<2 * N * M> product(const Expansion<N>& e, const Expansion<M>& f) {
    Expansion<2 * N * M> out;
    for (int i = 0; i < e.size; ++i)
        for (int j = 0; j < f.size; ++j) {
            const Pair p = twoProduct(e.term[i], f.term[j]);
            if (p.low != 0) grow(out, p.low);
            if (p.high != 0) grow(out, p.high);
        }
    return out;
}

Expansion<2> difference(double a, double b) {
    const Pair d = twoSum(a, -b);
    Expansion<2> out;
    out.push(d.low);
    out.push(d.high);
    return out;
}

template <int N>
int signOf(const Expansion<N>& e) {
    return e.size == 0 ? 0 : (e.term[e.size - 1] > 0 ? 1 : -1);
}

/// Power of two that brings the largest coordinate near 1, so that products neither overflow nor underflow.
double scaleFor(double largest) {
    return largest > 0 ? std::ldexp(1.0, -std::max(std::ilogb(largest), -1000)) : 1.0;
}

int exactOrient2d(Vec2 a, Vec2 b, Vec2 c) {
    const double s =
        scaleFor(std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), c.cwiseAbs().maxCoeff()}));
    a *= s, b *= s, c *= s;
    const auto left = product(difference(b[0], a[0]), difference(c[1], a[1]));
    const auto right = product(difference(b[1], a[1]), difference(c[0], a[0]));
    return signOf(sum(left, negated(right)));
}

using Row = std::array<Expansion<2>, 3>;
Expansion<64> minorTimes(const Row& p, const Row& q, const Row& r, int i, int j, int k) {
    return product(sum(product(q[j], r[k]), negated(product(q[k], r[j]))), p[i]);
}

int exactOrient3d(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    const double s = scaleFor(std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(),
                                        c.cwiseAbs().maxCoeff(), d.cwiseAbs().maxCoeff()}));
    a *= s, b *= s, c *= s, d *= s;
    Row p, q, r;
    for (int k = 0; k < 3; ++k) {
        p[k] = difference(b[k], a[k]);
        q[k] = difference(c[k], a[k]);
        r[k] = difference(d[k], a[k]);
    }
    return signOf(
        sum(sum(minorTimes(p, q, r, 0, 1, 2), minorTimes(p, q, r, 1, 2, 0)), minorTimes(p, q, r, 2, 0, 1)));
}
}  // namespace

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
    const double det = left - right, bound = kBound2d * (std::abs(left) + std::abs(right));
    // The lower limit keeps products that lost bits to underflow away from the filter; NaN and infinity fail
    // both tests.
    if (bound > 1e-290 && det > bound) return 1;
    if (bound > 1e-290 && -det > bound) return -1;
    return exactOrient2d(a, b, c);
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 p = b - a, q = c - a, r = d - a;
    const double q0r1 = q[0] * r[1], q1r0 = q[1] * r[0], q1r2 = q[1] * r[2], q2r1 = q[2] * r[1],
                 q2r0 = q[2] * r[0], q0r2 = q[0] * r[2];
    const double det = p[0] * (q1r2 - q2r1) + p[1] * (q2r0 - q0r2) + p[2] * (q0r1 - q1r0);
    const double bound = kBound3d * (std::abs(p[0]) * (std::abs(q1r2) + std::abs(q2r1)) +
                                     std::abs(p[1]) * (std::abs(q2r0) + std::abs(q0r2)) +
                                     std::abs(p[2]) * (std::abs(q0r1) + std::abs(q1r0)));
    if (bound > 1e-290 && det > bound) return 1;
    if (bound > 1e-290 && -det > bound) return -1;
    return exactOrient3d(a, b, c, d);
}

}  // namespace sunder
