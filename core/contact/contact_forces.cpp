#include "core/contact/contact_forces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/contact/contact_friction.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 128;
constexpr double kSmallestShare = 0.3;

/// What the law makes of one touching vertex.
struct VertexPush {
    double elastic = 0;   ///< pressure of the spring, Pa
    double damper = 0;    ///< pressure of the damper
    Vec3 friction = Vec3::Zero();  ///< N, on the vertex's own body
};

/// Motion of a body's touching vertices against the others.
struct VertexMotion {
    std::vector<double> rate;    ///< A d', m^3/s
    std::vector<Vec3> sliding;   ///< V times the relative velocity
    std::vector<VertexPush> push;

    void reset(std::size_t count) {
        rate.assign(count, 0.0);
        sliding.assign(count, Vec3::Zero());
        push.assign(count, VertexPush{});
    }
};

Vec3 velocityAt(const Tet& tet, const Vec4& weights, Span<const Vec3> v) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4; ++k) sum += weights[k] * v[static_cast<std::size_t>(tet[k])];
    return sum;
}

void addMotion(const TetContact& c, const Vec3& relative, VertexMotion& a, VertexMotion& b) {
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[k]), j = static_cast<std::size_t>(c.b[k]);
        a.rate[i] -= c.softA * c.facing.col(k).dot(relative);
        b.rate[j] += c.softB * c.facing.col(4 + k).dot(relative);
        a.sliding[i] += c.softA * c.shares.a[k] * relative;
        b.sliding[j] -= c.softB * c.shares.b[k] * relative;
    }
}

/// The law at every touching vertex of a body. Springs of vertices that no longer touch are let go.
ContactTotals pushVertices(const VertexContacts& contacts, const ContactBodyState& body, const ContactStep& step, VertexMotion& motion) {
    ContactTotals totals;
    const ContactShape& shape = *body.shape;
    ContactMemory& memory = *body.memory;
    ContactMemory after;
    after.allowance.swap(memory.allowance);
    after.entries.swap(memory.entries);
    after.ledEntries.swap(memory.ledEntries);
    for (const double stored : memory.stored) totals.drawn -= stored;
    for (const std::int32_t n : contacts.touching) {
        const auto i = static_cast<std::size_t>(n);
        const double area = shape.area[i];
        const double depth = contacts.volume[i] / area - after.allowanceOf(i), facing = contacts.facing[i].norm();
        totals.deepest = std::max(totals.deepest, contacts.volume[i] / area);
        if (!(depth > 0)) continue;
        const ContactSpring law = shape.spring(i);
        const double spring = law.force(depth), rate = motion.rate[i] / area;
        const double damping = contacts.damping(shape, i), push = std::max(0.0, spring + damping * rate);
        VertexPush& out = motion.push[i];
        out.elastic = spring / area;
        out.damper = (push - spring) / area;
        totals.energy += law.energy(depth);
        totals.power += (push - spring) * rate;
        if (!(facing > 0)) continue;
        const double sliding = slidingStiffness(law.slope(depth), facing, area), damper = damping * facing / area;
        Vec3 slide = memory.slideOf(i);
        const FrictionPull pull = updateFriction({contacts.friction[i] / contacts.volume[i], sliding, damper, push * facing / area,
                                                  contacts.facing[i] / facing, motion.sliding[i] / contacts.volume[i]},
                                                 step, slide);
        out.friction = pull.force;
        totals.energy += pull.stored;
        totals.drawn += pull.stored;
        totals.power += pull.power;
        after.keep(i, contacts.volume.size(), slide, pull.stored);
    }
    memory = std::move(after);
    return totals;
}

/// The forces of one contact: springs by the gradient, the rest at the centre.
PairVectors contactForces(const TetContact& c, const VertexContacts& va, const VertexContacts& vb, const VertexMotion& a, const VertexMotion& b,
                          const ContactBodyState& bodyA, const ContactBodyState& bodyB) {
    Vec4 pressureA, pressureB;
    Vec3 point = Vec3::Zero();  // force on a at the centre
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[k]), j = static_cast<std::size_t>(c.b[k]);
        pressureA[k] = c.softA * a.push[i].elastic;
        pressureB[k] = c.softB * b.push[j].elastic;
        if (va.volume[i] > 0) point += c.softA * (a.push[i].damper * c.facing.col(k) + c.shares.a[k] / va.volume[i] * a.push[i].friction);
        if (vb.volume[j] > 0) point -= c.softB * (b.push[j].damper * c.facing.col(4 + k) + c.shares.b[k] / vb.volume[j] * b.push[j].friction);
    }
    const auto corners = [](const Tet& t, Span<const Vec3> x) {
        return std::array<Vec3, 4>{x[static_cast<std::size_t>(t[0])], x[static_cast<std::size_t>(t[1])],
                                   x[static_cast<std::size_t>(t[2])], x[static_cast<std::size_t>(t[3])]};
    };
    const OverlapTet ta = makeOverlapTet(corners(c.a, bodyA.x)), tb = makeOverlapTet(corners(c.b, bodyB.x));
    OverlapPolyhedron p;
    clipTets(ta, tb, p);
    PairVectors force = computeForces(p, ta, tb, pressureA, pressureB);
    force.leftCols<4>() += point * c.weightsA().transpose();
    force.rightCols<4>() -= point * c.weightsB().transpose();
    return force;
}
}  // namespace

