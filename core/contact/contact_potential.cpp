#include "core/contact/contact_potential.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/parallel.h"
#include "core/contact/contact_pairs.h"

namespace sunder {

namespace {
constexpr std::size_t kBodyGrain = 16, kClusterGrain = 16;

double sumOfEnergies(const ContactSides& sides, Places x) {
    double sum = 0;
    if (!sides.empty())
        for (const SideHold& h : sides.holdsAt(x)) sum += h.energy();
    return sum;
}
}  // namespace

std::vector<Span<const Vec3>> ContactBodies::parts(Span<const Vec3> x) const {
    std::vector<Span<const Vec3>> list;
    for (std::size_t b = 0; b + 1 < offset.size(); ++b) list.push_back(x.subspan(offset[b], offset[b + 1] - offset[b]));
    return list;
}

std::vector<std::int32_t> ContactBodies::bodyOfEach() const {
    std::vector<std::int32_t> list(vertexCount());
    for (std::size_t b = 0; b + 1 < offset.size(); ++b)
        std::fill(list.begin() + static_cast<std::ptrdiff_t>(offset[b]), list.begin() + static_cast<std::ptrdiff_t>(offset[b + 1]), static_cast<std::int32_t>(b));
    return list;
}

void ContactPotential::begin(ContactBodies bodies, const ContactStage& stage, const ContactSet& atStart, Span<const Vec3> xStart,
                             Span<const Vec3> vStart) {

    bodies_ = std::move(bodies);
    stage_ = stage;
    xStart_.assign(xStart.begin(), xStart.end());

    grips_.clear();
    gripsOfBodies_.assign(bodies_.shapes.size() + 1, 0);
    slip_ = {};
    slipsOf_.known = false;
    slipOfBodies_ = {};
    knownPushes_ = {};
    knownGrips_ = {};

    wanted_.clear();
    sides_ = sidesAtStart_ = {};
    gripped_.clear();
    depthStart_.assign(xStart.size(), 0.0);
    rateStart_.assign(stage.secondOrder ? xStart.size() : 0, 0.0);
    for (std::size_t b = 0; b < bodies_.shapes.size(); ++b)
        for (const std::int32_t n : atStart.vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            depthStart_[bodies_.offset[b] + i] = atStart.vertices[b].volume[i] / bodies_.shapes[b]->area[i];
        }

    if (!stage.secondOrder) return;
    for (const TetContact& c : atStart.contacts) {
        const PairVertices at(c, bodies_.offset);
        const Vec3 relative = at.centreA(c, vStart) - at.centreB(c, vStart);
        for (int k = 0; k < 4; ++k) {
            rateStart_[at.vertex[k]] -= c.softA * c.facing.col(k).dot(relative) / at.areaA(c, bodies_.shapes, k);
            rateStart_[at.vertex[4 + k]] += c.softB * c.facing.col(4 + k).dot(relative) / at.areaB(c, bodies_.shapes, k);
        }
    }
}

ContactPotential::Push ContactPotential::pushAt(std::size_t body, std::size_t vertex, const VertexContacts& contacts, bool withValue) const {
    const ContactShape& shape = *bodies_.shapes[body];
    const std::size_t global = bodies_.offset[body] + vertex;
    const double allowance = bodies_.memory[body]->allowanceOf(vertex);
    Push push;
    push.depth = contacts.volume[vertex] / shape.area[vertex] - allowance;
    if (!(push.depth > 0)) return push;
    const ContactSpring spring = shape.spring(vertex);
    const double damper = contacts.damping(shape, vertex) * stage_.rate;
    // the damper pulls towards where the depth would be without it
    double start = std::max(0.0, depthStart_[global] - allowance);
    if (stage_.secondOrder) start += rateStart_[global] / stage_.rate;
    push.force = std::max(0.0, spring.force(push.depth) + damper * (push.depth - start));
    push.slope = spring.slope(push.depth) + damper;
    if (push.force == 0 || !withValue) return push;
    const double from = start > 0 ? spring.balance(damper, start) : 0;
    const auto sum = [&](double d) { return spring.energy(d) + 0.5 * damper * (d - start) * (d - start); };
    push.value = start > 0 ? sum(push.depth) - sum(from) : sum(push.depth);
    return push;
}

double ContactPotential::value(const ContactSet& set, Span<const Vec3> x, Span<Vec3> force) const {
    std::vector<double> ofBodies(bodies_.shapes.size(), 0.0);
    addValues(set, x, force, ofBodies);
    return std::accumulate(ofBodies.begin(), ofBodies.end(), 0.0);
}

/// Of bodies whose contacts have changed.
void ContactPotential::updatePushes(const ContactSet& set) const {
    KnownPushes& known = knownPushes_;
    known.version.resize(bodies_.shapes.size(), 0);
    known.force.resize(bodies_.vertexCount());
    known.pressure.resize(bodies_.vertexCount());
    known.value.resize(bodies_.shapes.size());
    const auto isKnown = [&](std::size_t b) { return set.vertices[b].version != 0 && set.vertices[b].version == known.version[b]; };
    for (std::size_t b = 0; b < bodies_.shapes.size(); ++b) known.summed = known.summed && isKnown(b);
    parallelFor(bodies_.shapes.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            if (isKnown(b)) continue;
            const VertexContacts& contacts = set.vertices[b];
            known.version[b] = contacts.version;
            known.value[b] = 0;
            std::fill(known.pressure.begin() + static_cast<std::ptrdiff_t>(bodies_.offset[b]), known.pressure.begin() + static_cast<std::ptrdiff_t>(bodies_.offset[b + 1]), 0.0);
            for (const std::int32_t n : contacts.touching) {
                const auto i = static_cast<std::size_t>(n);
                const Push push = pushAt(b, i, contacts, true);
                known.force[bodies_.offset[b] + i] = push.force;
                if (push.force == 0) continue;
                known.value[b] += push.value;
                known.pressure[bodies_.offset[b] + i] = push.force / bodies_.shapes[b]->area[i];
            }
        }
    });
}

