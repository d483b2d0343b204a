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
constexpr std::size_t kGrain = 128, kBodyGrain = 16, kClusterGrain = 16, kEntryGrain = 4096;

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

/// The ways of all vertices since the start.
const std::vector<Vec4>& ContactPotential::waysTo(Span<const Vec3> x) const {
    KnownGrips& known = knownGrips_;
    if (known.ways.size() != x.size()) {
        known.ways.assign(x.size(), Vec4::Zero());
        known.moved.assign(bodies_.shapes.size(), 1);
    }
    parallelFor(bodies_.shapes.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            for (std::size_t v = bodies_.offset[b]; v < bodies_.offset[b + 1]; ++v) {
                const Vec3 way = x[v] - xStart_[v];
                if (known.ways[v].head<3>() == way) continue;
                known.ways[v].head<3>() = way;
                known.moved[b] = 1;
            }
    });
    return known.ways;
}

/// How far the spring of a grip is drawn after these ways.
Vec3 ContactPotential::slideAfter(std::size_t row, const std::vector<Vec4>& ways) const {
    Vec4 sum = Vec4::Zero();
    for (auto e = static_cast<std::size_t>(slip_.first[row]); e < static_cast<std::size_t>(slip_.first[row + 1]); ++e)
        sum += slip_.value[e] * ways[static_cast<std::size_t>(slip_.column[e])];
    const Vec3 way = sum.head<3>();
    const Grip& grip = grips_[row];
    return grip.slide + way - grip.up.dot(way) * grip.up;
}

/// Of bodies that have moved.
void ContactPotential::updateGrips(Span<const Vec3> x) const {
    KnownGrips& known = knownGrips_;
    waysTo(x);
    const bool all = known.value.empty();
    if (!all && std::find(known.moved.begin(), known.moved.end(), 1) == known.moved.end()) return;
    known.value.resize(grips_.size());
    known.pull.resize(grips_.size());
    known.drawn.resize(grips_.size());
    parallelFor(grips_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            const Grip& grip = grips_[row];
            if (!all && grip.other >= 0 && !known.moved[static_cast<std::size_t>(grip.body)] && !known.moved[static_cast<std::size_t>(grip.other)]) continue;
            const Vec3 slide = slideAfter(row, known.ways);
            const double length = slide.norm(), spring = grip.stiffness * length;
            const bool slips = spring > grip.most;
            known.value[row] = slips ? grip.most * (length - 0.5 * grip.most / grip.stiffness) : 0.5 * spring * length;
            known.drawn[row] = length;
            known.pull[row] = (slips ? grip.most / length : grip.stiffness) * slide;
        }
    });
    std::fill(known.moved.begin(), known.moved.end(), 0);
}

void ContactPotential::addFriction(Span<const Vec3> x, Span<Vec3> force, Span<double> ofBodies) const {
    if (grips_.empty()) return;
    updateGrips(x);
    parallelFor(bodies_.shapes.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            for (std::size_t row = gripsOfBodies_[b]; row < gripsOfBodies_[b + 1]; ++row) ofBodies[b] += knownGrips_.value[row];
            if (force.empty() || (!wanted_.empty() && !wanted_[b])) continue;
            for (std::size_t k = slipOfBodies_.first[b]; k < slipOfBodies_.first[b + 1]; ++k) {
                const auto& entry = slipOfBodies_.entries[k];
                force[static_cast<std::size_t>(entry.column)] -= entry.value * knownGrips_.pull[static_cast<std::size_t>(entry.row)];
            }
        }
    });
}

std::vector<ContactPotential::Grip> ContactPotential::gripsOf(const ContactSet& set, std::size_t b) const {
    std::vector<Grip> grips;
    const VertexContacts& contacts = set.vertices[b];
    for (const std::int32_t n : contacts.touching) {
        const auto i = static_cast<std::size_t>(n);
        const Push push = pushAt(b, i, contacts);
        const double facing = contacts.facing[i].norm();
        if (!(push.force > 0) || !(facing > 0)) continue;
        const Vec2 friction = contacts.friction[i] / contacts.volume[i];
        const double area = bodies_.shapes[b]->area[i], normal = push.force * facing / area;
        const double k = slidingStiffness(bodies_.shapes[b]->spring(i).slope(push.depth), facing, area);
        const Vec3 up = contacts.facing[i] / facing, drawn = bodies_.memory[b]->slideOf(i);
        const Vec3 slide = drawn - up.dot(drawn) * up;
        grips.push_back({static_cast<std::int32_t>(bodies_.offset[b] + i), static_cast<std::int32_t>(b), k, friction[0] * normal, friction[1] * normal, up, slide});
    }
    return grips;
}

