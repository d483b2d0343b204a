#include "core/contact/safe_way.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 64, kTetGrain = 256, kListGrain = 1024, kBodyGrain = 16;
constexpr int kPasses = 40;

/// What dismisses most pairs, of tets and of whole bodies: the vertices start in a box, and their ways lie within `spread` of `way`.
struct WayBounds {
    Vec3 way;
    double spread;
    double height;  ///< the smallest of the tets
    Vec3 lower, upper;
};

/// Seen from b, which then stands still, the box of a passes b's by: they do not touch, though both may cross the same place.
bool passBy(const WayBounds& a, const WayBounds& b, const Vec3& way, double spread) {
    const Vec3 lower = a.lower + way.cwiseMin(0.0), upper = a.upper + way.cwiseMax(0.0);
    return (lower.array() - spread > b.upper.array()).any() || (upper.array() + spread < b.lower.array()).any();
}

/// Two that go these shares of their ways come no closer than they may, or do not touch.
bool needNoLook(const WayBounds& a, double shareA, const WayBounds& b, double shareB) {
    const Vec3 way = shareA * a.way - shareB * b.way;
    const double spread = shareA * a.spread + shareB * b.spread, room = kSafeDepth * std::min(a.height, b.height) - spread;
    return (room >= 0 && way.squaredNorm() <= room * room) || passBy(a, b, way, spread);
}

WayBounds boundsOf(const ElementCorners& tet, Span<const Vec3> start, Span<const Vec3> end) {
    if (tet[0] < 0) return {Vec3::Zero(), 0, 0, Vec3::Zero(), Vec3::Zero()};  // no element, in no pair
    std::array<Vec3, 4> x, way;
    for (std::size_t k = 0; k < 4; ++k) {
        const auto v = static_cast<std::size_t>(tet[k]);
        x[k] = start[v];
        way[k] = end[v] - start[v];
    }
    const Vec3 mean = 0.25 * (way[0] + way[1] + way[2] + way[3]);
    double spreadSq = 0;
    for (const Vec3& w : way) spreadSq = std::max(spreadSq, (w - mean).squaredNorm());
    return {mean, std::sqrt(spreadSq), smallestHeight(x), x[0].cwiseMin(x[1]).cwiseMin(x[2].cwiseMin(x[3])), x[0].cwiseMax(x[1]).cwiseMax(x[2].cwiseMax(x[3]))};
}

struct HeldPair {
    std::size_t bodyA, bodyB;
    WayLimit limit;
};

