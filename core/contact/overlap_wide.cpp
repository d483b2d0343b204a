#include "core/contact/overlap_wide.h"

#include <Eigen/Geometry>

#include "core/math/wide.h"

/// Formulas stand where the namesakes are: overlap_tets.cpp, overlap_slopes.cpp, contact_set.cpp. Sums are taken in the same order here. An
/// outer product n g^T is laid out with g along the lanes.

namespace sunder {

namespace {
using Lanes = Wide4d;
constexpr int kMostVertices = OverlapPolyhedron::kCapacity;

Lanes lanesOf(const Vec4& v) { return Lanes::load(v.data()); }

/// The edges of a tet from its corner 0, x, y and z of each side by side.
class EdgeLanes {
  public:
    explicit EdgeLanes(const OverlapTet& tet) {
        for (int i = 0; i < 4; ++i) row_[i] = Lanes(Lanes::Vector{tet.edge(i, 0), tet.edge(i, 1), tet.edge(i, 2), 0});
    }
    /// edge^T phi, its sums in Eigen's order; the last lane is nothing.
    Lanes at(const Vec4& phi) const { return (Lanes(phi[0]) * row_[0] + Lanes(phi[2]) * row_[2]) + (Lanes(phi[1]) * row_[1] + Lanes(phi[3]) * row_[3]); }

  private:
    Lanes row_[4];
};

/// Of the first three lanes.
Lanes cross(Lanes a, Lanes b) {
    const auto next = [](Lanes v) { return Lanes(Lanes::Vector{v[1], v[2], v[0], v[3]}); };
    const auto afterNext = [](Lanes v) { return Lanes(Lanes::Vector{v[2], v[0], v[1], v[3]}); };
    return next(a) * afterNext(b) - afterNext(a) * next(b);
}

/// Integrals over one face of the products of four functions with the barycentric ones, times 12: lane m of phi[i] is that of function i and phi_m.
struct FaceMoments {
    Lanes phi[4], psi[4];

    FaceMoments() {
        for (int i = 0; i < 4; ++i) phi[i] = psi[i] = Lanes(0.0);
    }
    void add(Lanes g, const Vec4& atPhi, const Vec4& atPsi) {
        const Lanes p = lanesOf(atPhi), q = lanesOf(atPsi);
        for (int i = 0; i < 4; ++i) {
            const Lanes gi(g[i]);
            phi[i] += gi * p;
            psi[i] += gi * q;
        }
    }
};

/// The derivatives of eight shares: x, y and z of a's corners and of b's.
struct SlopeLanes {
    Lanes a[8][3], b[8][3];

    SlopeLanes() {
        for (int s = 0; s < 8; ++s)
            for (int c = 0; c < 3; ++c) a[s][c] = b[s][c] = Lanes(0.0);
    }
    /// The shares of functions `first` .. `first` + 3 grow by n times the moments.
    void add(const FaceMoments& moments, int first, const Vec3& n) {
        for (int i = 0; i < 4; ++i)
            for (int c = 0; c < 3; ++c) {
                a[first + i][c] += Lanes(n[c]) * moments.phi[i];
                b[first + i][c] -= Lanes(n[c]) * moments.psi[i];
            }
    }
    void store(OverlapSlopes& slopes) const {
        for (std::size_t s = 0; s < 8; ++s) {
            storeCorners(a[s], slopes[s].data());
            storeCorners(b[s], slopes[s].data() + 12);
        }
    }

