#pragma once

#include "core/base/span.h"
#include "core/math/types.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// A rigid body is a set of vertices with masses, like any other body, that keep their distances. What follows works on its vertices.

struct RigidFrame {
    double mass = 0;               ///< kg
    Vec3 centre = Vec3::Zero();    ///< of mass, m
    Mat3 inertia = Mat3::Zero();   ///< about the centre, kg m2
};
RigidFrame rigidFrame(Span<const double> mass, Span<const Vec3> x);

/// A field of vectors centre + turn x (x - centre): velocities, or accelerations without the centripetal part.
struct RigidField {
    Vec3 centre = Vec3::Zero();
    Vec3 turn = Vec3::Zero();

    Vec3 at(const RigidFrame& frame, const Vec3& x) const;
};
/// The rigid field with the same momentum and angular momentum as `v`.
RigidField rigidPart(const RigidFrame& frame, Span<const double> mass, Span<const Vec3> x, Span<const Vec3> v);

/// exp of the cross product matrix of axis times angle.
Mat3 rotationBy(const Vec3& vector);
/// Axis times angle of the rotation that leads from `from` to `to`, two places of the same rigid body about their centres.
Vec3 rotationBetween(Span<const double> mass, Span<const Vec3> from, const Vec3& fromCentre, Span<const Vec3> to, const Vec3& toCentre);
/// out = centre of `frame` + shift + exp(turn) (x - centre).
void moveRigidly(const RigidFrame& frame, const Vec3& shift, const Vec3& turn, Span<const Vec3> x, Span<Vec3> out);

/// Torque-free rotation: the angular momentum stays, the axis turns with the body.
struct FreeTurn {
    Vec3 turn = Vec3::Zero();  ///< over dt, axis times angle
    Vec3 spin = Vec3::Zero();  ///< at its end, 1/s
};
/// Of second order in dt (implicit midpoint rule), and the same backwards, so its energy swings but does not drift.
FreeTurn turnFreely(const RigidFrame& frame, const Vec3& spin, double dt);

/// Changes the masses of the vertices by as little as it takes that they have the mass, centre and inertia of the tets they belong to,
/// each tet of even density: quarters at the corners have too much inertia, the more the larger the tets. Masses stay as they are where
/// that would make one of them less than a fiftieth of what it was, or where there are too few of them, as in a box of one cell (then the
/// inertia is that of the quarters).
void matchInertia(const TetMesh& mesh, Span<const double> tetMass, Span<double> mass);

}  // namespace sunder