void ContactPotential::addValues(const ContactSet& set, Span<const Vec3> x, Span<Vec3> force, Span<double> ofBodies) const {

    updatePushes(set);
    for (std::size_t b = 0; b < bodies_.shapes.size(); ++b) ofBodies[b] += knownPushes_.value[b];
    if (!force.empty()) addPushes(set, force);
    addFriction(x, force, ofBodies);
    addSides(x, force, ofBodies);
}

/// Of the pressures that are known, those not positive being none.
void ContactPotential::sumUpClusters(const ContactSet& set) const {
    KnownPushes& known = knownPushes_;
    if (known.summed && known.wanted == wanted_) return;
    known.summed = true;
    known.wanted = wanted_;
    known.first.assign(1, 0);
    for (const ContactCluster& c : set.clusters) known.first.push_back(known.first.back() + (isWanted(c) ? c.size() : 0));
    known.sums.resize(known.first.back());
    parallelFor(set.clusters.size(), kClusterGrain, [&](std::size_t firstCluster, std::size_t lastCluster) {
        for (std::size_t k = firstCluster; k < lastCluster; ++k) {
            const ContactCluster& c = set.clusters[k];
            if (!isWanted(c)) continue;
            Vec4* sums = known.sums.data() + known.first[k];
            std::fill_n(sums, c.size(), Vec4::Zero());
            for (std::size_t r = 0; r < c.size(); ++r) {
                const double p = known.pressure[vertexOf(c, r)];
                if (!(p > 0)) continue;
                const Vec4* row = c.row(r);
                for (std::size_t m = 0; m < c.size(); ++m) sums[m] -= p * row[m];
            }
        }
    });
}

