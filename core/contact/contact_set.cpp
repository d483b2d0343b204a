#include "core/contact/contact_set.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <iterator>
#include <utility>

#include "core/base/parallel.h"
#include "core/contact/overlap_wide.h"
#include "core/math/wide.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 256, kTaskGrain = 8, kPartGrain = 4, kBodyGrain = 8;

std::array<Vec3, 4> cornersOf(const Tet& tet, Span<const Vec3> x) {
    return {x[static_cast<std::size_t>(tet[0])], x[static_cast<std::size_t>(tet[1])], x[static_cast<std::size_t>(tet[2])],
            x[static_cast<std::size_t>(tet[3])]};
}

/// The tets of some pairs of two bodies, prepared for the overlap kernels.
class PreparedTets {
  public:
    struct Pair {
        ElementPair pair;
        std::size_t a, b;  ///< places of its tets
    };

    PreparedTets() = default;
    /// Lists those of the pairs that neither a face nor a plane across `out` parts: of pairs whose boxes overlap that plane parts most, if it is the one along which
    /// the bodies touch. Which direction it is changes nothing of what is found, as what it parts does not overlap. Pairs are sorted by their first tet.
    const std::vector<Pair>& listNear(Span<const ElementPair> pairs, const ContactShape& a, const ContactShape& b, Span<const Vec3> xA, Span<const Vec3> xB, const Vec3& out) {
        tets_.clear();
        near_.clear();
        seenB_.clear();
        if (placeOfB_.size() < b.corners.size()) placeOfB_.resize(b.corners.size(), 0);
        Seen seenA;
        for (const ElementPair& pair : pairs) {
            if (pair.i != seenA.number) seenA = look(pair.i, a, xA, out);
            Seen& seenB = findB(pair.j, b, xB, out);
            if (seenA.lowest - seenB.highest > kApart * (seenA.highest - seenA.lowest + seenB.highest - seenB.lowest) + kRound * std::abs(seenA.lowest)) continue;
            const std::size_t placeA = prepare(seenA, a, xA), placeB = prepare(seenB, b, xB);
            if (!separated(tets_[placeA], tets_[placeB])) near_.push_back({pair, placeA, placeB});
        }
        return near_;
    }
    const OverlapTet& operator[](std::size_t place) const { return tets_[place]; }

  private:
    static constexpr double kApart = 1e-6;   // of their extents: gaps that rounding in the kernels cannot close
    static constexpr double kRound = 1e-12;  // of where they are: what rounding makes of places far from the origin
    static constexpr std::size_t kNowhere = ~std::size_t{0};

    /// A tet along the direction.
    struct Seen {
        std::int32_t number = -1;
        double lowest, highest;
        std::size_t place = kNowhere;  ///< once it is prepared
    };
    static Seen look(std::int32_t tet, const ContactShape& shape, Span<const Vec3> x, const Vec3& out) {
        Seen seen{tet, HUGE_VAL, -HUGE_VAL, kNowhere};
        for (const std::int32_t v : shape.corners[static_cast<std::size_t>(tet)]) {
            const double height = out.dot(x[static_cast<std::size_t>(v)]);
            seen.lowest = std::min(seen.lowest, height);
            seen.highest = std::max(seen.highest, height);
        }
        return seen;
    }
    Seen& findB(std::int32_t tet, const ContactShape& shape, Span<const Vec3> x, const Vec3& out) {
        std::uint32_t& place = placeOfB_[static_cast<std::size_t>(tet)];
        if (place < seenB_.size() && seenB_[place].number == tet) return seenB_[place];
        place = static_cast<std::uint32_t>(seenB_.size());
        return seenB_.emplace_back(look(tet, shape, x, out));
    }
    std::size_t prepare(Seen& seen, const ContactShape& shape, Span<const Vec3> x) {
        if (seen.place == kNowhere) {
            seen.place = tets_.size();
            tets_.push_back(makeOverlapTet(cornersOf(shape.corners[static_cast<std::size_t>(seen.number)], x)));
        }
        return seen.place;
    }

