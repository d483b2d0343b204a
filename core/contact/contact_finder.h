#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "core/contact/contact_set.h"

namespace sunder {

/// Finds what overlaps, again and again as bodies move. What is kept from one place to the next (trees, lists of pairs, the overlaps of
/// bodies that have not moved) changes no bit of the result.
class ContactFinder {
  public:
    /// Of the shapes those from `ledFirst` on are led and do not meet each other.
    void reset(std::vector<std::shared_ptr<const ContactShape>> shapes, std::size_t ledFirst, const BroadPhaseSettings& settings);
    void clear() { reset({}, 0, {}); }
    /// An edit has changed a shape in place (patchContactShape); the next places have as many vertices as it has now.
    void follow(std::size_t body, Span<const ElementChange> changes);

    /// From now on pairs of bodies that lie still, and touch nothing that stirs, are left out. One byte a shape.
    void setStirring(std::vector<std::uint8_t> stirring);
    /// At the place last looked at a body's overlaps are all known: it stirs, or is next to what does.
    bool matters(std::size_t body) const { return matters_[body] != 0; }

    /// What overlaps at x, one span a body; v may be empty and only tells how far to look ahead.
    const ContactSet& find(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v, bool withClusters);
    const ContactSet& set() const { return set_; }
    /// The pairs of tets to look at there, for a response that does not ask for overlaps.
    PairList pairsAt(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v);
    Span<const ContactShape* const> shapes() const { return shapePointers_; }
    /// How much of the way from start to end each body may go so that nothing passes through anything, see sunder::safeShares.
    void safeShares(const std::vector<Span<const Vec3>>& start, const std::vector<Span<const Vec3>>& end, Span<double> share);

  private:
    /// Two bodies with pairs of tets whose boxes overlap.
    struct Meeting {
        std::int32_t a, b;
        bool listed;  ///< in the set
        friend bool operator<(const Meeting& p, const Meeting& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }
    };
    struct Reach {
        double way = 0, height = HUGE_VAL;
    };
    Reach reachOf(std::size_t body, const BodyMotion& motion) const;
    std::vector<std::uint8_t> findMoved(const std::vector<Span<const Vec3>>& x) const;
    void updateBroadPhase(std::vector<BodyMotion>& motion);
    std::vector<std::uint8_t> wantedRanges(const std::vector<std::uint8_t>& moved) const;
    bool counts(const Meeting& m) const { return matters_[static_cast<std::size_t>(m.a)] || matters_[static_cast<std::size_t>(m.b)]; }
    void findMatters();
    PairList mergeCounting(PairList list, const PairList& more) const;
    std::vector<BlockOfBodies> takeBack(bool known, const std::vector<std::uint8_t>& moved);
    PairList listPairs(const std::vector<BodyMotion>& motion, PairList fresh, const std::vector<std::uint8_t>& moved);

    std::vector<std::shared_ptr<const ContactShape>> shapes_;
    std::vector<const ContactShape*> shapePointers_;
    std::size_t ledFirst_ = 0;
    BroadPhase broad_;
    std::vector<std::vector<Vec3>> boxed_;  ///< start of every body at the broad phase's last update
    std::vector<std::uint8_t> stirring_, matters_;
    bool restirred_ = false;                ///< since the last place
    bool placed_ = false;                   ///< where_, meetings_ and set_ hold
    std::vector<std::vector<Vec3>> where_;  ///< that set_ is of
    std::vector<Meeting> meetings_;         ///< there
    ContactSet set_;
    std::vector<BlockOfBodies> aside_;      ///< of the bodies that do not matter there
};

}  // namespace sunder