  private:
    /// Four vectors one after the other.
    static void storeCorners(const Lanes (&from)[3], double* to) {
        Lanes x = from[0], y = from[1], z = from[2], last(0.0);
        transpose4(x, y, z, last);
        x.store(to);
        y.store(to + 3);
        z.store(to + 6);
        for (int c = 0; c < 3; ++c) to[9 + c] = last[c];
    }
};

/// share / det * normal, at the corners of the tet whose share it is.
void addGrowth(const OverlapTet& tet, const Vec4& shares, Lanes (*own)[3]) {
    for (int i = 0; i < 4; ++i) {
        const Lanes part(shares[i] / tet.det);
        for (int c = 0; c < 3; ++c) own[i][c] += part * Lanes::load(tet.normal.data() + 4 * c);
    }
}

Vec3 unitNormal(const OverlapTet& a, const OverlapTet& b, int face) {
    return face < 4 ? Vec3(-a.normal.row(face).transpose().normalized()) : Vec3(-b.normal.row(face - 4).transpose().normalized());
}
}  // namespace

OverlapFans::OverlapFans(const OverlapPolyhedron& p) {
    std::array<std::uint8_t, kFaces> size{};
    forEachFan(p, [&](int f, int v, int w, int face) {
        triangles[static_cast<std::size_t>(count++)] = {static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(w),
                                                        static_cast<std::uint8_t>(face)};
        ++size[static_cast<std::size_t>(face)];
    });
    for (std::size_t face = 0; face < kFaces; ++face) firstOf[face + 1] = static_cast<std::uint8_t>(firstOf[face] + size[face]);
    auto next = firstOf;
    for (int k = 0; k < count; ++k) byFace[next[triangles[static_cast<std::size_t>(k)].face]++] = static_cast<std::uint8_t>(k);
}

OverlapShares computeShares(const OverlapPolyhedron& p, const OverlapFans& fans, const OverlapTet& a) {
    OverlapShares shares;
    if (p.empty()) return shares;
    std::array<double, kMostVertices> weights;
    std::fill(weights.begin(), weights.begin() + p.count, 0.0);
    double sum = 0;
    for (int k = 0; k < fans.count; ++k) {
        const auto [f, v, w, face] = fans.triangles[static_cast<std::size_t>(k)];
        if (f == 0) continue;
        const Vec3 x = (p.phi[f] - p.phi[0]).tail<3>(), y = (p.phi[v] - p.phi[0]).tail<3>(), z = (p.phi[w] - p.phi[0]).tail<3>();
        const double part = x.dot(y.cross(z)) * (1.0 / 24);
        if (!(part > 0)) continue;
        sum += part;
        weights[0] += part;
        weights[f] += part;
        weights[v] += part;
        weights[w] += part;
    }
    shares.volume = 4 * a.det * sum;
    Lanes inA(0.0), inB(0.0);
    for (int v = 0; v < p.count; ++v) {
        const Lanes weight(weights[static_cast<std::size_t>(v)]);
        inA += weight * lanesOf(p.phi[v]);
        inB += weight * lanesOf(p.psi[v]);
    }
    (inA * Lanes(a.det)).store(shares.a.data());
    (inB * Lanes(a.det)).store(shares.b.data());
    return shares;
}

void computeSlopes(const OverlapPolyhedron& p, const OverlapFans& fans, const OverlapTet& a, const OverlapTet& b,
                   const OverlapShares& shares, OverlapSlopes& slopes) {
    SlopeLanes sums;
    std::array<Lanes, kMostVertices> x;
    const EdgeLanes edges(a);
    for (int v = 0; v < p.count; ++v) x[static_cast<std::size_t>(v)] = edges.at(p.phi[v]);
    for (int face = 0; face < OverlapFans::kFaces; ++face) {
        const int begin = fans.firstOf[static_cast<std::size_t>(face)], end = fans.firstOf[static_cast<std::size_t>(face + 1)];
        if (begin == end) continue;  // it would add zeros
        const Vec3 n = unitNormal(a, b, face);
        const auto& share = face < 4 ? p.psi : p.phi;
        FaceMoments moments;
        for (int k = begin; k < end; ++k) {
            const auto [f, v, w, same] = fans.triangles[fans.byFace[static_cast<std::size_t>(k)]];
            const Lanes area = cross(x[v] - x[f], x[w] - x[f]);
            const double c = (area[0] * n[0] + area[1] * n[1] + area[2] * n[2]) * (1.0 / 24);
            const Lanes atF = lanesOf(share[f]), atV = lanesOf(share[v]), atW = lanesOf(share[w]), sum = atF + atV + atW;
            moments.add(Lanes(c) * (sum + atF), p.phi[f], p.psi[f]);
            moments.add(Lanes(c) * (sum + atV), p.phi[v], p.psi[v]);
            moments.add(Lanes(c) * (sum + atW), p.phi[w], p.psi[w]);
        }
        sums.add(moments, face < 4 ? 4 : 0, face < 4 ? n : Vec3(-n));  // shares of b on a's faces, and the reverse
    }
    addGrowth(a, shares.a, sums.a);
    addGrowth(b, shares.b, sums.b + 4);
    sums.store(slopes);
}

PairVectors computeFacings(const OverlapPolyhedron& p, const OverlapFans& fans, const OverlapTet& a) {
    Lanes ofA[3] = {Lanes(0.0), Lanes(0.0), Lanes(0.0)}, ofB[3] = {Lanes(0.0), Lanes(0.0), Lanes(0.0)};
    const EdgeLanes edges(a);
    for (int k = 0; k < fans.count; ++k) {
        const auto [f, v, w, face] = fans.triangles[static_cast<std::size_t>(k)];
        const Lanes n = cross(edges.at(p.phi[v] - p.phi[f]), edges.at(p.phi[w] - p.phi[f])) / Lanes(6.0);
        const auto& share = face >= 4 ? p.phi : p.psi;
        const Lanes sum = lanesOf(share[f]) + lanesOf(share[v]) + lanesOf(share[w]);
        Lanes* own = face >= 4 ? ofA : ofB;
        for (int c = 0; c < 3; ++c) own[c] += Lanes(n[c]) * sum;
    }
    PairVectors facing;
    for (int c = 0; c < 3; ++c)
        for (int m = 0; m < 4; ++m) {
            facing(c, m) = ofA[c][m];
            facing(c, 4 + m) = ofB[c][m];
        }
    return facing;
}

}  // namespace sunder
