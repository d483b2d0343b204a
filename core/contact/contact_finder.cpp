#include "core/contact/contact_finder.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/parallel.h"
#include "core/contact/safe_way.h"

namespace sunder {

namespace {
constexpr std::size_t kBodyGrain = 16, kRangeGrain = 64;
constexpr double kBelow = 1 - 1e-6;  // one: heights by another formula than that of those who look closer, who have the last word

bool same(Span<const Vec3> a, Span<const Vec3> b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::vector<BodyMotion> motionAt(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v) {
    std::vector<BodyMotion> motion(x.size());
    for (std::size_t b = 0; b < x.size(); ++b) {
        motion[b].start = x[b];
        if (!v.empty()) motion[b].velocity = v[b];
    }
    return motion;
}
}  // namespace

void ContactFinder::reset(std::vector<std::shared_ptr<const ContactShape>> shapes, std::size_t ledFirst, const BroadPhaseSettings& settings) {
    *this = {};
    shapes_ = std::move(shapes);
    ledFirst_ = ledFirst;
    broad_ = BroadPhase(settings);
    for (std::size_t b = 0; b < shapes_.size(); ++b) {
        ContactBody options;
        options.group = shapes_[b]->surface.group;
        options.mask = shapes_[b]->surface.mask;
        options.self = b < ledFirst ? shapes_[b]->surface.self : SelfContact::kNone;
        broad_.addBody(options, shapes_[b]->corners, shapes_[b]->pieces);
        shapePointers_.push_back(shapes_[b].get());
    }
    stirring_.assign(shapes_.size(), 1);
    matters_ = stirring_;
}

/// Wherever it is found next, it has moved.
void ContactFinder::follow(std::size_t body, Span<const ElementChange> changes) {
    broad_.changeElements(static_cast<std::int32_t>(body), changes);
    if (body < boxed_.size()) boxed_[body].clear();
    if (body < where_.size()) where_[body].clear();
    if (body < set_.vertices.size()) set_.vertices[body].reset(shapes_[body]->area.size());
}

void ContactFinder::setStirring(std::vector<std::uint8_t> stirring) {
    if (stirring == stirring_) return;
    stirring_ = std::move(stirring);
    restirred_ = true;
}

std::vector<std::uint8_t> ContactFinder::findMoved(const std::vector<Span<const Vec3>>& x) const {
    std::vector<std::uint8_t> moved(x.size(), 1);
    if (!placed_) return moved;
    parallelFor(x.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) moved[b] = !same(x[b], where_[b]);
    });
    return moved;
}

/// Bodies that start from where they started at the last update are in their boxes still.
void ContactFinder::updateBroadPhase(std::vector<BodyMotion>& motion) {
    boxed_.resize(motion.size());
    parallelFor(motion.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            motion[b].still = !motion[b].start.empty() && same(motion[b].start, boxed_[b]) && (motion[b].end.empty() || same(motion[b].start, motion[b].end));
    });
    broad_.update(motion);
    parallelFor(motion.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            if (!motion[b].still) boxed_[b].assign(motion[b].start.begin(), motion[b].start.end());
    });
}

/// Those with a body that has moved. What is led does not meet what is led.
std::vector<std::uint8_t> ContactFinder::wantedRanges(const std::vector<std::uint8_t>& moved) const {
    const std::vector<BodyPairRange>& ranges = broad_.candidates().ranges;
    std::vector<std::uint8_t> wanted(ranges.size());
    for (std::size_t k = 0; k < ranges.size(); ++k) {
        const auto a = static_cast<std::size_t>(ranges[k].bodyA), b = static_cast<std::size_t>(ranges[k].bodyB);
        wanted[k] = a < ledFirst_ && (moved[a] || moved[b]);
    }
    return wanted;
}

/// What lies still matters only next to what stirs: there all of its overlaps count.
void ContactFinder::findMatters() {
    matters_ = stirring_;
    for (const Meeting& m : meetings_) {
        const auto a = static_cast<std::size_t>(m.a), b = static_cast<std::size_t>(m.b);
        if (stirring_[a]) matters_[b] = 1;
        if (stirring_[b]) matters_[a] = 1;
    }
}

