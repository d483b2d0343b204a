#include "core/sim/world_contact.h"

#include <algorithm>

#include "core/sim/body_work.h"

namespace sunder {

namespace {
/// A vertex's own spring and those of the vertices that it meets reach it with their sum of weights, which is about two.
constexpr double kSprings = 8, kDampers = 4;

bool canMeet(const std::vector<BodyWork>& bodies, const std::vector<std::unique_ptr<const ContactShape>>& shapes) {
    for (std::size_t a = 0; a < bodies.size(); ++a) {
        const ContactSurface& s = bodies[a].body->contact;
        if (s.self == SelfContact::kAll || (s.self == SelfContact::kBetweenPieces && shapes[a]->pieceCount > 1)) return true;
        for (std::size_t b = a + 1; b < bodies.size(); ++b) {
            const ContactSurface& t = bodies[b].body->contact;
            if ((s.group & t.mask) && (t.group & s.mask)) return true;
        }
    }
    return false;
}
}  // namespace

void WorldContact::rebuild(const std::vector<BodyWork>& bodies) {
    bodies_.clear();
    shapes_.clear();
    omegaSq_.assign(bodies.size(), 0.0);
    damping_.assign(bodies.size(), 0.0);
    broad_ = BroadPhase();
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Body& body = *bodies[b].body;
        bodies_.push_back(bodies[b].body);
        shapes_.push_back(std::make_unique<const ContactShape>(buildContactShape(body)));
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
    active_ = canMeet(bodies, shapes_);
}

void WorldContact::prepare(std::vector<BodyWork>& bodies, bool enabled) {
    if (!enabled || bodies.empty()) {
        active_ = false;
        bodies_.clear();
        return;
    }
    bool same = bodies_.size() == bodies.size();
    for (std::size_t b = 0; same && b < bodies.size(); ++b) same = bodies_[b] == bodies[b].body;
    if (!same) rebuild(bodies);
}

void WorldContact::detect(std::vector<BodyWork>& bodies) {
    if (!active_) return;
    std::vector<BodyMotion> motion(bodies.size());
    std::vector<const ContactShape*> shapes(bodies.size());
    std::vector<Span<const Vec3>> x(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const BodyState& s = bodies[b].state;
        motion[b].start = x[b] = s.x;
        motion[b].velocity = s.v;
        shapes[b] = shapes_[b].get();
    }
    broad_.update(motion);
    broad_.tightPairs(motion, pairs_);
    findContacts(pairs_, shapes, x, set_);
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

double WorldContact::energy(std::vector<BodyWork>& bodies) {
    if (!active_) return 0;
    detect(bodies);
    const std::vector<ContactBodyState> list = states(bodies);
    return contactEnergy(set_, list);
}

}  // namespace sunder
