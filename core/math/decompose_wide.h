#pragma once

#include "core/math/mat3_wide.h"

/// Decompositions of 3x3 matrices without branches and without iteration, for Wide<double, N> and for double.
/// A lane's result depends on that lane alone, and has the bits of the double version.
///
/// An eigenvector of the symmetric A comes from the trigonometric solution of its cubic, but only the one
/// whose eigenvalue lies farthest from the others: after a shift and a scale, B = (A - q I) / p has trace 0
/// and |B|^2 = 6, its characteristic polynomial is b^3 - 3 b - 2 r with r = det B / 2 in [-1, 1], and for r
/// >= 0 the largest root lies in [sqrt 3, 2], at least sqrt 3 away from the two others (for r < 0 the
/// smallest: take -B). There everything is well conditioned, equal eigenvalues included. The other two live
/// in the plane across it, where the 2x2 problem is solved exactly. The singular value decomposition uses A =
/// F^T F for that one vector alone, and F itself for all the rest, so small singular values are not squared
/// away.
namespace sunder {

template <class W>
struct Svd3w {
    Mat3w<W> U;      ///< rotation
    Vec3w<W> sigma;  ///< descending in magnitude; z has the sign of det F, the others are not negative
    Mat3w<W> V;      ///< rotation
};
template <class W>
struct Polar3w {
    Mat3w<W> R;  ///< rotation, also where det F < 0
    Mat3w<W> S;  ///< symmetric; its smallest eigenvalue has the sign of det F
};
template <class W>
struct Eigen3w {
    Vec3w<W> values;   ///< descending
    Mat3w<W> vectors;  ///< rotation, one vector a column
};

namespace detail {

template <class W>
struct Symmetric3w {
    W xx, yy, zz, xy, xz, yz;
};

/// A power of two that brings the largest entry to about 1 (2^-52 at least, for denormal input), and its
/// inverse.
template <class W>
struct PowerScale {
    W scale, inverse;
    explicit PowerScale(W largest)
        : scale(floorPowerOfTwo(min(max(largest, W(0x1p-1022)), W(0x1p1022)))),
          inverse(inversePowerOfTwo(scale)) {}
};

/// 2 cos(acos(r) / 3) for r in [0, 1], the largest root of b^3 - 3 b - 2 r: a Chebyshev fit (error 4e-9) and
/// one Newton step.
template <class W>
W largestRoot(W r) {
    const W t = r + r - W(1.0), t2 = t * t, t4 = t2 * t2;
    const W low = (W(1.879385241571817) + W(0.13164359124661631) * t) +
                  (W(-0.012862821328625656) + W(0.0022136186308107223) * t) * t2;
    const W high = (W(-0.00046737861762717137) + W(0.00010873601407171109) * t) +
                   (W(-2.7270985541684288e-05) + W(8.647501121888328e-06) * t) * t2 +
                   W(-2.366048271874711e-06) * t4;
    const W b = low + high * t4, b2 = b * b;
    return b - (b * (b2 - W(3.0)) - (r + r)) / (W(3.0) * b2 - W(3.0));
}

/// The eigenvector of an eigenvalue b of B that is simple and far from the others. The adjugate of B - b I is
/// a multiple of v v^T; its column with the largest diagonal entry is the best conditioned.
template <class W>
Vec3w<W> isolatedVector(const Symmetric3w<W>& B, W b) {
    const W xx = B.xx - b, yy = B.yy - b, zz = B.zz - b;
    const W axx = yy * zz - B.yz * B.yz, ayy = xx * zz - B.xz * B.xz, azz = xx * yy - B.xy * B.xy;
    const W axy = B.xz * B.yz - B.xy * zz, axz = B.xy * B.yz - B.xz * yy, ayz = B.xy * B.xz - B.yz * xx;
    const auto xOverY = axx > ayy;
    Vec3w<W> v = select(xOverY, Vec3w<W>{axx, axy, axz}, Vec3w<W>{axy, ayy, ayz});
    v = select(azz >= max(axx, ayy), Vec3w<W>{axz, ayz, azz}, v);
    return v / sqrt(dot(v, v));
}

template <class W>
struct Isolated {
    Vec3w<W> vector;
    W sign;  ///< 1: its eigenvalue is the largest, -1: the smallest
};

template <class W>
Isolated<W> isolatedEigenvector(const Symmetric3w<W>& A) {
    const W third(1.0 / 3.0);
    const W q = (A.xx + A.yy + A.zz) * third;
    Symmetric3w<W> B{A.xx - q, A.yy - q, A.zz - q, A.xy, A.xz, A.yz};
    // where A is nearly a multiple of I, the rounding of q would leave B with a trace as large as itself
    const W rest = (B.xx + B.yy + B.zz) * third;
    B.xx -= rest, B.yy -= rest, B.zz -= rest;
    const W offDiagonal = B.xy * B.xy + B.xz * B.xz + B.yz * B.yz;
    const W pSq = (B.xx * B.xx + B.yy * B.yy + B.zz * B.zz + (offDiagonal + offDiagonal)) * W(1.0 / 6.0);
    // a multiple of I leaves B = 0, for which any vector is right and the formulas below give e_z
    const W inverseP = select(pSq > W(1e-120), W(1.0) / sqrt(pSq), W(0.0));
    B = {B.xx * inverseP, B.yy * inverseP, B.zz * inverseP,
         B.xy * inverseP, B.xz * inverseP, B.yz * inverseP};
    const W det = B.xx * (B.yy * B.zz - B.yz * B.yz) - B.xy * (B.xy * B.zz - B.yz * B.xz) +
                  B.xz * (B.xy * B.yz - B.yy * B.xz);
    const W sign = copysign(W(1.0), det);
    B = {B.xx * sign, B.yy * sign, B.zz * sign, B.xy * sign, B.xz * sign, B.yz * sign};
    return {isolatedVector(B, largestRoot(min(abs(det) * W(0.5), W(1.0)))), sign};
}

/// Two unit vectors with p x q = n, for a unit vector n.
template <class W>
struct Plane {
    Vec3w<W> p, q;
    explicit Plane(const Vec3w<W>& n) {
        const W s = copysign(W(1.0), n.z);
        const W a = W(-1.0) / (s + n.z), b = n.x * n.y * a;
        p = {W(1.0) + s * n.x * n.x * a, s * b, -s * n.x};
        q = {b, s + n.y * n.y * a, -n.y};
    }
    /// The vectors turned by an angle inside the plane.
    Vec3w<W> turnedP(W cosine, W sine) const { return p * cosine + q * sine; }
    Vec3w<W> turnedQ(W cosine, W sine) const { return q * cosine - p * sine; }
};

/// Cosine and sine of an angle, as a unit complex number.
template <class W>
struct Angle {
    W c, s;

