#include <algorithm>

#include "core/base/parallel.h"
#include "core/contact/broad_phase.h"
#include "core/contact/tree_traversal.h"

/// The part of BroadPhase that deals with elements.
namespace sunder {

namespace {
constexpr std::size_t kTightGrain = 1024;
constexpr std::size_t kBodyGrain = 16, kChunkGrain = 8;
constexpr std::int32_t kMixed = -1;

/// As Aabb::overlaps, without a branch: of candidates as many overlap as not.
bool overlap(const TightBox& a, const TightBox& b) { return ((a.lower <= b.upper) & (b.lower <= a.upper)).all(); }

TightBox tightBoxOf(const Aabb& box) {
    const auto lanes = [](const Vec3& v) {
        const double four[4] = {v[0], v[1], v[2], 0};
        return Wide4d::load(four);
    };
    return {lanes(box.lower), lanes(box.upper)};
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
void BroadPhase::collectTightBoxes(Span<const BodyMotion> motion, Span<const std::uint8_t> wanted) {
    tightUses_.assign(bodies_.size(), 0);
    for (std::size_t k = 0; k < candidates_.ranges.size(); ++k) {
        const BodyPairRange& range = candidates_.ranges[k];
        if (!wanted.empty() && !wanted[k]) continue;
        tightUses_[range.bodyA] += range.count;
        tightUses_[range.bodyB] += range.count;
    }
    tightBoxes_.resize(bodies_.size());
    tightWhole_.resize(bodies_.size());
    parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t firstBody, std::size_t lastBody) {
        for (std::size_t b = firstBody; b < lastBody; ++b) {
            const GrownBoxes& grown = bodies_[b].grown;
            tightBoxes_[b].resize(tightUses_[b] > grown.size() ? grown.size() : 0);
            parallelFor(tightBoxes_[b].size(), kTightGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t e = first; e < last; ++e)
                    if (grown.isAlive(static_cast<std::int32_t>(e)))
                        tightBoxes_[b][e] = grown.tightBox(static_cast<std::int32_t>(e), motion[b]);
            });
            tightWhole_[b] = tightBoxOf(Aabb());
            for (std::size_t e = 0; e < tightBoxes_[b].size(); ++e) {
                if (!grown.isAlive(static_cast<std::int32_t>(e))) continue;
                tightWhole_[b].lower = min(tightWhole_[b].lower, tightBoxes_[b][e].lower);
                tightWhole_[b].upper = max(tightWhole_[b].upper, tightBoxes_[b][e].upper);
            }
        }
    });
}

/// Every wanted range in chunks of a limited length.
void BroadPhase::splitForTight(Span<const std::uint8_t> wanted) {
    tightChunks_.clear();
    for (std::size_t k = 0; k < candidates_.ranges.size(); ++k) {
        if (!wanted.empty() && !wanted[k]) continue;
        const BodyPairRange& r = candidates_.ranges[k];
        for (std::size_t first = r.first; first < r.first + r.count; first += kTightGrain)
            tightChunks_.push_back({k, first, std::min(first + kTightGrain, r.first + r.count), 0});
    }
}

/// Counts the flags. Candidates stand by their first element, so one that is apart from all of the other body is dismissed with all of its pairs.
std::size_t BroadPhase::flagTightPairs(const TightChunk& chunk, Span<const BodyMotion> motion) {
    const BodyPairRange& range = candidates_.ranges[chunk.range];
    const auto boxOf = [&](std::int32_t body, std::int32_t e) {
        return tightBoxes_[body].empty() ? bodies_[body].grown.tightBox(e, motion[body]) : tightBoxes_[body][e];
    };
    const bool wholeKnown = !tightBoxes_[range.bodyB].empty();
    std::int32_t before = -1;
    bool meets = true;
    std::size_t kept = 0;
    TightBox own{};
    for (std::size_t k = chunk.first; k < chunk.last; ++k) {
        const ElementPair& p = candidates_.pairs[k];
        if (p.i != before) {
            before = p.i;
            own = boxOf(range.bodyA, p.i);
            meets = !wholeKnown || overlap(own, tightWhole_[range.bodyB]);
        }
        tightFlag_[k] = meets && overlap(own, boxOf(range.bodyB, p.j));
        kept += tightFlag_[k];
    }
    return kept;
}

void BroadPhase::tightPairs(Span<const BodyMotion> motion, PairList& out, Span<const std::uint8_t> wanted) {
    collectTightBoxes(motion, wanted);
    splitForTight(wanted);
    tightFlag_.resize(candidates_.pairs.size());
    parallelFor(tightChunks_.size(), kChunkGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) tightChunks_[c].kept = flagTightPairs(tightChunks_[c], motion);
    });
    out.clear();
    std::vector<std::size_t> place{0};  // of every chunk's first
    for (const TightChunk& chunk : tightChunks_) {
        const BodyPairRange& r = candidates_.ranges[chunk.range];
        if (chunk.kept > 0) {
            if (chunk.first == r.first || out.ranges.empty() || out.ranges.back().bodyA != r.bodyA || out.ranges.back().bodyB != r.bodyB)
                out.ranges.push_back({r.bodyA, r.bodyB, place.back(), 0});
            out.ranges.back().count += chunk.kept;
        }
        place.push_back(place.back() + chunk.kept);
    }
    out.pairs.resize(place.back());
    parallelFor(tightChunks_.size(), kChunkGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) {
            std::size_t at = place[c];
            if (tightChunks_[c].kept == 0) continue;
            for (std::size_t k = tightChunks_[c].first; k < tightChunks_[c].last; ++k)
                if (tightFlag_[k]) out.pairs[at++] = candidates_.pairs[k];
        }
    });
}

}  // namespace sunder
