#include "core/sim/world_contact.h"

#include <algorithm>
#include <cmath>

#include "core/contact/response_thesis.h"
#include "core/sim/body_work.h"
#include "core/spatial/bvh.h"

namespace sunder {

namespace {
/// Where a body may be within dt.
Aabb reach(const BodyState& s, double dt) {
    Aabb box;
    double fastest = 0;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        box.extend(s.x[i]);
        fastest = std::max(fastest, (s.v[i] + dt * s.a[i]).norm());
    }
    return box.inflated(2 * dt * fastest + 0.05 * box.diagonal());
}

std::vector<Span<const Vec3>> placesOf(Span<const ContactBodyState> list) {
    std::vector<Span<const Vec3>> x;
    for (const ContactBodyState& body : list) x.push_back(body.x);
    return x;
}

constexpr int kLooks = 4;
constexpr double kLedShare = 0.5;

/// Where something that is led has been seen, and how far its vertices have gone in between, at most.
struct Path {
    Aabb box;
    double length = 0;
    std::vector<Vec3> last;

    void add(const std::vector<Vec3>& x) {
        double most = 0;
        for (std::size_t i = 0; i < last.size(); ++i) most = std::max(most, (x[i] - last[i]).norm());
        for (const Vec3& p : x) box.extend(p);
        length += most;
        last = x;
    }
};

bool isMoved(const Body& body) {
    const auto& hard = body.constraints.hard;
    return std::any_of(hard.begin(), hard.end(), [](const HardTarget& t) { return t.motion.moves(); });
}

}  // namespace

const std::string& WorldContact::name(std::size_t body) const {
    return body < bodies_.size() ? bodies_[body]->name : colliders_[body - bodies_.size()].collider->name;
}

void WorldContact::placeCollider(std::size_t collider, double time, std::vector<Vec3>& x, std::vector<Vec3>& v) const {
    const LedCollider& led = colliders_[collider];
    led.collider->place(led.stretch, time, since_, x, v);
}

/// Colliders and held vertices are looked at a few times on their way, as they may turn or come back.
std::vector<WorldContact::Reach> WorldContact::reaches(const std::vector<BodyWork>& bodies, double time, double dt) const {
    std::vector<Reach> list;
    for (const BodyWork& work : bodies) {
        list.push_back({reach(work.state, dt), 0});
        if (!isMoved(*work.body)) continue;
        Path path;
        for (int k = 0; k <= kLooks; ++k) {
            const HeldVertices held = heldVertices(*work.body, work.state, time, time + dt * k / kLooks);
            path.add(held.position);
            if (held.vertices.size() < work.vertexCount()) path.length = 0;
        }
        list.back().box.extend(path.box);
        list.back().led = path.length;
    }
    std::vector<Vec3> x, v;
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
        Path path;
        const int looks = colliders_[c].collider->moves() ? kLooks : 0;
        for (int k = 0; k <= looks; ++k) {
            placeCollider(c, looks > 0 ? time + dt * k / looks : time, x, v);
            path.add(x);
        }
        list.push_back({path.box, path.length});
    }
    return list;
}

bool WorldContact::mayTouch(const std::vector<BodyWork>& bodies, double time, double dt) const {
    if (!active_ || withItself_) return active_;
    for (const BodyWork& work : bodies)
        if (!work.state.contact.entries.empty() || !work.state.contact.ledEntries.empty()) return true;
    std::vector<Aabb> boxes;
    for (const Reach& r : reaches(bodies, time, dt)) boxes.push_back(r.box);
    const Bvh tree(boxes);
    for (std::size_t a = 0; a < bodies.size(); ++a) {
        bool found = false;
        tree.query(boxes[a], [&](std::int32_t b) {
            found |= static_cast<std::size_t>(b) != a && meet(shapes_[a]->surface, shapes_[static_cast<std::size_t>(b)]->surface);
        });
        if (found) return true;
    }
    return false;
}

WorldContact::LedWay WorldContact::longestLedWay(const std::vector<BodyWork>& bodies, double time, double dt) const {
    LedWay longest;
    if (!active_) return longest;
    const std::vector<Reach> all = reaches(bodies, time, dt);
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; all[a].led > 0 && b < bodies.size(); ++b) {
            if (a == b || !all[a].box.overlaps(all[b].box) || !meet(shapes_[a]->surface, shapes_[b]->surface)) continue;
            const double share = all[a].led / (kLedShare * std::min(thickness_[a], thickness_[b]));
            if (share > longest.share) longest = {share, all[a].led, a};
        }
    return longest;
}

namespace {
/// All vertices are within `spread` of the mean, m/s.
struct Speeds {
    Vec3 mean = Vec3::Zero();
    double spread = 0;

