#pragma once

#include "core/fem/wide_hooke.h"
#include "core/fem/wide_laws.h"

/// Flow of the Green strain on four tets at once, without the limit. The equations are those of core/material/strain_flow.h; tests hold the two
/// against each other.
namespace sunder {

struct WideStrainFlow {
    Wide4d yield{0.0}, limit{0.0};
    Wide4d slope{0.0};  ///< of the resistance to flow: 1 / (rate dt) of creep, 0 otherwise
    WideSymmetric before{Wide4d(0.0), Wide4d(0.0), Wide4d(0.0), Wide4d(0.0), Wide4d(0.0), Wide4d(0.0)};
};

inline WideSymmetric minus(const WideSymmetric& a, const WideSymmetric& b) { return a + Wide4d(-1.0) * b; }

/// Where flow ends.
struct WideStrainReturn {
    WideSymmetric strain, plastic, pull;  ///< E, Q and e - Q0
    Wide4d trace, norm, elastic, distance, share;
    bool limited;  ///< some tet would pass the limit: nothing here counts

    WideStrainReturn(const WideStrainFlow& flow, const WideMat3& F, bool flows) {
        const Wide4d zero(0.0), one(1.0), half(0.5);
        const WideSymmetric c = rightCauchyGreen(F);
        strain = {half * (c.xx - one), half * (c.yy - one), half * (c.zz - one), half * c.xy, half * c.yz, half * c.xz};
        trace = strain.xx + strain.yy + strain.zz;
        const Wide4d mean = trace * Wide4d(1.0 / 3.0);
        pull = minus(strain, flow.before);
        pull.xx -= mean;
        pull.yy -= mean;
        pull.zz -= mean;
        norm = sqrt(doubleDot(pull, pull));
        const auto yields = (norm > flow.yield) & ((flows ? flow.limit : zero) > zero);
        elastic = select(yields, max(flow.yield, norm * flow.slope / (one + flow.slope)), norm);
        distance = norm - elastic;
        share = select(yields, distance / norm, zero);
        plastic = flow.before + share * pull;
        limited = (yields & (doubleDot(plastic, plastic) > flow.limit * flow.limit)).any();
    }
    /// dQ/de = share 1 + this times the square of the unit pull.
    Wide4d factor(const WideStrainFlow& flow) const {
        const auto atYield = (share > Wide4d(0.0)) & (elastic <= flow.yield);
        return select(atYield, elastic / norm, Wide4d(0.0));
    }
    WideSymmetric stress(const WideParams& p) const {
        WideSymmetric S = (p.mu + p.mu) * minus(strain, plastic);
        const Wide4d pressure = p.lambda * trace;
        S.xx += pressure;
        S.yy += pressure;
        S.zz += pressure;
        return S;
    }
    Wide4d energy(const WideParams& p) const {
        const WideSymmetric e = minus(strain, plastic);
        return Wide4d(0.5) * p.lambda * trace * trace + p.mu * doubleDot(e, e);
    }
    Wide4d potential(const WideParams& p, const WideStrainFlow& flow) const {
        const auto creeps = flow.slope * distance > flow.yield;
        const Wide4d crept = Wide4d(0.5) * (flow.slope * distance * distance + flow.yield * flow.yield / flow.slope);
        return (p.mu + p.mu) * select(creeps, crept, flow.yield * distance);
    }
    Wide4d dissipated(const WideParams& p) const { return (p.mu + p.mu) * elastic * distance; }
};

/// The stress without what presses.
inline WideSymmetric pullingPart(const WideSymmetric& S) {
    const Wide4d zero(0.0);
    const WideMat3 whole{{S.xx, S.xy, S.xz, S.xy, S.yy, S.yz, S.xz, S.yz, S.zz}};
    const Eigen3w<Wide4d> eigen = symmetricEigen3Wide(whole);
    const WideMat3 kept =
        symmetricFromSpectrum(eigen.vectors, WideVec3{max(eigen.values.x, zero), max(eigen.values.y, zero), max(eigen.values.z, zero)});
    return {kept(0, 0), kept(1, 1), kept(2, 2), kept(1, 0), kept(2, 1), kept(2, 0)};
}

inline WideVec3 operator*(const WideSymmetric& s, const WideVec3& v) {
    return {dot3(s.xx, v.x, s.xy, v.y, s.xz, v.z), dot3(s.xy, v.x, s.yy, v.y, s.yz, v.z), dot3(s.xz, v.x, s.yz, v.y, s.zz, v.z)};
}

/// Adds the projected stiffness: Hooke's form with the moduli that flow leaves, minus what flows along the pull, plus the pulling stress.
inline void addStrainFlowStiffness(WideMat3 (&blocks)[10], const WideParams& p, const WideStrainFlow& flow, const WideStrainReturn& end,
                                   const WideMat3& F, const PackGradients& gradients, Wide4d volume) {
    const WideMat3 metric = multiplyTransposed(F, F);
    addHooke(blocks, gradients, F, &metric, volume * (p.lambda + Wide4d(2.0 / 3.0) * p.mu * end.share), volume * p.mu * (Wide4d(1.0) - end.share));
    const WideSymmetric S = pullingPart(end.stress(p));
    const Wide4d along = Wide4d(-2.0) * volume * p.mu * end.factor(flow) / max(end.norm * end.norm, Wide4d(1e-300));
    WideVec3 w[4], s[4];
    for (int i = 0; i < 4; ++i) {
        w[i] = F * (end.pull * gradients.g[i]);
        s[i] = S * gradients.g[i];
    }
    for (int k = 0; k < 10; ++k) {
        const int i = kPackPairs[k][0], j = kPackPairs[k][1];
        const Wide4d wi[3] = {w[i].x, w[i].y, w[i].z}, wj[3] = {along * w[j].x, along * w[j].y, along * w[j].z};
        const Wide4d turn = volume * dot3(gradients.g[i].x, s[j].x, gradients.g[i].y, s[j].y, gradients.g[i].z, s[j].z);
        for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < 3; ++r) blocks[k](r, c) = fma(wi[r], wj[c], blocks[k](r, c));
            blocks[k](c, c) += turn;
        }
    }
}

}  // namespace sunder
