#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/contact/contact_finder.h"
#include "core/contact/contact_forces.h"
#include "core/contact/contact_sides.h"
#include "core/contact/response_nodes.h"
#include "core/sim/collider.h"
#include "core/sim/settings.h"
#include "core/spatial/aabb.h"

namespace sunder {

struct BodyWork;

/// Contact among the bodies of a world while it is being stepped. Rebuildable: what is kept from step to step (trees, lists of pairs)
/// changes no bit of the result.
class WorldContact {
  public:
    /// Takes over the bodies and the colliders as they are at a time and from then on; keeps what still fits the same ones.
    void prepare(std::vector<BodyWork>& bodies, const std::vector<std::shared_ptr<const Collider>>& colliders, double time,
                 const StepSettings& settings);
    /// Of every vertex of every body, at the place last looked at: how deep it is in others beyond what it is allowed to be, m. Empty without contact.
    std::vector<std::vector<double>> depths(const std::vector<BodyWork>& bodies) const;
    /// Where cracks let parts of a body meet that could not before, or move the share of a vertex: what overlaps now beyond these depths is allowed,
    /// so that nothing is pushed harder than before.
    void allowBeyond(std::vector<BodyWork>& bodies, const std::vector<std::vector<double>>& depths, double time);
    /// Bodies have been edited; all but contact already knows. Costs what the edits changed. What goes by all of a body, its mean modulus and the bounds
    /// of its springs, stays as it was, or grows, until the next `prepare`.
    void follow(std::vector<BodyWork>& bodies, const std::vector<TopologyEdit>& edits);
    /// False if no two bodies can meet, nor any with itself.
    bool active() const { return active_; }

    /// Colliders stand behind the bodies wherever bodies are counted.
    std::size_t colliderCount() const { return colliders_.size(); }
    std::size_t bodyCount() const { return shapes_.size(); }
    /// Where the vertices of a collider are.
    void placeCollider(std::size_t collider, double time, std::vector<Vec3>& x, std::vector<Vec3>& v) const;

    /// See ContactFinder. One byte a body and collider.
    void setStirring(std::vector<std::uint8_t> stirring) { finder_.setStirring(std::move(stirring)); }
    bool matters(std::size_t body) const { return finder_.matters(body); }
    /// True if something may touch within dt, seen from afar: by the boxes of bodies, grown by twice their way.
    bool mayTouch(const std::vector<BodyWork>& bodies, double time, double dt) const;
    /// The way within dt of a collider or a body that is held everywhere, over the longest that cannot take it through a body near it:
    /// of all, the one for which that is most.
    struct LedWay {
        double share = 0;
        double length = 0;    ///< m
        std::size_t led = 0;
    };
    LedWay longestLedWay(const std::vector<BodyWork>& bodies, double time, double dt) const;
    /// For explicit steps, which see what overlaps at their ends alone: `step`, or the longest one in which nothing that may touch within dt goes past half of the other's
    /// thickness unseen. Impacts faster than sound ask for it; others have shorter stable steps.
    double approachStep(const std::vector<BodyWork>& bodies, double time, double step, double dt) const;
    /// Finds what overlaps at the bodies' present positions and the colliders' at a time, or at x, one span a body.
    void detect(std::vector<BodyWork>& bodies, double time);
    const ContactSet& detect(const std::vector<Span<const Vec3>>& x, bool withClusters) { return finder_.find(x, {}, withClusters); }
    /// How much of the way from start to end each body may go so that nothing passes through anything, see sunder::safeShares.
    void safeShares(const std::vector<Span<const Vec3>>& start, const std::vector<Span<const Vec3>>& end, Span<double> share) {
        finder_.safeShares(start, end, share);
    }
    /// Forces of what was detected, into the bodies' contactForce.
    ContactTotals addForces(std::vector<BodyWork>& bodies, const ContactStep& step);
    double energy(std::vector<BodyWork>& bodies, double time);
    /// At the start of a world: what overlaps is allowed to. Returns the deepest of it.
    struct Overlap {
        double depth = 0;  ///< m
        std::size_t body = 0, other = 0;
        Vec3 position = Vec3::Zero();
    };
    Overlap allowOverlaps(std::vector<BodyWork>& bodies, double time);
    /// What is left of that shrinks by `distance`, for the overlaps last detected; returns the energy put in, J.
    double shrinkOverlaps(std::vector<BodyWork>& bodies, double distance);
    /// For a body that others can meet: bounds that its contact springs and dampers add to an explicit step, 1/s2 and 1/s.
    double omegaSq(std::size_t body) const { return active_ ? omegaSq_[body] : 0; }
    double damping(std::size_t body) const { return active_ ? damping_[body] : 0; }
    const ContactSet& set() const { return response_ == ContactResponse::kNodes ? nodeSet_ : finder_.set(); }
    /// Bodies and colliders that were found to touch; a pair may be there more than once.
    std::vector<std::pair<std::size_t, std::size_t>> touchingPairs() const;
    /// Calls use(a, b) with a vertex of either side, as pairs of a body or collider and its vertex, for everything that was found to touch.
    template <class Use>
    void visitTouches(Use use) const {
        for (const BlockOfBodies& block : set().blocks)
            for (const TetContact& c : block.block->contacts) use(std::pair(c.bodyA, c.a[0]), std::pair(c.bodyB, c.b[0]));
        for (const NodeContact& n : nodes_) use(std::pair(n.body, n.vertex), std::pair(n.other, n.tet[0]));
        for (const SideHold& h : holds_) use(std::pair(h.body, h.vertex), std::pair(h.other, h.corners[0]));
    }
    const ContactShape& shape(std::size_t body) const { return *shapes_[body]; }
    /// Bodies as sides see them; one memory each, and each collider.
    SideBodies sideBodies(std::vector<const ContactMemory*> memory) const;
    /// What is held beyond the layer that it came in by, at the place last looked at.
    void noteHeld(const std::vector<SideHold>& holds);
    std::size_t heldCount() const { return holds_.size(); }
    /// The bodies with most of it; something must be held.
    std::pair<std::size_t, std::size_t> mostHeldPair() const { return mostHeld_; }
    /// Of a body or collider.
    const std::string& name(std::size_t body) const;

