#pragma once

#include <algorithm>
#include <vector>

#include "core/contact/contact_set.h"

namespace sunder {

/// One body in contact, at one time.
struct ContactBodyState {
    const ContactShape* shape;
    Span<const Vec3> x, v;
    ContactMemory* memory;  ///< changed by computeContactForces
    Span<Vec3> force;       ///< contact forces are added here, N
    bool remembers = true;  ///< false: the memory is of this moment only
};

struct ContactTotals {
    double energy = 0;       ///< in normal and in friction's springs, at the end, J
    double power = 0;        ///< that dampers and friction take from the bodies at (x, v), W
    double drawn = 0;        ///< energy that friction's springs have gained of it, J
    double ledPower = 0;     ///< that colliders put in, W
    double deepest = 0;      ///< m
    std::size_t contacts = 0;

    /// What the vertices of one more body have of it.
    void addVertices(const ContactTotals& t) {
        energy += t.energy;
        power += t.power;
        drawn += t.drawn;
        deepest = std::max(deepest, t.deepest);
    }
};

struct ContactStep {
    double dt = 0;             ///< s; what friction's springs are drawn by the velocities given. 0: they stay as they are
    double slipSpeed = 1e-3;   ///< m/s, below it the coefficient at rest counts
};

/// Contact forces on all bodies at (x, v) for the overlaps of `set`.
///   normal    max(0, spring(d) + c d') / A as pressure at a vertex: the spring is the gradient of the contact energy; the damper acts
///             along the facings, at the centres of the overlaps.
///   friction  a spring of stiffness k between the bodies, drawn by the sliding between them and let slip beyond mu times the normal
///             force (so it holds what rests without any creep), and a damper; at the centres of the overlaps.
/// All of them are equal and opposite and act at the same points of both bodies.
ContactTotals computeContactForces(const ContactSet& set, Span<ContactBodyState> bodies, const ContactStep& step);

/// Energy of the normal and of the friction's springs, J.
double contactEnergy(const ContactSet& set, Span<const ContactBodyState> bodies);
/// What the memories hold of it, J: all of it with the responses that have no potential.
double storedContactEnergy(Span<const ContactBodyState> bodies);

/// An allowance of this much is for ever, until it is taken back: glue holds there.
inline constexpr double kAnyDepth = 1e3;
/// What overlaps now is not pushed against.
void allowOverlap(const VertexContacts& vertices, const ContactShape& shape, ContactMemory& memory);
/// Overlap that was allowed and has gone does not come back, and what is left of it shrinks by `distance`. Returns the energy that this
/// puts into the springs, J; `stiffens` says whether they are those of the potential or even ones.
double shrinkAllowance(const VertexContacts& vertices, const ContactShape& shape, double distance, ContactMemory& memory, bool stiffens = true);

}  // namespace sunder
