#pragma once

#include "core/fem/wide_laws.h"
#include "core/material/corotated.h"

/// The projected stiffness of the elastic laws on four tets at once. The equations are those of core/material, see
/// StretchStiffness there; tests hold the two against each other.
namespace sunder {

/// As StretchStiffness, one a lane.
struct WideStretchStiffness {
    WideSymmetric stretch;
    Wide4d flip[3], twist[3];
};

/// Of the stretches s. Specialised below, one for each ElasticLawId.
template <ElasticLawId>
WideStretchStiffness stretchStiffness(const WideParams& p, const WideVec3& s);

template <>
inline WideStretchStiffness stretchStiffness<ElasticLawId::kGreen>(const WideParams& p, const WideVec3& s) {
    const Wide4d xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z, xy = s.x * s.y, yz = s.y * s.z, xz = s.x * s.z;
    const Wide4d pressure = Wide4d(0.5) * p.lambda * (xx + yy + zz - Wide4d(3.0)) - p.mu, axial = p.lambda + Wide4d(3.0) * p.mu;
    return {{axial * xx + pressure, axial * yy + pressure, axial * zz + pressure, p.lambda * xy, p.lambda * yz, p.lambda * xz},
            {pressure + p.mu * (yy + yz + zz), pressure + p.mu * (zz + xz + xx), pressure + p.mu * (xx + xy + yy)},
            {pressure + p.mu * (yy - yz + zz), pressure + p.mu * (zz - xz + xx), pressure + p.mu * (xx - xy + yy)}};
}

template <>
inline WideStretchStiffness stretchStiffness<ElasticLawId::kCorotated>(const WideParams& p, const WideVec3& s) {
    const Wide4d mu2 = p.mu + p.mu, turning = Wide4d(2.0) * p.lambda * (s.x + s.y + s.z - Wide4d(3.0)) - (mu2 + mu2);
    const auto twist = [&](Wide4d a, Wide4d b) { return mu2 + turning / max(a + b, Wide4d(kSmallestStretchSum)); };
    const Wide4d axial = p.lambda + mu2;
    return {{axial, axial, axial, p.lambda, p.lambda, p.lambda},
            {mu2, mu2, mu2},
            {twist(s.y, s.z), twist(s.z, s.x), twist(s.x, s.y)}};
}

template <>
inline WideStretchStiffness stretchStiffness<ElasticLawId::kViscoelastic>(const WideParams& p, const WideVec3& s) {
    const Wide4d bulk = p.lambda + Wide4d(2.0 / 3.0) * p.mu, j = s.x * s.y * s.z, j2 = j * j, inverse = Wide4d(1.0) / j2;
    const Wide4d pressure = bulk * Wide4d(0.125) * (j2 - inverse) * (j + inverse / j);
    const Wide4d pressureRate = bulk * Wide4d(0.125) * (Wide4d(3.0) * j2 + Wide4d(5.0) * inverse * inverse * inverse);
    const Wide4d xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z, xy = s.x * s.y, yz = s.y * s.z, xz = s.x * s.z;
    const Wide4d mean = (xx + yy + zz) * Wide4d(1.0 / 3.0), deviator = Wide4d(2.0 / 3.0) * p.mu;
    const auto axial = [&](Wide4d own, Wide4d area) { return pressureRate * area * area + p.mu * (Wide4d(7.0 / 3.0) * own - mean); };
    const auto cross = [&](Wide4d areas, Wide4d pair, Wide4d other) { return pressureRate * areas - deviator * pair + pressure * other; };
    const auto flip = [&](Wide4d aa, Wide4d ab, Wide4d bb, Wide4d c) { return p.mu * (aa + ab + bb - mean) - pressure * c; };
    const auto twist = [&](Wide4d aa, Wide4d ab, Wide4d bb, Wide4d c) { return p.mu * (aa - ab + bb - mean) + pressure * c; };
    return {{axial(xx, yz), axial(yy, xz), axial(zz, xy), cross(yz * xz, xy, s.z), cross(xz * xy, yz, s.x), cross(yz * xy, xz, s.y)},
            {flip(yy, yz, zz, s.x), flip(zz, xz, xx, s.y), flip(xx, xy, yy, s.z)},
            {twist(yy, yz, zz, s.x), twist(zz, xz, xx, s.y), twist(xx, xy, yy, s.z)}};
}

template <>
inline WideStretchStiffness stretchStiffness<ElasticLawId::kNeoHookean>(const WideParams& p, const WideVec3& s) {
    const Wide4d m = Wide4d(4.0 / 3.0) * p.mu, l = p.lambda + Wide4d(5.0 / 6.0) * p.mu;
    const Wide4d xy = s.x * s.y, yz = s.y * s.z, xz = s.x * s.z;
    const Wide4d normSq = s.x * s.x + s.y * s.y + s.z * s.z, next = normSq + Wide4d(1.0);
    const Wide4d tension = m * normSq / next, rate = (m + m) / (next * next);
    const Wide4d pressure = l * (xy * s.z - Wide4d(1.0)) - Wide4d(0.75) * m;
    const auto axial = [&](Wide4d own, Wide4d area) { return rate * own * own + l * area * area + tension; };
    const auto cross = [&](Wide4d areas, Wide4d pair, Wide4d other) { return rate * pair + l * areas + pressure * other; };
    const Wide4d px = pressure * s.x, py = pressure * s.y, pz = pressure * s.z;
    return {{axial(s.x, yz), axial(s.y, xz), axial(s.z, xy), cross(yz * xz, xy, s.z), cross(xz * xy, yz, s.x), cross(yz * xy, xz, s.y)},
            {tension - px, tension - py, tension - pz},
            {tension + px, tension + py, tension + pz}};
}

/// The nearest positive semi-definite one.
inline void clampPositive(WideStretchStiffness& k) {
    const Wide4d zero(0.0);
    for (int axis = 0; axis < 3; ++axis) {
        k.flip[axis] = max(k.flip[axis], zero);
        k.twist[axis] = max(k.twist[axis], zero);
    }
    WideSymmetric& s = k.stretch;
    // by the signs of the leading minors
    const WideMat3 whole{{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
    const auto positive = (s.xx > zero) & (s.xx * s.yy > s.xy * s.xy) & (determinant(whole) > zero);
    if (positive.all()) return;
    const Eigen3w<Wide4d> eigen = symmetricEigen3Wide(whole);
    const WideMat3 kept = symmetricFromSpectrum(
        eigen.vectors, WideVec3{max(eigen.values.x, zero), max(eigen.values.y, zero), max(eigen.values.z, zero)});
    s = {select(positive, s.xx, kept(0, 0)), select(positive, s.yy, kept(1, 1)), select(positive, s.zz, kept(2, 2)),
         select(positive, s.xy, kept(1, 0)), select(positive, s.yz, kept(2, 1)), select(positive, s.xz, kept(2, 0))};
}

/// Adds the element matrix's blocks. In the frames of the singular vectors, with h = V^T g, block (i, j) is U B U^T where
/// B[r, r] = S[r, r] h_i[r] h_j[r] + sum over a != r of (flip + twist)/2 h_i[a] h_j[a] and, for r != c,
/// B[r, c] = S[r, c] h_i[r] h_j[c] + (flip - twist)/2 h_i[c] h_j[r], flip and twist being those of the pair of axes.
/// The gradients sum to zero, so the blocks of corner 0 are minus the sums of the others.
inline void addStretchStiffness(WideMat3 (&blocks)[10], const Svd3w<Wide4d>& svd, const WideStretchStiffness& k, const WideMat3& restInverse,
                                Wide4d volume) {
    const Wide4d half = Wide4d(0.5) * volume;
    Wide4d equal[3], swapped[3], h[3][3];
    for (int axis = 0; axis < 3; ++axis) {
        equal[axis] = half * (k.flip[axis] + k.twist[axis]);
        swapped[axis] = half * (k.flip[axis] - k.twist[axis]);
    }
    const WideSymmetric& s = k.stretch;
    const Wide4d axial[3] = {volume * s.xx, volume * s.yy, volume * s.zz};
    const Wide4d cross[3] = {volume * s.yz, volume * s.xz, volume * s.xy};  // by the third axis
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a)
            h[i][a] = svd.V(0, a) * restInverse(i, 0) + svd.V(1, a) * restInverse(i, 1) + svd.V(2, a) * restInverse(i, 2);

    // blocks (1,1), (2,2), (3,3), (1,2), (1,3), (2,3), and their places among kPackPairs
    constexpr int kPairs[6][3] = {{0, 0, 1}, {1, 1, 2}, {2, 2, 3}, {0, 1, 7}, {0, 2, 8}, {1, 2, 9}};
    WideMat3 own[6];
    for (int p = 0; p < 6; ++p) {
        const Wide4d *hi = h[kPairs[p][0]], *hj = h[kPairs[p][1]];
        WideMat3 B;
        for (int r = 0; r < 3; ++r) {
            const int a = (r + 1) % 3, b = (r + 2) % 3;
            B(r, r) = axial[r] * (hi[r] * hj[r]) + (equal[b] * (hi[a] * hj[a]) + equal[a] * (hi[b] * hj[b]));
            B(a, b) = cross[r] * (hi[a] * hj[b]) + swapped[r] * (hi[b] * hj[a]);
            B(b, a) = cross[r] * (hi[b] * hj[a]) + swapped[r] * (hi[a] * hj[b]);
        }
        own[p] = svd.U * multiplyTransposed(B, svd.U);
        blocks[kPairs[p][2]] += own[p];
    }
    // column sums over the corners 1 to 3 of the blocks of corners j = 1, 2, 3; (j, i) is the transpose of (i, j)
    constexpr int kColumns[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int j = 0; j < 3; ++j)
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r) {
                Wide4d sum(0.0);
                for (int i = 0; i < 3; ++i) sum += i > j ? own[kColumns[j][i]](c, r) : own[kColumns[j][i]](r, c);
                blocks[4 + j](r, c) -= sum;
                blocks[0](r, c) += sum;
            }
}

template <ElasticLawId kLaw>
void addProjected(WideMat3 (&blocks)[10], const WideParams& params, const WideMat3& F, const WideMat3& restInverse, Wide4d volume) {
    const Svd3w<Wide4d> svd = svd3Wide(F);
    WideStretchStiffness k = stretchStiffness<kLaw>(params, svd.sigma);
    clampPositive(k);
    addStretchStiffness(blocks, svd, k, restInverse, volume);
}

}  // namespace sunder
