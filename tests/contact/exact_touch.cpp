#include "tests/contact/exact_touch.h"

#include <algorithm>
#include <vector>

namespace sunder::testing {

namespace {
/// Bernstein coefficients, up to a positive factor.
using Bernstein = std::vector<mpz_class>;

mpz_class binomial(int n, int k) {
    mpz_class b;
    mpz_bin_uiui(b.get_mpz_t(), n, k);
    return b;
}

/// Polynomials with the coefficients' binomials multiplied in: then a product is a convolution.
using Scaled = std::vector<mpz_class>;
Scaled operator*(const Scaled& a, const Scaled& b) {
    Scaled c(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
    }
    return c;
}
Scaled combine(const Scaled& a, const Scaled& b, int sign) {
    Scaled c(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i] + sign * b[i];
    return c;
}
using ScaledVector = std::array<Scaled, 3>;
ScaledVector cross(const ScaledVector& a, const ScaledVector& b) {
    return {combine(a[1] * b[2], a[2] * b[1], -1), combine(a[2] * b[0], a[0] * b[2], -1),
            combine(a[0] * b[1], a[1] * b[0], -1)};
}
Scaled dot(const ScaledVector& a, const ScaledVector& b) {
    return combine(combine(a[0] * b[0], a[1] * b[1], 1), a[2] * b[2], 1);
}

Bernstein bernstein(const Scaled& s) {
    const int n = static_cast<int>(s.size()) - 1;
    mpz_class common = 1;  // a multiple of all binomials
    for (int k = 0; k <= n; ++k) common *= binomial(n, k);
    Bernstein b(s.size());
    for (int k = 0; k <= n; ++k) b[k] = s[k] * common / binomial(n, k);
    return b;
}

/// Left and right half; both scaled by 2^degree, so that no division is needed.
void halve(const Bernstein& b, Bernstein& left, Bernstein& right) {
    const std::size_t n = b.size();
    Bernstein row = b;
    left.assign(n, 0);
    right.assign(n, 0);
    for (std::size_t k = 0; k < n; ++k) {
        left[k] = row[0] << (n - 1 - k);
        right[n - 1 - k] = row[n - 1 - k] << (n - 1 - k);
        for (std::size_t i = 0; i + 1 < n - k; ++i) row[i] += row[i + 1];
    }
}

bool allPositive(const Bernstein& b) {
    return std::all_of(b.begin(), b.end(), [](const mpz_class& c) { return sgn(c) > 0; });
}
bool allNegative(const Bernstein& b) {
    return std::all_of(b.begin(), b.end(), [](const mpz_class& c) { return sgn(c) < 0; });
}

struct Piece {
    Bernstein coplanar;
    std::vector<Bernstein> inside;  ///< all positive at a touch that is no border case
    mpq_class lower, upper;

