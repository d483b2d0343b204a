#include "core/sim/world_contact.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/body/rigid.h"
#include "core/contact/contact_law.h"
#include "core/contact/response_thesis.h"
#include "core/sim/body_work.h"
#include "core/spatial/bvh.h"

namespace sunder {

namespace {
/// A vertex's own spring and those of the vertices that it meets reach it with their sum of weights, which is about two.
constexpr double kSprings = 8, kDampers = 4;

bool meetsItself(const ContactSurface& s, const ContactShape& shape) {
    return s.self == SelfContact::kAll || (s.self == SelfContact::kBetweenPieces && shape.pieceCount > 1);
}

bool meet(const ContactSurface& s, const ContactSurface& t) { return (s.group & t.mask) && (t.group & s.mask); }

/// What pairs may call a body or collider.
using Names = std::vector<std::string>;

Names namesOf(const Body& body) {
    Names names = {body.name};
    for (const Material& m : body.materials) names.push_back(m.name);
    return names;
}

bool fits(const ContactPair& p, const Names& a, const Names& b) {
    const auto among = [](const std::string& name, const Names& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
    return (among(p.a, a) && among(p.b, b)) || (among(p.b, a) && among(p.a, b));
}

double dampingRatio(const ContactPair& p) { return p.restitution >= 0 ? dampingRatioOfBounce(p.restitution) : -1; }

/// Bodies from `body` on, and colliders, that meet it in a way of their own.
std::vector<ContactPartner> partnersOf(std::size_t body, const std::vector<Names>& names, const std::vector<ContactPair>& pairs) {
    std::vector<ContactPartner> partners;
    for (std::size_t other = body; other < names.size() && !pairs.empty(); ++other) {
        const auto last = std::find_if(pairs.rbegin(), pairs.rend(), [&](const ContactPair& p) { return fits(p, names[body], names[other]); });
        if (last != pairs.rend()) partners.push_back({static_cast<std::int32_t>(other), Vec2(last->friction, last->dynamicFriction), dampingRatio(*last)});
    }
    return partners;
}

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

/// Mean over the tets of their smallest height, m.
double meanThickness(Span<const Tet> tets, Span<const Vec3> x) {
    double sum = 0;
    for (const Tet& t : tets) {
        const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
        const Vec3 u = at(1) - at(0), v = at(2) - at(0), w = at(3) - at(0);
        const double largest = std::max({u.cross(v).norm(), v.cross(w).norm(), w.cross(u).norm(), (v - u).cross(w - u).norm()});
        if (largest > 0) sum += std::abs(u.cross(v).dot(w)) / largest;
    }
    return sum / static_cast<double>(tets.size());
}
}  // namespace

namespace {
/// Smallest among the bodies of the mean size of a tet, m.
double smallestTets(const std::vector<BodyWork>& bodies) {
    double smallest = HUGE_VAL;
    for (const BodyWork& work : bodies) {
        const TetMesh& mesh = work.body->mesh;
        double sum = 0;
        for (const Tet& tet : mesh.tets) {
            Aabb box;
            for (const std::int32_t v : tet) box.extend(mesh.rest[static_cast<std::size_t>(v)]);
            sum += box.diagonal();
        }
        if (!mesh.tets.empty()) smallest = std::min(smallest, sum / static_cast<double>(mesh.tets.size()));
    }
    return smallest;
}
}  // namespace

bool WorldContact::anyMeet() const {
    for (std::size_t a = 0; a < bodies_.size(); ++a)
        for (std::size_t b = a + 1; b < shapes_.size(); ++b)
            if (meet(shapes_[a]->surface, shapes_[b]->surface)) return true;
    return false;
}

/// Of critical damping, that a shape's dampers may have.
double WorldContact::largestRatio(const ContactShape& shape) const {
    double largest = shape.dampingRatio;
    for (const ContactPair& p : pairs_) largest = std::max(largest, dampingRatio(p));
    return largest;
}

void WorldContact::addBody(const Body& body, std::size_t number, const std::vector<Names>& names) {
    ContactShape built = buildContactShape(body);
    built.partners = partnersOf(number, names, pairs_);
    for (std::size_t i = 0; i < body.mass.size(); ++i) {
        omegaSq_[number] = std::max(omegaSq_[number], kSprings * built.stiffness[i] / body.mass[i]);
        damping_[number] = std::max(damping_[number], kDampers * largestRatio(built) * built.criticalDamping[i] / body.mass[i]);
    }
    shapes_.push_back(std::make_shared<const ContactShape>(std::move(built)));
}

/// A rigid body's own springs act on what yields no more than it does; else those of the other body push it, at a lever.
void WorldContact::boundRigid(std::size_t body) {
    const RigidFrame frame = rigidFrame(bodies_[body]->mass, bodies_[body]->mesh.rest);
    double leverSq = 0;
    for (const Vec3& p : bodies_[body]->mesh.rest) leverSq = std::max(leverSq, (p - frame.centre).squaredNorm());
    const double mobility = 1 / frame.mass + leverSq / Eigen::SelfAdjointEigenSolver<Mat3>(frame.inertia).eigenvalues()[0];
    // of its own dampers at most those of one side act
    const double side = std::pow(static_cast<double>(bodies_[body]->mass.size()), 2.0 / 3) / frame.mass;
    const std::vector<double>& own = shapes_[body]->criticalDamping;
    const double ownDamping = largestRatio(*shapes_[body]) * (kDampers * mobility + side) * *std::max_element(own.begin(), own.end());
    bool ownCount = false;
    double stiffness = 0, damping = 0;
    for (std::size_t b = 0; b < shapes_.size(); ++b) {
        if (b == body || !meet(shapes_[body]->surface, shapes_[b]->surface)) continue;
        const ContactShape& other = *shapes_[b];
        ownCount |= std::isinf(other.modulus);
        if (std::isinf(other.modulus)) continue;
        stiffness = std::max(stiffness, *std::max_element(other.stiffness.begin(), other.stiffness.end()));
        damping = std::max(damping, largestRatio(other) * *std::max_element(other.criticalDamping.begin(), other.criticalDamping.end()));
    }
    omegaSq_[body] = std::max(ownCount ? omegaSq_[body] : 0, kSprings * stiffness * mobility);
    damping_[body] = std::max(ownCount ? ownDamping : 0, kDampers * damping * mobility);
}

void WorldContact::rebuild(const std::vector<BodyWork>& bodies) {
    bodies_.clear();
    shapes_.clear();
    omegaSq_.assign(bodies.size(), 0.0);
    damping_.assign(bodies.size(), 0.0);
    thickness_.clear();
    std::vector<Names> names;
    for (const BodyWork& work : bodies) names.push_back(namesOf(*work.body));
    for (const LedCollider& led : colliders_) names.push_back({led.collider->name});
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        bodies_.push_back(bodies[b].body);
        addBody(*bodies[b].body, b, names);
        thickness_.push_back(meanThickness(bodies[b].body->mesh.tets, bodies[b].body->mesh.rest));
    }
    for (const LedCollider& led : colliders_) {
        const Collider::Stretch& stretch = led.collider->stretches[led.stretch];
        thickness_.push_back(meanThickness(stretch.slab.tets, stretch.vertices[0]));
        shapes_.push_back(std::shared_ptr<const ContactShape>(led.collider, &stretch.shape));
    }
    BroadPhaseSettings settings;
    settings.growth.mostPadding = settings.growth.padding * smallestTets(bodies);
    finder_.reset(shapes_, bodies.size(), settings);
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (bodies[b].body->rigid) boundRigid(b);
    withItself_ = false;
    for (std::size_t b = 0; b < bodies.size(); ++b) withItself_ |= meetsItself(shapes_[b]->surface, *shapes_[b]);
    active_ = withItself_ || anyMeet();
}

void WorldContact::prepare(std::vector<BodyWork>& bodies, const std::vector<std::shared_ptr<const Collider>>& colliders, double time,
                           const StepSettings& settings) {
    if (!settings.contact || bodies.empty()) {
        active_ = false;
        bodies_.clear();
        shapes_.clear();
        colliders_.clear();
        return;
    }
    std::vector<LedCollider> led;
    for (const auto& c : colliders) led.push_back({c, c->stretchAt(time), {}, {}, {}, {}});
    bool same = bodies_.size() == bodies.size() && pairs_ == settings.contactPairs && colliders_ == led && response_ == settings.contactResponse;
    for (std::size_t b = 0; same && b < bodies.size(); ++b) same = bodies_[b] == bodies[b].body;
    if (same) {
        setStirring(std::vector<std::uint8_t>(shapes_.size(), 1));
        return;
    }
    pairs_ = settings.contactPairs;
    response_ = settings.contactResponse;
    nodeSet_ = {};
    nodes_.clear();
    colliders_ = std::move(led);
    rebuild(bodies);
}

const std::string& WorldContact::name(std::size_t body) const {
    return body < bodies_.size() ? bodies_[body]->name : colliders_[body - bodies_.size()].collider->name;
}

void WorldContact::placeCollider(std::size_t collider, double time, std::vector<Vec3>& x, std::vector<Vec3>& v) const {
    colliders_[collider].collider->place(colliders_[collider].stretch, time, x, v);
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
    for (const TetContact& c : set().contacts) add(c.bodyA, c.bodyB);
    for (const NodeContact& n : nodes_) add(n.body, n.other);
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
    return contactEnergy(set(), list);
}

}  // namespace sunder
