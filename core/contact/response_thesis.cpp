#include "core/contact/response_thesis.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/contact/contact_friction.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 128;
constexpr double kClosed = 1e-9;        // a mean normal below this share of its parts is that of a closed surface
constexpr double kDamperDepth = 0.125;  // of a spring's reach: from here on dampers do not grow

/// What the law gives a vertex per volume of overlap.
struct VertexLaw {
    double spring = 0, damper = 0;  ///< N/m^3, N s/m^4
    double share = 0;               ///< of the depth that is pushed against, the rest is allowed
};

/// Sums over the contacts of a body's vertices.
struct VertexSums {
    std::vector<VertexLaw> law;
    std::vector<Vec3> normal;    ///< force, N
    std::vector<Vec3> sliding;   ///< volume times relative velocity
    std::vector<double> energy;  ///< J
    std::vector<Vec3> friction;  ///< N, on the own body

    void reset(std::size_t count) {
        law.assign(count, VertexLaw{});
        normal.assign(count, Vec3::Zero());
        sliding.assign(count, Vec3::Zero());
        energy.assign(count, 0.0);
        friction.assign(count, Vec3::Zero());
    }
};

/// One pair of tets.
struct PairPush {
    Vec3 up = Vec3::Zero();  ///< direction of the force on a; zero if there is none
    double force = 0;        ///< N
    Vec3 relative;           ///< velocity of a against b at the centre
    Vec4 springA, springB;   ///< N, by corners
    double depth = 0;        ///< volume over area, m
};

void updateLaws(const VertexContacts& contacts, const ContactBodyState& body, VertexSums& sums) {
    const ContactShape& shape = *body.shape;
    for (const std::int32_t n : contacts.touching) {
        const auto i = static_cast<std::size_t>(n);
        const double area = shape.area[i], depth = contacts.volume[i] / area, left = depth - body.memory->allowanceOf(i);
        if (!(left > 0)) continue;
        sums.law[i] = {shape.stiffness[i] / area, contacts.damping(shape, i) / (area * std::max(depth, kDamperDepth * shape.reach[i])), left / depth};
    }
}

Vec3 velocityAt(const Tet& tet, const Vec4& weights, Span<const Vec3> v) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4; ++k) sum += weights[k] * v[static_cast<std::size_t>(tet[k])];
    return sum;
}

/// Springs by corners; returns the sum of the dampers, N s/m.
double pushCorners(const Tet& tet, const Vec4& shares, double soft, const VertexSums& sums, Vec4& spring) {
    double damper = 0;
    for (int k = 0; k < 4; ++k) {
        const VertexLaw& law = sums.law[static_cast<std::size_t>(tet[k])];
        const double counts = soft * soft * shares[k] * law.share;
        spring[k] = counts * law.spring;
        damper += counts * law.damper;
    }
    return damper;
}

PairPush pushPair(const TetContact& c, Span<const ContactBodyState> bodies, const std::vector<VertexSums>& sums) {
    PairPush push;
    const auto A = static_cast<std::size_t>(c.bodyA), B = static_cast<std::size_t>(c.bodyB);
    const double damper = pushCorners(c.a, c.shares.a, c.softA, sums[A], push.springA) + pushCorners(c.b, c.shares.b, c.softB, sums[B], push.springB);
    push.relative = velocityAt(c.a, c.weightsA(), bodies[A].v) - velocityAt(c.b, c.weightsB(), bodies[B].v);
    const double spring = push.springA.sum() + push.springB.sum();
    // the facings of a sum up to the area vector of b's surface in a
    const Vec3 facing = c.facing.leftCols<4>().rowwise().sum() - c.facing.rightCols<4>().rowwise().sum();
    const double area = facing.norm();
    if (!(spring > 0) || !(area > kClosed * c.facing.colwise().norm().sum())) return push;
    push.up = facing / area;
    push.force = std::max(0.0, spring - damper * push.up.dot(push.relative));
    const double side = std::cbrt(c.shares.volume);
    push.depth = c.shares.volume / std::max(0.5 * area, side * side);
    return push;
}

void addPair(const TetContact& c, const PairPush& push, VertexSums& a, VertexSums& b) {
    const double spring = push.springA.sum() + push.springB.sum();
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[k]), j = static_cast<std::size_t>(c.b[k]);
        a.sliding[i] += c.softA * c.shares.a[k] * push.relative;
        b.sliding[j] -= c.softB * c.shares.b[k] * push.relative;
        if (push.force == 0) continue;
        a.normal[i] += push.springA[k] / spring * push.force * push.up;
        b.normal[j] -= push.springB[k] / spring * push.force * push.up;
    }
    if (push.up.isZero()) return;
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[k]), j = static_cast<std::size_t>(c.b[k]);
        a.energy[i] += 0.5 * push.springA[k] * a.law[i].share * push.depth;
        b.energy[j] += 0.5 * push.springB[k] * b.law[j].share * push.depth;
    }
}

