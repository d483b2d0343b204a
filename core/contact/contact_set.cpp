#include "core/contact/contact_set.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/parallel.h"
#include "core/contact/overlap_wide.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 256, kTaskGrain = 8, kPartGrain = 4;

std::array<Vec3, 4> cornersOf(const Tet& tet, Span<const Vec3> x) {
    return {x[static_cast<std::size_t>(tet[0])], x[static_cast<std::size_t>(tet[1])], x[static_cast<std::size_t>(tet[2])],
            x[static_cast<std::size_t>(tet[3])]};
}

/// The tets that are in some pair, prepared for the overlap kernels: places of those of body b start at first[b].
struct PreparedTets {
    std::vector<std::size_t> first;
    std::vector<std::int32_t> place;  ///< among the tets, of all skin tets; -1 if not in a pair
    std::unique_ptr<OverlapTet[]> tets;  ///< filled once each, so nothing clears them first

    const OverlapTet& of(std::int32_t body, std::int32_t tet) const {
        return tets[static_cast<std::size_t>(place[first[static_cast<std::size_t>(body)] + static_cast<std::size_t>(tet)])];
    }
};

PreparedTets prepareTets(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x) {
    PreparedTets prepared;
    prepared.first.push_back(0);
    for (const ContactShape* shape : shapes) prepared.first.push_back(prepared.first.back() + shape->corners.size());
    prepared.place.assign(prepared.first.back(), -1);
    std::vector<std::pair<std::int32_t, std::int32_t>> used;  // body, tet
    const auto use = [&](std::int32_t body, std::int32_t tet) {
        std::int32_t& place = prepared.place[prepared.first[static_cast<std::size_t>(body)] + static_cast<std::size_t>(tet)];
        if (place >= 0) return;
        place = static_cast<std::int32_t>(used.size());
        used.emplace_back(body, tet);
    };
    for (const BodyPairRange& range : pairs.ranges) {
        std::int32_t before = -1;
        for (const ElementPair& p : pairs.of(range)) {
            if (p.i != before) use(range.bodyA, p.i);  // pairs are sorted by i
            use(range.bodyB, p.j);
            before = p.i;
        }
    }
    prepared.tets.reset(new OverlapTet[used.size()]);
    parallelFor(used.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto body = static_cast<std::size_t>(used[k].first);
            prepared.tets[k] = makeOverlapTet(cornersOf(shapes[body]->corners[static_cast<std::size_t>(used[k].second)], x[body]));
        }
    });
    return prepared;
}

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
void addSharesA(const TetContact& c, VertexContacts& a) {
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[static_cast<std::size_t>(k)]);
        a.volume[i] += c.softA * c.shares.a[k];
        a.facing[i] += c.softA * c.facing.col(k);
        a.friction[i] += c.softA * c.shares.a[k] * Vec2(c.friction, c.dynamicFriction);
        a.ratio[i] += c.softA * c.shares.a[k] * c.ratioA;
    }
}

