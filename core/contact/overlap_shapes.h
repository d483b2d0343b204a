#pragma once

#include "core/contact/overlap.h"

namespace sunder {

/// Overlap P of a tet with shapes that do not bend. The names are those of overlap.h; only the tet has
/// shares. What moves the shape is the reaction to the forces on the corners.

/// The solid side of a plane: normal . x < offset.
struct HalfSpace {
    Vec3 normal;  ///< unit, out of the solid
    double offset;
};
struct SolidBox {
    Vec3 centre;
    Mat3 axes;      ///< columns, orthonormal
    Vec3 halfSize;  ///< along the axes
};
/// The points closer than `radius` to the segment; a sphere if the ends coincide.
struct Capsule {
    Vec3 first, second;
    double radius;
};

/// Integrals of the tet's barycentric functions over the overlap.
struct TetShares {
    Vec4 shares = Vec4::Zero();
    double volume = 0;
};
using TetVectors = Eigen::Matrix<double, 3, 4>;
/// Derivative of share i by the corners.
using TetSlopes = std::array<TetVectors, 4>;
struct Wrench {
    Vec3 force, torque;
};

/// Exact, by clipping. False if nothing is left.
bool clipTet(const OverlapTet& a, const HalfSpace& plane, OverlapPolyhedron& p);
bool clipTet(const OverlapTet& a, const SolidBox& box, OverlapPolyhedron& p);

TetShares computeTetShares(const OverlapPolyhedron& p, const OverlapTet& a);
/// Minus the gradient of sum pressure_i V_i by the corners, the pressures held.
TetVectors computeTetForces(const OverlapPolyhedron& p, const OverlapTet& a, const Vec4& pressure);
void computeTetSlopes(const OverlapPolyhedron& p, const OverlapTet& a, TetSlopes& slopes);

/// Round shapes. The tet is cut into divisions^3 smaller ones, in each of which the surface is a plane at the
/// right mean depth. Shares are smooth functions of the positions, their slopes are exact and momentum is
/// kept. The error of the volume is about 0.045 (edge / radius) / divisions^3 of the tet's, measured for
/// radii of 0.3 to 30 edges; it is as often above as below. A shape much smaller than edge / divisions may
/// pass between the points that are looked at.
struct RoundOptions {
    int divisions =
        4;  ///< 1, 2, 4 or 8; keep it for a tet while it is in touch: shares jump where it changes
};
TetShares computeTetShares(const OverlapTet& a, const Capsule& shape, const RoundOptions& options = {});
TetVectors computeTetForces(const OverlapTet& a, const Capsule& shape, const Vec4& pressure,
                            const RoundOptions& options = {});
void computeTetSlopes(const OverlapTet& a, const Capsule& shape, TetSlopes& slopes,
                      const RoundOptions& options = {});

/// Force and torque about a point on whatever the corners are pushed by.
Wrench reactionOf(const OverlapTet& a, const TetVectors& forces, const Vec3& about);
/// Volume, centre and direction of the push on the shape, from shares and the forces of pressure 1.
OverlapMeasure computeMeasure(const OverlapTet& a, const TetShares& shares, const TetVectors& unitForces);

}  // namespace sunder
