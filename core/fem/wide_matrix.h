#pragma once

#include "core/fem/element_table.h"
#include "core/math/mat3_wide.h"

namespace sunder {

/// Four 3x3 matrices side by side, column by column: entry (i, j) is m[3 j + i].
using WideMat3 = Mat3w<Wide4d>;
using WideVec3 = Vec3w<Wide4d>;

/// a0 b0 + a1 b1 + a2 b2, with fused sums.
inline Wide4d dot3(Wide4d a0, Wide4d b0, Wide4d a1, Wide4d b1, Wide4d a2, Wide4d b2) { return fma(a2, b2, fma(a1, b1, a0 * b0)); }

/// a * b, with fused sums.
inline WideMat3 multiply(const WideMat3& a, const WideMat3& b) {
    WideMat3 c;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) c(i, j) = dot3(a(i, 0), b(0, j), a(i, 1), b(1, j), a(i, 2), b(2, j));
    return c;
}

/// a * b^T.
inline WideMat3 multiplyTransposed(const WideMat3& a, const WideMat3& b) {
    WideMat3 c;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) c(i, j) = dot3(a(i, 0), b(j, 0), a(i, 1), b(j, 1), a(i, 2), b(j, 2));
    return c;
}

inline WideMat3& operator+=(WideMat3& a, const WideMat3& b) {
    for (int k = 0; k < 9; ++k) a.m[k] += b.m[k];
    return a;
}

inline Wide4d determinant(const WideMat3& a) {
    const auto minor = [&](int i, int j) { return fnma(a(2, i), a(1, j), a(1, i) * a(2, j)); };
    return dot3(a(0, 0), minor(1, 2), a(0, 1), minor(2, 0), a(0, 2), minor(0, 1));
}

/// The cofactor matrix d det(a) / da = det(a) a^-T.
inline WideMat3 cofactor(const WideMat3& a) {
    WideMat3 c;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c(i, j) = fnma(a(i2, j1), a(i1, j2), a(i1, j1) * a(i2, j2));
        }
    return c;
}

inline Wide4d doubleDot(const WideMat3& a, const WideMat3& b) {
    Wide4d sum = a.m[0] * b.m[0];
    for (int k = 1; k < 9; ++k) sum = fma(a.m[k], b.m[k], sum);
    return sum;
}

inline WideMat3 loadMatrix(const double (&columns)[9][4]) {
    WideMat3 a;
    for (int k = 0; k < 9; ++k) a.m[k] = Wide4d::load(columns[k]);
    return a;
}

/// Four vectors of four doubles (x, y, z, unused), turned so that each lane has one.
inline WideVec3 gatherVectors(const double* local, const std::uint16_t (&vertex)[4]) {
    using V = Wide4d::Vector;
    using Half = detail::VectorOf<double, 2>::Type;
    // halves of two lanes side by side come straight from memory, which leaves three shuffles
    const auto pair = [local](std::uint16_t low, std::uint16_t high, int offset) {
        Half a, b;
        __builtin_memcpy(&a, local + 4 * low + offset, sizeof(Half));
        __builtin_memcpy(&b, local + 4 * high + offset, sizeof(Half));
        return __builtin_shufflevector(a, b, 0, 1, 2, 3);
    };
    const V ac = pair(vertex[0], vertex[2], 0), bd = pair(vertex[1], vertex[3], 0);
    const V acZ = pair(vertex[0], vertex[2], 2), bdZ = pair(vertex[1], vertex[3], 2);
    return {Wide4d(__builtin_shufflevector(ac, bd, 0, 4, 2, 6)), Wide4d(__builtin_shufflevector(ac, bd, 1, 5, 3, 7)),
            Wide4d(__builtin_shufflevector(acZ, bdZ, 0, 4, 2, 6))};
}

/// Adds lane l of `f` to the local vector at kStride * index[l], lane after lane.
template <int kStride>
void scatterAdd(double* local, const std::uint16_t (&index)[4], const WideVec3& f) {
    using V = Wide4d::Vector;
    const V zero{};
    const V xy0 = __builtin_shufflevector(f.x.v, f.y.v, 0, 4, 2, 6), xy1 = __builtin_shufflevector(f.x.v, f.y.v, 1, 5, 3, 7);
    const V z0 = __builtin_shufflevector(f.z.v, zero, 0, 4, 2, 6), z1 = __builtin_shufflevector(f.z.v, zero, 1, 5, 3, 7);
    const V lanes[4] = {__builtin_shufflevector(xy0, z0, 0, 1, 4, 5), __builtin_shufflevector(xy1, z1, 0, 1, 4, 5),
                        __builtin_shufflevector(xy0, z0, 2, 3, 6, 7), __builtin_shufflevector(xy1, z1, 2, 3, 6, 7)};
    for (int l = 0; l < 4; ++l) {
        double* p = local + kStride * index[l];
        Wide4d(Wide4d::load(p).v + lanes[l]).store(p);
    }
}

/// Edges from corner 0 to the others, as columns.
inline WideMat3 gatherEdges(const double* local, const ElementPack& pack) {
    const WideVec3 origin = gatherVectors(local, pack.vertex[0]);
    WideMat3 edges;
    for (int k = 0; k < 3; ++k) {
        const WideVec3 corner = gatherVectors(local, pack.vertex[k + 1]);
        edges(0, k) = corner.x - origin.x;
        edges(1, k) = corner.y - origin.y;
        edges(2, k) = corner.z - origin.z;
    }
    return edges;
}

/// Adds the corner forces of H = -volume P Dm^-T: its columns at corners 1 to 3 and minus their sum at corner 0.
inline void scatterForces(double* local, const ElementPack& pack, const WideMat3& h) {
    for (int k = 0; k < 3; ++k) scatterAdd<4>(local, pack.vertex[k + 1], {h(0, k), h(1, k), h(2, k)});
    scatterAdd<4>(local, pack.vertex[0],
               {-(h(0, 0) + h(0, 1) + h(0, 2)), -(h(1, 0) + h(1, 1) + h(1, 2)), -(h(2, 0) + h(2, 1) + h(2, 2))});
}

}  // namespace sunder