/// Behind the other grips of the body.
void ContactPotential::addHoldGrips(const std::vector<SideHold>& holds, const std::vector<HoldPush>& pushes, std::size_t b, std::vector<Grip>& grips) {
    for (std::size_t k = 0; k < holds.size(); ++k) {
        const SideHold& h = holds[k];
        if (static_cast<std::size_t>(h.body) != b || !(pushes[k].force > 0) || !(h.friction[0] > 0)) continue;
        grips.push_back({static_cast<std::int32_t>(bodies_.offset[b]) + h.vertex, h.body, h.gripStiffness(), h.friction[0] * pushes[k].force,
                         h.friction[1] * pushes[k].force, h.normal, h.slide, static_cast<std::int32_t>(gripped_.size())});
        gripped_.push_back(h);
    }
}

void ContactPotential::findOther(std::size_t row) {
    Grip& grip = grips_[row];
    grip.other = grip.body;
    for (auto e = static_cast<std::size_t>(slip_.first[row]); e < static_cast<std::size_t>(slip_.first[row + 1]); ++e) {
        if (slipBody_[e] == grip.body || slipBody_[e] == grip.other) continue;
        if (grip.other != grip.body) {
            grip.other = -1;
            return;
        }
        grip.other = slipBody_[e];
    }
}

void ContactPotential::updateFriction(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> bodies) {

    const std::vector<Grip> before = std::exchange(grips_, {});
    const std::vector<SideHold> grippedBefore = std::exchange(gripped_, {});
    const std::vector<SideHold> holds = sides_.empty() ? std::vector<SideHold>() : sides_.holdsAt(bodies_.parts(x));
    const std::vector<HoldPush> pushes = pushesOf(holds);
    const ContactRows<double> slipBefore = std::exchange(slip_, {});
    slipsOf_.known = false;
    const std::vector<std::size_t> firstBefore = std::exchange(gripsOfBodies_, {0});
    const auto isFresh = [&](std::size_t b) { return bodies.empty() || bodies[b]; };
    std::vector<std::vector<Grip>> ofBodies(bodies_.shapes.size());
    parallelFor(ofBodies.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            if (isFresh(b))
                ofBodies[b] = gripsOf(set, b);
            else
                ofBodies[b].assign(before.begin() + static_cast<std::ptrdiff_t>(firstBefore[b]), before.begin() + static_cast<std::ptrdiff_t>(firstBefore[b + 1]));
    });
    for (std::size_t b = 0; b < ofBodies.size(); ++b) {
        if (isFresh(b) && !holds.empty()) addHoldGrips(holds, pushes, b, ofBodies[b]);
        if (!isFresh(b) && !grippedBefore.empty())
            for (Grip& grip : ofBodies[b]) {
                if (grip.hold < 0) continue;
                gripped_.push_back(grippedBefore[static_cast<std::size_t>(grip.hold)]);
                grip.hold = static_cast<std::int32_t>(gripped_.size()) - 1;
            }
        gripsOfBodies_.push_back(gripsOfBodies_.back() + ofBodies[b].size());
    }
    grips_.resize(gripsOfBodies_.back());
    std::vector<std::int32_t> kept(grips_.size());  // of every grip: its row before, or -1
    parallelFor(ofBodies.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            std::copy(ofBodies[b].begin(), ofBodies[b].end(), grips_.begin() + static_cast<std::ptrdiff_t>(gripsOfBodies_[b]));
            for (std::size_t k = 0; k < ofBodies[b].size(); ++k) kept[gripsOfBodies_[b] + k] = isFresh(b) ? -1 : static_cast<std::int32_t>(firstBefore[b] + k);
            std::vector<Grip>().swap(ofBodies[b]);  // memory is given back in parallel, too
        }
    });
    std::vector<std::int32_t> rowOf(bodies_.vertexCount(), -1);
    for (std::size_t row = 0; row < grips_.size(); ++row)
        if (kept[row] < 0 && grips_[row].hold < 0) rowOf[static_cast<std::size_t>(grips_[row].vertex)] = static_cast<std::int32_t>(row);

    const RowParts parts(set, bodies_.offset, rowOf, grips_.size(), bodies);
    slip_ = buildRows<double>(grips_.size(), bodies_.vertexCount(), [&](std::size_t row, RowBlock<double>& block) {
        if (const std::int32_t old = kept[row]; old >= 0) {
            block.addNew(slipBefore.columnsOf(static_cast<std::size_t>(old)), slipBefore.valuesOf(static_cast<std::size_t>(old)));
            return;
        }
        if (grips_[row].hold >= 0) {
            const SideHold& h = gripped_[static_cast<std::size_t>(grips_[row].hold)];
            block.add(static_cast<std::size_t>(grips_[row].vertex), 1);
            for (int m = 0; m < 4; ++m)
                block.add(bodies_.offset[static_cast<std::size_t>(h.other)] + static_cast<std::size_t>(h.tet[static_cast<std::size_t>(m)]), -h.inTet[m]);
            return;
        }
        const auto body = static_cast<std::size_t>(grips_[row].body);
        const double volume = set.vertices[body].volume[static_cast<std::size_t>(grips_[row].vertex) - bodies_.offset[body]];
        for (std::size_t k = parts.first[row]; k < parts.first[row + 1]; ++k) {
            const ContactCluster& c = set.clusters[static_cast<std::size_t>(parts.parts[k].cluster)];
            const auto own = static_cast<std::size_t>(parts.parts[k].place);
            // the other body goes the other way
            const auto sign = [&](std::size_t m) { return (own < c.countA) == (m < c.countA) ? 1 : -1; };
            const bool allNew = k == parts.first[row] && c.bodyA != c.bodyB;  // in one body a vertex may be on both sides
            for (std::size_t m = 0; m < c.size(); ++m) {
                const double weight = ContactCluster::weight(c.row(own)[m]);
                if (weight == 0) continue;
                if (allNew)
                    block.addNew(vertexOf(c, m), sign(m) * weight / volume);
                else
                    block.add(vertexOf(c, m), sign(m) * weight / volume);
            }
        }
    });

    const std::vector<std::int32_t> bodyOf = bodies_.bodyOfEach();
    slipBody_.resize(slip_.column.size());
    parallelFor(slipBody_.size(), kEntryGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t e = first; e < last; ++e) slipBody_[e] = bodyOf[static_cast<std::size_t>(slip_.column[e])];
    });
    slipOfBodies_ = EntriesOfBodies<double>(slip_, slipBody_, bodies_.shapes.size());

    knownGrips_.value.clear();
    parallelFor(grips_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) findOther(row);
    });
    // the coefficient at rest holds what has not begun to slip
    const std::vector<Vec4>& ways = waysTo(x);
    parallelFor(grips_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row)
            if (Grip& grip = grips_[row]; kept[row] < 0 && grip.stiffness * slideAfter(row, ways).norm() > grip.most) {
                grip.most = grip.sliding;
                grip.slips = true;
            }
    });
}