    std::vector<OverlapTet> tets_;
    std::vector<Seen> seenB_;
    std::vector<std::uint32_t> placeOfB_;  ///< where a tet of the second body may stand among these; may hold anything
    std::vector<Pair> near_;
};
}  // namespace

namespace {
const ContactPartner* findPartner(const ContactShape& a, std::int32_t bodyB) {
    const auto before = [](const ContactPartner& p, std::int32_t body) { return p.body < body; };
    const auto own = std::lower_bound(a.partners.begin(), a.partners.end(), bodyB, before);
    return own != a.partners.end() && own->body == bodyB ? &*own : nullptr;
}
}  // namespace

Vec2 dampingBetween(const ContactShape& a, const ContactShape& b, std::int32_t bodyB) {
    const ContactPartner* own = findPartner(a, bodyB);
    if (own && own->dampingRatio >= 0) return {own->dampingRatio, own->dampingRatio};
    return {a.dampingRatio, b.dampingRatio};
}

Vec2 frictionBetween(const ContactShape& a, const ContactShape& b, std::int32_t bodyB) {
    if (const ContactPartner* own = findPartner(a, bodyB)) return own->friction;
    const ContactSurface &s = a.surface, &t = b.surface;
    return {std::sqrt(s.friction * t.friction), std::sqrt(s.dynamicFriction * t.dynamicFriction)};
}

double paintedFriction(const ContactShape& shape, const Tet& tet, const Vec4& weights) {
    if (shape.frictionScale.empty()) return 1;
    double scale = 0;
    for (int k = 0; k < 4; ++k) scale += weights[k] * shape.frictionScale[static_cast<std::size_t>(tet[static_cast<std::size_t>(k)])];
    return scale;
}

namespace {
/// A vertex of VertexContacts while it is being summed up: volume and facing; both frictions and the ratio.
struct VertexSum {
    Wide4d push{0.0}, slip{0.0};
};

void addShares(const TetContact& c, bool ofA, std::vector<VertexSum>& sums) {
    const Tet& vertices = ofA ? c.a : c.b;
    const Vec4& shares = ofA ? c.shares.a : c.shares.b;
    const double soft = ofA ? c.softA : c.softB;
    const Wide4d slip(Wide4d::Vector{c.friction, c.dynamicFriction, ofA ? c.ratioA : c.ratioB, 0});
    for (int k = 0; k < 4; ++k) {
        VertexSum& sum = sums[static_cast<std::size_t>(vertices[static_cast<std::size_t>(k)])];
        const double volume = soft * shares[k], *facing = c.facing.data() + 3 * (ofA ? k : 4 + k);
        sum.push += Wide4d(Wide4d::Vector{volume, soft * facing[0], soft * facing[1], soft * facing[2]});
        sum.slip += Wide4d(volume) * slip;
    }
}
}  // namespace

float softness(double own, double other) {
    if (std::isinf(other)) return std::isinf(own) ? 1.0F : static_cast<float>(std::sqrt(2.0));
    return static_cast<float>(std::sqrt(2 * other / (own + other)));
}

void VertexContacts::reset(std::size_t count) {
    volume.assign(count, 0.0);
    facing.assign(count, Vec3::Zero());
    friction.assign(count, Vec2::Zero());
    ratio.assign(count, 0.0);
    touching.clear();
    version = 0;
}

PairVectors computeFacings(const OverlapPolyhedron& p, const OverlapTet& a) {
    PairVectors facing = PairVectors::Zero();
    forEachFan(p, [&](int f, int v, int w, int face) {
        const Vec3 u = a.edge.transpose() * (p.phi[v] - p.phi[f]), t = a.edge.transpose() * (p.phi[w] - p.phi[f]);
        const Vec3 n = u.cross(t) / 6;  // a third of the area vector
        if (face >= 4)
            facing.leftCols<4>() += n * (p.phi[f] + p.phi[v] + p.phi[w]).transpose();
        else
            facing.rightCols<4>() += n * (p.psi[f] + p.psi[v] + p.psi[w]).transpose();
    });
    return facing;
}

