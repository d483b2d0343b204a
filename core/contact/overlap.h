#pragma once

#include "core/contact/overlap_polyhedron.h"

namespace sunder {

/// Overlap P of two tets a and b, with barycentric functions phi of a and psi of b. Outward normals n are
/// P's.
///
///   OverlapPolyhedron p;
///   if (!separated(a, b) && clipTets(a, b, p)) { shares = computeShares(...); forces = computeForces(...); }
///
/// Corners of a pair are numbered 0..3 (a) and 4..7 (b).

/// Integrals of the barycentric functions over the overlap, m^3: the volume as its corners see it.
struct OverlapShares {
    Vec4 a = Vec4::Zero(), b = Vec4::Zero();  ///< each sums up to the volume; none is negative
    double volume = 0;
};
/// What O'Brien's penalty forces are made of (2000, section 5.3, with the missing factor 1/6).
struct OverlapMeasure {
    double volume = 0;
    Vec3 centre = Vec3::Zero();  ///< of mass
    Vec3 direction =
        Vec3::Zero();  ///< of the force on b: mean outward normal of the part of a's surface inside b, a unit
                       ///< vector; zero if that part is closed or nothing (one tet inside the other)
};
/// One vector per corner of the pair.
using PairVectors = Eigen::Matrix<double, 3, 8>;
/// Derivative of share s (0..3 of a, 4..7 of b) by the corners.
using OverlapSlopes = std::array<PairVectors, 8>;

/// True if a face of one has the whole other tet on its outer side, or if one is flat or inverted. False does
/// not mean that they overlap.
bool separated(const OverlapTet& a, const OverlapTet& b);

/// Clips a by the faces of b. False if nothing is left.
bool clipTets(const OverlapTet& a, const OverlapTet& b, OverlapPolyhedron& p);

OverlapShares computeShares(const OverlapPolyhedron& p, const OverlapTet& a);
OverlapMeasure computeMeasure(const OverlapPolyhedron& p, const OverlapTet& a);

/// Minus the gradient of sum pressureA_i V^a_i + sum pressureB_j V^b_j by the corners, the pressures held:
/// the contact forces of a potential E(V) with pressure_i = dE/dV_i.
PairVectors computeForces(const OverlapPolyhedron& p, const OverlapTet& a, const OverlapTet& b,
                          const Vec4& pressureA, const Vec4& pressureB);

/// All 8 x 8 derivatives, for a stiffness matrix.
void computeSlopes(const OverlapPolyhedron& p, const OverlapTet& a, const OverlapTet& b,
                   OverlapSlopes& slopes);

}  // namespace sunder
