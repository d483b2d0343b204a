#include "core/contact/broad_phase.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/contact/tree_traversal.h"

namespace sunder {

namespace {
/// Bodies are often small, and there may be thousands of them.
constexpr std::size_t kBodyGrain = 16;
}  // namespace

std::int32_t BroadPhase::addBody(const ContactBody& body, Span<const ElementCorners> elements,
                                 Span<const std::int32_t> pieces) {
    bodies_.emplace_back();
    bodies_.back().settings = body;
    bodies_.back().tree = ContactTree(settings_.tree);
    bodies_.back().grown.reset(elements, pieces, body.thickness);
    bodyBounds_.emplace_back();
    return static_cast<std::int32_t>(bodies_.size()) - 1;
}

void BroadPhase::removeBody(std::int32_t body) {
    BodyEntry& entry = bodies_[body];
    entry.grown.reset({}, {}, 0);
    entry.tree = ContactTree(settings_.tree);
    entry.dirty = entry.fresh = true;
}

void BroadPhase::setBody(std::int32_t body, const ContactBody& settings) {
    bodies_[body].settings = settings;
    bodies_[body].grown.setThickness(settings.thickness);
    bodies_[body].dirty = bodies_[body].fresh = true;
}

void BroadPhase::changeElements(std::int32_t body, Span<const ElementChange> changes) {
    bodies_[body].grown.change(changes);
}

const PairList& BroadPhase::update(Span<const BodyMotion> motion) {
    checkMotion(motion);
    parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) updateBody(bodies_[b], motion[b]);
    });
    work_ = {};
    bool dirty = false;
    for (const BodyEntry& body : bodies_) {
        dirty = dirty || body.dirty;
        work_.staleVertices += body.dirty ? body.grown.staleVertices() : 0;
        work_.dirtyElements += body.grown.dirty().size();
        work_.rebuiltTrees += body.rebuilt;
    }
    if (!dirty) {
        work_.keptLists = bodyPairs_.size();
        return candidates_;
    }
    updateTopTree();
    updateBodyPairs();
    lists_.resize(std::max(lists_.size(), bodyPairs_.size()));
    parallelBlocks(bodyPairs_.size(), [&](std::size_t k) { findPairs(bodyPairs_[k], lists_[k]); });
    assemble();
    settle();
    return candidates_;
}

/// Looks at every body before any is touched.
void BroadPhase::checkMotion(Span<const BodyMotion> motion) {
    if (motion.size() != bodies_.size())
        throw Error("contact: " + std::to_string(motion.size()) + " motions for " +
                        std::to_string(bodies_.size()) + " bodies",
                    "give one motion a body; that of a removed body may be empty");
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const std::size_t needed = bodies_[b].grown.vertexCount();
        const auto fits = [&](std::size_t size, bool mayBeEmpty) {
            return size >= needed || (mayBeEmpty && size == 0);
        };
        if (!fits(motion[b].start.size(), false) || !fits(motion[b].end.size(), true) ||
            !fits(motion[b].velocity.size(), true))
            throw Error("contact: body " + std::to_string(b) + " has fewer positions than its elements name",
                        "pass the arrays of all vertices, after the topology edit that added them");
    }
    parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            if (!motion[b].still || bodies_[b].grown.hasChanges()) bodies_[b].grown.findStale(motion[b]);
    });
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if ((!motion[b].still || bodies_[b].grown.hasChanges()) && bodies_[b].grown.badVertex() >= 0)
            throw Error("contact: vertex " + std::to_string(bodies_[b].grown.badVertex()) + " of body " +
                            std::to_string(b) + " is not at a finite position, or its velocity is not finite",
                        "look for the first step with such values; reduce the time step or the load there");
}

void BroadPhase::updateBody(BodyEntry& body, const BodyMotion& motion) const {
    body.rebuilt = false;
    if (motion.still && !body.grown.hasChanges()) return;
    if (body.grown.staleVertices() == 0 && !body.grown.hasChanges()) return;
    body.grown.regrow(motion, settings_.growth);
    updateTree(body);
    body.dirty = true;
}