namespace {
/// How the tets of two bodies touch: what is the same for all of them.
struct PairManner {
    const ContactShape &a, &b;
    Vec2 friction;
    TetContact common{};

    PairManner(const BodyPairRange& range, Span<const ContactShape* const> shapes)
        : a(*shapes[static_cast<std::size_t>(range.bodyA)]), b(*shapes[static_cast<std::size_t>(range.bodyB)]), friction(frictionBetween(a, b, range.bodyB)) {
        const Vec2 ratio = dampingBetween(a, b, range.bodyB);
        common.bodyA = range.bodyA;
        common.bodyB = range.bodyB;
        common.softA = softness(a.modulus, b.modulus);
        common.softB = softness(b.modulus, a.modulus);
        common.ratioA = static_cast<float>(ratio[0]);
        common.ratioB = static_cast<float>(ratio[1]);
    }
    TetContact describe(const ElementPair& pair, const OverlapShares& shares) const {
        TetContact c = common;
        c.a = a.corners[static_cast<std::size_t>(pair.i)];
        c.b = b.corners[static_cast<std::size_t>(pair.j)];
        c.tetA = pair.i;
        c.tetB = pair.j;
        c.shares = shares;
        const double painted = std::sqrt(paintedFriction(a, c.a, shares.a / shares.volume) * paintedFriction(b, c.b, shares.b / shares.volume));
        c.friction = static_cast<float>(painted * friction[0]);
        c.dynamicFriction = static_cast<float>(painted * friction[1]);
        return c;
    }
};

/// Lists something of all blocks, and which of it every body has a part in.
template <class T, class Items>
void listOfBlocks(std::size_t bodyCount, const ContactSet& set, RefList<T>& list, RangesOfBodies& ofBodies, Items items) {
    std::vector<std::size_t> first(set.blocks.size() + 1, 0);
    const auto forBlocks = [&](auto use) {
        parallelFor(set.blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) use(k, items(*set.blocks[k].block));
        });
    };
    forBlocks([&](std::size_t k, const std::vector<T>& own) { first[k + 1] = own.size(); });
    for (std::size_t k = 0; k < set.blocks.size(); ++k) first[k + 1] += first[k];
    list.resize(first.back());
    forBlocks([&](std::size_t k, const std::vector<T>& own) { list.set(first[k], own); });
    const auto forRanges = [&](auto use) {
        for (std::size_t k = 0; k < set.blocks.size(); ++k) {
            if (first[k] == first[k + 1]) continue;
            const BlockOfBodies& block = set.blocks[k];
            use(static_cast<std::size_t>(block.bodyA), RangesOfBodies::Range{first[k], first[k + 1]});
            if (block.bodyA != block.bodyB) use(static_cast<std::size_t>(block.bodyB), RangesOfBodies::Range{first[k], first[k + 1]});
        }
    };
    ofBodies = RangesOfBodies(bodyCount, forRanges);
}

std::atomic<std::uint64_t> lastVersion{0};  // of all sums that are ever made; tells them apart and nothing else

/// Of the bodies marked, from all of their contacts.
void sumUpVertices(Span<const Span<const Vec3>> x, Span<const std::uint8_t> changed, ContactSet& set) {
    set.vertices.resize(x.size());
    const auto sumUp = [&](std::size_t b, std::vector<VertexSum>& sums) {
        sums.assign(x[b].size(), {});
        for (const RangesOfBodies::Range& range : set.ofBodies[b])
            for (std::size_t k = range.first; k < range.last; ++k) {
                const TetContact& c = set.contacts[k];
                if (static_cast<std::size_t>(c.bodyA) == b) addShares(c, true, sums);
                if (static_cast<std::size_t>(c.bodyB) == b) addShares(c, false, sums);
            }
        VertexContacts& vertices = set.vertices[b];
        vertices.reset(sums.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
            vertices.volume[i] = sums[i].push[0];
            vertices.facing[i] = Vec3(sums[i].push[1], sums[i].push[2], sums[i].push[3]);
            vertices.friction[i] = Vec2(sums[i].slip[0], sums[i].slip[1]);
            vertices.ratio[i] = sums[i].slip[2];
            if (vertices.volume[i] > 0) vertices.touching.push_back(static_cast<std::int32_t>(i));
        }
        vertices.version = ++lastVersion;
    };
    parallelFor(x.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        static thread_local std::vector<VertexSum> sums;
        for (std::size_t b = first; b < last; ++b)
            if (changed[b]) sumUp(b, sums);
    });
}

