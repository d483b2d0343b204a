#include <algorithm>

#include "core/base/parallel.h"
#include "core/contact/broad_phase.h"
#include "core/contact/tree_traversal.h"

/// The part of BroadPhase that deals with elements.
namespace sunder {

namespace {
constexpr std::size_t kTightGrain = 1024;
constexpr std::size_t kBodyGrain = 16, kRangeGrain = 64;
constexpr std::int32_t kMixed = -1;

/// As Aabb::overlaps, without a branch: of candidates as many overlap as not.
bool overlap(const Aabb& a, const Aabb& b) {
    return static_cast<bool>((a.lower[0] <= b.upper[0]) & (b.lower[0] <= a.upper[0]) & (a.lower[1] <= b.upper[1]) & (b.lower[1] <= a.upper[1]) &
                             (a.lower[2] <= b.upper[2]) & (b.lower[2] <= a.upper[2]));
}

/// The piece of all elements below each node, or kMixed.
std::int32_t labelBelow(const ContactTree& tree, std::int32_t n, Span<const std::int32_t> pieces,
                        std::vector<std::int32_t>& labels) {
    const ContactTree::Node& node = tree.nodes()[n];
    std::int32_t label = kMixed;
    for (std::int32_t lane = 0; lane < node.count; ++lane) {
        const std::int32_t child = node.child[lane];
        const std::int32_t below = node.leaf ? pieces[child] : labelBelow(tree, child, pieces, labels);
        label = lane == 0 || label == below ? below : kMixed;
        if (node.leaf && label == kMixed) break;
    }
    return labels[n] = label;
}
}  // namespace

void BroadPhase::findPairs(const BodyPair& pair, std::vector<ElementPair>& out) const {
    if (pair.state == ListState::kKept) return;
    if (pair.a != pair.b)
        return findPairs(
            pair, [](std::int32_t, std::int32_t) { return true; }, out);
    const BodyEntry& body = bodies_[pair.a];
    const bool skip = body.settings.skipNeighbors,
               byPiece = body.settings.self == SelfContact::kBetweenPieces;
    const ElementCorners* corners = body.grown.corners().data();
    const Span<const std::int32_t> pieces = body.grown.pieces();
    if (byPiece)
        findPairs(
            pair,
            [=](std::int32_t i, std::int32_t j) {
                return pieces[i] != pieces[j] && !(skip && sharesVertex(corners[i], corners[j]));
            },
            out);
    else if (skip)
        findPairs(
            pair, [=](std::int32_t i, std::int32_t j) { return !sharesVertex(corners[i], corners[j]); }, out);
    else
        findPairs(
            pair, [](std::int32_t, std::int32_t) { return true; }, out);
}

template <class Keep>
void BroadPhase::findPairs(const BodyPair& pair, Keep&& keep, std::vector<ElementPair>& out) const {
    if (pair.state == ListState::kPatched) return patchPairs(pair, keep, out);
    const BodyEntry &a = bodies_[pair.a], &b = bodies_[pair.b];
    TreePair trees(a.tree, b.tree);
    std::vector<std::int32_t> labels;
    if (pair.a == pair.b && a.settings.self == SelfContact::kBetweenPieces && a.tree.size() > 0) {
        labels.resize(a.tree.nodes().size(), kMixed);
        labelBelow(a.tree, 0, a.grown.pieces(), labels);
        trees.labels = labels;
    }
    collectTreePairs(trees, keep, out, settings_.mostPairs);
    sortPairs(out, a.grown.size());
}

/// Drops the old pairs of dirty elements and looks for their new ones.
template <class Keep>
void BroadPhase::patchPairs(const BodyPair& pair, Keep&& keep, std::vector<ElementPair>& out) const {
    const GrownBoxes &a = bodies_[pair.a].grown, &b = bodies_[pair.b].grown;
    out.clear();
    for (const ElementPair& p : candidates_.of(candidates_.ranges[pair.old]))
        if (!a.isDirty(p.i) && !b.isDirty(p.j)) out.push_back(p);
    const auto kept = static_cast<std::ptrdiff_t>(out.size());
    meetDirty(pair, false, keep, out);
    if (pair.a != pair.b) meetDirty(pair, true, keep, out);
    std::sort(out.begin() + kept, out.end());
    std::inplace_merge(out.begin(), out.begin() + kept, out.end());
}

/// The dirty elements of the first body, or of the second one, against the other body's tree.
template <class Keep>
void BroadPhase::meetDirty(const BodyPair& pair, bool second, Keep&& keep,
                           std::vector<ElementPair>& out) const {
    const BodyEntry &own = bodies_[second ? pair.b : pair.a], &other = bodies_[second ? pair.a : pair.b];
    const bool self = pair.a == pair.b;
    const FrameShift shift = self ? FrameShift{} : own.tree.shiftTo(other.tree);
    std::vector<std::int32_t> stack;
    for (const std::int32_t e : own.grown.dirty()) {
        if (!own.grown.isAlive(e)) continue;
        queryTree(other.tree, shift.apply(own.tree.itemBox(e)), stack, [&](std::int32_t f) {
            // Two dirty elements find each other twice.
            if (other.grown.isDirty(f) && (self ? f <= e : second)) return;
            ElementPair p = second ? ElementPair{f, e} : ElementPair{e, f};
            if (self && p.i > p.j) std::swap(p.i, p.j);
            if (keep(p.i, p.j)) out.push_back(p);
        });
    }
}

void BroadPhase::assemble() {
    next_.ranges.clear();
    std::size_t sum = 0;
    for (std::size_t k = 0; k < bodyPairs_.size(); ++k) {
        const BodyPair& pair = bodyPairs_[k];
        const bool kept = pair.state == ListState::kKept;
        const std::size_t count = kept ? candidates_.ranges[pair.old].count : lists_[k].size();
        next_.ranges.push_back({pair.a, pair.b, sum, count});
        sum += count;
        work_.keptLists += kept;
        work_.patchedLists += pair.state == ListState::kPatched;
        work_.freshLists += pair.state == ListState::kFresh;
    }
    next_.pairs.resize(sum);
    parallelBlocks(bodyPairs_.size(), [&](std::size_t k) {
        const bool kept = bodyPairs_[k].state == ListState::kKept;
        const Span<const ElementPair> from =
            kept ? candidates_.of(candidates_.ranges[bodyPairs_[k].old]) : Span<const ElementPair>(lists_[k]);
        std::copy(from.begin(), from.end(), next_.pairs.begin() + next_.ranges[k].first);
    });
    std::swap(candidates_, next_);
}

/// Boxes once an element where that is less work than once a candidate.
void BroadPhase::collectTightBoxes(const PairList& list, Span<const BodyMotion> motion) {
    tightUses_.assign(bodies_.size(), 0);
    for (const BodyPairRange& range : list.ranges) {
        tightUses_[range.bodyA] += range.count;
        tightUses_[range.bodyB] += range.count;
    }
    tightBoxes_.resize(bodies_.size());
    parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t firstBody, std::size_t lastBody) {
        for (std::size_t b = firstBody; b < lastBody; ++b) {
            const GrownBoxes& grown = bodies_[b].grown;
            tightBoxes_[b].resize(tightUses_[b] > grown.size() ? grown.size() : 0);
            parallelFor(tightBoxes_[b].size(), kTightGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t e = first; e < last; ++e)
                    if (grown.isAlive(static_cast<std::int32_t>(e)))
                        tightBoxes_[b][e] = grown.tightBox(static_cast<std::int32_t>(e), motion[b]);
            });
        }
    });
}

