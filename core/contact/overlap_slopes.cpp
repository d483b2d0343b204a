#include <Eigen/Geometry>

#include "core/contact/overlap.h"

/// How the shares change with the corners x_m of a and y_j of b.
///
/// Let the corners of a move with velocities u_m. Inside a, the velocity v = sum phi_m u_m carries the points
/// of constant phi, so d(phi_i)/dt = -grad phi_i . v at a fixed place; of P's boundary the part on a's
/// surface moves with v and the part on b's surface stays. With div v = sum grad phi_m . u_m, Reynolds and
/// Gauss give
///
///   dV^a_i/dx_m = grad phi_m V^a_i - int_{b's surface} phi_i phi_m n dS,
///   dV^a_i/dy_j =                    int_{b's surface} phi_i psi_j n dS,
///
/// and the same with a and b, phi and psi exchanged. Weighted with pressures, p = sum p_i phi_i in a and
/// q = sum q_j psi_j in b, the force (minus the gradient) on corner m of a is
///
///   F_m = -grad phi_m int_P p dV + int_{b's surface} p phi_m n dS - int_{a's surface} q phi_m n dS.
///
/// Limits: a inside b has no face of b, so V^a_i = vol(a)/4 follows a alone and b feels nothing. p = q =
/// const is a pressure that acts twice: once as the content of each tet. All terms but the first come in
/// pairs +n, -n at the same place, and sum x_m x grad phi_m = 0: linear and angular momentum are kept to
/// rounding for any overlap. Products of linear functions f, g on a triangle: int f g dS = area/12 (sum f sum
/// g + sum f g) over its corners.

namespace sunder {

namespace {
/// Positions of the vertices from a's corner 0, and the unit outward normal of every face.
struct Embedding {
    std::array<Vec3, OverlapPolyhedron::kCapacity> x;
    std::array<Vec3, 8> normal;

    Embedding(const OverlapPolyhedron& p, const OverlapTet& a, const OverlapTet& b) {
        for (int v = 0; v < p.count; ++v) x[v] = a.edge.transpose() * p.phi[v];
        for (int k = 0; k < 4; ++k) {
            normal[k] = -a.normal.row(k).transpose().normalized();
            normal[4 + k] = -b.normal.row(k).transpose().normalized();
        }
    }
    /// Area over 12, signed by the face's normal.
    double weight(int f, int v, int w, int face) const {
        return (x[v] - x[f]).cross(x[w] - x[f]).dot(normal[face]) * (1.0 / 24);
    }
};

/// Integrals over a face of a product with each of the eight barycentric functions.
struct Moments {
    Vec4 phi = Vec4::Zero(), psi = Vec4::Zero();
};
}  // namespace

PairVectors computeForces(const OverlapPolyhedron& p, const OverlapTet& a, const OverlapTet& b,
                          const Vec4& pressureA, const Vec4& pressureB) {
    PairVectors force = PairVectors::Zero();
    if (p.empty()) return force;
    const Embedding in(p, a, b);
    std::array<Vec2, OverlapPolyhedron::kCapacity> pressure;  // at the vertices: p on b's faces, q on a's
    for (int v = 0; v < p.count; ++v) pressure[v] << pressureB.dot(p.psi[v]), pressureA.dot(p.phi[v]);
    std::array<Moments, 8> moments;
    forEachFan(p, [&](int f, int v, int w, int face) {
        const int side = face >> 2;
        const double c = in.weight(f, v, w, face);
        const double pf = pressure[f][side], pv = pressure[v][side], pw = pressure[w][side],
                     sum = pf + pv + pw;
        const double cf = c * (sum + pf), cv = c * (sum + pv), cw = c * (sum + pw);
        moments[face].phi += cf * p.phi[f] + cv * p.phi[v] + cw * p.phi[w];
        moments[face].psi += cf * p.psi[f] + cv * p.psi[v] + cw * p.psi[w];
    });
    for (int face = 0; face < 8; ++face) {
        const Vec3 n = face < 4 ? Vec3(-in.normal[face]) : in.normal[face];
        force.leftCols<4>() += n * moments[face].phi.transpose();
        force.rightCols<4>() -= n * moments[face].psi.transpose();
    }
    const OverlapShares shares = computeShares(p, a);
    force.leftCols<4>() -= (pressureA.dot(shares.a) / a.det) * a.normal.transpose();
    force.rightCols<4>() -= (pressureB.dot(shares.b) / b.det) * b.normal.transpose();
    return force;
}

void computeSlopes(const OverlapPolyhedron& p, const OverlapTet& a, const OverlapTet& b,
                   OverlapSlopes& slopes) {
    for (PairVectors& s : slopes) s.setZero();
    if (p.empty()) return;
    const Embedding in(p, a, b);
    // rows: the function of the share, which is phi on b's faces and psi on a's; columns: phi and psi
    std::array<Mat4, 8> byPhi, byPsi;
    for (int k = 0; k < 8; ++k) {
        byPhi[k].setZero();
        byPsi[k].setZero();
    }
    forEachFan(p, [&](int f, int v, int w, int face) {
        const auto& share = face < 4 ? p.psi : p.phi;
        const double c = in.weight(f, v, w, face);
        const Vec4 sum = share[f] + share[v] + share[w];
        for (const int u : {f, v, w}) {
            const Vec4 g = c * (sum + share[u]);
            byPhi[face] += g * p.phi[u].transpose();
            byPsi[face] += g * p.psi[u].transpose();
        }
    });
    for (int face = 0; face < 8; ++face) {
        const int first = face < 4 ? 4 : 0;  // shares of b on a's faces, and the reverse
        const Vec3 n = face < 4 ? in.normal[face] : Vec3(-in.normal[face]);
        for (int i = 0; i < 4; ++i) {
            slopes[first + i].leftCols<4>() += n * byPhi[face].row(i);
            slopes[first + i].rightCols<4>() -= n * byPsi[face].row(i);
        }
    }
    const OverlapShares shares = computeShares(p, a);
    for (int i = 0; i < 4; ++i) {
        slopes[i].leftCols<4>() += (shares.a[i] / a.det) * a.normal.transpose();
        slopes[4 + i].rightCols<4>() += (shares.b[i] / b.det) * b.normal.transpose();
    }
}

}  // namespace sunder
