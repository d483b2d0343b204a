#include "tests/contact/exact_overlap.h"

#include <vector>

#include "core/mesh/tet_mesh.h"

namespace sunder::testing {

namespace {
using ExactPoint = std::array<mpq_class, 3>;
using ExactTet = std::array<ExactPoint, 4>;

mpq_class determinant(const ExactPoint& o, const ExactPoint& a, const ExactPoint& b, const ExactPoint& c) {
    ExactPoint u, v, w;
    for (int k = 0; k < 3; ++k) {
        u[k] = a[k] - o[k];
        v[k] = b[k] - o[k];
        w[k] = c[k] - o[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

ExactTet exactTet(const std::array<Vec3, 4>& x) {
    ExactTet t;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) t[i][k] = x[i][k];
    }
    return t;
}

/// det * barycentric function k of t at p.
mpq_class exactHeight(const ExactTet& t, int k, const ExactPoint& p) {
    const int* f = kTetFaces[k];
    return -determinant(t[f[0]], t[f[1]], t[f[2]], p);
}

std::vector<ExactPoint> clipByFace(const std::vector<ExactPoint>& polygon, const ExactTet& t, int k) {
    std::vector<ExactPoint> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const ExactPoint &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const mpq_class hp = exactHeight(t, k, p), hq = exactHeight(t, k, q);
        if (sgn(hp) >= 0) kept.push_back(p);
        if (sgn(hp) * sgn(hq) >= 0) continue;
        const mpq_class s = hp / (hp - hq);
        ExactPoint c;
        for (int m = 0; m < 3; ++m) c[m] = p[m] + s * (q[m] - p[m]);
        kept.push_back(c);
    }
    return kept;
}

/// True if the face lies in the plane of a face of t; of two coincident faces that look the same way the
/// first tet's counts, and two that look away from each other bound nothing.
bool liesInAFace(const ExactTet& t, const std::vector<ExactPoint>& triangle) {
    for (int k = 0; k < 4; ++k) {
        bool all = true;
        for (const ExactPoint& p : triangle) all = all && sgn(exactHeight(t, k, p)) == 0;
        if (all) return true;
    }
    return false;
}

bool looksAway(const ExactTet& own, int face, const ExactTet& t) {
    for (int k = 0; k < 4; ++k) {
        bool all = true;
        for (int m = 0; m < 3; ++m) all = all && sgn(exactHeight(t, k, own[kTetFaces[face][m]])) == 0;
        if (all && sgn(exactHeight(t, k, own[face])) < 0) return true;
    }
    return false;
}

struct ExactSum {
    mpq_class volume;
    std::array<mpq_class, 4> shares;
};

/// Adds the tets between a's corner 0 and the parts of own's faces that lie inside `other`.
void addFaces(const ExactTet& own, const ExactTet& other, const ExactTet& a, bool second, ExactSum& sum) {
    for (int face = 0; face < 4; ++face) {
        const int* f = kTetFaces[face];
        std::vector<ExactPoint> polygon = {own[f[0]], own[f[1]], own[f[2]]};
        if (looksAway(own, face, other) || (second && liesInAFace(other, polygon))) continue;
        for (int k = 0; k < 4 && !polygon.empty(); ++k) polygon = clipByFace(polygon, other, k);
        for (std::size_t i = 2; i < polygon.size(); ++i) {
            const mpq_class part = determinant(a[0], polygon[0], polygon[i - 1], polygon[i]) / 6;
            sum.volume += part;
            for (int c = 0; c < 4; ++c) {
                const mpq_class heights = exactHeight(a, c, a[0]) + exactHeight(a, c, polygon[0]) +
                                          exactHeight(a, c, polygon[i - 1]) + exactHeight(a, c, polygon[i]);
                sum.shares[c] += part * heights / 4;
            }
        }
    }
}
}  // namespace

ExactOverlap exactOverlap(const std::array<Vec3, 4>& first, const std::array<Vec3, 4>& second) {
    const ExactTet a = exactTet(first), b = exactTet(second);
    const mpq_class detA = determinant(a[0], a[1], a[2], a[3]), detB = determinant(b[0], b[1], b[2], b[3]);
    if (sgn(detA) <= 0 || sgn(detB) <= 0) return {0, {0, 0, 0, 0}};
    ExactSum sum;
    addFaces(a, b, a, false, sum);
    addFaces(b, a, a, true, sum);
    ExactOverlap out{sum.volume.get_d(), {}};
    for (int c = 0; c < 4; ++c) out.shares[c] = mpq_class(sum.shares[c] / detA).get_d();
    return out;
}

}  // namespace sunder::testing
