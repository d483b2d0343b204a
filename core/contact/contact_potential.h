#pragma once

#include <algorithm>
#include <vector>

#include "core/body/body.h"
#include "core/contact/contact_sides.h"
#include "core/contact/contact_terms.h"

namespace sunder {

/// One implicit step: v = rate * (x - xStart), minus vStart if secondOrder.
struct ContactStage {
    double rate = 0;  ///< 1/s
    bool secondOrder = false;
};

/// Bodies side by side: vertex i of body b stands at offset[b] + i.
struct ContactBodies {
    std::vector<const ContactShape*> shapes;
    std::vector<const ContactMemory*> memory;
    std::vector<std::size_t> offset;  ///< one more than bodies

    std::size_t vertexCount() const { return offset.back(); }
    /// The body of every vertex.
    std::vector<std::int32_t> bodyOfEach() const;
    std::vector<Span<const Vec3>> parts(Span<const Vec3> x) const;
};

/// Contact as part of what an implicit step minimizes.
///   normal    at every vertex the integral over the depth d of max(0, spring(d) + c d'), d' = rate (d - dStart): a function of d alone,
///             so damper and spring together have a potential.
///   friction  1/2 k u^2 of the sliding u up to mu N, a straight line beyond: the potential of Coulomb friction with the normal force
///             N, its direction and the points of contact of the last updateFriction.
/// Stiffness: of the normal part k' grad d grad d^T (Gauss and Newton), where k' is the slope of the push; of friction the tangential spring or,
/// where it slips, force over way.
/// What has gone too deep is held by the face by which it came in, see ContactSides: a part of the value, with stiffness k' grad d grad d^T, and friction as above.
class ContactPotential {
  public:
    void begin(ContactBodies bodies, const ContactStage& stage, const ContactSet& atStart, Span<const Vec3> xStart, Span<const Vec3> vStart);

    /// From now on sides are kept; what is remembered of them is taken over. Before anything else is asked for.
    void keepSides(SideBodies bodies, Span<const Vec3> vStart);
    /// See ContactSides::update. Returns what is held at x.
    std::vector<SideHold> updateSides(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> known);
    /// In the springs that hold what has gone too deep, at the start of the step or, with what is known now, at x, J.
    double heldEnergyAtStart() const;
    double heldEnergy(Span<const Vec3> x) const;

    /// The value at x, whose overlaps `set` holds, by the bodies whose vertices see it. Adds minus the gradient to `force` unless that is
    /// empty: then `set` needs clusters.
    void addValues(const ContactSet& set, Span<const Vec3> x, Span<Vec3> force, Span<double> ofBodies) const;
    /// From now on forces are only wanted on the bodies marked.
    void setWanted(std::vector<std::uint8_t> bodies) { wanted_ = std::move(bodies); }
    /// All of it.
    double value(const ContactSet& set, Span<const Vec3> x, Span<Vec3> force) const;
    /// From now on friction at the vertices of the bodies marked goes with the normal forces at x; all are if none is given. `set` needs clusters.
    void updateFriction(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> bodies = {});
    /// The same for the sizes of the normal forces alone: where friction acts, and along which surfaces, stays what it was.
    void updateNormalForces(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> bodies);

    /// Finds the stiffness at x as the unknowns of a linear system see it; `set` needs clusters.
    void linearize(const ContactSet& set, Span<const Vec3> x, const ContactUnknowns& unknowns);
    bool hasStiffness() const { return !stiffUnknowns_.empty(); }
    /// Diagonal block of every unknown that has one.
    const std::vector<std::int32_t>& stiffUnknowns() const { return stiffUnknowns_; }
    const std::vector<Mat3>& diagonal() const { return diagonal_; }
    /// y += C x without the diagonal blocks, or without all that is within a body.
    void addProduct(Span<const Vec3> x, Span<Vec3> y, bool betweenBodies = false) const;
    /// Adds what is below the diagonal blocks between the unknowns [first, last), all of one body, to a matrix of these.
    void addWithin(std::size_t first, std::size_t last, Eigen::Ref<Eigen::MatrixXd> matrix) const;
    /// Marks those of `count` unknowns that have stiffness in common with unknowns of other bodies.
    std::vector<std::uint8_t> markShared(std::size_t count) const;

    /// What the step to x, solved, lost in dampers and to sliding, J; and what contact remembers after it, one entry a body. Bodies of which
    /// not all contacts are in the set are `frozen` and remember what they did.
    double commit(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> frozen, std::vector<ContactMemory>& memory) const;

    /// Energy in springs, normal and friction's, J: of what is remembered now, or, if given, after the step.
    double energy(const ContactSet& set, const std::vector<ContactMemory>* after) const;

  private:
    /// A vertex that friction holds.
    struct Grip {
        std::int32_t vertex = 0, body = 0;  ///< the first counted over all bodies
        double stiffness = 0, most = 0;     ///< N/m, mu N
        double sliding = 0;                 ///< mu N once it slips
        Vec3 up, slide;                     ///< normal; how far the spring was drawn at the start
        std::int32_t hold = -1;  ///< of what is held, its place in gripped_; -1: of overlap
        bool slips = false;      ///< had begun to where it was found, so that the coefficient of sliding counts
        std::int32_t other = -1; ///< the only other body with a part in it; -1 if there are more
    };
    struct Push {
        double force = 0, slope = 0, depth = 0;  ///< N, N/m, m
        double value = 0;                        ///< integral of the force over the depth, J
    };

