#pragma once

#include <utility>
#include <vector>

#include "core/body/body.h"
#include "core/contact/contact_set.h"
#include "core/contact/hold_spring.h"

namespace sunder {

/// Which side things came from.
///
/// The potential of overlap has a largest value: what is narrower than the cells of a softer body can be pushed through a layer of it, beyond
/// the middle of the layer it is pushed out on the far side, and what is out is forgotten. So of every vertex of a surface that is in
/// another body the face by which it came in is remembered (ContactEntry), and far below that face, and beyond the far side, a spring holds it:
///   d = -n . (p - q)       depth of the vertex p below the plane of the face, n its outward normal, q a point of it
///   E = 1/2 k e^4 / r^2    with e = d - d0 > 0, see HoldSpring, which has a damper, too.
/// Force and stiffness are zero at e = 0 and continuous everywhere, so nothing at all is felt above d0 and nothing starts with a jump.
/// grad d is -n at p and w_i n at the corners of the face, w the barycentric coordinates of p's foot on it: forces sum up to zero, and as p - foot is
/// parallel to n their moments do, wherever the foot lies. Rigid motion changes neither d nor anything else. The damper acts along grad d as well.
/// Friction pulls along the face, of which that does not hold: its forces are spread over the tet behind the face, by the barycentric coordinates of p in it, however
/// far out p is. So both bodies feel it at p, and bodies that move as one do not slide. It is Coulomb's of the two bodies, with the force of spring and damper for the normal
/// force, held by a spring as other friction is; of stiffness f / e, so that it is drawn by mu e before it slips. Where the tet is so far away, or so flat, that a coordinate is above 3
/// there is none, as the lever would be.
///   d0   0.75 cells; where the far side of a layer is one cell away 0.4 of that, as there the middle is near
///   r    1/8 of a cell, as of the other springs
///   k    E / h of the softer body times the area of vertex or face, the smaller one: the finer one counts, rigid or not
///   z    damping ratio: that of the two sides by the squares of their softness, so that the one that yields decides
///   m    1 / (1 / m_p + sum of 1 / (9 m_i)): what the spring moves in the middle of the face, masses as their vertices' own springs see them
/// d0, r and k stay what they were when the vertex came in, so that it slides over the faces of a plane without any jump. Where faces meet at an angle
/// d jumps a little as the foot goes from one to the next; momenta stay.
///
/// The foot is looked for from the face of entry on, from neighbour to neighbour. A vertex in front of the face that it comes to is out, by that
/// side or over an edge, and nothing holds it any more. What is held changes its face only where its foot is a tenth of a face off it, and between two
/// looks half a face, so that a minimization that goes to and fro over an edge sees one plane, not two in turn.

/// A vertex that is held.
struct SideHold {
    std::int32_t body, vertex, other;
    Tri corners;            ///< of the face that it is held by
    Vec3 weights, normal;   ///< of its foot there; outward
    double excess;          ///< e, m
    HoldSpring spring;
    double free = 0;                ///< d0, m
    Vec2 friction = Vec2::Zero();   ///< coefficients at rest and sliding
    Tet tet{};                      ///< behind the face
    Vec4 inTet = Vec4::Zero();      ///< coordinates of the vertex in it
    Vec3 slide = Vec3::Zero();      ///< how far friction's spring is drawn, m
    std::size_t entry = 0;          ///< its number among the entries

    double force() const { return spring.force(excess); }
    double energy() const { return spring.energy(excess); }
    double slope() const { return spring.slope(excess); }
    /// Of friction's spring, N/m.
    double gripStiffness() const { return spring.force(excess) / excess; }
};

/// Bodies as sides see them, colliders behind all others.
struct SideBodies {
    std::vector<const ContactShape*> shapes;
    std::vector<const ContactMemory*> memory;
    std::vector<std::int32_t> stretch;  ///< of colliders, see Collider; 0 for bodies
    std::size_t ledFirst = 0;           ///< the first collider

    bool isLed(std::int32_t body) const { return static_cast<std::size_t>(body) >= ledFirst; }
};

using Places = Span<const Span<const Vec3>>;  ///< one span a body

class ContactSides {
  public:
    /// Takes over what the bodies remember. Faces that edits have changed are found again at x.
    void begin(SideBodies bodies, Places x);
    bool empty() const { return entries_.empty(); }
    std::size_t ledFirst() const { return bodies_.ledFirst; }
    const std::vector<ContactEntry>& entries() const { return entries_; }

