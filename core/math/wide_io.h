#pragma once

#include "core/math/wide.h"

namespace sunder {

/// Brings kCount numbers of each of four structures into lanes. The structures stand `stride` numbers apart.
template <int kCount>
void loadFour(const double* first, std::ptrdiff_t stride, Wide4d* out) {
    const double *p0 = first, *p1 = p0 + stride, *p2 = p1 + stride, *p3 = p2 + stride;
    int k = 0;
    for (; k + 4 <= kCount; k += 4) {
        Wide4d a = Wide4d::load(p0 + k), b = Wide4d::load(p1 + k), c = Wide4d::load(p2 + k),
               d = Wide4d::load(p3 + k);
        transpose4(a, b, c, d);
        out[k] = a, out[k + 1] = b, out[k + 2] = c, out[k + 3] = d;
    }
    for (; k < kCount; ++k) out[k] = Wide4d(Wide4d::Vector{p0[k], p1[k], p2[k], p3[k]});
}

/// The way back.
template <int kCount>
void storeFour(const Wide4d* in, double* first, std::ptrdiff_t stride) {
    double *p0 = first, *p1 = p0 + stride, *p2 = p1 + stride, *p3 = p2 + stride;
    int k = 0;
    for (; k + 4 <= kCount; k += 4) {
        Wide4d a = in[k], b = in[k + 1], c = in[k + 2], d = in[k + 3];
        transpose4(a, b, c, d);
        a.store(p0 + k), b.store(p1 + k), c.store(p2 + k), d.store(p3 + k);
    }
    for (; k < kCount; ++k) p0[k] = in[k][0], p1[k] = in[k][1], p2[k] = in[k][2], p3[k] = in[k][3];
}

}  // namespace sunder