    /// Of the vector (x, y); zero where that is too short for its square.
    static Angle of(W x, W y, W length) {
        const auto usable = length > W(1e-140);
        const W inverse = W(1.0) / select(usable, length, W(1.0));
        return {select(usable, x * inverse, W(1.0)), select(usable, y * inverse, W(0.0))};
    }
    /// Half of it, or that plus a half turn.
    Angle half() const {
        const W large = sqrt(W(0.5) + W(0.5) * abs(c));
        const W small = W(0.5) * s / large;
        const auto acute = c >= W(0.0);
        return {select(acute, large, small), select(acute, small, large)};
    }
};

/// M = rotation(phi) diag(large, small) rotation(theta)^T of [m00 m01; m10 m11], |small| <= large, small
/// signed as det M. M is Q rotation(a) + R reflection(b), so the values are Q + R and Q - R, phi - theta = a
/// and phi + theta = b.
template <class W>
struct Svd2 {
    W large, small;
    Angle<W> phi, theta;
    Svd2(W m00, W m01, W m10, W m11) {
        const W ax = W(0.5) * (m00 + m11), ay = W(0.5) * (m10 - m01);
        const W bx = W(0.5) * (m00 - m11), by = W(0.5) * (m10 + m01);
        const W Q = sqrt(ax * ax + ay * ay), R = sqrt(bx * bx + by * by);
        const Angle<W> a = Angle<W>::of(ax, ay, Q), b = Angle<W>::of(bx, by, R);
        large = Q + R, small = Q - R;
        theta = Angle<W>{b.c * a.c + b.s * a.s, b.s * a.c - b.c * a.s}.half();
        phi = {theta.c * a.c - theta.s * a.s, theta.s * a.c + theta.c * a.s};
    }
};

/// The columns (n, large, small) or (large, small, n): n stands first where it is the largest, else last.
template <class Mask, class W>
Mat3w<W> ordered(Mask first, const Vec3w<W>& n, const Plane<W>& plane, const Angle<W>& angle) {
    const Vec3w<W> large = plane.turnedP(angle.c, angle.s), small = plane.turnedQ(angle.c, angle.s);
    return Mat3w<W>::fromColumns(select(first, n, large), select(first, large, small),
                                 select(first, small, n));
}
template <class Mask, class W>
Vec3w<W> ordered(Mask first, W n, W large, W small) {
    return {select(first, n, large), select(first, large, small), select(first, small, n)};
}

/// The unit vector u with F v = value u, for a v of the SVD and its plane: along F v where v belongs to the
/// largest singular value, across the images of the plane where to the smallest, which may be zero.
template <class Mask, class W>
Vec3w<W> leftPartner(Mask isLargest, const Vec3w<W>& Fv, const Vec3w<W>& Fp, const Vec3w<W>& Fq) {
    const Vec3w<W> partner = select(isLargest, Fv, cross(Fp, Fq));
    const W lengthSq = dot(partner, partner);
    const auto nonZero = lengthSq > W(0.0);
    const W length = sqrt(select(nonZero, lengthSq, W(1.0)));
    return select(nonZero, partner / length, Vec3w<W>{W(0.0), W(0.0), W(1.0)});
}

}  // namespace detail

/// F = U diag(sigma) V^T.
template <class W>
Svd3w<W> svd3Wide(const Mat3w<W>& matrix) {
    W largest = abs(matrix.m[0]);
    for (int i = 1; i < 9; ++i) largest = max(largest, abs(matrix.m[i]));
    const detail::PowerScale<W> power(largest);
    Mat3w<W> F;
    for (int i = 0; i < 9; ++i) F.m[i] = matrix.m[i] * power.inverse;
    const Vec3w<W> f0 = F.column(0), f1 = F.column(1), f2 = F.column(2);
    const auto isolated = detail::isolatedEigenvector<W>(
        {dot(f0, f0), dot(f1, f1), dot(f2, f2), dot(f0, f1), dot(f0, f2), dot(f1, f2)});
    const auto isLargest = isolated.sign > W(0.0);

    const Vec3w<W> v = isolated.vector;
    const detail::Plane<W> right(v);
    const Vec3w<W> Fv = F * v, Fp = F * right.p, Fq = F * right.q;
    const Vec3w<W> u = detail::leftPartner(isLargest, Fv, Fp, Fq);
    const detail::Plane<W> left(u);
    const detail::Svd2<W> rest(dot(left.p, Fp), dot(left.p, Fq), dot(left.q, Fp), dot(left.q, Fq));

    // values that differ by rounding alone may be out of order: sorting them without their vectors is as
    // exact
    const Vec3w<W> s = detail::ordered(isLargest, dot(u, Fv), rest.large, rest.small);
    const W high = max(s.x, s.y), mid = min(s.x, s.y), low = abs(s.z);
    const Vec3w<W> sigma{max(high, low), max(mid, min(high, low)), copysign(min(mid, low), s.z)};
    return {detail::ordered(isLargest, u, left, rest.phi), sigma * power.scale,
            detail::ordered(isLargest, v, right, rest.theta)};
}

/// V diag(d) V^T.
template <class W>
Mat3w<W> symmetricFromSpectrum(const Mat3w<W>& V, const Vec3w<W>& d) {
    const Vec3w<W> a = V.column(0) * d.x, b = V.column(1) * d.y, c = V.column(2) * d.z;
    const Mat3w<W> scaled = Mat3w<W>::fromColumns(a, b, c);
    Mat3w<W> S;
    for (int j = 0; j < 3; ++j)
        for (int i = j; i < 3; ++i)
            S(i, j) = S(j, i) = scaled(i, 0) * V(j, 0) + scaled(i, 1) * V(j, 1) + scaled(i, 2) * V(j, 2);
    return S;
}

/// F = R S.
template <class W>
Polar3w<W> polar3Wide(const Mat3w<W>& F) {
    const Svd3w<W> svd = svd3Wide(F);
    return {svd.U * svd.V.transposed(), symmetricFromSpectrum(svd.V, svd.sigma)};
}

/// A = vectors diag(values) vectors^T. Reads the lower triangle of A alone.
template <class W>
Eigen3w<W> symmetricEigen3Wide(const Mat3w<W>& matrix) {
    const W largest =
        max(max(max(abs(matrix.m[0]), abs(matrix.m[1])), max(abs(matrix.m[2]), abs(matrix.m[4]))),
            max(abs(matrix.m[5]), abs(matrix.m[8])));
    const detail::PowerScale<W> power(largest);
    const W inverse = power.inverse;
    const detail::Symmetric3w<W> A{matrix.m[0] * inverse, matrix.m[4] * inverse, matrix.m[8] * inverse,
                                   matrix.m[1] * inverse, matrix.m[2] * inverse, matrix.m[5] * inverse};
    const Vec3w<W> rowX{A.xx, A.xy, A.xz}, rowY{A.xy, A.yy, A.yz}, rowZ{A.xz, A.yz, A.zz};
    const auto apply = [&](const Vec3w<W>& x) { return Vec3w<W>{dot(rowX, x), dot(rowY, x), dot(rowZ, x)}; };
    const auto isolated = detail::isolatedEigenvector(A);
    const auto isLargest = isolated.sign > W(0.0);

    const Vec3w<W> v = isolated.vector;
    const detail::Plane<W> plane(v);
    const Vec3w<W> Ap = apply(plane.p), Aq = apply(plane.q);
    const W pp = dot(plane.p, Ap), pq = dot(plane.p, Aq), qq = dot(plane.q, Aq);
    const W mean = W(0.5) * (pp + qq), half = W(0.5) * (pp - qq), radius = sqrt(half * half + pq * pq);
    const detail::Angle<W> angle = detail::Angle<W>::of(half, pq, radius).half();

    const Vec3w<W> s = detail::ordered(isLargest, dot(v, apply(v)), mean + radius, mean - radius);
    const W high = max(s.x, s.y), mid = min(s.x, s.y);
    return {Vec3w<W>{max(high, s.z), max(mid, min(high, s.z)), min(mid, s.z)} * power.scale,
            detail::ordered(isLargest, v, plane, angle)};
}

}  // namespace sunder