    /// What is known at x, of which `set` has the overlaps: vertices that have come in since `before` are remembered, those that are out are
    /// forgotten. What comes in and is not deep changes no value. Pairs of bodies of which neither is marked in `known` stay as they are.
    /// Returns what that adds to the springs of those that were known before, J: not zero where a foot changes to a face at an angle, or is let go.
    double update(const ContactSet& set, Places x, Places before, Span<const std::uint8_t> known);
    /// What is held at x, in the order of body and vertex.
    std::vector<SideHold> holdsAt(Places x) const;
    /// Writes the entries where they belong, one memory a body; what is null is left out.
    void remember(Span<ContactMemory* const> memory) const;
    /// Friction's springs are let go, or drawn by so much.
    void dropSlides();
    void setSlide(std::size_t entry, const Vec3& slide, double stored) {
        entries_[entry].slide = slide;
        entries_[entry].stored = stored;
    }

  private:
    static constexpr double kLooseSlack = 0.5;  ///< of a face's size, see above
    struct Foot {
        std::int32_t code = -1;  ///< -1: out, or nowhere
        Tri corners{};
        Vec3 weights, normal;
        double depth = 0;        ///< m
    };
    /// A vertex in a tet, or behind a face of it that it was in front of.
    struct Inside {
        std::int32_t body, vertex, other;
        bool isBehind;
        Tet in;
    };
    const ContactShape& shape(std::int32_t body) const { return *bodies_.shapes[static_cast<std::size_t>(body)]; }
    Foot footOn(std::int32_t other, std::int32_t code, const Vec3& p, Places x) const;
    Foot findFoot(const ContactEntry& entry, const Foot& first, double slack, Places x) const;
    void markHeld(Places x);
    const Vec3& place(const ContactEntry& e, Places x) const { return x[static_cast<std::size_t>(e.body)][static_cast<std::size_t>(e.vertex)]; }
    std::int32_t neighborAcross(std::int32_t other, std::int32_t code, std::int32_t p, std::int32_t q) const;
    bool findAgain(ContactEntry& entry, Places x) const;
    std::vector<Inside> listInside(const ContactSet& set, Places x, Places before) const;
    bool goesBehind(const Vec3& from, const Vec3& to, std::int32_t other, std::int32_t tet, Places x, Places before) const;
    bool enter(const Inside& inside, Places x, Places before, ContactEntry& entry) const;
    void chooseSpring(ContactEntry& entry, Places x) const;
    SideHold describe(std::size_t entry, const Foot& foot, Places x) const;
    double dampingRatio(std::int32_t body, std::int32_t other) const;
    double movedMass(const ContactEntry& entry, const Tri& corners) const;
    void addFriction(SideHold& hold, std::int32_t code, Places x) const;
    bool isThin(const ContactEntry& entry, Places x) const;
    double energyAt(const ContactEntry& entry, const Foot& foot) const {
        return foot.code >= 0 && foot.depth > entry.free ? HoldSpring{entry.stiffness, entry.reach}.energy(foot.depth - entry.free) : 0;
    }
    bool mayEnter(const Inside& inside, const Tri& corners) const;
    double heightOf(std::int32_t body, std::int32_t vertex) const;

    SideBodies bodies_;
    std::vector<ContactEntry> entries_;  ///< ascending by body, vertex and other
    std::vector<std::uint8_t> held_;     ///< entries that were deep when last looked at: their feet may leave their faces by some way
};

/// How fast a held vertex goes deeper, m/s.
double deepeningSpeed(const SideHold& h, Places v);
/// How far it was beyond what it may be, at other places, below the face that holds it now, m; below 0 if it was not. With `speed` how fast it went deeper.
double excessAt(const SideHold& h, Places x, Places v, double* speed);
/// Velocity of the vertex against the tet behind its face, where it is.
Vec3 slidingVelocity(const SideHold& h, Places v);

/// Adds the forces of a hold that pushes with so many N: add(body, vertex, force).
template <class Add>
void addHoldForces(const SideHold& h, double size, Add add) {
    const Vec3 push = size * h.normal;
    add(h.body, h.vertex, push);
    for (int k = 0; k < 3; ++k) add(h.other, h.corners[static_cast<std::size_t>(k)], Vec3(-h.weights[k] * push));
}
/// Of its spring alone.
template <class Add>
void addHoldForces(const SideHold& h, Add add) {
    addHoldForces(h, h.force(), add);
}
/// And those of its friction.
template <class Add>
void addGripForces(const SideHold& h, const Vec3& pull, Add add) {
    add(h.body, h.vertex, pull);
    for (int k = 0; k < 4; ++k) add(h.other, h.tet[static_cast<std::size_t>(k)], Vec3(-h.inTet[k] * pull));
}

}  // namespace sunder