/// Friction of a body's vertices; what it remembers is of now.
ContactTotals holdVertices(const VertexContacts& contacts, const ContactBodyState& body, const ContactStep& step, VertexSums& sums) {
    ContactTotals totals;
    const ContactShape& shape = *body.shape;
    ContactMemory after;
    after.allowance.swap(body.memory->allowance);
    for (const double stored : body.memory->stored) totals.drawn -= stored;
    for (const std::int32_t n : contacts.touching) {
        const auto i = static_cast<std::size_t>(n);
        const double area = shape.area[i], volume = contacts.volume[i], normal = sums.normal[i].norm();
        totals.deepest = std::max(totals.deepest, volume / area);
        double stored = sums.energy[i];
        Vec3 slide = body.memory->slideOf(i);
        if (normal > 0) {
            const double facing = contacts.facing[i].norm();
            const FrictionPull pull = updateFriction({contacts.friction[i] / volume, slidingStiffness(shape.stiffness[i], facing, area),
                                                      contacts.damping(shape, i) * std::min(1.0, facing / area), normal, sums.normal[i] / normal,
                                                      sums.sliding[i] / volume},
                                                     step, slide);
            sums.friction[i] = pull.force;
            totals.power += pull.power;
            stored += pull.stored;
        } else {
            slide.setZero();
        }
        totals.energy += stored;
        totals.drawn += stored;
        if (stored > 0) after.keep(i, contacts.volume.size(), slide, stored);
    }
    *body.memory = std::move(after);
    return totals;
}

/// Force on a at the centre.
Vec3 pointForce(const TetContact& c, const PairPush& push, const ContactSet& set, const std::vector<VertexSums>& sums) {
    const auto A = static_cast<std::size_t>(c.bodyA), B = static_cast<std::size_t>(c.bodyB);
    Vec3 force = push.force * push.up;
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[k]), j = static_cast<std::size_t>(c.b[k]);
        if (const double v = set.vertices[A].volume[i]; v > 0) force += c.softA * c.shares.a[k] / v * sums[A].friction[i];
        if (const double v = set.vertices[B].volume[j]; v > 0) force -= c.softB * c.shares.b[k] / v * sums[B].friction[j];
    }
    return force;
}
}  // namespace

ContactTotals computeThesisForces(const ContactSet& set, Span<ContactBodyState> bodies, const ContactStep& step) {
    std::vector<VertexSums> sums(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        sums[b].reset(set.vertices[b].touching.empty() ? 0 : bodies[b].x.size());
        updateLaws(set.vertices[b], bodies[b], sums[b]);
    }
    // a body that yields nothing has vertices that count nothing, which do not show as touching
    for (const TetContact& c : set.contacts)
        for (const std::int32_t b : {c.bodyA, c.bodyB})
            if (sums[static_cast<std::size_t>(b)].law.empty()) sums[static_cast<std::size_t>(b)].reset(bodies[static_cast<std::size_t>(b)].x.size());
    std::vector<PairPush> pushes(set.contacts.size());
    parallelFor(pushes.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) pushes[k] = pushPair(set.contacts[k], bodies, sums);
    });
    ContactTotals totals;
    totals.contacts = set.contacts.size();
    for (std::size_t k = 0; k < pushes.size(); ++k) {
        const TetContact& c = set.contacts[k];
        addPair(c, pushes[k], sums[static_cast<std::size_t>(c.bodyA)], sums[static_cast<std::size_t>(c.bodyB)]);
        totals.power -= pushes[k].force * pushes[k].up.dot(pushes[k].relative);
    }
    for (std::size_t b = 0; b < bodies.size(); ++b)
        totals.addVertices(holdVertices(set.vertices[b], bodies[b], step, sums[b]));
    for (std::size_t k = 0; k < pushes.size(); ++k) {
        const TetContact& c = set.contacts[k];
        const Vec3 force = pointForce(c, pushes[k], set, sums);
        const Vec4 wa = c.weightsA(), wb = c.weightsB();
        for (int m = 0; m < 4; ++m) {
            bodies[static_cast<std::size_t>(c.bodyA)].force[static_cast<std::size_t>(c.a[m])] += wa[m] * force;
            bodies[static_cast<std::size_t>(c.bodyB)].force[static_cast<std::size_t>(c.b[m])] -= wb[m] * force;
        }
    }
    return totals;
}

}  // namespace sunder