/// Bodies that pairs connect.
class Components {
  public:
    Components(const PairList& pairs, std::size_t bodies) : parent_(bodies) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
        for (const BodyPairRange& range : pairs.ranges)
            if (range.count > 0) join(static_cast<std::size_t>(range.bodyA), static_cast<std::size_t>(range.bodyB));
    }
    std::size_t of(std::size_t body) {
        while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
        return body;
    }

  private:
    void join(std::size_t a, std::size_t b) {
        a = of(a);
        b = of(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::size_t> parent_;
};

std::atomic<std::uint64_t> lastNumber{0};  // of all bodies at all starts; tells them apart and nothing else

class SafeWays {
  public:
    SafeWays(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
             Span<const Span<const Vec3>> end)
        : list_(pairs), bodies_(shapes.size()), changed_(shapes.size(), 1) {
        for (std::size_t b = 0; b < shapes.size(); ++b) bodies_[b] = {shapes[b], start[b], end[b], 1, ++lastNumber};
        measure();
        listFast();
        starts_.resize(pairs_.size());
    }

    /// Pairs that come too close among those with a body whose share has changed.
    std::vector<HeldPair> findHeld() {
        std::vector<std::vector<HeldPair>> found((pairs_.size() + kGrain - 1) / kGrain);
        parallelFor(pairs_.size(), kGrain, [&](std::size_t first, std::size_t last) {
            auto range = static_cast<std::size_t>(std::upper_bound(firstOfRange_.begin(), firstOfRange_.end(), first) - firstOfRange_.begin()) - 1;
            for (std::size_t k = first; k < last; ++range) {
                const std::size_t end = std::min(last, firstOfRange_[range + 1]);
                if (k < end && mayBeHeld(range))
                    for (; k < end; ++k) findHeld(k, found[first / kGrain]);
                k = end;
            }
        });
        std::vector<HeldPair> all;
        for (const auto& list : found) all.insert(all.end(), list.begin(), list.end());
        return all;
    }

    /// A pair tested with one of the ways shortened is another motion, so bodies are shortened until no pair is held any more.
    void shorten() {
        std::vector<HeldPair> held = findHeld();
        const std::vector<HeldPair> first = held;
        for (int pass = 0; pass < kPasses && !held.empty(); ++pass) {
            apply(held);
            held = findHeld();
        }
        if (!held.empty()) shareAlike(held, first);
    }

    double share(std::size_t body) const { return bodies_[body].share; }

  private:
    /// Any of the pairs of two bodies.
    bool mayBeHeld(std::size_t range) const {
        const auto A = static_cast<std::size_t>(list_.ranges[range].bodyA), B = static_cast<std::size_t>(list_.ranges[range].bodyB);
        if (!changed_[A] && !changed_[B]) return false;
        return A == B || !needNoLook(wholes_[A], bodies_[A].share, wholes_[B], bodies_[B].share);
    }
    void findHeld(std::size_t k, std::vector<HeldPair>& found) {
        if (starts_[k].apart) return;
        const WayLimit limit = limitOf(pairs_[k], starts_[k]);
        if (limit.holds()) found.push_back({static_cast<std::size_t>(pairs_[k].bodyA), static_cast<std::size_t>(pairs_[k].bodyB), limit});
    }

    void measure() {
        std::vector<std::uint8_t> paired(bodies_.size(), 0);
        for (const BodyPairRange& range : list_.ranges)
            if (range.count > 0) paired[static_cast<std::size_t>(range.bodyA)] = paired[static_cast<std::size_t>(range.bodyB)] = 1;
        for (std::size_t b = 0; b < bodies_.size(); ++b)
            firstTet_.push_back(firstTet_.back() + (paired[b] ? bodies_[b].shape->corners.size() : 0));
        bounds_.resize(firstTet_.back());
        wholes_.resize(bodies_.size());
        parallelFor(bounds_.size(), kTetGrain, [&](std::size_t first, std::size_t last) {
            auto b = static_cast<std::size_t>(std::upper_bound(firstTet_.begin(), firstTet_.end(), first) - firstTet_.begin()) - 1;
            for (std::size_t k = first; k < last; ++k) {
                while (k >= firstTet_[b + 1]) ++b;
                bounds_[k] = boundsOf(bodies_[b].shape->corners[k - firstTet_[b]], bodies_[b].start, bodies_[b].end);
            }
        });
        parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t b = first; b < last; ++b)
                if (paired[b]) wholes_[b] = boundsOfWhole(b);
        });
    }

    WayBounds boundsOfWhole(std::size_t b) const {
        const BodyWay& body = bodies_[b];
        WayBounds whole{Vec3::Zero(), 0, HUGE_VAL, Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
        for (std::size_t i = 0; i < body.start.size(); ++i) {
            whole.way += body.end[i] - body.start[i];
            whole.lower = whole.lower.cwiseMin(body.start[i]);
            whole.upper = whole.upper.cwiseMax(body.start[i]);
        }
        whole.way /= static_cast<double>(body.start.size());
        double spreadSq = 0;
        for (std::size_t i = 0; i < body.start.size(); ++i) spreadSq = std::max(spreadSq, (body.end[i] - body.start[i] - whole.way).squaredNorm());
        whole.spread = std::sqrt(spreadSq);
        for (std::size_t k = firstTet_[b]; k < firstTet_[b + 1]; ++k)
            if (body.shape->corners[k - firstTet_[b]][0] >= 0) whole.height = std::min(whole.height, bounds_[k].height);
        return whole;
    }

    /// Pairs whose ways together are less than what they may close need no look, whatever shares they go.
    bool isSlow(const FlatPair& p) const {
        const WayBounds& a = bounds_[firstTet_[static_cast<std::size_t>(p.bodyA)] + static_cast<std::size_t>(p.i)];
        const WayBounds& b = bounds_[firstTet_[static_cast<std::size_t>(p.bodyB)] + static_cast<std::size_t>(p.j)];
        return a.way.norm() + a.spread + b.way.norm() + b.spread <= kSafeDepth * std::min(a.height, b.height);
    }

    /// All others.
    void listFast() {
        const std::size_t count = list_.pairs.size();
        std::vector<std::uint8_t> slow(count);
        parallelFor(count, kListGrain, [&](std::size_t first, std::size_t last) {
            forFlatPairs(list_, first, last, [&](const FlatPair& p, std::size_t k) { slow[k] = isSlow(p); });
        });
        const auto fastOf = [&](const BodyPairRange& r) {
            const auto first = slow.begin() + static_cast<std::ptrdiff_t>(r.first);
            return static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(r.count), 0));
        };
        firstOfRange_.assign(list_.ranges.size() + 1, 0);
        parallelFor(list_.ranges.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t r = first; r < last; ++r) firstOfRange_[r + 1] = fastOf(list_.ranges[r]);
        });
        for (std::size_t r = 0; r < list_.ranges.size(); ++r) firstOfRange_[r + 1] += firstOfRange_[r];
        pairs_.resize(firstOfRange_.back());
        parallelFor(list_.ranges.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t r = first; r < last; ++r) {
                const BodyPairRange& range = list_.ranges[r];
                std::size_t to = firstOfRange_[r];
                for (std::size_t k = range.first; k < range.first + range.count; ++k)
                    if (!slow[k]) pairs_[to++] = {range.bodyA, range.bodyB, list_.pairs[k].i, list_.pairs[k].j};
            }
        });
    }

    WayLimit limitOf(const FlatPair& p, PairStart& start) const {
        const auto A = static_cast<std::size_t>(p.bodyA), B = static_cast<std::size_t>(p.bodyB);
        const auto i = static_cast<std::size_t>(p.i), j = static_cast<std::size_t>(p.j);
        const WayBounds &ta = bounds_[firstTet_[A] + i], &tb = bounds_[firstTet_[B] + j];
        if (needNoLook(ta, bodies_[A].share, tb, bodies_[B].share)) return {};
        const double depth = kSafeDepth * std::min(ta.height, tb.height);
        return limitWay({&bodies_[A], i}, {&bodies_[B], j}, depth, start);
    }

    void apply(const std::vector<HeldPair>& held) {
        std::vector<double> part(bodies_.size(), 1.0);
        for (const HeldPair& h : held) {
            part[h.bodyA] = std::min(part[h.bodyA], h.limit.a);
            part[h.bodyB] = std::min(part[h.bodyB], h.limit.b);
        }
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            bodies_[b].share *= part[b];
            changed_[b] = part[b] < 1;
        }
    }

    /// All bodies that are connected to one in question go as far as the first pass found for all ways together.
    void shareAlike(const std::vector<HeldPair>& held, const std::vector<HeldPair>& first) {
        Components components(list_, bodies_.size());
        std::vector<double> common(bodies_.size(), 1.0);
        std::vector<std::uint8_t> unsettled(bodies_.size(), 0);
        for (const HeldPair& h : held) unsettled[components.of(h.bodyA)] = 1;
        for (const HeldPair& h : first) {
            double& least = common[components.of(h.bodyA)];
            least = std::min(least, h.limit.both);
        }
        for (std::size_t b = 0; b < bodies_.size(); ++b)
            if (const std::size_t c = components.of(b); unsettled[c]) bodies_[b].share = common[c];
    }

    const PairList& list_;
    std::vector<FlatPair> pairs_;
    std::vector<std::size_t> firstOfRange_; ///< of the list, among the pairs
    std::vector<PairStart> starts_;         ///< of the pairs, as far as they were asked about
    std::vector<BodyWay> bodies_;
    std::vector<std::size_t> firstTet_{0};  ///< every body's first among the bounds
    std::vector<WayBounds> bounds_;         ///< of skin tets, in bodies with pairs
    std::vector<WayBounds> wholes_;         ///< of bodies with pairs
    std::vector<std::uint8_t> changed_;     ///< in the last pass
};
}  // namespace

void safeShares(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
                Span<const Span<const Vec3>> end, Span<double> share) {
    SafeWays ways(pairs, shapes, start, end);
    ways.shorten();
    for (std::size_t b = 0; b < share.size(); ++b) share[b] = ways.share(b);
}

double safeShare(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
                 Span<const Span<const Vec3>> end) {
    double share = 1;
    for (const HeldPair& held : SafeWays(pairs, shapes, start, end).findHeld()) share = std::min(share, held.limit.both);
    return share;
}

}  // namespace sunder