using ContactBlocks = std::vector<BlockOfBodies>;

/// A block for every range of pairs: of the old ones that of the same bodies, since what they have now takes about as much room. With what they had as `out`.
ContactBlocks makeBlocks(const PairList& pairs, ContactBlocks old, std::vector<Vec3>& out) {
    ContactBlocks blocks;
    blocks.reserve(pairs.ranges.size());
    auto next = old.begin();
    for (const BodyPairRange& r : pairs.ranges) {
        blocks.push_back({r.bodyA, r.bodyB, false, nullptr});
        while (next != old.end() && *next < blocks.back()) ++next;
        if (next != old.end() && !(blocks.back() < *next)) blocks.back().block = std::move(next++->block);
    }
    out.resize(blocks.size());
    parallelFor(blocks.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            std::shared_ptr<ContactBlock>& block = blocks[k].block;
            if (!block || block.use_count() != 1) block = std::make_shared<ContactBlock>();
            block->reset();
            out[k] = block->out;
        }
    });
    return blocks;
}

/// Some of the pairs of two bodies, and what they have.
struct PairTask {
    std::size_t range, first, last;
    Vec3 out;  ///< of the range's block, of before
    ContactBlock* found;
};

/// Every range in parts of a limited length: the first finds for the range's block, others, which are few, each for one of `more`.
std::vector<PairTask> splitPairs(const PairList& pairs, const ContactBlocks& blocks, const std::vector<Vec3>& out, std::deque<ContactBlock>& more) {
    std::vector<PairTask> tasks;
    for (std::size_t k = 0; k < pairs.ranges.size(); ++k) {
        const BodyPairRange& r = pairs.ranges[k];
        for (std::size_t first = r.first; first < r.first + r.count; first += kGrain) {
            ContactBlock* found = first > r.first ? &more.emplace_back() : blocks[k].block.get();
            tasks.push_back({k, first, std::min(first + kGrain, r.first + r.count), out[k], found});
        }
    }
    return tasks;
}

/// Puts what others have found behind what the block has.
void append(ContactBlock& block, const std::vector<ContactBlock*>& others) {
    std::vector<ContactBlock*> more;
    for (ContactBlock* other : others)
        if (!other->contacts.empty()) more.push_back(other);
    if (more.empty()) return;
    if (block.contacts.empty() && more.size() == 1) {
        block = std::move(*more.front());
        return;
    }
    if (block.contacts.empty()) {
        block.parts.clear();
        block.out.setZero();  // of before
    }
    std::size_t count = block.contacts.size();
    std::vector<std::size_t> place;
    std::vector<const ClusterList*> clusters;
    for (const ContactBlock* other : more) {
        place.push_back(count);
        block.parts.push_back(count);
        clusters.push_back(&other->clusters);
        block.out += other->out;
        count += other->contacts.size();
    }
    block.contacts.resize(count);
    parallelFor(more.size(), 1, [&](std::size_t k, std::size_t) {
        std::copy(more[k]->contacts.begin(), more[k]->contacts.end(), block.contacts.begin() + static_cast<std::ptrdiff_t>(place[k]));
    });
    block.clusters.append(clusters);
    parallelFor(more.size(), 1, [&](std::size_t k, std::size_t) { *more[k] = {}; });  // memory is given back in parallel, too
}

