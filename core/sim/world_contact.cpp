#include "core/sim/world_contact.h"

#include <algorithm>
#include <cmath>

#include "core/contact/safe_way.h"
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

bool anyMeet(const std::vector<BodyWork>& bodies) {
    for (std::size_t a = 0; a < bodies.size(); ++a)
        for (std::size_t b = a + 1; b < bodies.size(); ++b)
            if (meet(bodies[a].body->contact, bodies[b].body->contact)) return true;
    return false;
}

bool isNamed(const Body& body, const std::string& name) {
    const auto same = [&](const Material& m) { return m.name == name; };
    return body.name == name || std::any_of(body.materials.begin(), body.materials.end(), same);
}

bool fits(const FrictionPair& p, const Body& a, const Body& b) {
    return (isNamed(a, p.a) && isNamed(b, p.b)) || (isNamed(a, p.b) && isNamed(b, p.a));
}

/// Bodies from `body` on that meet it with a friction of their own.
std::vector<ContactPartner> partnersOf(std::size_t body, const std::vector<BodyWork>& bodies, const std::vector<FrictionPair>& pairs) {
    std::vector<ContactPartner> partners;
    for (std::size_t other = body; other < bodies.size() && !pairs.empty(); ++other) {
        const auto last = std::find_if(pairs.rbegin(), pairs.rend(),
                                       [&](const FrictionPair& p) { return fits(p, *bodies[body].body, *bodies[other].body); });
        if (last != pairs.rend()) partners.push_back({static_cast<std::int32_t>(other), Vec2(last->friction, last->dynamicFriction)});
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

void WorldContact::rebuild(const std::vector<BodyWork>& bodies) {
    bodies_.clear();
    shapes_.clear();
    omegaSq_.assign(bodies.size(), 0.0);
    damping_.assign(bodies.size(), 0.0);
    BroadPhaseSettings settings;
    settings.growth.mostPadding = settings.growth.padding * smallestTets(bodies);
    broad_ = BroadPhase(settings);
    where_.clear();
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Body& body = *bodies[b].body;
        bodies_.push_back(bodies[b].body);
        ContactShape built = buildContactShape(body);
        built.partners = partnersOf(b, bodies, frictionPairs_);
        shapes_.push_back(std::make_unique<const ContactShape>(std::move(built)));
        const ContactShape& shape = *shapes_.back();
        ContactBody options;
        options.group = body.contact.group;
        options.mask = body.contact.mask;
        options.self = body.contact.self;
        broad_.addBody(options, shape.corners, shape.pieces);
        for (std::size_t i = 0; i < body.mass.size(); ++i) {
            omegaSq_[b] = std::max(omegaSq_[b], kSprings * shape.stiffness[i] / body.mass[i]);
            damping_[b] = std::max(damping_[b], kDampers * shape.damping[i] / body.mass[i]);
        }
    }
    withItself_ = false;
    for (std::size_t b = 0; b < bodies.size(); ++b) withItself_ |= meetsItself(bodies[b].body->contact, *shapes_[b]);
    active_ = withItself_ || anyMeet(bodies);
}

void WorldContact::prepare(std::vector<BodyWork>& bodies, const StepSettings& settings) {
    if (!settings.contact || bodies.empty()) {
        active_ = false;
        bodies_.clear();
        return;
    }
    bool same = bodies_.size() == bodies.size() && frictionPairs_ == settings.contactPairs;
    for (std::size_t b = 0; same && b < bodies.size(); ++b) same = bodies_[b] == bodies[b].body;
    if (same) return;
    frictionPairs_ = settings.contactPairs;
    rebuild(bodies);
}

bool WorldContact::mayTouch(const std::vector<BodyWork>& bodies, double dt) const {
    if (!active_ || withItself_) return active_;
    std::vector<Aabb> boxes;
    for (const BodyWork& work : bodies) boxes.push_back(reach(work.state, dt));
    const Bvh tree(boxes);
    for (std::size_t a = 0; a < boxes.size(); ++a) {
        bool found = false;
        tree.query(boxes[a], [&](std::int32_t b) {
            found |= static_cast<std::size_t>(b) != a && meet(bodies[a].body->contact, bodies[static_cast<std::size_t>(b)].body->contact);
        });
        if (found) return true;
    }
    return false;
}

void WorldContact::detect(std::vector<BodyWork>& bodies) {
    if (!active_) return;
    std::vector<Span<const Vec3>> x, v;
    for (const BodyWork& body : bodies) {
        x.push_back(body.state.x);
        v.push_back(body.state.v);
    }
    find(x, v);
}

const ContactSet& WorldContact::detect(const std::vector<Span<const Vec3>>& x, bool withSlopes) {
    find(x, {});
    if (withSlopes && set_.slopes.size() != set_.contacts.size()) computeContactSlopes(x, set_);
    return set_;
}

void WorldContact::find(const std::vector<Span<const Vec3>>& x, const std::vector<Span<const Vec3>>& v) {
    const auto here = [](Span<const Vec3> a, const std::vector<Vec3>& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
    if (where_.size() == x.size() && std::equal(x.begin(), x.end(), where_.begin(), here)) return;
    std::vector<BodyMotion> motion(x.size());
    std::vector<const ContactShape*> shapes(x.size());
    for (std::size_t b = 0; b < x.size(); ++b) {
        motion[b].start = x[b];
        if (!v.empty()) motion[b].velocity = v[b];
        shapes[b] = shapes_[b].get();
    }
    where_.clear();
    broad_.update(motion);
    broad_.tightPairs(motion, pairs_);
    findContacts(pairs_, shapes, x, set_);
    where_.resize(x.size());
    for (std::size_t b = 0; b < x.size(); ++b) where_[b].assign(x[b].begin(), x[b].end());
}

void WorldContact::safeShares(const std::vector<Span<const Vec3>>& start, const std::vector<Span<const Vec3>>& end, Span<double> share) {
    std::vector<BodyMotion> motion(start.size());
    std::vector<const ContactShape*> shapes(start.size());
    for (std::size_t b = 0; b < start.size(); ++b) {
        motion[b].start = start[b];
        motion[b].end = end[b];
        shapes[b] = shapes_[b].get();
    }
    broad_.update(motion);
    broad_.tightPairs(motion, pairs_);
    sunder::safeShares(pairs_, shapes, start, end, share);
}

std::vector<ContactBodyState> WorldContact::states(std::vector<BodyWork>& bodies) const {
    std::vector<ContactBodyState> list;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodyWork& w = bodies[b];
        list.push_back({shapes_[b].get(), w.state.x, w.state.v, &w.state.contact, w.contactForce});
    }
    return list;
}

ContactTotals WorldContact::addForces(std::vector<BodyWork>& bodies, const ContactStep& step) {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodyWork& w = bodies[b];
        w.touching = active_ && (!set_.vertices[b].touching.empty() || !w.state.contact.slide.empty());
        if (w.touching) w.contactForce.assign(w.vertexCount(), Vec3::Zero());
    }
    if (!active_) return {};
    std::vector<ContactBodyState> list = states(bodies);
    return computeContactForces(set_, list, step);
}

double WorldContact::allowOverlaps(std::vector<BodyWork>& bodies) {
    if (!active_) return 0;
    detect(bodies);
    double deepest = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        allowOverlap(set_.vertices[b], *shapes_[b], bodies[b].state.contact);
        for (const double depth : bodies[b].state.contact.allowance) deepest = std::max(deepest, depth);
    }
    return deepest;
}

double WorldContact::shrinkOverlaps(std::vector<BodyWork>& bodies, double distance) {
    double added = 0;
    if (!active_) return added;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!bodies[b].state.contact.allowance.empty()) added += shrinkAllowance(set_.vertices[b], *shapes_[b], distance, bodies[b].state.contact);
    return added;
}

double WorldContact::energy(std::vector<BodyWork>& bodies) {
    if (!active_) return 0;
    detect(bodies);
    const std::vector<ContactBodyState> list = states(bodies);
    return contactEnergy(set_, list);
}

}  // namespace sunder
