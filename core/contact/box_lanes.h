#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/wide.h"
#include "core/spatial/aabb.h"

namespace sunder {

/// A box in single precision that holds the box it was made from: half the memory traffic of a traversal, and
/// eight boxes in one register.
struct FloatBox {
    float lower[3] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::infinity()};
    float upper[3] = {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()};

    void extend(const FloatBox& b) {
        for (int k = 0; k < 3; ++k) {
            lower[k] = std::min(lower[k], b.lower[k]);
            upper[k] = std::max(upper[k], b.upper[k]);
        }
    }
    bool operator==(const FloatBox& b) const {
        for (int k = 0; k < 3; ++k)
            if (lower[k] != b.lower[k] || upper[k] != b.upper[k]) return false;
        return true;
    }
    bool operator!=(const FloatBox& b) const { return !(*this == b); }
    /// How likely the box is to be met, up to a factor: half the perimeter, squared. Unlike the surface area
    /// it does not vanish for flat boxes and needles.
    float measure() const {
        const float sum = (upper[0] - lower[0]) + (upper[1] - lower[1]) + (upper[2] - lower[2]);
        return sum > 0 ? sum * sum : 0;
    }
};

/// A box with a lane for every direction and one to spare: two are compared at once.
struct TightBox {
    Wide<double, 4> lower, upper;
};

/// The nearest floats are off by 2^-24 of the value; twice that (and the smallest normal number near zero)
/// leaves no doubt, also where denormal numbers are flushed.
inline float roundedDown(double x) {
    const float f = static_cast<float>(x);
    return f - (std::abs(f) * 0x1p-23f + std::numeric_limits<float>::min());
}
inline float roundedUp(double x) { return -roundedDown(-x); }

/// `box` relative to `origin`, rounded outward.
inline FloatBox floatBox(const Aabb& box, const Vec3& origin) {
    FloatBox f;
    for (int k = 0; k < 3; ++k) {
        f.lower[k] = roundedDown(box.lower[k] - origin[k]);
        f.upper[k] = roundedUp(box.upper[k] - origin[k]);
    }
    return f;
}

/// What moves boxes from one origin to another. Holds a margin for the rounding of the sums.
struct FrameShift {
    float lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};

    FloatBox apply(const FloatBox& b) const {
        FloatBox f;
        for (int k = 0; k < 3; ++k) {
            f.lower[k] = b.lower[k] + lower[k];
            f.upper[k] = b.upper[k] + upper[k];
        }
        return f;
    }
};

/// Eight boxes side by side; free lanes are empty and overlap nothing.
struct alignas(32) BoxLanes {
    static constexpr int kLanes = 8;
    float lower[3][kLanes], upper[3][kLanes];

    BoxLanes() {
        for (int lane = 0; lane < kLanes; ++lane) set(lane, FloatBox{});
    }
    void set(int lane, const FloatBox& b) {
        for (int k = 0; k < 3; ++k) {
            lower[k][lane] = b.lower[k];
            upper[k][lane] = b.upper[k];
        }
    }
    FloatBox get(int lane) const {
        FloatBox b;
        for (int k = 0; k < 3; ++k) {
            b.lower[k] = lower[k][lane];
            b.upper[k] = upper[k][lane];
        }
        return b;
    }
    FloatBox hull() const;
    /// Sum of the lanes' measures.
    double measure() const;
    BoxLanes shifted(const FrameShift& shift) const;
};

namespace detail {
/// The smallest of eight numbers.
inline float smallest(Wide8f w) {
    w = min(w, Wide8f(Wide8f::Vector(__builtin_shufflevector(w.v, w.v, 4, 5, 6, 7, 0, 1, 2, 3))));
    w = min(w, Wide8f(Wide8f::Vector(__builtin_shufflevector(w.v, w.v, 2, 3, 0, 1, 6, 7, 4, 5))));
    return std::min(w[0], w[1]);
}
}  // namespace detail

inline FloatBox BoxLanes::hull() const {
    FloatBox b;
    for (int k = 0; k < 3; ++k) {
        b.lower[k] = detail::smallest(Wide8f::load(lower[k]));
        b.upper[k] = -detail::smallest(-Wide8f::load(upper[k]));
    }
    return b;
}

inline double BoxLanes::measure() const {
    Wide8f sum = Wide8f::load(upper[0]) - Wide8f::load(lower[0]);
    for (int k = 1; k < 3; ++k) sum = sum + (Wide8f::load(upper[k]) - Wide8f::load(lower[k]));
    sum = select(sum > Wide8f(0), sum * sum, Wide8f(0));
    double total = 0;
    for (int lane = 0; lane < kLanes; ++lane) total += static_cast<double>(sum[lane]);
    return total;
}

inline BoxLanes BoxLanes::shifted(const FrameShift& shift) const {
    BoxLanes lanes;
    for (int k = 0; k < 3; ++k) {
        (Wide8f::load(lower[k]) + Wide8f(shift.lower[k])).store(lanes.lower[k]);
        (Wide8f::load(upper[k]) + Wide8f(shift.upper[k])).store(lanes.upper[k]);
    }
    return lanes;
}

/// Puts four boxes relative to `origin` and rounded outward into lanes first .. first + 3: what floatBox
/// does, number by number.
inline void setFourLanes(BoxLanes& lanes, int first, const Aabb* const* boxes, const Vec3& origin) {
    using Four = Wide<float, 4>;
    static_assert(sizeof(Aabb) == 6 * sizeof(double));
    Wide4d low[4], high[4];  // x, y, z of lower and x of upper; z of lower and x, y, z of upper
    for (int b = 0; b < 4; ++b) {
        const auto* p = reinterpret_cast<const double*>(boxes[b]);
        low[b] = Wide4d::load(p);
        high[b] = Wide4d::load(p + 2);
    }
    transpose4(low[0], low[1], low[2], low[3]);
    transpose4(high[0], high[1], high[2], high[3]);
    const auto down = [](Wide4d x) {
        const Four f(__builtin_convertvector(x.v, Four::Vector));
        return f - (abs(f) * Four(0x1p-23f) + Four(std::numeric_limits<float>::min()));
    };
    for (int k = 0; k < 3; ++k) {
        down(low[k] - Wide4d(origin[k])).store(lanes.lower[k] + first);
        (-down(-(high[k + 1] - Wide4d(origin[k])))).store(lanes.upper[k] + first);
    }
}

/// One bit a lane.
inline unsigned laneBits(WideMask<float, 8> mask) {
#ifdef __AVX__
    return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask.m));
#else
    unsigned bits = 0;
    for (int lane = 0; lane < 8; ++lane) bits |= (mask.m[lane] & 1u) << lane;
    return bits;
#endif
}

/// Bits of the lanes that overlap `box`; touching counts.
inline unsigned overlapping(const BoxLanes& lanes, const FloatBox& box) {
    auto mask = Wide8f::load(lanes.lower[0]) <= Wide8f(box.upper[0]);
    mask = mask & (Wide8f(box.lower[0]) <= Wide8f::load(lanes.upper[0]));
    for (int k = 1; k < 3; ++k) {
        mask = mask & (Wide8f::load(lanes.lower[k]) <= Wide8f(box.upper[k]));
        mask = mask & (Wide8f(box.lower[k]) <= Wide8f::load(lanes.upper[k]));
    }
    return laneBits(mask);
}

}  // namespace sunder
