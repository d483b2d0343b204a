#include "core/contact/contact_set.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 256;

std::array<Vec3, 4> cornersOf(const Tet& tet, Span<const Vec3> x) {
    return {x[static_cast<std::size_t>(tet[0])], x[static_cast<std::size_t>(tet[1])], x[static_cast<std::size_t>(tet[2])],
            x[static_cast<std::size_t>(tet[3])]};
}

/// Coefficients at rest and sliding.
Vec2 frictionBetween(const ContactShape& a, const ContactShape& b, std::int32_t bodyB) {
    const auto before = [](const ContactPartner& p, std::int32_t body) { return p.body < body; };
    const auto own = std::lower_bound(a.partners.begin(), a.partners.end(), bodyB, before);
    if (own != a.partners.end() && own->body == bodyB) return own->friction;
    const ContactSurface &s = a.surface, &t = b.surface;
    return {std::sqrt(s.friction * t.friction), std::sqrt(s.dynamicFriction * t.dynamicFriction)};
}

double paintedFriction(const ContactShape& shape, const Tet& tet, const Vec4& weights) {
    if (shape.frictionScale.empty()) return 1;
    double scale = 0;
    for (int k = 0; k < 4; ++k) scale += weights[k] * shape.frictionScale[static_cast<std::size_t>(tet[static_cast<std::size_t>(k)])];
    return scale;
}

float softness(double own, double other) { return static_cast<float>(std::sqrt(2 * other / (own + other))); }

void addShares(const TetContact& c, VertexContacts& a, VertexContacts& b) {
    for (int k = 0; k < 4; ++k) {
        const auto i = static_cast<std::size_t>(c.a[k]), j = static_cast<std::size_t>(c.b[k]);
        a.volume[i] += c.softA * c.shares.a[k];
        a.facing[i] += c.softA * c.facing.col(k);
        a.friction[i] += c.softA * c.shares.a[k] * Vec2(c.friction, c.dynamicFriction);
        b.friction[j] += c.softB * c.shares.b[k] * Vec2(c.friction, c.dynamicFriction);
        b.volume[j] += c.softB * c.shares.b[k];
        b.facing[j] += c.softB * c.facing.col(4 + k);
    }
}
}  // namespace

void VertexContacts::reset(std::size_t count) {
    volume.assign(count, 0.0);
    facing.assign(count, Vec3::Zero());
    friction.assign(count, Vec2::Zero());
    touching.clear();
}

PairVectors computeFacings(const OverlapPolyhedron& p, const OverlapTet& a) {
    PairVectors facing = PairVectors::Zero();
    forEachFan(p, [&](int f, int v, int w, int face) {
        const Vec3 u = a.edge.transpose() * (p.phi[v] - p.phi[f]), t = a.edge.transpose() * (p.phi[w] - p.phi[f]);
        const Vec3 n = u.cross(t) / 6;  // a third of the area vector
        if (face >= 4)
            facing.leftCols<4>() += n * (p.phi[f] + p.phi[v] + p.phi[w]).transpose();
        else
            facing.rightCols<4>() += n * (p.psi[f] + p.psi[v] + p.psi[w]).transpose();
    });
    return facing;
}

void findContacts(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, ContactSet& set) {
    const std::vector<FlatPair> flat = flattenPairs(pairs);
    std::vector<std::vector<TetContact>> found((flat.size() + kGrain - 1) / kGrain);
    parallelFor(flat.size(), kGrain, [&](std::size_t first, std::size_t last) {
        OverlapPolyhedron p;
        for (std::size_t k = first; k < last; ++k) {
            const auto A = static_cast<std::size_t>(flat[k].bodyA), B = static_cast<std::size_t>(flat[k].bodyB);
            const Tet &ta = shapes[A]->corners[static_cast<std::size_t>(flat[k].i)], &tb = shapes[B]->corners[static_cast<std::size_t>(flat[k].j)];
            const OverlapTet a = makeOverlapTet(cornersOf(ta, x[A])), b = makeOverlapTet(cornersOf(tb, x[B]));
            if (separated(a, b) || !clipTets(a, b, p)) continue;
            const OverlapShares shares = computeShares(p, a);
            if (!(shares.volume > 0)) continue;
            const double ea = shapes[A]->modulus, eb = shapes[B]->modulus;
            const double painted = std::sqrt(paintedFriction(*shapes[A], ta, shares.a / shares.volume) *
                                             paintedFriction(*shapes[B], tb, shares.b / shares.volume));
            const Vec2 friction = painted * frictionBetween(*shapes[A], *shapes[B], flat[k].bodyB);
            found[first / kGrain].push_back({flat[k].bodyA, flat[k].bodyB, ta, tb, softness(ea, eb), softness(eb, ea),
                                             static_cast<float>(friction[0]), static_cast<float>(friction[1]), shares, computeFacings(p, a)});
        }
    });
    set.contacts.clear();
    for (const auto& list : found) set.contacts.insert(set.contacts.end(), list.begin(), list.end());
    set.vertices.resize(shapes.size());
    for (std::size_t b = 0; b < shapes.size(); ++b) set.vertices[b].reset(x[b].size());
    for (const TetContact& c : set.contacts)
        addShares(c, set.vertices[static_cast<std::size_t>(c.bodyA)], set.vertices[static_cast<std::size_t>(c.bodyB)]);
    for (VertexContacts& v : set.vertices)
        for (std::size_t i = 0; i < v.volume.size(); ++i)
            if (v.volume[i] > 0) v.touching.push_back(static_cast<std::int32_t>(i));
}

}  // namespace sunder