void BroadPhase::updateTree(BodyEntry& body) const {
    const GrownBoxes& grown = body.grown;
    std::vector<std::int32_t> moved, added, removed;
    for (const std::int32_t e : grown.dirty()) {
        if (grown.isAlive(e))
            (body.tree.contains(e) ? moved : added).push_back(e);
        else if (body.tree.contains(e))
            removed.push_back(e);
    }
    const double edits = static_cast<double>(added.size() + removed.size());
    body.rebuilt = edits > settings_.tree.editedShare * static_cast<double>(body.tree.size());
    if (!body.rebuilt) {
        for (const std::int32_t e : removed) body.tree.remove(e);
        body.tree.update(moved, grown.boxes());
        for (const std::int32_t e : added) body.tree.insert(e, grown.boxes()[e]);
        body.rebuilt = body.tree.decayed();
    }
    if (!body.rebuilt) return;
    std::vector<std::int32_t> alive;
    for (std::size_t e = 0; e < grown.size(); ++e)
        if (grown.isAlive(static_cast<std::int32_t>(e))) alive.push_back(static_cast<std::int32_t>(e));
    body.tree.build(grown.boxes(), alive);
}

void BroadPhase::updateTopTree() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        BodyEntry& body = bodies_[b];
        if (!body.dirty) continue;
        const auto item = static_cast<std::int32_t>(b);
        bodyBounds_[b] = body.tree.bounds();
        const bool belongs = body.tree.size() > 0;
        if (body.inTop && belongs)
            top_.update(Span<const std::int32_t>(&item, 1), bodyBounds_);
        else if (body.inTop)
            top_.remove(item);
        else if (belongs)
            top_.insert(item, bodyBounds_[b]);
        body.inTop = belongs;
    }
    if (top_.decayed()) rebuildTopTree();
}

void BroadPhase::rebuildTopTree() {
    std::vector<std::int32_t> items;
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bodies_[b].inTop) items.push_back(static_cast<std::int32_t>(b));
    top_.build(bodyBounds_, items);
}

bool BroadPhase::mayMeet(std::int32_t a, std::int32_t b) const {
    const ContactBody &p = bodies_[a].settings, &q = bodies_[b].settings;
    return (p.mask & q.group) != 0 && (q.mask & p.group) != 0;
}

/// Pairs of bodies that were dirty are found anew; the others stay.
void BroadPhase::updateBodyPairs() {
    std::vector<BodyPair> pairs;
    for (const BodyPair& pair : bodyPairs_)
        if (!bodies_[pair.a].dirty && !bodies_[pair.b].dirty) pairs.push_back({pair.a, pair.b});
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bodies_[b].dirty && bodies_[b].inTop) meetBodies(static_cast<std::int32_t>(b), pairs);
    std::sort(pairs.begin(), pairs.end(),
              [](const BodyPair& p, const BodyPair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
    bodyPairs_.swap(pairs);
    matchOldLists();
    for (BodyPair& pair : bodyPairs_) pair.state = stateOf(pair);
}

void BroadPhase::meetBodies(std::int32_t body, std::vector<BodyPair>& out) const {
    if (bodies_[body].settings.self != SelfContact::kNone) out.push_back({body, body});
    std::vector<std::int32_t> stack;
    queryTree(top_, top_.localBox(bodyBounds_[body]), stack, [&](std::int32_t other) {
        // Two dirty bodies find each other twice.
        if (other == body || (bodies_[other].dirty && other < body) || !mayMeet(body, other)) return;
        out.push_back({std::min(body, other), std::max(body, other)});
    });
}

/// Both lists of body pairs are sorted.
void BroadPhase::matchOldLists() {
    std::size_t k = 0;
    const std::vector<BodyPairRange>& old = candidates_.ranges;
    for (BodyPair& pair : bodyPairs_) {
        while (k < old.size() && (old[k].bodyA < pair.a || (old[k].bodyA == pair.a && old[k].bodyB < pair.b)))
            ++k;
        if (k < old.size() && old[k].bodyA == pair.a && old[k].bodyB == pair.b)
            pair.old = static_cast<std::int64_t>(k);
    }
}

BroadPhase::ListState BroadPhase::stateOf(const BodyPair& pair) const {
    const BodyEntry &a = bodies_[pair.a], &b = bodies_[pair.b];
    if (pair.old < 0 || a.fresh || b.fresh) return ListState::kFresh;
    if (!a.dirty && !b.dirty) return ListState::kKept;
    const double dirty = static_cast<double>(a.grown.dirty().size() + b.grown.dirty().size());
    const double all = static_cast<double>(a.tree.size() + b.tree.size());
    return dirty > settings_.freshShare * all ? ListState::kFresh : ListState::kPatched;
}

void BroadPhase::settle() {
    for (BodyEntry& body : bodies_) {
        if (body.dirty) body.grown.settle();
        body.dirty = body.fresh = false;
    }
}

}  // namespace sunder
