#pragma once

#include <algorithm>
#include <cmath>

#include "core/fem/forces.h"
#include "core/fem/wide_matrix.h"
#include "core/math/decompose_wide.h"

/// The elastic laws on four tets at once. The equations are those of core/material, written out for speed; tests hold the two
/// against each other.
namespace sunder {

struct WideParams {
    Wide4d lambda, mu, phi, psi;

    explicit WideParams(const PackMaterial& p)
        : lambda(Wide4d::load(p.lambda)), mu(Wide4d::load(p.mu)), phi(Wide4d::load(p.phi)), psi(Wide4d::load(p.psi)) {}
};

/// Symmetric 3x3: xx, yy, zz, xy, yz, xz.
struct WideSymmetric {
    Wide4d xx, yy, zz, xy, yz, xz;
};

inline WideSymmetric rightCauchyGreen(const WideMat3& f) {
    const auto dotColumns = [&](int i, int j) { return dot3(f(0, i), f(0, j), f(1, i), f(1, j), f(2, i), f(2, j)); };
    return {dotColumns(0, 0), dotColumns(1, 1), dotColumns(2, 2), dotColumns(0, 1), dotColumns(1, 2), dotColumns(0, 2)};
}

inline WideMat3 operator*(const WideMat3& f, const WideSymmetric& s) {
    WideMat3 p;
    for (int i = 0; i < 3; ++i) {
        p(i, 0) = dot3(f(i, 0), s.xx, f(i, 1), s.xy, f(i, 2), s.xz);
        p(i, 1) = dot3(f(i, 0), s.xy, f(i, 1), s.yy, f(i, 2), s.yz);
        p(i, 2) = dot3(f(i, 0), s.xz, f(i, 1), s.yz, f(i, 2), s.zz);
    }
    return p;
}

/// a tr(e) I + 2 b e.
inline WideSymmetric hooke(const WideSymmetric& e, Wide4d a, Wide4d b) {
    const Wide4d t = a * (e.xx + e.yy + e.zz), b2 = b + b;
    return {fma(b2, e.xx, t), fma(b2, e.yy, t), fma(b2, e.zz, t), b2 * e.xy, b2 * e.yz, b2 * e.xz};
}

inline WideSymmetric operator+(const WideSymmetric& a, const WideSymmetric& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.yz + b.yz, a.xz + b.xz};
}

inline WideSymmetric operator*(Wide4d s, const WideSymmetric& a) {
    return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.yz, s * a.xz};
}

inline Wide4d doubleDot(const WideSymmetric& a, const WideSymmetric& b) {
    const Wide4d shear = dot3(a.xy, b.xy, a.yz, b.yz, a.xz, b.xz);
    return dot3(a.xx, b.xx, a.yy, b.yy, a.zz, b.zz) + (shear + shear);
}

/// Rate of the Green strain: the symmetric part of F^T rate.
inline WideSymmetric greenRate(const WideMat3& f, const WideMat3& rate) {
    const auto dotColumns = [&](int i, int j) { return dot3(f(0, i), rate(0, j), f(1, i), rate(1, j), f(2, i), rate(2, j)); };
    const Wide4d half(0.5);
    return {dotColumns(0, 0),
            dotColumns(1, 1),
            dotColumns(2, 2),
            half * (dotColumns(0, 1) + dotColumns(1, 0)),
            half * (dotColumns(1, 2) + dotColumns(2, 1)),
            half * (dotColumns(0, 2) + dotColumns(2, 0))};
}

/// First Piola-Kirchhoff stress of a law; `energy` receives the density. Specialised below, one for each ElasticLawId.
template <ElasticLawId>
WideMat3 elasticStress(const WideParams& p, const WideMat3& f, Wide4d& energy);

/// The second Piola-Kirchhoff stress of the green law.
inline WideSymmetric greenStress(const WideParams& p, const WideMat3& f, Wide4d& energy) {
    const Wide4d half(0.5), one(1.0);
    const WideSymmetric c = rightCauchyGreen(f);
    const WideSymmetric e = {half * (c.xx - one), half * (c.yy - one), half * (c.zz - one), half * c.xy, half * c.yz, half * c.xz};
    const WideSymmetric s = hooke(e, p.lambda, p.mu);
    energy = half * doubleDot(s, e);
    return s;
}

template <>
inline WideMat3 elasticStress<ElasticLawId::kGreen>(const WideParams& p, const WideMat3& f, Wide4d& energy) {
    return f * greenStress(p, f, energy);
}

/// The corotated stress where the rotation is known.
inline WideMat3 corotatedStress(const WideParams& p, const WideMat3& f, const WideMat3& r, Wide4d& energy) {
    const Wide4d trace = doubleDot(r, f) - Wide4d(3.0), lambdaTrace = p.lambda * trace, mu2 = p.mu + p.mu;
    WideMat3 stress, difference;
    for (int k = 0; k < 9; ++k) {
        difference.m[k] = f.m[k] - r.m[k];
        stress.m[k] = mu2 * difference.m[k] + lambdaTrace * r.m[k];
    }
    energy = p.mu * doubleDot(difference, difference) + Wide4d(0.5) * lambdaTrace * trace;
    return stress;
}