/// What the further tasks of a range have found goes behind what the first has.
void joinTasks(const std::vector<PairTask>& tasks, const ContactBlocks& blocks) {
    std::vector<std::size_t> second;  // tasks of the ranges that have several
    for (std::size_t t = 1; t < tasks.size(); ++t)
        if (tasks[t].range == tasks[t - 1].range && tasks[t - 1].found == blocks[tasks[t].range].block.get()) second.push_back(t);
    parallelFor(second.size(), kPartGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            std::vector<ContactBlock*> others;
            const std::size_t range = tasks[second[k]].range;
            for (std::size_t t = second[k]; t < tasks.size() && tasks[t].range == range; ++t) others.push_back(tasks[t].found);
            append(*blocks[range].block, others);
        }
    });
}

/// What overlaps among pairs of tets of two bodies.
void findOverlaps(const BodyPairRange& range, const std::vector<PreparedTets::Pair>& near, const PreparedTets& prepared, Span<const ContactShape* const> shapes,
                  bool withClusters, ContactBlock& found) {
    found.contacts.reserve(near.size());
    found.parts.push_back(0);
    const PairManner manner(range, shapes);
    ClusterBuilder clusters(range.bodyA, range.bodyB, found.clusters);
    OverlapPolyhedron p;
    OverlapSlopes slopes;
    for (const PreparedTets::Pair& pair : near) {
        const OverlapTet &a = prepared[pair.a], &b = prepared[pair.b];
        if (!clipTets(a, b, p)) continue;
        const OverlapFans fans(p);
        const OverlapShares shares = computeShares(p, fans, a);
        if (!(shares.volume > 0)) continue;
        found.contacts.push_back(manner.describe(pair.pair, shares));
        found.contacts.back().facing = computeFacings(p, fans, a);
        if (!withClusters) continue;
        computeSlopes(p, fans, a, b, shares, slopes);
        clusters.add(found.contacts.back(), slopes);
    }
    if (!found.contacts.empty()) found.out.setZero();
    for (const TetContact& c : found.contacts) found.out += c.facing.leftCols<4>().rowwise().sum();
}

/// Lists what overlaps, pair of bodies by pair of bodies, in the room of old blocks.
ContactBlocks findBlocks(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, bool withClusters, ContactBlocks old) {
    std::vector<Vec3> out;
    ContactBlocks blocks = makeBlocks(pairs, std::move(old), out);
    std::deque<ContactBlock> more;
    const std::vector<PairTask> tasks = splitPairs(pairs, blocks, out, more);
    parallelFor(tasks.size(), kTaskGrain, [&](std::size_t firstTask, std::size_t lastTask) {
        static thread_local PreparedTets prepared;  // room that is not made anew for every task
        for (std::size_t t = firstTask; t < lastTask; ++t) {
            const BodyPairRange& range = pairs.ranges[tasks[t].range];
            const auto a = static_cast<std::size_t>(range.bodyA), b = static_cast<std::size_t>(range.bodyB);
            const Span<const ElementPair> own = Span<const ElementPair>(pairs.pairs).subspan(tasks[t].first, tasks[t].last - tasks[t].first);
            const auto& near = prepared.listNear(own, *shapes[a], *shapes[b], x[a], x[b], tasks[t].out);
            if (!near.empty()) findOverlaps(range, near, prepared, shapes, withClusters, *tasks[t].found);
        }
    });
    joinTasks(tasks, blocks);
    parallelFor(blocks.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            blocks[k].block->hasClusters = withClusters;
            blocks[k].touches = !blocks[k].block->contacts.empty();
        }
    });
    return blocks;
}
}  // namespace

void findContacts(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, ContactSet& set) {
    set.vertices.clear();
    set.blocks.clear();
    ContactBlocks none;
    updateContacts(pairs, {}, shapes, x, false, none, set);
}

