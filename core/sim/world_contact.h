#pragma once

#include <memory>
#include <vector>

#include "core/contact/contact_forces.h"
#include "core/sim/settings.h"

namespace sunder {

struct BodyWork;

/// Contact among the bodies of a world while it is being stepped. Rebuildable: what is kept from step to step (trees, lists of pairs)
/// changes no bit of the result.
class WorldContact {
  public:
    /// Takes over the bodies; keeps what still fits the same ones.
    void prepare(std::vector<BodyWork>& bodies, const StepSettings& settings);
    /// False if no two bodies can meet, nor any with itself.
    bool active() const { return active_; }

    /// True if something may touch within dt, seen from afar: by the boxes of bodies, grown by twice their way.
    bool mayTouch(const std::vector<BodyWork>& bodies, double dt) const;
    /// Finds what overlaps at the bodies' present positions, or at x, one span a body.
    void detect(std::vector<BodyWork>& bodies);
    const ContactSet& detect(const std::vector<Span<const Vec3>>& x, bool withSlopes);
    /// How much of the way from start to end each body may go so that nothing passes through anything, see sunder::safeShares.
    void safeShares(const std::vector<Span<const Vec3>>& start, const std::vector<Span<const Vec3>>& end, Span<double> share);
    /// Forces of what was detected, into the bodies' contactForce.
    ContactTotals addForces(std::vector<BodyWork>& bodies, const ContactStep& step);
    double energy(std::vector<BodyWork>& bodies);
    /// At the start of a world: what overlaps is allowed to. Returns the deepest of it, m.
    double allowOverlaps(std::vector<BodyWork>& bodies);
    /// What is left of that shrinks by `distance`, for the overlaps last detected; returns the energy put in, J.
    double shrinkOverlaps(std::vector<BodyWork>& bodies, double distance);
    /// For a body that others can meet: bounds that its contact springs and dampers add to an explicit step, 1/s2 and 1/s.
    double omegaSq(std::size_t body) const { return active_ ? omegaSq_[body] : 0; }
    double damping(std::size_t body) const { return active_ ? damping_[body] : 0; }
    const ContactSet& set() const { return set_; }
    const ContactShape& shape(std::size_t body) const { return *shapes_[body]; }

  private:
    std::vector<ContactBodyState> states(std::vector<BodyWork>& bodies) const;
    void find(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v);
    void rebuild(const std::vector<BodyWork>& bodies);

    bool active_ = false;
    bool withItself_ = false;  ///< a body can meet itself
    std::vector<std::shared_ptr<const Body>> bodies_;
    std::vector<FrictionPair> frictionPairs_;
    std::vector<std::unique_ptr<const ContactShape>> shapes_;
    std::vector<double> omegaSq_, damping_;
    BroadPhase broad_;
    PairList pairs_;
    std::vector<std::vector<Vec3>> where_;  ///< that set_ is of
    ContactSet set_;
};

}  // namespace sunder
