#include <algorithm>
#include <cmath>
#include <map>

#include "core/contact/contact_friction.h"
#include "core/sim/body_work.h"
#include "core/sim/world_contact.h"

/// How a world's bodies keep their sides in explicit steps; implicit ones have that in their ContactPotential.
namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
}  // namespace

SideBodies WorldContact::sideBodies(std::vector<const ContactMemory*> memory) const {
    SideBodies sides;
    for (const auto& shape : shapes_) sides.shapes.push_back(shape.get());
    sides.memory = std::move(memory);
    sides.ledFirst = bodies_.size();
    sides.stretch.assign(bodies_.size(), 0);
    for (const LedCollider& led : colliders_) sides.stretch.push_back(led.collider->earlier + static_cast<std::int32_t>(led.stretch));
    return sides;
}

ContactSides WorldContact::sidesOf(Span<const ContactBodyState> list) const {
    std::vector<const ContactMemory*> memory;
    std::vector<Span<const Vec3>> x;
    for (const ContactBodyState& body : list) {
        memory.push_back(body.memory);
        x.push_back(body.x);
    }
    ContactSides sides;
    sides.begin(sideBodies(std::move(memory)), x);
    return sides;
}

void WorldContact::noteHeld(const std::vector<SideHold>& holds) {
    holds_ = holds;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
    for (const SideHold& h : holds) ++counts[{at(std::min(h.body, h.other)), at(std::max(h.body, h.other))}];
    heldPairs_.clear();
    std::size_t most = 0;
    for (const auto& [pair, count] : counts) {
        heldPairs_.push_back(pair);
        if (count > most) mostHeld_ = pair;
        most = std::max(most, count);
    }
}

/// Of what was detected; where a vertex was before follows from its velocity.
WorldContact::Held WorldContact::updateSides(std::vector<BodyWork>& bodies, const ContactStep& step) {
    noteHeld({});
    if (!active_ || !keepsSides()) return {};
    const std::vector<ContactBodyState> list = states(bodies);
    std::vector<std::vector<Vec3>> before(list.size());
    std::vector<Span<const Vec3>> x, v, from;
    std::vector<ContactMemory*> memory;
    std::vector<std::uint8_t> known;
    Held held;
    for (std::size_t b = 0; b < list.size(); ++b) {
        before[b].assign(list[b].x.begin(), list[b].x.end());
        for (std::size_t i = 0; i < before[b].size(); ++i) before[b][i] -= step.dt * list[b].v[i];
        x.push_back(list[b].x);
        v.push_back(list[b].v);
        from.push_back(before[b]);
        memory.push_back(list[b].memory);
        known.push_back(finder_.matters(b) ? 1 : 0);
        held.totals.drawn -= list[b].memory->storedInEntries();
    }
    ContactSides sides = sidesOf(list);
    held.totals.drawn += sides.update(set(), x, from, known);  // to springs, by no motion
    const std::vector<SideHold> holds = sides.holdsAt(x);
    sides.dropSlides();
    for (const SideHold& h : holds) {
        held.pushes.push_back(pushOf(h, v, step, held.totals));
        sides.setSlide(h.entry, held.pushes.back().slide, held.pushes.back().stored);
    }
    sides.remember(memory);
    noteHeld(holds);
    return held;
}

WorldContact::HeldPush WorldContact::pushOf(const SideHold& h, Places v, const ContactStep& step, ContactTotals& totals) {
    const double speed = deepeningSpeed(h, v), normal = h.spring.forceAt(h.excess, speed);
    HeldPush push{h, normal, Vec3::Zero(), h.slide, 0};
    totals.energy += h.energy();
    totals.power += (normal - h.force()) * speed;
    if (!(h.friction[0] > 0)) {
        push.slide.setZero();
        return push;
    }
    const FrictionPull pull = updateFriction({h.friction, h.gripStiffness(), h.spring.damping(h.excess), normal, h.normal, slidingVelocity(h, v)}, step, push.slide);
    push.friction = pull.force;
    push.stored = pull.stored;
    totals.energy += pull.stored;
    totals.drawn += pull.stored;
    totals.power += pull.power;
    return push;
}

/// Forces, and what they add to the bounds of an explicit step. Of a sum of k g g^T over two bodies each sees at most twice its own part; of that
/// the sum over a row is the bound, and for dampers likewise.
void WorldContact::pushBack(const std::vector<HeldPush>& pushes, std::vector<BodyWork>& bodies) {
    std::vector<std::vector<Vec2>> row(pushes.empty() ? 0 : bodies.size());
    const auto stiffen = [&](std::int32_t body, std::int32_t vertex, const Vec2& k) {
        const std::size_t b = at(body);
        if (b >= bodies.size()) return;
        if (bodies_[b]->rigid) {
            bodies[b].contactOmegaSq += 2 * k[0] * mobility_[b];
            bodies[b].contactDamping += 2 * k[1] * mobility_[b];
            return;
        }
        row[b].resize(bodies[b].vertexCount(), Vec2::Zero());
        row[b][at(vertex)] += 2 / bodies_[b]->mass[at(vertex)] * k;
    };
    const auto add = [&](std::int32_t body, std::int32_t vertex, const Vec3& force) {
        (at(body) < bodies.size() ? bodies[at(body)].contactForce : colliders_[at(body) - bodies.size()].force)[at(vertex)] += force;
    };
    for (const HeldPush& push : pushes) {
        const SideHold& h = push.hold;
        addHoldForces(h, push.normal, add);
        const double damping = h.spring.damping(h.excess);
        const Vec2 along(h.slope(), damping), across = h.friction[0] > 0 ? Vec2(h.gripStiffness(), damping) : Vec2(0, 0);
        stiffen(h.body, h.vertex, along + across);
        for (int k = 0; k < 3; ++k) stiffen(h.other, h.corners[at(k)], std::abs(h.weights[k]) * h.weights.cwiseAbs().sum() * along);
        if (!(h.friction[0] > 0)) continue;
        addGripForces(h, push.friction, add);
        for (int k = 0; k < 4; ++k) stiffen(h.other, h.tet[at(k)], std::abs(h.inTet[k]) * h.inTet.cwiseAbs().sum() * across);
    }
    for (std::size_t b = 0; b < row.size(); ++b) {
        Vec2 most = Vec2::Zero();
        for (const Vec2& sum : row[b]) most = most.cwiseMax(sum);
        bodies[b].contactOmegaSq += most[0];
        bodies[b].contactDamping += most[1];
    }
}

}  // namespace sunder
