#include "core/fem/stability.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/fem/chunk.h"
#include "core/fem/wide_laws.h"

/// A law's stiffness as one number: a bound B(F) of the largest eigenvalue of dP/dF, from the terms of the
/// formulas in core/material, each with its norm. The largest stretch squared, s, and the largest principal
/// stress come from Gershgorin's circles, which are exact without shear. B(F) / B(I) is how much stiffer the
/// tet is than at rest.
///
/// Of plastic tets, `green` in the additive laws has the stress of the elastic part of the strain; all laws in the multiplicative one
/// have F Pi in place of F, and shape function gradients Pi^T g, whose squares are at most the largest eigenvalue of Pi^T Pi longer.
namespace sunder {

namespace {
/// At least the largest eigenvalue.
Wide4d largestEigenvalueBound(const WideSymmetric& a) {
    const Wide4d xy = abs(a.xy), yz = abs(a.yz), xz = abs(a.xz);
    return max(a.xx + xy + xz, max(a.yy + xy + yz, a.zz + xz + yz));
}

Wide4d positivePart(Wide4d a) { return max(a, Wide4d(0.0)); }

WideSymmetric shifted(WideSymmetric a, Wide4d by) {
    a.xx += by;
    a.yy += by;
    a.zz += by;
    return a;
}

WideSymmetric scaled(const WideSymmetric& a, Wide4d by) {
    return {by * a.xx, by * a.yy, by * a.zz, by * a.xy, by * a.yz, by * a.xz};
}

/// (3 lambda + 2 mu) s + S.
Wide4d greenStiffening(const WideParams& p, const WideSymmetric& c, Wide4d s, const WideSymmetric& plastic) {
    const WideSymmetric strain = scaled(shifted(c, Wide4d(-1.0)), Wide4d(0.5)) + Wide4d(-1.0) * plastic;
    const Wide4d rest = Wide4d(3.0) * p.lambda + Wide4d(2.0) * p.mu;
    return s + positivePart(largestEigenvalueBound(hooke(strain, p.lambda, p.mu))) / rest;
}

/// 3 h'' a + |h'| sqrt(s) + 2 mu s + mu dev C, with the largest area stretch squared, a.
Wide4d viscoelasticStiffening(const WideParams& p, const WideMat3& F, const WideSymmetric& c, Wide4d s) {
    const Wide4d bulk = p.lambda + Wide4d(2.0 / 3.0) * p.mu, j = determinant(F), j2 = j * j,
                 inverse = Wide4d(1.0) / j2;
    const Wide4d slope = bulk * Wide4d(0.125) * abs(j * j2 - inverse * inverse / j);
    const Wide4d curvature =
        bulk * Wide4d(0.125) * (Wide4d(3.0) * j2 + Wide4d(5.0) * inverse * inverse * inverse);
    const Wide4d area = largestEigenvalueBound(rightCauchyGreen(cofactor(F)));
    const WideSymmetric deviator = shifted(c, Wide4d(-1.0 / 3.0) * (c.xx + c.yy + c.zz));
    const Wide4d stress = p.mu * positivePart(largestEigenvalueBound(deviator)),
                 rest = Wide4d(3.0) * bulk + Wide4d(2.0) * p.mu;
    return (Wide4d(3.0) * curvature * area + slope * sqrt(s) + Wide4d(2.0) * p.mu * s + stress) / rest;
}

/// tension + (2 l |J - 1| + 3/4 m) sqrt(s) + 3 l a + 3 tensionRate s, with the constants of
/// core/material/neohookean.cpp.
Wide4d neoHookeanStiffening(const WideParams& p, const WideMat3& F, Wide4d s) {
    const Wide4d one(1.0), m = Wide4d(4.0 / 3.0) * p.mu, l = p.lambda + Wide4d(5.0 / 6.0) * p.mu;
    const auto stiffness = [&](Wide4d normSq, Wide4d area, Wide4d j, Wide4d stretchSq) {
        const Wide4d pressure = Wide4d(2.0) * l * abs(j - one) + Wide4d(0.75) * m, more = normSq + one,
                     three(3.0);
        return m * normSq / more + pressure * sqrt(stretchSq) + three * l * area +
               Wide4d(6.0) * m * stretchSq / (more * more);
    };
    const Wide4d area = largestEigenvalueBound(rightCauchyGreen(cofactor(F)));
    return stiffness(doubleDot(F, F), area, determinant(F), s) / stiffness(Wide4d(3.0), one, one, one);
}

/// How much stiffer than at rest; the corotated law has the same stiffness in all shapes, but for terms that
/// soften it.
Wide4d stiffening(ElasticLawId law, const WideParams& p, const WideMat3& F, const WideSymmetric& plastic) {
    const WideSymmetric c = rightCauchyGreen(F);
    const Wide4d s = largestEigenvalueBound(c);
    switch (law) {
        case ElasticLawId::kGreen:
            return greenStiffening(p, c, s, plastic);
        case ElasticLawId::kViscoelastic:
            return viscoelasticStiffening(p, F, c, s);
        case ElasticLawId::kNeoHookean:
            return neoHookeanStiffening(p, F, s);
        case ElasticLawId::kCorotated:
            break;
    }
    return Wide4d(1.0);
}

WideMat3 gatherFlow(const ElementTable& table, std::uint32_t pack, Span<const PlasticState> plastic) {
    WideMat3 flow;
    for (int k = 0; k < 9; ++k)
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const std::int32_t tet = table.packTet[pack][lane];
            flow.m[k].set(static_cast<int>(lane), tet < 0 ? 0 : plastic[static_cast<std::size_t>(tet)].flow.data()[k]);
        }
    return flow;
}

/// How much stiffer than at rest and without flow.
Wide4d stiffeningOf(const ElementTable& table, const ElementChunk& chunk, std::uint32_t pack, const WideMat3& F, Span<const PlasticState> plastic) {
    const WideParams p(materialOf(table, chunk, pack));
    const Wide4d zero(0.0), one(1.0);
    const WideSymmetric none{zero, zero, zero, zero, zero, zero};
    if (chunk.plastic == PlasticLawId::kNone) return stiffening(chunk.law, p, F, none);
    WideMat3 flow = gatherFlow(table, pack, plastic);
    if (chunk.plastic != PlasticLawId::kMultiplicative)
        return stiffening(chunk.law, p, F, {flow(0, 0), flow(1, 1), flow(2, 2), flow(0, 1), flow(1, 2), flow(0, 2)});
    for (int k = 0; k < 3; ++k) flow(k, k) += one;
    return largestEigenvalueBound(rightCauchyGreen(flow)) * max(one, stiffening(chunk.law, p, multiply(F, flow), none));
}

FrequencyBounds chunkBounds(const ElementTable& table, const ElementChunk& chunk, const double* x, Span<const PlasticState> plastic) {
    Wide4d omegaSq(0.0), damping(0.0);
    for (std::uint32_t k = chunk.firstPack; k < chunk.firstPack + chunk.packCount; ++k) {
        const ElementPack& pack = table.packs[k];
        const WideMat3 F = multiply(gatherEdges(x, pack), loadMatrix(pack.restInverse));
        const Wide4d s = largestEigenvalueBound(rightCauchyGreen(F)), one(1.0);
        const Wide4d viscous = chunk.law == ElasticLawId::kViscoelastic ? s * determinant(F) : s;
        omegaSq = max(omegaSq, Wide4d::load(table.packBounds[k].omegaSq) * max(one, stiffeningOf(table, chunk, k, F, plastic)));
        damping = max(damping, Wide4d::load(table.packBounds[k].damping) * max(one, viscous));
    }
    FrequencyBounds bounds;
    for (int lane = 0; lane < 4; ++lane) {
        bounds.omegaSq = std::max(bounds.omegaSq, omegaSq[lane]);
        bounds.damping = std::max(bounds.damping, damping[lane]);
    }
    return bounds;
}
}  // namespace

FrequencyBounds computeFrequencyBounds(const ElementTable& table, Span<const Vec3> x, Span<const PlasticState> plastic) {
    std::vector<FrequencyBounds> parts(table.chunks.size());
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        if (chunk.law != ElasticLawId::kCorotated || chunk.viscous || chunk.plastic != PlasticLawId::kNone)
            parts[c] = chunkBounds(table, chunk, copyToChunk<0>(table, chunk, x), plastic);
    });
    FrequencyBounds bounds{table.largestOmegaSq, table.largestDamping};
    for (const FrequencyBounds& p : parts) {
        bounds.omegaSq = std::max(bounds.omegaSq, p.omegaSq);
        bounds.damping = std::max(bounds.damping, p.damping);
    }
    return bounds;
}

}  // namespace sunder