  private:
    std::vector<ContactBodyState> states(std::vector<BodyWork>& bodies);
    ContactTotals respond(Span<ContactBodyState> list, const ContactStep& step) const;
    bool keepsSides() const { return keepSides_ && response_ == ContactResponse::kOverlap; }
    ContactSides sidesOf(Span<const ContactBodyState> list) const;
    /// A held vertex, and what pushes and rubs there.
    struct HeldPush {
        SideHold hold;
        double normal;         ///< N
        Vec3 friction, slide;  ///< N, m
        double stored;         ///< J
    };
    struct Held {
        std::vector<HeldPush> pushes;
        ContactTotals totals;
    };
    Held updateSides(std::vector<BodyWork>& bodies, const ContactStep& step);
    static HeldPush pushOf(const SideHold& h, Places v, const ContactStep& step, ContactTotals& totals);
    void pushBack(const std::vector<HeldPush>& pushes, std::vector<BodyWork>& bodies);
    double stiffening(std::size_t b, const ContactMemory& memory) const;
    void rebuild(std::vector<BodyWork>& bodies);
    void addBody(BodyWork& work, std::size_t number, const std::vector<std::vector<std::string>>& names);
    void boundVertex(std::size_t body, std::size_t vertex);
    void boundBodies();
    void settle(std::vector<BodyWork>& bodies);
    void findWhetherActive();
    double largestRatio(const ContactShape& shape) const;
    void boundRigid(std::size_t body);
    bool anyMeet() const;
    /// Where something may be within dt, and how far it is led in it.
    struct Reach {
        Aabb box;
        double led = 0;  ///< m; 0 for what is not held everywhere
    };
    std::vector<Reach> reaches(const std::vector<BodyWork>& bodies, double time, double dt) const;
    /// What a body overlaps at a vertex.
    std::size_t partnerOf(std::size_t body, const Vec3& vertex, const std::vector<BodyWork>& bodies) const;

    ContactResponse response_ = ContactResponse::kOverlap;
    bool active_ = false;
    bool withItself_ = false;  ///< a body can meet itself
    std::vector<std::shared_ptr<const Body>> bodies_;
    std::vector<ContactPair> pairs_;
    struct LedCollider {
        std::shared_ptr<const Collider> collider;
        std::size_t stretch;
        std::vector<Vec3> x, v, force;
        ContactMemory memory;  ///< of which nothing is used: what is rigid remembers nothing
        friend bool operator==(const LedCollider& a, const LedCollider& b) { return a.collider == b.collider && a.stretch == b.stretch; }
    };
    std::vector<LedCollider> colliders_;
    double since_ = 0;  ///< s, of the last `prepare`
    std::vector<std::shared_ptr<const ContactShape>> shapes_;  ///< of bodies and colliders
    std::vector<std::shared_ptr<ContactShape>> own_;           ///< the same ones of bodies, which edits change
    std::vector<std::uint8_t> edited_;                         ///< bodies since the last `prepare`
    std::vector<double> omegaSq_, damping_;
    std::vector<double> mobility_;   ///< of rigid bodies, at most, of any of their points, 1/kg
    bool keepSides_ = false;
    std::vector<SideHold> holds_;                                 ///< of vertices
    std::vector<std::pair<std::size_t, std::size_t>> heldPairs_;  ///< of bodies
    std::pair<std::size_t, std::size_t> mostHeld_;
    std::vector<double> thickness_;  ///< of the tets of bodies and colliders, m
    ContactFinder finder_;
    ContactSet nodeSet_;              ///< with kNodes in place of the finder's: vertices alone
    std::vector<NodeContact> nodes_;  ///< and these in place of its contacts
};

}  // namespace sunder
