#pragma once

#include "core/fem/wide_matrix.h"

/// Element matrices of Hooke's form on four tets at once.
namespace sunder {

struct PackGradients {
    WideVec3 g[4];
    Wide4d dot[10];  ///< g_i . g_j of the pairs

    explicit PackGradients(const WideMat3& restInverse) {
        for (int k = 0; k < 3; ++k) g[k + 1] = {restInverse(k, 0), restInverse(k, 1), restInverse(k, 2)};
        g[0] = {-(g[1].x + g[2].x + g[3].x), -(g[1].y + g[2].y + g[3].y), -(g[1].z + g[2].z + g[3].z)};
        for (int p = 0; p < 10; ++p) {
            const WideVec3 &a = g[kPackPairs[p][0]], &b = g[kPackPairs[p][1]];
            dot[p] = dot3(a.x, b.x, a.y, b.y, a.z, b.z);
        }
    }
};

/// With q_i = turn g_i, adds (lambda q_i q_j^T + mu q_j q_i^T + mu (g_i.g_j) metric) for all pairs; metric may be null for the identity.
inline void addHooke(WideMat3 (&blocks)[10], const PackGradients& gradients, const WideMat3& turn, const WideMat3* metric, Wide4d lambda,
                     Wide4d mu) {
    WideVec3 q[4];
    for (int i = 0; i < 4; ++i) q[i] = turn * gradients.g[i];
    for (int p = 0; p < 10; ++p) {
        const WideVec3 &a = q[kPackPairs[p][0]], &b = q[kPackPairs[p][1]];
        const Wide4d qi[3] = {a.x, a.y, a.z}, qj[3] = {b.x, b.y, b.z}, shear = mu * gradients.dot[p];
        for (int c = 0; c < 3; ++c) {
            const Wide4d lambdaB = lambda * qj[c], muA = mu * qi[c];
            for (int r = 0; r < 3; ++r) {
                blocks[p](r, c) = fma(qj[r], muA, fma(qi[r], lambdaB, blocks[p](r, c)));
                if (metric) blocks[p](r, c) = fma(shear, (*metric)(r, c), blocks[p](r, c));
            }
            if (!metric) blocks[p](c, c) += shear;
        }
    }
}

}  // namespace sunder