/// Every body takes its own, cluster by cluster as they stand in the set.
void ContactPotential::addPushes(const ContactSet& set, Span<Vec3> force) const {
    sumUpClusters(set);
    const KnownPushes& known = knownPushes_;
    parallelFor(set.clustersOfBodies.size(), kBodyGrain, [&](std::size_t firstBody, std::size_t lastBody) {
        for (std::size_t b = firstBody; b < lastBody; ++b)
            for (const RangesOfBodies::Range& range : set.clustersOfBodies[b])
                for (std::size_t k = range.first; k < range.last; ++k) {
                    const ContactCluster& c = set.clusters[k];
                    if (!isWanted(c)) break;
                    const bool ofA = static_cast<std::size_t>(c.bodyA) == b, ofB = static_cast<std::size_t>(c.bodyB) == b;
                    for (std::size_t m = ofA ? 0 : c.countA; m < (ofB ? c.size() : c.countA); ++m) force[vertexOf(c, m)] += ContactCluster::slope(known.sums[known.first[k] + m]);
                }
    });
}

void ContactPotential::keepSides(SideBodies bodies, Span<const Vec3> vStart) {
    sides_.begin(std::move(bodies), bodies_.parts(xStart_));
    sidesAtStart_ = sides_;
    sidesSeen_ = xStart_;
    if (stage_.secondOrder) sidesSpeed_.assign(vStart.begin(), vStart.end());
}

std::vector<SideHold> ContactPotential::updateSides(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> known) {
    const std::vector<Span<const Vec3>> parts = bodies_.parts(x);
    sides_.update(set, parts, bodies_.parts(sidesSeen_), known);
    sidesSeen_.assign(x.begin(), x.end());
    return sides_.holdsAt(parts);
}

void ContactPotential::addSides(Span<const Vec3> x, Span<Vec3> force, Span<double> ofBodies) const {
    if (sides_.empty()) return;
    const std::vector<SideHold> holds = sides_.holdsAt(bodies_.parts(x));
    const std::vector<HoldPush> pushes = pushesOf(holds);
    for (std::size_t k = 0; k < holds.size(); ++k) {
        ofBodies[static_cast<std::size_t>(holds[k].body)] += pushes[k].value;
        if (force.empty()) continue;
        addHoldForces(holds[k], pushes[k].force, [&](std::int32_t body, std::int32_t vertex, const Vec3& push) {
            force[bodies_.offset[static_cast<std::size_t>(body)] + static_cast<std::size_t>(vertex)] += push;
        });
    }
}

/// The damper sees the way from the start of the step, below the face of now.
std::vector<HoldPush> ContactPotential::pushesOf(const std::vector<SideHold>& holds) const {
    std::vector<HoldPush> pushes;
    if (holds.empty()) return pushes;
    const std::vector<Span<const Vec3>> x = bodies_.parts(xStart_), v = stage_.secondOrder ? bodies_.parts(sidesSpeed_) : x;
    for (const SideHold& h : holds) {
        double speed = 0;
        const double before = excessAt(h, x, v, stage_.secondOrder ? &speed : nullptr);
        const double start = before > 0 && stage_.secondOrder ? before + speed / stage_.rate : std::max(0.0, before);
        pushes.push_back(h.spring.pushAt(h.excess, start, stage_.rate));
    }
    return pushes;
}

double ContactPotential::heldEnergyAtStart() const { return sumOfEnergies(sidesAtStart_, bodies_.parts(xStart_)); }
double ContactPotential::heldEnergy(Span<const Vec3> x) const { return sumOfEnergies(sides_, bodies_.parts(x)); }

double ContactPotential::energy(const ContactSet& set, const std::vector<ContactMemory>* after) const {
    return parallelReduce(bodies_.shapes.size(), kBodyGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t b = first; b < last; ++b) {
            for (const std::int32_t n : set.vertices[b].touching) {
                const auto i = static_cast<std::size_t>(n);
                const double depth = pushAt(b, i, set.vertices[b]).depth;
                if (depth > 0) sum += bodies_.shapes[b]->spring(i).energy(depth);
            }
            for (const double stored : after ? (*after)[b].stored : bodies_.memory[b]->stored) sum += stored;
            sum += after ? (*after)[b].storedInEntries() : bodies_.memory[b]->storedInEntries();
        }
        return sum;
    });
}