    explicit Speeds(Span<const Vec3> v) {
        for (const Vec3& at : v) mean += at / static_cast<double>(v.size());
        double spreadSq = 0;
        for (const Vec3& at : v) spreadSq = std::max(spreadSq, (at - mean).squaredNorm());
        spread = std::sqrt(spreadSq);
    }
    double fastest() const { return mean.norm() + spread; }
    double towards(const Speeds& other) const { return (mean - other.mean).norm() + spread + other.spread; }
};
}  // namespace

double WorldContact::approachStep(const std::vector<BodyWork>& bodies, double time, double step, double dt) const {
    if (!active_) return step;
    std::vector<Speeds> speeds;
    for (const BodyWork& work : bodies) speeds.emplace_back(work.state.v);
    std::vector<Vec3> x, v;
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
        placeCollider(c, time, x, v);
        speeds.emplace_back(v);
    }
    double fastest = 0;
    for (const Speeds& s : speeds) fastest = std::max(fastest, s.fastest());
    if (2 * fastest * step <= kLedShare * *std::min_element(thickness_.begin(), thickness_.end())) return step;
    const std::vector<Reach> all = reaches(bodies, time, dt);
    for (std::size_t a = 0; a < bodies.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            if (!all[a].box.overlaps(all[b].box) || !meet(shapes_[a]->surface, shapes_[b]->surface)) continue;
            const double towards = speeds[a].towards(speeds[b]), allowed = kLedShare * std::min(thickness_[a], thickness_[b]);
            if (towards * step > allowed) step = allowed / towards;
        }
    return step;
}

void WorldContact::detect(std::vector<BodyWork>& bodies, double time) {
    if (!active_) return;
    std::vector<Span<const Vec3>> x, v;
    for (const BodyWork& body : bodies) {
        x.push_back(body.state.x);
        v.push_back(body.state.v);
    }
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
        placeCollider(c, time, colliders_[c].x, colliders_[c].v);
        x.push_back(colliders_[c].x);
        v.push_back(colliders_[c].v);
    }
    if (response_ == ContactResponse::kNodes)
        findNodeContacts(finder_.pairsAt(x, v), finder_.shapes(), x, nodes_, nodeSet_.vertices);
    else
        finder_.find(x, v, false);
}

std::vector<ContactBodyState> WorldContact::states(std::vector<BodyWork>& bodies) {
    std::vector<ContactBodyState> list;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodyWork& w = bodies[b];
        list.push_back({shapes_[b].get(), w.state.x, w.state.v, &w.state.contact, w.contactForce});
    }
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
        LedCollider& led = colliders_[c];
        list.push_back({shapes_[bodies.size() + c].get(), led.x, led.v, &led.memory, led.force, false});
    }
    return list;
}

std::vector<std::pair<std::size_t, std::size_t>> WorldContact::touchingPairs() const {
    std::vector<std::pair<std::size_t, std::size_t>> list;
    const auto add = [&](std::int32_t a, std::int32_t b) {
        const std::pair pair(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
        if (list.empty() || list.back() != pair) list.push_back(pair);
    };
    for (const BlockOfBodies& block : set().blocks)
        if (block.touches) add(block.bodyA, block.bodyB);
    for (const NodeContact& n : nodes_) add(n.body, n.other);
    list.insert(list.end(), heldPairs_.begin(), heldPairs_.end());
    return list;
}

/// How much stiffer than at the first touch a body's contact springs are now, at most. Only the potential's get stiffer.
double WorldContact::stiffening(std::size_t b, const ContactMemory& memory) const {
    double largest = 1;
    if (response_ != ContactResponse::kOverlap) return largest;
    for (const std::int32_t n : set().vertices[b].touching) {
        const auto i = static_cast<std::size_t>(n);
        const double depth = set().vertices[b].volume[i] / shapes_[b]->area[i] - memory.allowanceOf(i);
        if (depth > 0) largest = std::max(largest, shapes_[b]->spring(i).stiffening(depth));
    }
    return largest;
}

ContactTotals WorldContact::respond(Span<ContactBodyState> list, const ContactStep& step) const {
    switch (response_) {
        case ContactResponse::kOverlap: return computeContactForces(set(), list, step);
        case ContactResponse::kThesis: return computeThesisForces(set(), list, step);
        case ContactResponse::kNodes: return computeNodeForces(nodes_, list, step);
    }
    return {};
}

ContactTotals WorldContact::addForces(std::vector<BodyWork>& bodies, const ContactStep& step) {
    std::vector<std::uint8_t> touches(shapes_.size(), 0);
    const Held held = updateSides(bodies, step);
    if (active_)
        for (const auto& [a, b] : touchingPairs()) touches[a] = touches[b] = 1;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodyWork& w = bodies[b];
        w.touching = active_ && (touches[b] || !w.state.contact.slide.empty());
        if (w.touching) w.contactForce.assign(w.vertexCount(), Vec3::Zero());
    }
    if (!active_) return {};
    for (LedCollider& led : colliders_) led.force.assign(led.x.size(), Vec3::Zero());
    for (std::size_t b = 0; b < bodies.size(); ++b) bodies[b].contactOmegaSq = omegaSq_[b] * stiffening(b, bodies[b].state.contact);
    std::vector<ContactBodyState> list = states(bodies);
    ContactTotals totals = respond(list, step);
    if (keepsSides()) {
        for (std::size_t b = 0; b < bodies.size(); ++b) bodies[b].contactDamping = damping_[b];
        totals.addVertices(held.totals);
        pushBack(held.pushes, bodies);
    }
    for (const LedCollider& led : colliders_)
        for (std::size_t i = 0; i < led.x.size(); ++i) totals.ledPower -= led.force[i].dot(led.v[i]);
    return totals;
}