/// Of the ranges of two lists, those of bodies that matter, in order; no two bodies are in both.
PairList ContactFinder::mergeCounting(PairList list, const PairList& more) const {
    const auto counting = [&](const BodyPairRange& r) { return counts({r.bodyA, r.bodyB, false}); };
    if (more.ranges.empty() && std::all_of(list.ranges.begin(), list.ranges.end(), counting)) return list;
    PairList all;
    std::vector<Span<const ElementPair>> from;
    std::size_t sum = 0;
    const auto add = [&](const PairList& own, const BodyPairRange& r) {
        if (!counting(r)) return;
        all.ranges.push_back({r.bodyA, r.bodyB, sum, r.count});
        from.push_back(own.of(r));
        sum += r.count;
    };
    std::size_t k = 0;
    for (const BodyPairRange& r : list.ranges) {
        while (k < more.ranges.size() && Meeting{more.ranges[k].bodyA, more.ranges[k].bodyB, false} < Meeting{r.bodyA, r.bodyB, false}) add(more, more.ranges[k++]);
        add(list, r);
    }
    while (k < more.ranges.size()) add(more, more.ranges[k++]);
    all.pairs.resize(sum);
    parallelFor(from.size(), kRangeGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; ++r) std::copy(from[r].begin(), from[r].end(), all.pairs.begin() + static_cast<std::ptrdiff_t>(all.ranges[r].first));
    });
    return all;
}

/// The pairs to look at: of those with a body that has moved, and of those that begin to matter.
PairList ContactFinder::listPairs(const std::vector<BodyMotion>& motion, PairList fresh, const std::vector<std::uint8_t>& moved) {
    std::vector<std::uint8_t> late;
    auto at = meetings_.begin();  // both lists are sorted
    for (const BodyPairRange& r : broad_.candidates().ranges) {
        while (at != meetings_.end() && *at < Meeting{r.bodyA, r.bodyB, false}) ++at;
        const bool met = at != meetings_.end() && at->a == r.bodyA && at->b == r.bodyB;
        late.push_back(met && !at->listed && !moved[static_cast<std::size_t>(r.bodyA)] && !moved[static_cast<std::size_t>(r.bodyB)] && counts(*at));
    }
    PairList more;
    if (std::find(late.begin(), late.end(), 1) != late.end()) broad_.tightPairs(motion, more, late);
    return mergeCounting(std::move(fresh), more);
}

/// What has been set aside and counts again; what no longer holds is forgotten.
std::vector<BlockOfBodies> ContactFinder::takeBack(bool known, const std::vector<std::uint8_t>& moved) {
    std::vector<BlockOfBodies> back, stay;
    auto at = meetings_.begin();  // both lists are sorted
    for (BlockOfBodies& block : aside_) {
        if (!known || moved[static_cast<std::size_t>(block.bodyA)] || moved[static_cast<std::size_t>(block.bodyB)]) continue;
        const Meeting meeting{block.bodyA, block.bodyB, true};
        if (!counts(meeting)) {
            stay.push_back(std::move(block));
            continue;
        }
        at = std::lower_bound(at, meetings_.end(), meeting);
        at->listed = true;
        back.push_back(std::move(block));
    }
    aside_.swap(stay);
    return back;
}

PairList ContactFinder::pairsAt(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v) {
    std::vector<BodyMotion> motion = motionAt(x, v);
    placed_ = false;
    updateBroadPhase(motion);
    const std::vector<std::uint8_t> all(x.size(), 1);
    PairList pairs;
    broad_.tightPairs(motion, pairs, wantedRanges(all));
    meetings_.clear();
    for (const BodyPairRange& r : pairs.ranges) meetings_.push_back({r.bodyA, r.bodyB, false});
    findMatters();
    return mergeCounting(std::move(pairs), {});
}

