#include "core/contact/response_nodes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "core/base/parallel.h"
#include "core/contact/contact_friction.h"
#include "core/contact/tet_node.h"
#include "core/spatial/triangle.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 256;

std::array<Vec3, 4> cornersOf(const Tet& tet, Span<const Vec3> x) {
    return {x[static_cast<std::size_t>(tet[0])], x[static_cast<std::size_t>(tet[1])], x[static_cast<std::size_t>(tet[2])],
            x[static_cast<std::size_t>(tet[3])]};
}

Vec3 areaVector(const Tri& t, Span<const Vec3> x) {
    const Vec3& a = x[static_cast<std::size_t>(t[0])];
    return (x[static_cast<std::size_t>(t[1])] - a).cross(x[static_cast<std::size_t>(t[2])] - a);
}

Vec3 vertexNormal(const ContactShape& shape, std::size_t vertex, Span<const Vec3> x) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t t : shape.trianglesAround[vertex]) sum += areaVector(shape.triangle(t), x);
    return sum;
}

struct WayOut {
    Tri face{};
    TrianglePoint point{Vec3::Zero(), Vec3::Zero(), HUGE_VAL};
};

/// The nearest point in front of p on triangles around the tet. `skip` is a vertex whose triangles do not count.
WayOut findWayOut(const Vec3& p, const Vec3& normal, const Tet& tet, const ContactShape& shape, Span<const Vec3> x, std::int32_t skip) {
    WayOut best;
    for (const std::int32_t v : tet)
        for (const std::int32_t t : shape.trianglesAround[static_cast<std::size_t>(v)]) {
            const Tri face = shape.triangle(t);
            const Vec3 out = areaVector(face, x);
            if (!(out.dot(normal) < 0) || std::find(face.begin(), face.end(), skip) != face.end()) continue;
            const TrianglePoint q = closestPointOnTriangle(p, x[static_cast<std::size_t>(face[0])], x[static_cast<std::size_t>(face[1])],
                                                           x[static_cast<std::size_t>(face[2])]);
            if (q.distanceSq < best.point.distanceSq && out.dot(q.position - p) > 0) best = {face, q};
        }
    return best;
}

/// The vertices that tet `s` of a owns against tet `t` of b.
void findInTet(const BodyPairRange& bodies, const ElementPair& pair, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x,
               std::vector<NodeContact>& found) {
    const auto A = static_cast<std::size_t>(bodies.bodyA), B = static_cast<std::size_t>(bodies.bodyB);
    const ContactShape &a = *shapes[A], &b = *shapes[B];
    const auto s = static_cast<std::size_t>(pair.i);
    const Tet& tet = b.corners[static_cast<std::size_t>(pair.j)];
    for (std::size_t k = 0; k < 4; ++k) {
        if (!(a.features[s].ownVertices >> k & 1)) continue;
        const std::int32_t vertex = a.corners[s][k];
        if (A == B && std::find(tet.begin(), tet.end(), vertex) != tet.end()) continue;
        const auto i = static_cast<std::size_t>(vertex);
        const std::optional<Vec4> weights = weightsInTet(x[A][i], cornersOf(tet, x[B]));
        if (!weights) continue;
        const WayOut way = findWayOut(x[A][i], vertexNormal(a, i, x[A]), tet, b, x[B], A == B ? vertex : -1);
        if (!std::isfinite(way.point.distanceSq) || !(way.point.distanceSq > 0)) continue;
        const double depth = std::sqrt(way.point.distanceSq);
        const Vec2 friction = A <= B ? frictionBetween(a, b, bodies.bodyB) : frictionBetween(b, a, bodies.bodyA);
        const Vec2 ratio = A <= B ? dampingBetween(a, b, bodies.bodyB) : Vec2(dampingBetween(b, a, bodies.bodyA).reverse());
        const double own = a.frictionScale.empty() ? 1 : a.frictionScale[i];
        found.push_back({bodies.bodyA, vertex, bodies.bodyB, tet, *weights, way.face, way.point.weights, depth, (way.point.position - x[A][i]) / depth,
                         std::sqrt(own * paintedFriction(b, tet, *weights)) * friction, ratio});
    }
}

/// A vertex on the border of two tets of a body is in one of them.
void sortNodes(std::vector<NodeContact>& nodes) {
    const auto place = [](const NodeContact& n) { return std::tie(n.body, n.vertex, n.other); };
    std::stable_sort(nodes.begin(), nodes.end(), [&](const NodeContact& n, const NodeContact& m) { return place(n) < place(m); });
    nodes.erase(std::unique(nodes.begin(), nodes.end(), [&](const NodeContact& n, const NodeContact& m) { return place(n) == place(m); }), nodes.end());
}