WorldContact::Overlap WorldContact::allowOverlaps(std::vector<BodyWork>& bodies, double time) {
    Overlap deepest;
    if (!active_) return deepest;
    detect(bodies, time);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        allowOverlap(set().vertices[b], *shapes_[b], bodies[b].state.contact);
        const std::vector<double>& depth = bodies[b].state.contact.allowance;
        for (std::size_t i = 0; i < depth.size(); ++i)
            if (depth[i] > deepest.depth) deepest = {depth[i], b, b, bodies[b].state.x[i]};
    }
    deepest.other = partnerOf(deepest.body, deepest.position, bodies);
    return deepest;
}

std::vector<std::vector<double>> WorldContact::depths(const std::vector<BodyWork>& bodies) const {
    std::vector<std::vector<double>> list;
    if (!active_) return list;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        std::vector<double>& depth = list.emplace_back(bodies[b].vertexCount(), 0.0);
        for (const std::int32_t n : set().vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            depth[i] = std::max(0.0, set().vertices[b].volume[i] / shapes_[b]->area[i] - bodies[b].state.contact.allowanceOf(i));
        }
    }
    return list;
}

void WorldContact::allowBeyond(std::vector<BodyWork>& bodies, const std::vector<std::vector<double>>& depths, double time) {
    if (!active_ || depths.empty()) return;
    detect(bodies, time);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        std::vector<double>& allowance = bodies[b].state.contact.allowance;
        for (const std::int32_t n : set().vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            const double beyond = set().vertices[b].volume[i] / shapes_[b]->area[i] - depths[b][i];
            if (!(beyond > 0) && allowance.empty()) continue;
            allowance.resize(bodies[b].vertexCount(), 0.0);
            allowance[i] = std::max(0.0, beyond);
        }
    }
}

std::size_t WorldContact::partnerOf(std::size_t body, const Vec3& vertex, const std::vector<BodyWork>& bodies) const {
    std::size_t other = body;
    for (const NodeContact& n : nodes_)
        if (static_cast<std::size_t>(n.body) == body && bodies[body].state.x[static_cast<std::size_t>(n.vertex)] == vertex) return static_cast<std::size_t>(n.other);
    for (const TetContact& c : set().contacts)
        if (static_cast<std::size_t>(c.bodyA) == body || static_cast<std::size_t>(c.bodyB) == body) {
            other = static_cast<std::size_t>(static_cast<std::size_t>(c.bodyA) == body ? c.bodyB : c.bodyA);
            for (const Tet* tet : {&c.a, &c.b})
                for (const std::int32_t v : *tet)
                    if (static_cast<std::size_t>(tet == &c.a ? c.bodyA : c.bodyB) == body && bodies[body].state.x[static_cast<std::size_t>(v)] == vertex)
                        return other;
        }
    return other;
}

double WorldContact::shrinkOverlaps(std::vector<BodyWork>& bodies, double distance) {
    double added = 0;
    if (!active_) return added;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!bodies[b].state.contact.allowance.empty())
            added += shrinkAllowance(set().vertices[b], *shapes_[b], distance, bodies[b].state.contact, response_ == ContactResponse::kOverlap);
    return added;
}

double WorldContact::energy(std::vector<BodyWork>& bodies, double time) {
    if (!active_) return 0;
    if (response_ != ContactResponse::kOverlap) return storedContactEnergy(states(bodies));
    setStirring(std::vector<std::uint8_t>(shapes_.size(), 1));
    detect(bodies, time);
    const std::vector<ContactBodyState> list = states(bodies);
    double sum = contactEnergy(set(), list);
    if (!keepsSides()) return sum;
    for (const SideHold& h : sidesOf(list).holdsAt(placesOf(list))) sum += h.energy();
    return sum;
}

}  // namespace sunder
