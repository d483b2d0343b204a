#pragma once

#include "core/math/wide.h"
#include "core/solve/cg_matrix.h"
#include "core/solve/split_matrix.h"

namespace sunder {

/// The vectors of conjugate gradients on a SplitMatrix, four numbers a vertex, and what is done to them range by range.
struct SplitVectors {
    PaddedVector r, p, t, w, y;

    void assign(std::size_t rows) {
        for (PaddedVector* v : {&r, &p, &t, &w, &y}) v->assign(4 * rows, 0.0);
    }
    /// p = r + beta p, and t = E^-T p.
    void turn(const SplitMatrix& split, std::size_t range, double beta) {
        const Wide4d b(beta);
        for (std::size_t i = 4 * split.rangeFirst(range); i < 4 * split.rangeFirst(range + 1); i += 4)
            (Wide4d::load(&r[i]) + b * Wide4d::load(&p[i])).store(&p[i]);
        split.sweepUp(range, p.data(), t.data());
    }
    /// y += alpha p, r -= alpha w; returns r . r.
    double advance(const SplitMatrix& split, std::size_t range, double alpha) {
        const Wide4d a(alpha);
        Wide4d rr(0.0);
        for (std::size_t i = 4 * split.rangeFirst(range); i < 4 * split.rangeFirst(range + 1); i += 4) {
            (Wide4d::load(&y[i]) + a * Wide4d::load(&p[i])).store(&y[i]);
            const Wide4d next = Wide4d::load(&r[i]) - a * Wide4d::load(&w[i]);
            next.store(&r[i]);
            rr += next * next;
        }
        return (rr[0] + rr[1]) + rr[2];
    }
};

}  // namespace sunder