void sumUpVertices(const std::vector<NodeContact>& nodes, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x,
                   std::vector<VertexContacts>& vertices) {
    vertices.resize(x.size());
    for (std::size_t b = 0; b < x.size(); ++b) vertices[b].reset(x[b].size());
    for (const NodeContact& n : nodes) {
        VertexContacts& all = vertices[static_cast<std::size_t>(n.body)];
        const auto i = static_cast<std::size_t>(n.vertex);
        const double area = shapes[static_cast<std::size_t>(n.body)]->area[i];
        if (all.volume[i] == 0) all.touching.push_back(n.vertex);
        if (n.depth * area <= all.volume[i]) continue;
        all.volume[i] = n.depth * area;
        all.facing[i] = area * n.up;
        all.friction[i] = all.volume[i] * n.friction;
        all.ratio[i] = all.volume[i] * n.ratio[0];
    }
}
}  // namespace

void findNodeContacts(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, std::vector<NodeContact>& nodes,
                      std::vector<VertexContacts>& vertices) {
    const std::vector<FlatPair> flat = flattenPairs(pairs);
    std::vector<std::vector<NodeContact>> found((flat.size() + kGrain - 1) / kGrain);
    parallelFor(flat.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const FlatPair& p = flat[k];
            findInTet({p.bodyA, p.bodyB, 0, 0}, {p.i, p.j}, shapes, x, found[first / kGrain]);
            findInTet({p.bodyB, p.bodyA, 0, 0}, {p.j, p.i}, shapes, x, found[first / kGrain]);
        }
    });
    nodes.clear();
    for (const std::vector<NodeContact>& list : found) nodes.insert(nodes.end(), list.begin(), list.end());
    sortNodes(nodes);
    sumUpVertices(nodes, shapes, x, vertices);
}

namespace {
/// The normal force on one vertex by one body.
struct NodePush {
    double stiffness = 0, damper = 0;  ///< N/m, N s/m
    double force = 0, energy = 0;      ///< N, J
    double closing = 0;                ///< m/s
    Vec3 relative = Vec3::Zero();      ///< velocity against the other where the vertex is
};

template <class Weights, class Corners>
Vec3 meanOf(const Corners& corners, const Weights& weights, Span<const Vec3> v) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < corners.size(); ++k) sum += weights[static_cast<Eigen::Index>(k)] * v[static_cast<std::size_t>(corners[k])];
    return sum;
}

NodePush pushNode(const NodeContact& n, Span<const ContactBodyState> bodies) {
    const ContactBodyState &own = bodies[static_cast<std::size_t>(n.body)], &other = bodies[static_cast<std::size_t>(n.other)];
    const auto i = static_cast<std::size_t>(n.vertex);
    NodePush push;
    push.relative = own.v[i] - meanOf(n.tet, n.weights, other.v);
    const double depth = n.depth - own.memory->allowanceOf(i);
    if (!(depth > 0)) return push;
    double area = 0, spring = 0, damper = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto j = static_cast<std::size_t>(n.face[k]);
        const double w = n.faceWeights[static_cast<Eigen::Index>(k)], around = other.shape->area[j];
        area += w * around;
        spring += w * other.shape->stiffness[j] / around;
        damper += w * n.ratio[1] * other.shape->criticalDamping[j] / around;
    }
    const double ownArea = own.shape->area[i], softOwn = softness(own.shape->modulus, other.shape->modulus),
                 softOther = softness(other.shape->modulus, own.shape->modulus), half = 0.5 * std::min(area, ownArea);
    push.stiffness = half * (softOwn * softOwn * own.shape->stiffness[i] / ownArea + softOther * softOther * spring);
    push.damper = half * (softOwn * softOwn * n.ratio[0] * own.shape->criticalDamping[i] / ownArea + softOther * softOther * damper);
    push.closing = -n.up.dot(own.v[i] - meanOf(n.face, n.faceWeights, other.v));
    push.force = std::max(0.0, push.stiffness * depth + push.damper * push.closing);
    push.energy = 0.5 * push.stiffness * depth * depth;
    return push;
}

/// What is remembered of all bodies while it is being renewed.
struct Memories {
    std::vector<ContactMemory> after;
    Span<ContactBodyState> bodies;

    explicit Memories(Span<ContactBodyState> all) : after(all.size()), bodies(all) {
        for (std::size_t b = 0; b < all.size(); ++b) after[b].allowance.swap(all[b].memory->allowance);
    }
    void add(std::int32_t body, std::int32_t vertex, const Vec3& slide, double stored) {
        ContactMemory& m = after[static_cast<std::size_t>(body)];
        const auto i = static_cast<std::size_t>(vertex);
        const double before = m.stored.empty() ? 0 : m.stored[i];
        m.keep(i, bodies[static_cast<std::size_t>(body)].x.size(), m.slideOf(i) + slide, before + stored);
    }
    void commit() {
        for (std::size_t b = 0; b < after.size(); ++b) *bodies[b].memory = std::move(after[b]);
    }
};