template <>
inline WideMat3 elasticStress<ElasticLawId::kCorotated>(const WideParams& p, const WideMat3& f, Wide4d& energy) {
    return corotatedStress(p, f, polar3Wide(f).R, energy);
}

/// alpha/32 (J^4 + J^-4 - 2) + beta/6 (d2^2 - 3 d1), with d2 = tr C and d1 = (d2^2 - C:C)/2.
template <>
inline WideMat3 elasticStress<ElasticLawId::kViscoelastic>(const WideParams& p, const WideMat3& f, Wide4d& energy) {
    const Wide4d alpha = p.lambda + Wide4d(2.0 / 3.0) * p.mu, third(1.0 / 3.0);
    const Wide4d j = determinant(f), j2 = j * j, j4 = j2 * j2;
    WideSymmetric c = rightCauchyGreen(f);
    const Wide4d trace = c.xx + c.yy + c.zz, pull = trace * third;
    // (d2^2 - 3 d1) / 6 = (deviator of C : deviator of C) / 4 keeps its digits near rest
    c.xx -= pull;
    c.yy -= pull;
    c.zz -= pull;
    const Wide4d root = j2 - Wide4d(1.0) / j2;
    const Wide4d barrier = alpha * Wide4d(1.0 / 32.0) * root * root;
    energy = select(j > Wide4d(0.0), barrier + Wide4d(0.25) * p.mu * doubleDot(c, c), Wide4d(HUGE_VAL));
    const Wide4d pressure = alpha * Wide4d(0.125) * (j4 - Wide4d(1.0) / j4) / j;
    const WideMat3 cof = cofactor(f);
    WideMat3 stress = f * c;
    for (int k = 0; k < 9; ++k) stress.m[k] = p.mu * stress.m[k] + pressure * cof.m[k];
    return stress;
}

/// m/2 (I - log((I + 4) / 4)) - 3/4 m (J - 1) + l/2 (J - 1)^2 with I = |F|^2 - 3 and the paper's m, l from the Lame constants.
template <>
inline WideMat3 elasticStress<ElasticLawId::kNeoHookean>(const WideParams& p, const WideMat3& f, Wide4d& energy) {
    const Wide4d m = Wide4d(4.0 / 3.0) * p.mu, l = p.lambda + Wide4d(5.0 / 6.0) * p.mu;
    const Wide4d normSq = doubleDot(f, f), excess = normSq - Wide4d(3.0), volume = determinant(f) - Wide4d(1.0);
    Wide4d logarithm;
    for (int lane = 0; lane < 4; ++lane) logarithm.set(lane, std::log1p(0.25 * excess[lane]));
    energy = Wide4d(0.5) * m * (excess - logarithm) - Wide4d(0.75) * m * volume + Wide4d(0.5) * l * volume * volume;
    const Wide4d tension = m * (Wide4d(1.0) - Wide4d(1.0) / (normSq + Wide4d(1.0))), pressure = l * volume - Wide4d(0.75) * m;
    WideMat3 stress = cofactor(f);
    for (int k = 0; k < 9; ++k) stress.m[k] = tension * f.m[k] + pressure * stress.m[k];
    return stress;
}

/// The second Piola-Kirchhoff stress of viscosity, which is multiplied by the current volume for `viscoelastic`.
template <ElasticLawId kLaw>
WideSymmetric viscousStress(const WideParams& p, const WideMat3& f, const WideSymmetric& strainRate) {
    if constexpr (kLaw == ElasticLawId::kViscoelastic) {
        const Wide4d scale = determinant(f);
        return hooke(strainRate, scale * p.phi, scale * p.psi);
    } else {
        return hooke(strainRate, p.phi, p.psi);
    }
}

/// Sums over the packs of a chunk, lane by lane.
struct LaneTotals {
    Wide4d energy{0.0}, dissipation{0.0}, smallestDetF{1e300};

    void add(const WideMat3& F, Wide4d volume, Wide4d energyDensity) {
        // a filler's energy may be infinite
        energy += select(volume > Wide4d(0.0), volume * energyDensity, Wide4d(0.0));
        smallestDetF = min(smallestDetF, determinant(F));
    }
    ForceTotals sum() const {
        ForceTotals t;
        t.smallestDetF = 1e300;
        for (int l = 0; l < 4; ++l) {
            t.energy += energy[l];
            t.dissipation += dissipation[l];
            t.smallestDetF = std::min(t.smallestDetF, smallestDetF[l]);
        }
        return t;
    }
};

/// -volume P Dm^-T, whose columns are the forces on corners 1 to 3.
inline WideMat3 cornerForces(WideMat3 P, const WideMat3& restInverse, Wide4d volume) {
    const Wide4d factor = -volume;
    for (Wide4d& entry : P.m) entry *= factor;
    return multiplyTransposed(P, restInverse);
}

}  // namespace sunder