ContactTotals computeContactForces(const ContactSet& set, Span<ContactBodyState> bodies, const ContactStep& step) {
    std::vector<VertexMotion> motion(bodies.size());
    std::vector<std::uint8_t> touches(bodies.size(), 0);
    for (const TetContact& c : set.contacts) touches[static_cast<std::size_t>(c.bodyA)] = touches[static_cast<std::size_t>(c.bodyB)] = 1;
    for (std::size_t b = 0; b < bodies.size(); ++b) motion[b].reset(touches[b] ? bodies[b].x.size() : 0);
    for (const TetContact& c : set.contacts) {
        const auto A = static_cast<std::size_t>(c.bodyA), B = static_cast<std::size_t>(c.bodyB);
        addMotion(c, velocityAt(c.a, c.weightsA(), bodies[A].v) - velocityAt(c.b, c.weightsB(), bodies[B].v), motion[A], motion[B]);
    }
    ContactTotals totals;
    totals.contacts = set.contacts.size();
    for (std::size_t b = 0; b < bodies.size(); ++b)
        totals.addVertices(pushVertices(set.vertices[b], bodies[b], step, motion[b]));
    std::vector<PairVectors> forces(set.contacts.size());
    parallelFor(forces.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const TetContact& c = set.contacts[k];
            const auto A = static_cast<std::size_t>(c.bodyA), B = static_cast<std::size_t>(c.bodyB);
            forces[k] = contactForces(c, set.vertices[A], set.vertices[B], motion[A], motion[B], bodies[A], bodies[B]);
        }
    });
    for (std::size_t k = 0; k < forces.size(); ++k) {
        const TetContact& c = set.contacts[k];
        for (int m = 0; m < 4; ++m) {
            bodies[static_cast<std::size_t>(c.bodyA)].force[static_cast<std::size_t>(c.a[m])] += forces[k].col(m);
            bodies[static_cast<std::size_t>(c.bodyB)].force[static_cast<std::size_t>(c.b[m])] += forces[k].col(4 + m);
        }
    }
    return totals;
}

double contactEnergy(const ContactSet& set, Span<const ContactBodyState> bodies) {
    double sum = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const ContactShape& shape = *bodies[b].shape;
        for (const std::int32_t n : set.vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            const double depth = set.vertices[b].volume[i] / shape.area[i] - bodies[b].memory->allowanceOf(i);
            if (depth > 0) sum += shape.spring(i).energy(depth);
        }
        for (const double stored : bodies[b].memory->stored) sum += stored;
        sum += bodies[b].memory->storedInEntries();
    }
    return sum;
}

void allowOverlap(const VertexContacts& vertices, const ContactShape& shape, ContactMemory& memory) {
    memory.allowance.assign(vertices.touching.empty() ? 0 : vertices.volume.size(), 0.0);
    for (const std::int32_t n : vertices.touching)
        memory.allowance[static_cast<std::size_t>(n)] = vertices.volume[static_cast<std::size_t>(n)] / shape.area[static_cast<std::size_t>(n)];
}

double storedContactEnergy(Span<const ContactBodyState> bodies) {
    double sum = 0;
    for (const ContactBodyState& body : bodies)
        for (const double stored : body.memory->stored) sum += stored;
    return sum;
}

double shrinkAllowance(const VertexContacts& vertices, const ContactShape& shape, double distance, ContactMemory& memory, bool stiffens) {
    double added = 0;
    bool any = false;
    for (std::size_t i = 0; i < memory.allowance.size(); ++i) {
        double& left = memory.allowance[i];
        any |= left >= kAnyDepth;
        if (left >= kAnyDepth) continue;
        const double depth = vertices.volume[i] / shape.area[i], before = std::max(0.0, depth - left);
        // a corner that goes in by a way is less deep than that, by the share of its surface that touches
        const double share = std::clamp(vertices.facing[i].norm() / shape.area[i], kSmallestShare, 1.0);
        left = std::max(0.0, std::min(left, depth) - share * distance);
        const double after = std::max(0.0, depth - left);
        const ContactSpring law = stiffens ? shape.spring(i) : ContactSpring{shape.stiffness[i], HUGE_VAL};
        added += law.energy(after) - law.energy(before);
        any |= left > 0;
    }
    if (!any) memory.allowance.clear();
    return added;
}

}  // namespace sunder