/// The friction of a vertex that several bodies may push, by all of their normal forces together.
class NodeGrip {
  public:
    NodeGrip(Span<const NodeContact> contacts, Span<const NodePush> pushes) : pushes_(pushes) {
        Vec3 normal = Vec3::Zero();
        Vec2 friction = Vec2::Zero();
        Vec3 velocity = Vec3::Zero();
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            sum_ += pushes[k].force;
            normal += pushes[k].force * contacts[k].up;
            friction += pushes[k].force * contacts[k].friction;
            velocity += pushes[k].force * pushes[k].relative;
            grip_.stiffness += pushes[k].stiffness;
            grip_.damper += pushes[k].damper;
        }
        grip_.normal = normal.norm();
        if (!holds()) return;
        grip_.up = normal / grip_.normal;
        grip_.friction = friction / sum_;
        grip_.velocity = velocity / sum_;
    }
    bool holds() const { return grip_.normal > 0; }
    const FrictionGrip& grip() const { return grip_; }
    /// Of the friction that contact k carries.
    double share(std::size_t k) const { return pushes_[k].force / sum_; }

  private:
    Span<const NodePush> pushes_;
    FrictionGrip grip_{Vec2::Zero(), 0, 0, 0, Vec3::Zero(), Vec3::Zero()};
    double sum_ = 0;
};

/// The normal force on the line of the way out, friction where the vertex is.
void addNodeForces(const NodeContact& n, const Vec3& normal, const Vec3& friction, Span<ContactBodyState> bodies) {
    const Span<Vec3> other = bodies[static_cast<std::size_t>(n.other)].force;
    bodies[static_cast<std::size_t>(n.body)].force[static_cast<std::size_t>(n.vertex)] += normal + friction;
    for (int k = 0; k < 3; ++k) other[static_cast<std::size_t>(n.face[static_cast<std::size_t>(k)])] -= n.faceWeights[k] * normal;
    for (int k = 0; k < 4; ++k) other[static_cast<std::size_t>(n.tet[static_cast<std::size_t>(k)])] -= n.weights[k] * friction;
}

/// All forces on one vertex.
ContactTotals pushVertex(Span<const NodeContact> contacts, Span<const NodePush> pushes, Span<ContactBodyState> bodies, const ContactStep& step,
                         Memories& memories) {
    ContactTotals totals;
    const NodeContact& front = contacts[0];
    const ContactBodyState& own = bodies[static_cast<std::size_t>(front.body)];
    const NodeGrip grip(contacts, pushes);
    FrictionPull pull{Vec3::Zero(), 0, 0};
    Vec3 slide = Vec3::Zero();
    if (grip.holds()) {
        if (own.remembers) slide = own.memory->slideOf(static_cast<std::size_t>(front.vertex));
        pull = updateFriction(grip.grip(), step, slide);
    }
    totals.energy = pull.stored;
    totals.power = pull.power;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        addNodeForces(contacts[k], pushes[k].force * contacts[k].up, grip.holds() ? Vec3(grip.share(k) * pull.force) : Vec3(Vec3::Zero()), bodies);
        totals.energy += pushes[k].energy;
        totals.power += pushes[k].force * pushes[k].closing;
        totals.deepest = std::max(totals.deepest, contacts[k].depth);
    }
    totals.drawn = totals.energy;
    if (!(totals.energy > 0)) return totals;
    if (own.remembers)
        memories.add(front.body, front.vertex, slide, totals.energy);
    else  // the energy of a collider's springs is kept by what it touches
        memories.add(front.other, front.face[0], Vec3::Zero(), totals.energy);
    return totals;
}
}  // namespace

ContactTotals computeNodeForces(const std::vector<NodeContact>& nodes, Span<ContactBodyState> bodies, const ContactStep& step) {
    std::vector<NodePush> pushes(nodes.size());
    parallelFor(nodes.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) pushes[k] = pushNode(nodes[k], bodies);
    });
    ContactTotals totals;
    totals.contacts = nodes.size();
    totals.drawn = -storedContactEnergy(bodies);
    Memories memories(bodies);
    const Span<const NodeContact> all(nodes);
    const Span<const NodePush> allPushes(pushes);
    for (std::size_t first = 0, last = 0; first < nodes.size(); first = last) {
        while (last < nodes.size() && nodes[last].body == nodes[first].body && nodes[last].vertex == nodes[first].vertex) ++last;
        totals.addVertices(pushVertex(all.subspan(first, last - first), allPushes.subspan(first, last - first), bodies, step, memories));
    }
    memories.commit();
    return totals;
}

}  // namespace sunder