    bool excluded() const {
        return allPositive(coplanar) || allNegative(coplanar) ||
               std::any_of(inside.begin(), inside.end(), allNegative);
    }
    bool certain() const {
        return sgn(coplanar.front()) * sgn(coplanar.back()) < 0 &&
               std::all_of(inside.begin(), inside.end(), allPositive);
    }
};

void split(const Piece& p, Piece& left, Piece& right) {
    halve(p.coplanar, left.coplanar, right.coplanar);
    left.inside.resize(p.inside.size());
    right.inside.resize(p.inside.size());
    for (std::size_t k = 0; k < p.inside.size(); ++k) halve(p.inside[k], left.inside[k], right.inside[k]);
    left.lower = p.lower;
    right.upper = p.upper;
    left.upper = right.lower = (p.lower + p.upper) / 2;
}

constexpr int kSearchDepth = 48, kRefineDepth = 75;

bool hasOneSignChange(const Bernstein& b) {
    int changes = 0;
    for (std::size_t k = 1; k < b.size(); ++k) changes += sgn(b[k - 1]) * sgn(b[k]) < 0;
    return changes == 1 && std::none_of(b.begin(), b.end(), [](const mpz_class& c) { return sgn(c) == 0; });
}

/// The only root of the piece (Descartes), by bisection of the coplanarity polynomial alone.
ExactTouch refine(Bernstein b, mpq_class lower, mpq_class width) {
    Bernstein left, right;
    for (int depth = 0; depth < kRefineDepth; ++depth) {
        halve(b, left, right);
        width /= 2;
        if (sgn(left.front()) * sgn(left.back()) < 0) {
            b.swap(left);
        } else {
            b.swap(right);
            lower += width;
        }
    }
    return {Verdict::touch, lower, lower + width};
}

ExactTouch search(const Piece& p, int depth) {
    if (p.excluded()) return {Verdict::noTouch, 0, 0};
    if (p.certain() && hasOneSignChange(p.coplanar)) return refine(p.coplanar, p.lower, p.upper - p.lower);
    if (depth >= kSearchDepth) return {Verdict::undecided, 0, 0};
    Piece left, right;
    split(p, left, right);
    const ExactTouch first = search(left, depth + 1);
    return first.verdict == Verdict::noTouch ? search(right, depth + 1) : first;
}

ScaledVector movingDifference(const Corners4& start, const Corners4& end, int i, int j) {
    ScaledVector d;
    for (int k = 0; k < 3; ++k)
        d[k] = {mpz_class(start[i][k] - start[j][k]), mpz_class(end[i][k] - end[j][k])};
    return d;
}

Piece wholePiece(TouchKind kind, const Corners4& start, const Corners4& end) {
    Piece p;
    p.lower = 0;
    p.upper = 1;
    const auto d = [&](int i, int j) { return movingDifference(start, end, i, j); };
    if (kind == TouchKind::vertexFace) {
        const ScaledVector n = cross(d(2, 1), d(3, 1));
        p.coplanar = bernstein(dot(n, d(0, 1)));
        for (int k = 0; k < 3; ++k)
            p.inside.push_back(bernstein(dot(n, cross(d(1 + (k + 1) % 3, 0), d(1 + (k + 2) % 3, 0)))));
        return p;
    }
    const ScaledVector n = cross(d(1, 0), d(3, 2)), gap = d(2, 0);
    p.coplanar = bernstein(dot(n, gap));
    const Scaled s = dot(n, cross(gap, d(3, 2))), t = dot(n, cross(gap, d(1, 0))), full = dot(n, n);
    for (const Scaled& w : {s, t, combine(full, s, -1), combine(full, t, -1)})
        p.inside.push_back(bernstein(w));
    return p;
}

using Point = std::array<mpq_class, 3>;
mpq_class dotOf(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point crossOf(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point differenceOf(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

bool originOnSegment(const Point& a, const Point& b) {
    const Point c = crossOf(a, b);
    return sgn(c[0]) == 0 && sgn(c[1]) == 0 && sgn(c[2]) == 0 && sgn(dotOf(a, b)) <= 0;
}

bool originInTriangle(const Point& a, const Point& b, const Point& c) {
    const Point n = crossOf(differenceOf(b, a), differenceOf(c, a));
    if (sgn(n[0]) == 0 && sgn(n[1]) == 0 && sgn(n[2]) == 0)
        return originOnSegment(a, b) || originOnSegment(b, c) || originOnSegment(c, a);
    return sgn(dotOf(n, a)) == 0 && sgn(dotOf(n, crossOf(a, b))) >= 0 && sgn(dotOf(n, crossOf(b, c))) >= 0 &&
           sgn(dotOf(n, crossOf(c, a))) >= 0;
}
}  // namespace

ExactTouch exactTouch(TouchKind kind, const Corners4& start, const Corners4& end) {
    return search(wholePiece(kind, start, end), 0);
}

bool touchesAt(TouchKind kind, const Corners4& start, const Corners4& end, const mpq_class& t) {
    std::array<Point, 4> x;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) x[i][k] = (1 - t) * mpq_class(start[i][k]) + t * mpq_class(end[i][k]);
    }
    const auto d = [&](int i, int j) { return differenceOf(x[i], x[j]); };
    if (kind == TouchKind::vertexFace) return originInTriangle(d(0, 1), d(0, 2), d(0, 3));
    return originInTriangle(d(0, 2), d(1, 2), d(1, 3)) || originInTriangle(d(0, 2), d(1, 3), d(0, 3));
}

}  // namespace sunder::testing