void addSharesB(const TetContact& c, VertexContacts& b) {
    for (int k = 0; k < 4; ++k) {
        const auto j = static_cast<std::size_t>(c.b[static_cast<std::size_t>(k)]);
        b.volume[j] += c.softB * c.shares.b[k];
        b.facing[j] += c.softB * c.facing.col(4 + k);
        b.friction[j] += c.softB * c.shares.b[k] * Vec2(c.friction, c.dynamicFriction);
        b.ratio[j] += c.softB * c.shares.b[k] * c.ratioB;
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
template <class T>
void listOfBlocks(std::vector<T> ContactBlock::*own, std::size_t bodyCount, const ContactSet& set, RefList<T>& list, std::vector<std::vector<ContactSet::Range>>& ofBodies) {
    list.clear();
    ofBodies.assign(bodyCount, {});
    for (const auto& block : set.blocks) {
        const std::vector<T>& items = (*block).*own;
        if (items.empty()) continue;
        const ContactSet::Range range{list.size(), list.size() + items.size()};
        list.append(items);
        ofBodies[static_cast<std::size_t>(block->bodyA)].push_back(range);
        if (block->bodyA != block->bodyB) ofBodies[static_cast<std::size_t>(block->bodyB)].push_back(range);
    }
}

/// Of the bodies marked, from all of their contacts.
void sumUpVertices(Span<const Span<const Vec3>> x, Span<const std::uint8_t> changed, ContactSet& set) {
    set.vertices.resize(x.size());
    parallelFor(x.size(), 1, [&](std::size_t b, std::size_t) {
        if (!changed[b]) return;
        VertexContacts& sums = set.vertices[b];
        sums.reset(x[b].size());
        for (const ContactSet::Range& range : set.ofBodies[b])
            for (std::size_t k = range.first; k < range.last; ++k) {
                const TetContact& c = set.contacts[k];
                if (static_cast<std::size_t>(c.bodyA) == b) addSharesA(c, sums);
                if (static_cast<std::size_t>(c.bodyB) == b) addSharesB(c, sums);
            }
        for (std::size_t i = 0; i < sums.volume.size(); ++i)
            if (sums.volume[i] > 0) sums.touching.push_back(static_cast<std::int32_t>(i));
    });
}

bool before(const std::shared_ptr<ContactBlock>& p, const std::shared_ptr<ContactBlock>& q) {
    return p->bodyA != q->bodyA ? p->bodyA < q->bodyA : p->bodyB < q->bodyB;
}

/// Some of the pairs of two bodies, and what they have.
struct PairTask {
    std::size_t range, first, last;
    ContactBlock found;
};

/// Every range in parts of a limited length.
std::vector<PairTask> splitPairs(const PairList& pairs) {
    std::vector<PairTask> tasks;
    for (std::size_t k = 0; k < pairs.ranges.size(); ++k) {
        const BodyPairRange& r = pairs.ranges[k];
        for (std::size_t first = r.first; first < r.first + r.count; first += kGrain)
            tasks.push_back({k, first, std::min(first + kGrain, r.first + r.count), {r.bodyA, r.bodyB, {}, {}, false, {}}});
    }
    return tasks;
}

void append(ContactBlock& block, ContactBlock&& more) {
    if (more.contacts.empty()) return;
    if (block.contacts.empty()) {
        block = std::move(more);
        return;
    }
    block.parts.push_back(block.contacts.size());
    block.contacts.insert(block.contacts.end(), more.contacts.begin(), more.contacts.end());
    std::move(more.clusters.begin(), more.clusters.end(), std::back_inserter(block.clusters));
}

/// What overlaps among pairs of tets of two bodies.
void findOverlaps(const BodyPairRange& range, const std::vector<ElementPair>& near, const PreparedTets& prepared, Span<const ContactShape* const> shapes,
                  bool withClusters, ContactBlock& found) {
    found.contacts.reserve(near.size());
    found.parts.push_back(0);
    const PairManner manner(range, shapes);
    ClusterBuilder clusters(range.bodyA, range.bodyB, found.clusters);
    OverlapPolyhedron p;
    OverlapSlopes slopes;
    for (const ElementPair& pair : near) {
        const OverlapTet &a = prepared.of(range.bodyA, pair.i), &b = prepared.of(range.bodyB, pair.j);
        if (!clipTets(a, b, p)) continue;
        const OverlapFans fans(p);
        const OverlapShares shares = computeShares(p, fans, a);
        if (!(shares.volume > 0)) continue;
        found.contacts.push_back(manner.describe(pair, shares));
        found.contacts.back().facing = computeFacings(p, fans, a);
        if (!withClusters) continue;
        computeSlopes(p, fans, a, b, shares, slopes);
        clusters.add(found.contacts.back(), slopes);
    }
}

/// Lists what overlaps, pair of bodies by pair of bodies.
std::vector<std::shared_ptr<ContactBlock>> findBlocks(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x,
                                                      bool withClusters) {
    const PreparedTets prepared = prepareTets(pairs, shapes, x);
    std::vector<PairTask> tasks = splitPairs(pairs);
    parallelFor(tasks.size(), kTaskGrain, [&](std::size_t firstTask, std::size_t lastTask) {
        std::vector<ElementPair> near;
        for (std::size_t t = firstTask; t < lastTask; ++t) {
            const BodyPairRange& range = pairs.ranges[tasks[t].range];
            near.clear();
            for (std::size_t k = tasks[t].first; k < tasks[t].last; ++k) {
                const ElementPair& pair = pairs.pairs[k];
                if (!separated(prepared.of(range.bodyA, pair.i), prepared.of(range.bodyB, pair.j))) near.push_back(pair);
            }
            if (!near.empty()) findOverlaps(range, near, prepared, shapes, withClusters, tasks[t].found);
        }
    });
    std::vector<std::shared_ptr<ContactBlock>> blocks(pairs.ranges.size());
    parallelFor(blocks.size(), kGrain, [&](std::size_t first, std::size_t last) {
        const auto before = [](const PairTask& task, std::size_t range) { return task.range < range; };
        auto task = std::lower_bound(tasks.begin(), tasks.end(), first, before);
        for (std::size_t k = first; k < last; ++k) {
            blocks[k] = std::make_shared<ContactBlock>(ContactBlock{pairs.ranges[k].bodyA, pairs.ranges[k].bodyB, {}, {}, false, {}});
            for (; task != tasks.end() && task->range == k; ++task) append(*blocks[k], std::move(task->found));
            blocks[k]->hasClusters = withClusters;
        }
    });
    return blocks;
}
}  // namespace

void findContacts(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, ContactSet& set) {
    set.vertices.clear();
    set.blocks.clear();
    updateContacts(pairs, {}, shapes, x, false, set);
}

void updateContacts(const PairList& pairs, Span<const std::uint8_t> keep, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x,
                    bool withClusters, ContactSet& set) {
    std::vector<std::uint8_t> changed(x.size(), set.vertices.size() == x.size() ? 0 : 1);
    const auto mark = [&](const ContactBlock& block) { changed[static_cast<std::size_t>(block.bodyA)] = changed[static_cast<std::size_t>(block.bodyB)] = 1; };
    std::vector<std::shared_ptr<ContactBlock>> kept, fresh = findBlocks(pairs, shapes, x, withClusters);
    for (std::size_t k = 0; k < set.blocks.size(); ++k) {
        if (keep[k])
            kept.push_back(std::move(set.blocks[k]));
        else
            mark(*set.blocks[k]);
    }
    for (const auto& block : fresh) mark(*block);
    parallelFor(set.blocks.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) set.blocks[k].reset();
    });
    set.blocks.clear();
    std::merge(kept.begin(), kept.end(), fresh.begin(), fresh.end(), std::back_inserter(set.blocks), before);
    listOfBlocks(&ContactBlock::contacts, x.size(), set, set.contacts, set.ofBodies);
    set.hasClusters = false;
    set.clusters.clear();
    sumUpVertices(x, changed, set);
}

void computeClusters(Span<const Span<const Vec3>> x, ContactSet& set) {
    struct Part {
        ContactBlock* block;
        std::size_t first, last;
        std::vector<ContactCluster> clusters;
    };
    std::vector<Part> missing;
    for (const auto& block : set.blocks) {
        if (block->hasClusters) continue;
        block->hasClusters = true;
        for (std::size_t k = 0; k < block->parts.size(); ++k)
            missing.push_back({block.get(), block->parts[k], k + 1 < block->parts.size() ? block->parts[k + 1] : block->contacts.size(), {}});
    }
    parallelFor(missing.size(), kPartGrain, [&](std::size_t firstPart, std::size_t lastPart) {
        OverlapPolyhedron p;
        OverlapSlopes slopes;
        for (std::size_t k = firstPart; k < lastPart; ++k) {
            Part& part = missing[k];
            ClusterBuilder clusters(part.block->bodyA, part.block->bodyB, part.clusters);
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
    for (Part& part : missing) std::move(part.clusters.begin(), part.clusters.end(), std::back_inserter(part.block->clusters));
    listOfBlocks(&ContactBlock::clusters, x.size(), set, set.clusters, set.clustersOfBodies);
    set.hasClusters = true;
}

}  // namespace sunder
