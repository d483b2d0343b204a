#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/contact/contact_pairs.h"
#include "core/contact/contact_potential.h"

/// Friction of the potential: a spring along the surface, a grip, for every vertex that pushes. What a grip's spring is drawn by is a row, `slip_`, of the ways of vertices.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 128, kBodyGrain = 16, kEntryGrain = 4096;
}  // namespace

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

}  // namespace sunder