const ContactSet& ContactFinder::find(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v, bool withClusters) {
    const std::vector<std::uint8_t> moved = findMoved(x);
    if (restirred_ || std::find(moved.begin(), moved.end(), 1) != moved.end()) {
        std::vector<BodyMotion> motion = motionAt(x, v);
        const bool known = placed_;
        placed_ = false;  // should anything throw
        updateBroadPhase(motion);
        PairList fresh;
        broad_.tightPairs(motion, fresh, wantedRanges(moved));
        std::vector<Meeting> stay, come;
        for (const Meeting& m : meetings_)
            if (known && !moved[static_cast<std::size_t>(m.a)] && !moved[static_cast<std::size_t>(m.b)]) stay.push_back(m);
        for (const BodyPairRange& r : fresh.ranges) come.push_back({r.bodyA, r.bodyB, false});
        meetings_.clear();
        std::merge(stay.begin(), stay.end(), come.begin(), come.end(), std::back_inserter(meetings_));
        findMatters();
        std::vector<BlockOfBodies> back = takeBack(known, moved);
        const PairList pairs = listPairs(motion, std::move(fresh), moved);
        std::vector<BlockFate> fates;
        for (const BlockOfBodies& block : set_.blocks) {
            const bool holds = known && !moved[static_cast<std::size_t>(block.bodyA)] && !moved[static_cast<std::size_t>(block.bodyB)];
            fates.push_back(!holds ? BlockFate::kDrop : counts({block.bodyA, block.bodyB, true}) ? BlockFate::kKeep : BlockFate::kAside);
        }
        updateContacts(pairs, fates, shapePointers_, x, withClusters, back, set_);
        std::vector<BlockOfBodies> all;
        std::merge(std::make_move_iterator(aside_.begin()), std::make_move_iterator(aside_.end()), std::make_move_iterator(back.begin()), std::make_move_iterator(back.end()),
                   std::back_inserter(all));
        aside_.swap(all);
        for (Meeting& m : meetings_) m.listed = counts(m);
        restirred_ = false;
        where_.resize(x.size());
        parallelFor(x.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t b = first; b < last; ++b)
                if (moved[b]) where_[b].assign(x[b].begin(), x[b].end());
        });
        placed_ = true;
    }
    if (withClusters && !set_.hasClusters) computeClusters(x, set_);
    return set_;
}

/// A body's longest way, and not more than the smallest height of its tets at the start, m.
ContactFinder::Reach ContactFinder::reachOf(std::size_t body, const BodyMotion& motion) const {
    double waySq = 0;
    for (std::size_t i = 0; i < motion.start.size(); ++i) waySq = std::max(waySq, (motion.end[i] - motion.start[i]).squaredNorm());
    double least = HUGE_VAL;  // of squares: of six volumes over the largest double area
    for (const ElementCorners& c : shapes_[body]->corners) {
        if (c[0] < 0) continue;
        const Vec3& origin = motion.start[static_cast<std::size_t>(c[0])];
        const Vec3 e1 = motion.start[static_cast<std::size_t>(c[1])] - origin, e2 = motion.start[static_cast<std::size_t>(c[2])] - origin,
                   e3 = motion.start[static_cast<std::size_t>(c[3])] - origin;
        const Vec3 n1 = e2.cross(e3), n2 = e3.cross(e1), n3 = e1.cross(e2);
        const double six = e1.dot(n1), largestSq = std::max(std::max(n1.squaredNorm(), n2.squaredNorm()), std::max(n3.squaredNorm(), (n1 + n2 + n3).squaredNorm()));
        least = std::min(least, largestSq > 0 ? six * six / largestSq : 0);
    }
    return {std::sqrt(waySq), kBelow * std::sqrt(least)};
}

/// Bodies that move by less than their tets may close need no look at these.
void ContactFinder::safeShares(const std::vector<Span<const Vec3>>& start, const std::vector<Span<const Vec3>>& end, Span<double> share) {
    std::vector<BodyMotion> motion(start.size());
    std::vector<Reach> reach(start.size());
    parallelFor(start.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            motion[b].start = start[b];
            motion[b].end = end[b];
            reach[b] = reachOf(b, motion[b]);
        }
    });
    const auto isFast = [](const Reach& a, const Reach& b) { return a.way + b.way > kSafeDepth * std::min(a.height, b.height); };
    Reach most{0, HUGE_VAL};  // of all
    for (const Reach& r : reach) most = {std::max(most.way, r.way), std::min(most.height, r.height)};
    std::fill(share.begin(), share.end(), 1.0);
    if (!isFast(most, most)) return;
    updateBroadPhase(motion);
    std::vector<std::uint8_t> wanted;
    for (const BodyPairRange& r : broad_.candidates().ranges) {
        const auto a = static_cast<std::size_t>(r.bodyA), b = static_cast<std::size_t>(r.bodyB);
        wanted.push_back(a < ledFirst_ && isFast(reach[a], reach[b]));
    }
    PairList pairs;
    broad_.tightPairs(motion, pairs, wanted);
    sunder::safeShares(pairs, shapePointers_, start, end, share);
}

}  // namespace sunder
