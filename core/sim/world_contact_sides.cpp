#include <algorithm>
#include <cmath>
#include <map>

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
    for (const LedCollider& led : colliders_) sides.stretch.push_back(static_cast<std::int32_t>(led.stretch));
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
    held_ = holds.size();
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
std::vector<SideHold> WorldContact::updateSides(std::vector<BodyWork>& bodies, const ContactStep& step, double& added) {
    noteHeld({});
    if (!active_ || !keepsSides()) return {};
    const std::vector<ContactBodyState> list = states(bodies);
    std::vector<std::vector<Vec3>> before(list.size());
    std::vector<Span<const Vec3>> x, from;
    std::vector<ContactMemory*> memory;
    std::vector<std::uint8_t> known;
    for (std::size_t b = 0; b < list.size(); ++b) {
        before[b].assign(list[b].x.begin(), list[b].x.end());
        for (std::size_t i = 0; i < before[b].size(); ++i) before[b][i] -= step.dt * list[b].v[i];
        x.push_back(list[b].x);
        from.push_back(before[b]);
        memory.push_back(list[b].memory);
        known.push_back(finder_.matters(b) ? 1 : 0);
    }
    ContactSides sides = sidesOf(list);
    added = sides.update(set(), x, from, known);
    sides.remember(memory);
    std::vector<SideHold> holds = sides.holdsAt(x);
    noteHeld(holds);
    return holds;
}

/// Forces, and what they add to the bounds of an explicit step. Of a sum of k g g^T over two bodies each sees at most twice its own part; of that
/// the sum over a row is the bound.
void WorldContact::pushBack(const std::vector<SideHold>& holds, std::vector<BodyWork>& bodies, ContactTotals& totals) {
    std::vector<std::vector<double>> row(holds.empty() ? 0 : bodies.size());
    const auto stiffen = [&](std::int32_t body, std::int32_t vertex, double k) {
        const std::size_t b = at(body);
        if (b >= bodies.size()) return;
        if (bodies_[b]->rigid) {
            bodies[b].contactOmegaSq += 2 * k * mobility_[b];
            return;
        }
        row[b].resize(bodies[b].vertexCount(), 0.0);
        row[b][at(vertex)] += 2 * k / bodies_[b]->mass[at(vertex)];
    };
    for (const SideHold& h : holds) {
        totals.energy += h.energy();
        addHoldForces(h, [&](std::int32_t body, std::int32_t vertex, const Vec3& force) {
            (at(body) < bodies.size() ? bodies[at(body)].contactForce : colliders_[at(body) - bodies.size()].force)[at(vertex)] += force;
        });
        const double slope = h.slope(), all = h.weights.cwiseAbs().sum();
        stiffen(h.body, h.vertex, slope);
        for (int k = 0; k < 3; ++k) stiffen(h.other, h.corners[at(k)], slope * std::abs(h.weights[k]) * all);
    }
    for (std::size_t b = 0; b < row.size(); ++b)
        if (!row[b].empty()) bodies[b].contactOmegaSq += *std::max_element(row[b].begin(), row[b].end());
}

}  // namespace sunder