void ContactPotential::updateNormalForces(const ContactSet& set, Span<const Vec3> x, Span<const std::uint8_t> bodies) {
    if (grips_.empty()) return;

    updatePushes(set);
    updateGrips(x);  // what has moved before is not to be forgotten
    parallelFor(bodies_.shapes.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            if (!bodies[b]) continue;
            for (std::size_t row = gripsOfBodies_[b]; row < gripsOfBodies_[b + 1]; ++row)
                if (grips_[row].hold < 0) updateNormalForce(row, set.vertices[b]);
            knownGrips_.moved[b] = 1;
        }
    });
}

/// What has not begun to slip where friction was found is not asked again: on the way to the step's end it may slip for an iteration or two.
void ContactPotential::updateNormalForce(std::size_t row, const VertexContacts& contacts) {
    Grip& grip = grips_[row];
    const auto body = static_cast<std::size_t>(grip.body), vertex = static_cast<std::size_t>(grip.vertex), i = vertex - bodies_.offset[body];
    const double volume = contacts.volume[i], force = volume > 0 ? knownPushes_.force[vertex] : 0;
    const Vec2 most = force > 0 ? Vec2(contacts.friction[i] * (force * contacts.facing[i].norm() / (volume * bodies_.shapes[body]->area[i]))) : Vec2(Vec2::Zero());
    grip.sliding = most[1];
    grip.most = most[grip.slips ? 1 : 0];
}

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

/// How far the spring of a grip is drawn at the end of the step, and what the step has lost there, J.
double ContactPotential::drawnBy(std::size_t row, const std::vector<Vec4>& ways, Vec3& slide, double& stored) const {
    const Grip& grip = grips_[row];
    slide = slideAfter(row, ways);
    const Vec3 way = slide - grip.slide;
    const double length = slide.norm();
    if (grip.stiffness * length > grip.most) slide *= grip.most / (grip.stiffness * length);
    stored = 0.5 * grip.stiffness * slide.squaredNorm();
    return grip.stiffness * slide.dot(way) - stored;
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