void updateContacts(const PairList& pairs, Span<const BlockFate> fates, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, bool withClusters,
                    ContactBlocks& aside, ContactSet& set) {
    std::vector<std::uint8_t> changed(x.size(), set.vertices.size() == x.size() ? 0 : 1);
    const auto mark = [&](const BlockOfBodies& block) { changed[static_cast<std::size_t>(block.bodyA)] = changed[static_cast<std::size_t>(block.bodyB)] = 1; };
    const auto moving = [](ContactBlocks::iterator at) { return std::make_move_iterator(at); };
    ContactBlocks back = std::exchange(aside, {}), kept, dropped;
    for (const BlockOfBodies& block : back) mark(block);
    for (std::size_t k = 0; k < set.blocks.size(); ++k) {
        if (fates[k] != BlockFate::kKeep) mark(set.blocks[k]);
        (fates[k] == BlockFate::kKeep ? kept : fates[k] == BlockFate::kAside ? aside : dropped).push_back(std::move(set.blocks[k]));
    }
    if (!back.empty()) {
        const std::size_t before = kept.size();
        std::move(back.begin(), back.end(), std::back_inserter(kept));
        std::inplace_merge(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(before), kept.end());
    }
    ContactBlocks fresh = findBlocks(pairs, shapes, x, withClusters, std::move(dropped));
    for (const BlockOfBodies& block : fresh) mark(block);
    set.blocks.clear();
    set.blocks.reserve(kept.size() + fresh.size());
    std::merge(moving(kept.begin()), moving(kept.end()), moving(fresh.begin()), moving(fresh.end()), std::back_inserter(set.blocks));
    listOfBlocks(x.size(), set, set.contacts, set.ofBodies, [](const ContactBlock& block) -> const auto& { return block.contacts; });
    set.hasClusters = false;
    set.clusters.clear();
    sumUpVertices(x, changed, set);
}

void computeClusters(Span<const Span<const Vec3>> x, ContactSet& set) {
    struct Part {
        const BlockOfBodies* bodies;
        ContactBlock* block;
        std::size_t first, last;
        ClusterList clusters;  ///< of one of several parts
    };
    std::vector<Part> missing;
    for (const BlockOfBodies& bodies : set.blocks) {
        if (!bodies.touches) continue;
        ContactBlock& block = *bodies.block;
        if (std::exchange(block.hasClusters, true)) continue;
        for (std::size_t k = 0; k < block.parts.size(); ++k)
            missing.push_back({&bodies, &block, block.parts[k], k + 1 < block.parts.size() ? block.parts[k + 1] : block.contacts.size(), {}});
    }
    parallelFor(missing.size(), kPartGrain, [&](std::size_t firstPart, std::size_t lastPart) {
        OverlapPolyhedron p;
        OverlapSlopes slopes;
        for (std::size_t k = firstPart; k < lastPart; ++k) {
            Part& part = missing[k];
            ClusterBuilder clusters(part.bodies->bodyA, part.bodies->bodyB, part.block->parts.size() == 1 ? part.block->clusters : part.clusters);
            for (std::size_t m = part.first; m < part.last; ++m) {
                const TetContact& c = part.block->contacts[m];
                const OverlapTet a = makeOverlapTet(cornersOf(c.a, x[static_cast<std::size_t>(c.bodyA)]));
                const OverlapTet b = makeOverlapTet(cornersOf(c.b, x[static_cast<std::size_t>(c.bodyB)]));
                clipTets(a, b, p);
                computeSlopes(p, OverlapFans(p), a, b, c.shares, slopes);
                clusters.add(c, slopes);
            }
        }
    });
    std::vector<const ClusterList*> lists;
    for (std::size_t k = 0; k < missing.size(); ++k) {
        if (missing[k].block->parts.size() == 1) continue;
        lists.push_back(&missing[k].clusters);
        if (k + 1 < missing.size() && missing[k + 1].block == missing[k].block) continue;
        missing[k].block->clusters.append(lists);
        lists.clear();
    }
    listOfBlocks(x.size(), set, set.clusters, set.clustersOfBodies, [](const ContactBlock& block) -> const auto& { return block.clusters.all(); });
    set.hasClusters = true;
}

}  // namespace sunder
