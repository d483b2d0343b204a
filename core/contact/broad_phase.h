#pragma once

#include <cstdint>
#include <vector>

#include "core/body/contact_surface.h"
#include "core/contact/box_lanes.h"
#include "core/contact/contact_tree.h"
#include "core/contact/grown_boxes.h"
#include "core/contact/pair_list.h"

namespace sunder {

/// How a body takes part in contact.
struct ContactBody {
    /// Bits of the groups that the body belongs to, and of those that it meets; two bodies meet if each names
    /// a group of the other.
    std::uint32_t group = 1, mask = ~0u;
    SelfContact self = SelfContact::kAll;
    bool skipNeighbors = true;  ///< within the body: no pairs of elements that share a vertex
    double thickness = 0;       ///< m, added to every side of an element's box
};

struct BroadPhaseSettings {
    GrowthSettings growth;
    ContactTreeSettings tree;
    /// Of the elements of two bodies: if more have new boxes, pairs are not patched but found anew.
    double freshShare = 0.125;
    /// Of two bodies, or of one with itself: more is an Error, not a full memory.
    std::size_t mostPairs = 100000000;
};

/// What the last update had to do.
struct BroadPhaseWork {
    std::size_t staleVertices = 0, dirtyElements = 0;
    std::size_t keptLists = 0, patchedLists = 0, freshLists = 0;  ///< one list a pair of bodies
    std::size_t rebuiltTrees = 0;
};

/// Finds the pairs of elements that may touch, between bodies and within them. Bodies are numbered as they
/// are added and numbers are not used again. Between two updates in which all vertices stay in their grown
/// boxes the pairs are those of before and cost a look at every vertex; bodies that are still cost nothing.
///
/// candidates() depends on how the bodies came to be where they are, since boxes are grown and kept.
/// tightPairs() does not: it is what a simulation has to go on with, so that it gives the same bytes after a
/// resume.
class BroadPhase {
  public:
    explicit BroadPhase(const BroadPhaseSettings& settings = {}) : settings_(settings) {}

    /// `pieces` (one an element) may be empty: then the body is one piece.
    std::int32_t addBody(const ContactBody& body, Span<const ElementCorners> elements,
                         Span<const std::int32_t> pieces = {});
    void removeBody(std::int32_t body);
    void setBody(std::int32_t body, const ContactBody& settings);
    /// A topology edit. The cost at the next update depends on the number of changes, but for a pass over the
    /// body's elements.
    void changeElements(std::int32_t body, Span<const ElementChange> changes);
    std::size_t bodyCount() const { return bodies_.size(); }

    /// `motion` has one entry a body. Throws Error for positions that are NaN, infinite or too few, and then
    /// nothing has changed; also for more than mostPairs, and then the next update searches again.
    const PairList& update(Span<const BodyMotion> motion);
    /// All pairs whose boxes overlap at least as of the last update, and some more.
    const PairList& candidates() const { return candidates_; }
    /// Exactly the pairs whose boxes around start and end overlap, for the motion of the last update. `wanted` has one byte a range of
    /// the candidates, or is empty: then all are.
    void tightPairs(Span<const BodyMotion> motion, PairList& out, Span<const std::uint8_t> wanted = {});
    const BroadPhaseWork& work() const { return work_; }
    const ContactTree& tree(std::int32_t body) const { return bodies_[body].tree; }

  private:
    struct BodyEntry {
        ContactBody settings;
        GrownBoxes grown;
        ContactTree tree;
        bool dirty = true;   ///< some of its pairs have to be looked for
        bool fresh = true;   ///< all of them
        bool inTop = false;  ///< stands in the tree of bodies
        bool rebuilt = false;
    };
    enum class ListState : std::uint8_t { kKept, kPatched, kFresh };
    struct BodyPair {
        std::int32_t a, b;
        ListState state = ListState::kFresh;
        std::int64_t old = -1;  ///< its range among the candidates so far
    };

    void checkMotion(Span<const BodyMotion> motion);
    void updateBody(BodyEntry& body, const BodyMotion& motion) const;
    void updateTree(BodyEntry& body) const;
    void updateTopTree();
    void rebuildTopTree();
    void updateBodyPairs();
    void meetBodies(std::int32_t body, std::vector<BodyPair>& out) const;
    bool mayMeet(std::int32_t a, std::int32_t b) const;
    void matchOldLists();
    ListState stateOf(const BodyPair& pair) const;
    void findPairs(const BodyPair& pair, std::vector<ElementPair>& out) const;
    template <class Keep>
    void findPairs(const BodyPair& pair, Keep&& keep, std::vector<ElementPair>& out) const;
    template <class Keep>
    void patchPairs(const BodyPair& pair, Keep&& keep, std::vector<ElementPair>& out) const;
    template <class Keep>
    void meetDirty(const BodyPair& pair, bool second, Keep&& keep, std::vector<ElementPair>& out) const;
    void assemble();
    void settle();
    /// Some candidates of two bodies.
    struct TightChunk {
        std::size_t range, first, last;
        std::size_t kept;  ///< how many of them are flagged
    };
    void collectTightBoxes(Span<const BodyMotion> motion, Span<const std::uint8_t> wanted);
    void splitForTight(Span<const std::uint8_t> wanted);
    std::size_t flagTightPairs(const TightChunk& chunk, Span<const BodyMotion> motion);

    BroadPhaseSettings settings_;
    std::vector<BodyEntry> bodies_;
    ContactTree top_;  ///< of bodies
    std::vector<Aabb> bodyBounds_;
    std::vector<BodyPair> bodyPairs_;  ///< sorted; bodies whose boxes overlap. One range of candidates_ each
    std::vector<std::vector<ElementPair>> lists_;  ///< of bodyPairs_, where they are not kept
    PairList candidates_, next_;
    BroadPhaseWork work_;
    std::vector<std::vector<TightBox>> tightBoxes_;  ///< of the bodies with many candidates
    std::vector<TightBox> tightWhole_;               ///< of these bodies, around all their elements
    std::vector<std::size_t> tightUses_;         ///< candidates of every body
    std::vector<std::uint8_t> tightFlag_;        ///< of every candidate
    std::vector<TightChunk> tightChunks_;
};

}  // namespace sunder