void BroadPhase::flagTightPairs(const PairList& list, Span<const BodyMotion> motion) {
    const auto boxOf = [&](std::int32_t body, std::int32_t e, Aabb& scratch) -> const Aabb& {
        if (!tightBoxes_[body].empty()) return tightBoxes_[body][e];
        return scratch = bodies_[body].grown.tightBox(e, motion[body]);
    };
    const std::vector<BodyPairRange>& ranges = list.ranges;
    const std::size_t count = list.pairs.size(), blocks = (count + kTightGrain - 1) / kTightGrain;
    tightFlag_.resize(count);
    tightPlace_.assign(blocks + 1, 0);
    parallelFor(count, kTightGrain, [&](std::size_t first, std::size_t last) {
        auto range =
            std::upper_bound(ranges.begin(), ranges.end(), first,
                             [](std::size_t k, const BodyPairRange& r) { return k < r.first + r.count; });
        std::size_t kept = 0;
        Aabb a, b;
        for (std::size_t k = first; k < last; ++k) {
            while (k >= range->first + range->count) ++range;
            const ElementPair& p = list.pairs[k];
            tightFlag_[k] = overlap(boxOf(range->bodyA, p.i, a), boxOf(range->bodyB, p.j, b));
            kept += tightFlag_[k];
        }
        tightPlace_[first / kTightGrain + 1] = kept;
    });
    for (std::size_t b = 0; b < blocks; ++b) tightPlace_[b + 1] += tightPlace_[b];
}

std::size_t BroadPhase::tightBefore(std::size_t candidate) const {
    const std::size_t block = candidate / kTightGrain;
    std::size_t count = tightPlace_[block];
    for (std::size_t k = block * kTightGrain; k < candidate; ++k) count += tightFlag_[k];
    return count;
}

void BroadPhase::tightPairs(Span<const BodyMotion> motion, PairList& out, Span<const std::uint8_t> wanted) {
    wanted_.clear();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (!wanted[k]) continue;
        const BodyPairRange& r = candidates_.ranges[k];
        const Span<const ElementPair> own = candidates_.of(r);
        wanted_.ranges.push_back({r.bodyA, r.bodyB, wanted_.pairs.size(), own.size()});
        wanted_.pairs.insert(wanted_.pairs.end(), own.begin(), own.end());
    }
    const PairList& list = wanted.empty() ? candidates_ : wanted_;
    collectTightBoxes(list, motion);
    flagTightPairs(list, motion);
    out.clear();
    out.pairs.resize(tightPlace_.back());
    parallelFor(list.pairs.size(), kTightGrain, [&](std::size_t first, std::size_t last) {
        std::size_t at = tightPlace_[first / kTightGrain];
        for (std::size_t k = first; k < last; ++k)
            if (tightFlag_[k]) out.pairs[at++] = list.pairs[k];
    });
    std::vector<std::size_t> before(list.ranges.size() + 1, tightPlace_.back());  // every range
    parallelFor(list.ranges.size(), kRangeGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) before[k] = tightBefore(list.ranges[k].first);
    });
    for (std::size_t k = 0; k < list.ranges.size(); ++k)
        if (before[k + 1] > before[k]) out.ranges.push_back({list.ranges[k].bodyA, list.ranges[k].bodyB, before[k], before[k + 1] - before[k]});
}

}  // namespace sunder