double ContactPotential::commit(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> frozen, std::vector<ContactMemory>& memory) const {
    const std::vector<Vec4>& ways = waysTo(x);
    memory.resize(bodies_.shapes.size());
    const double lost = parallelReduce(bodies_.shapes.size(), kBodyGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t b = first; b < last; ++b)
            if (frozen[b])
                memory[b] = *bodies_.memory[b];
            else
                sum += commitBody(b, set.vertices[b], ways, memory[b]);
        return sum;
    });
    return lost + commitSides(x, frozen, memory);
}

/// The same of one body, without what is held.
double ContactPotential::commitBody(std::size_t b, const VertexContacts& contacts, const std::vector<Vec4>& ways, ContactMemory& memory) const {
    double lost = 0;
    memory = {};
    memory.allowance = bodies_.memory[b]->allowance;
    for (const std::int32_t n : contacts.touching) {
        const auto i = static_cast<std::size_t>(n);
        const Push push = pushAt(b, i, contacts);
        if (!(push.depth > 0)) continue;
        const double start = std::max(0.0, depthStart_[bodies_.offset[b] + i] - memory.allowanceOf(i));
        lost += (push.force - bodies_.shapes[b]->spring(i).force(push.depth)) * (push.depth - start);
    }
    for (const double stored : bodies_.memory[b]->stored) lost += stored;
    for (std::size_t row = gripsOfBodies_[b]; row < gripsOfBodies_[b + 1]; ++row) {
        const std::size_t i = static_cast<std::size_t>(grips_[row].vertex) - bodies_.offset[b];
        if (grips_[row].hold >= 0 || !(contacts.volume[i] > 0)) continue;
        Vec3 slide;
        double stored;
        lost += drawnBy(row, ways, slide, stored);
        memory.keep(i, bodies_.offset[b + 1] - bodies_.offset[b], slide, stored);
    }
    return lost;
}

/// The same of what is held: dampers, friction and what is remembered of both.
double ContactPotential::commitSides(Span<const Vec3> x, Span<const std::uint8_t> frozen, std::vector<ContactMemory>& memory) const {
    double lost = 0;
    std::vector<ContactMemory*> remembering;
    for (std::size_t b = 0; b < memory.size(); ++b) {
        remembering.push_back(frozen[b] ? nullptr : &memory[b]);
        if (!frozen[b]) lost += bodies_.memory[b]->storedInEntries();
    }
    if (sides_.empty()) return lost;
    const std::vector<Vec4>& ways = waysTo(x);
    ContactSides after = sides_;
    after.dropSlides();
    const std::vector<Span<const Vec3>> start = bodies_.parts(xStart_);
    const std::vector<SideHold> holds = after.holdsAt(bodies_.parts(x));
    const std::vector<HoldPush> pushes = pushesOf(holds);
    for (std::size_t k = 0; k < holds.size(); ++k)
        lost += (pushes[k].force - holds[k].force()) * (holds[k].excess - std::max(0.0, excessAt(holds[k], start, start, nullptr)));
    for (std::size_t row = 0, k = 0; row < grips_.size(); ++row) {
        const Grip& grip = grips_[row];
        if (grip.hold < 0) continue;
        const SideHold& gripped = gripped_[static_cast<std::size_t>(grip.hold)];
        const auto key = [](const SideHold& h) { return std::tie(h.body, h.vertex, h.other); };
        while (k < holds.size() && key(holds[k]) < key(gripped)) ++k;
        const bool led = static_cast<std::size_t>(gripped.body) >= after.ledFirst();
        if (k == holds.size() || key(holds[k]) != key(gripped) || frozen[static_cast<std::size_t>(led ? gripped.other : gripped.body)]) continue;
        Vec3 slide;
        double stored;
        lost += drawnBy(row, ways, slide, stored);
        after.setSlide(holds[k].entry, slide, stored);
    }
    after.remember(remembering);
    return lost;
}

}  // namespace sunder