    /// Where friction holds the vertices of a body.
    std::vector<Grip> gripsOf(const ContactSet& set, std::size_t body) const;
    bool isWanted(const ContactCluster& c) const {
        return wanted_.empty() || wanted_[static_cast<std::size_t>(c.bodyA)] || wanted_[static_cast<std::size_t>(c.bodyB)];
    }
    /// Counted over all bodies.
    std::size_t vertexOf(const ContactCluster& c, std::size_t k) const {
        return bodies_.offset[static_cast<std::size_t>(c.bodyOf(k))] + static_cast<std::size_t>(c.vertices[k]);
    }
    /// Without the value unless that is wanted.
    Push pushAt(std::size_t body, std::size_t vertex, const VertexContacts& contacts, bool withValue = false) const;
    const std::vector<Vec4>& waysTo(Span<const Vec3> x) const;
    Vec3 slideAfter(std::size_t row, const std::vector<Vec4>& ways) const;
    void sumUpClusters(const ContactSet& set) const;
    void addPushes(const ContactSet& set, Span<Vec3> force) const;
    void addSides(Span<const Vec3> x, Span<Vec3> force, Span<double> ofBodies) const;
    std::vector<HoldPush> pushesOf(const std::vector<SideHold>& holds) const;
    void addHoldGrips(const std::vector<SideHold>& holds, const std::vector<HoldPush>& pushes, std::size_t body, std::vector<Grip>& grips);
    double commitBody(std::size_t b, const VertexContacts& contacts, const std::vector<Vec4>& ways, ContactMemory& memory) const;
    double commitSides(Span<const Vec3> x, Span<const std::uint8_t> frozen, std::vector<ContactMemory>& memory) const;
    double drawnBy(std::size_t row, const std::vector<Vec4>& ways, Vec3& slide, double& stored) const;
    void findOther(std::size_t row);
    void updateNormalForce(std::size_t row, const VertexContacts& contacts);
    void updatePushes(const ContactSet& set) const;
    void updateGrips(Span<const Vec3> x) const;
    void addFriction(Span<const Vec3> x, Span<Vec3> force, Span<double> ofBodies) const;
    std::vector<std::uint8_t> nextToUnknowns(const ContactSet& set, const ContactUnknowns& unknowns) const;
    std::vector<std::int32_t> pushingVertices(const ContactSet& set, Span<const std::uint8_t> counts, std::vector<double>& stiffness) const;
    double gripStiffness(std::size_t row) const;
    void updateSlips(const std::vector<std::size_t>& grips, const ContactUnknowns& unknowns, Span<const std::int32_t> bodyOf);
    ContactRows<float> slipRows(Span<const std::size_t> grips, const ContactUnknowns& unknowns) const;
    void joinUnknowns();

    ContactBodies bodies_;
    ContactStage stage_;
    ContactSides sides_, sidesAtStart_;
    std::vector<Vec3> sidesSeen_;     ///< where sides_ was looked at last
    std::vector<Vec3> sidesSpeed_;    ///< vStart; secondOrder only
    std::vector<SideHold> gripped_;   ///< that friction was last found for
    std::vector<double> depthStart_;  ///< m, of every vertex
    std::vector<double> rateStart_;   ///< m/s, secondOrder only
    std::vector<Vec3> xStart_;
    std::vector<std::uint8_t> wanted_;  ///< empty: forces on all bodies
    /// What is known of the pushes at the vertices of bodies, until their contacts change.
    struct KnownPushes {
        std::vector<std::uint64_t> version;  ///< of every body's contacts; 0: nothing is known
        std::vector<double> force;           ///< of every vertex that touched
        std::vector<double> pressure;        ///< of every vertex; 0 where there is none
        std::vector<double> value;           ///< of every body
        bool summed = false;                 ///< what follows is of these contacts and of `wanted`
        std::vector<std::uint8_t> wanted;
        std::vector<std::size_t> first;      ///< every cluster's first among the sums
        std::vector<Vec4> sums;              ///< what the vertices of clusters get, and a number more
    };
    /// What is known of grips, until one of their bodies moves.
    struct KnownGrips {
        std::vector<Vec4> ways;           ///< of all vertices since the start, with a fourth number so that one is read at once
        std::vector<std::uint8_t> moved;  ///< bodies, since their grips were looked at
        std::vector<double> value;        ///< empty: nothing is known
        std::vector<Vec3> pull;
        std::vector<double> drawn;        ///< how far, m
    };
    mutable KnownPushes knownPushes_;
    mutable KnownGrips knownGrips_;
    std::vector<Grip> grips_;           ///< body by body
    std::vector<std::size_t> gripsOfBodies_;  ///< every body's first, and one more
    ContactRows<double> slip_;        ///< one row a grip: weights of the points that slide on each other
    RawVector<std::int32_t> slipBody_;  ///< of its entries
    EntriesOfBodies<double> slipOfBodies_;
    // The stiffness; in single precision, since it only leads the way to where the forces, in double, vanish
    ContactTerms<Vec3f> pushes_;      ///< of the volumes that push, and two directions of every grip on something rigid
    ContactTerms<float> slips_;       ///< of the other grips
    /// What slips_ was built of. Grips stay for some iterations, in which only how stiff they are changes.
    struct SlipsOf {
        bool known = false;
        std::vector<std::size_t> grips;
        ContactUnknowns unknowns;
    };
    SlipsOf slipsOf_;
    std::vector<std::int32_t> stiffUnknowns_;
    struct StiffPlace {
        std::int32_t inPushes, inSlips;  ///< among the unknowns of either; -1 if not
    };
    std::vector<StiffPlace> stiffPlaces_;
    std::vector<Mat3> diagonal_;
};

}  // namespace sunder
