#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/parallel.h"
#include "core/contact/contact_forces.h"
#include "core/contact/contact_sides.h"
#include "core/spatial/triangle.h"

/// Which vertices are in which bodies, and by which faces they came in.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 256;
constexpr double kFree = 0.75, kFreeThin = 0.4;  // of a cell
constexpr double kOutside = 1e-9, kSlack = 0.1;  // of a face's size: a foot as far from it is still on it
constexpr double kOpposite = -0.7;               // cosine of the angle between two sides of a layer, at most
constexpr double kEdge = 1e-6;                   // of a face: what passes this far beside its edge still goes through it
constexpr double kNear = 0.5;  // of an edge: what a face that an edit has cut may be away from the foot on it

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// In the closed tet of volume above zero.
bool isIn(const Vec3& p, const Tet& tet, Span<const Vec3> x) {
    const Vec3 &a = x[at(tet[0])], &b = x[at(tet[1])], &c = x[at(tet[2])], &d = x[at(tet[3])];
    const auto volume = [](const Vec3& o, const Vec3& u, const Vec3& v, const Vec3& w) { return (u - o).cross(v - o).dot(w - o); };
    return volume(p, b, c, d) >= 0 && volume(a, p, c, d) >= 0 && volume(a, b, p, d) >= 0 && volume(a, b, c, p) >= 0;
}

double distanceSq(const Vec3& p, const Tri& t, Span<const Vec3> x) { return closestPointOnTriangle(p, x[at(t[0])], x[at(t[1])], x[at(t[2])]).distanceSq; }

/// How far p is in front of a triangle's plane, m.
double inFront(const Vec3& p, const Tri& t, Span<const Vec3> x) {
    const Vec3& a = x[at(t[0])];
    const Vec3 normal = (x[at(t[1])] - a).cross(x[at(t[2])] - a);
    return normal.squaredNorm() > 0 ? normal.dot(p - a) / normal.norm() : 0;
}

/// When a vertex goes through a triangle from its front, as a share of the way, all on straight ways; more than 1 if it does not. (As good as a linear
/// interpolation of the distance: what it misses by that is at the edge of a triangle, where the next one has it.)
double passingTime(const Vec3& from, const Vec3& to, const Tri& t, Span<const Vec3> before, Span<const Vec3> x) {
    const double start = inFront(from, t, before), end = inFront(to, t, x);
    if (!(start > 0) || !(end < 0)) return 2;
    const double share = start / (start - end);
    std::array<Vec3, 3> y;
    for (std::size_t k = 0; k < 3; ++k) y[k] = before[at(t[k])] + share * (x[at(t[k])] - before[at(t[k])]);
    const Vec3 p = from + share * (to - from), normal = (y[1] - y[0]).cross(y[2] - y[0]);
    const double square = normal.squaredNorm();
    const auto weight = [&](const Vec3& a, const Vec3& b) { return (a - p).cross(b - p).dot(normal); };
    const double least = std::min({weight(y[0], y[1]), weight(y[1], y[2]), weight(y[2], y[0])});
    return square > 0 && least >= -kEdge * square ? share : 2;
}
}  // namespace

/// Behind a face of a tet that it was in front of.
bool ContactSides::goesBehind(const Vec3& from, const Vec3& to, std::int32_t other, std::int32_t tet, Places x, Places before) const {
    for (std::int32_t code = 4 * tet; code < 4 * tet + 4; ++code)
        if (shape(other).isOuter(code) && passingTime(from, to, shape(other).triangle(code), before[at(other)], x[at(other)]) <= 1) return true;
    return false;
}

std::vector<ContactSides::Inside> ContactSides::listInside(const ContactSet& set, Places x, Places before) const {
    std::vector<std::uint16_t> corners(set.contacts.size(), 0);  // of a and b that are in the other, and that are behind it
    const auto look = [&](std::int32_t body, std::int32_t vertex, std::int32_t other, std::int32_t tet, const Tet& in) -> unsigned {
        if (shape(body).trianglesAround[at(vertex)].empty()) return 0;
        const Vec3& p = x[at(body)][at(vertex)];
        if (isIn(p, in, x[at(other)])) return 1;
        return goesBehind(before[at(body)][at(vertex)], p, other, tet, x, before) ? 256 : 0;
    };
    parallelFor(corners.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const TetContact& c = set.contacts[k];
            unsigned found = 0;
            for (std::size_t m = 0; m < 4; ++m)
                found |= look(c.bodyA, c.a[m], c.bodyB, c.tetB, c.b) << m | look(c.bodyB, c.b[m], c.bodyA, c.tetA, c.a) << (4 + m);
            corners[k] = static_cast<std::uint16_t>(found);
        }
    });
    std::vector<Inside> list;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const TetContact& c = set.contacts[k];
        for (std::size_t m = 0; corners[k] != 0 && m < 4; ++m) {
            for (const unsigned behind : {0u, 8u}) {
                if (corners[k] >> (m + behind) & 1) list.push_back({c.bodyA, c.a[m], c.bodyB, behind > 0, c.b});
                if (corners[k] >> (4 + m + behind) & 1) list.push_back({c.bodyB, c.b[m], c.bodyA, behind > 0, c.a});
            }
        }
    }
    const auto key = [](const Inside& i) { return std::tie(i.body, i.vertex, i.other, i.isBehind, i.in); };
    const auto sameVertex = [](const Inside& a, const Inside& b) { return std::tie(a.body, a.vertex, a.other) == std::tie(b.body, b.vertex, b.other); };
    std::sort(list.begin(), list.end(), [&](const Inside& a, const Inside& b) { return key(a) < key(b); });
    list.erase(std::unique(list.begin(), list.end(), sameVertex), list.end());
    return list;
}

double ContactSides::update(const ContactSet& set, Places x, Places before, Span<const std::uint8_t> known) {
    const std::vector<Inside> inside = listInside(set, x, before);
    std::vector<ContactEntry> next;
    double added = 0;
    const auto key = [](const auto& e) { return std::tie(e.body, e.vertex, e.other); };
    std::size_t k = 0, number = 0;
    const auto comeIn = [&](const Inside& i) {
        ContactEntry entry;
        if (enter(i, x, before, entry)) next.push_back(entry);
    };
    for (ContactEntry entry : entries_) {
        while (k < inside.size() && key(inside[k]) < key(entry)) comeIn(inside[k++]);
        const bool isListed = k < inside.size() && key(inside[k]) == key(entry), isInside = isListed && !inside[k].isBehind;
        const Foot first = footOn(entry.other, entry.code, place(entry, x), x), foot = findFoot(entry, first, held_[number] ? kSlack : kOutside, x);
        const bool seen = known[at(entry.body)] || known[at(entry.other)];
        if (seen && first.depth > entry.free) added -= energyAt(entry, findFoot(entry, first, held_[number] ? kLooseSlack : kOutside, x));
        ++number;
        const bool isShallow = !(first.depth > entry.free), held = foot.code >= 0 && foot.depth > entry.free && !isShallow;
        const bool rises = isInside && foot.code >= 0 && !(foot.depth > entry.free), stays = isInside && first.depth > 0 && isShallow;
        if (!seen) {
            next.push_back(entry);
        } else if (held || rises) {
            entry.code = foot.code;
            entry.corners = foot.corners;
            next.push_back(entry);
            added += energyAt(entry, foot);
        } else if (stays) {
            next.push_back(entry);  // on the next face it would be held at once
        } else if (isListed) {
            comeIn(inside[k]);
        }
        if (isListed) ++k;
    }
    while (k < inside.size()) comeIn(inside[k++]);
    entries_ = std::move(next);
    markHeld(x);
    return added;
}

/// Not where overlap is allowed, or was made by a crack.
bool ContactSides::mayEnter(const Inside& inside, const Tri& corners) const {
    if (bodies_.memory[at(inside.body)]->allowanceOf(at(inside.vertex)) > 0) return false;
    return std::none_of(corners.begin(), corners.end(), [&](std::int32_t v) { return bodies_.memory[at(inside.other)]->allowanceOf(at(v)) > 0; });
}

/// By the first face that it has gone through on its way; a vertex in the upper part of a layer that has gone through none, as it was there before, by the
/// nearest one.
bool ContactSides::enter(const Inside& inside, Places x, Places before, ContactEntry& entry) const {
    const ContactShape& s = shape(inside.other);
    const Vec3 &p = x[at(inside.body)][at(inside.vertex)], &from = before[at(inside.body)][at(inside.vertex)];
    const Span<const Vec3> y = x[at(inside.other)], yFrom = before[at(inside.other)];
    std::tuple<int, double, std::int32_t> best(2, 0.0, -1);
    for (const std::int32_t v : inside.in)
        for (const std::int32_t code : s.trianglesAround[at(v)]) {
            if (!s.isOuter(code)) continue;
            const Tri t = s.triangle(code);
            const bool own = inside.body == inside.other && std::find(t.begin(), t.end(), inside.vertex) != t.end();
            if (own || inFront(p, t, y) > 0) continue;
            const double time = passingTime(from, p, t, yFrom, y);
            if (time <= 1)
                best = std::min(best, std::tuple(0, time, code));
            else if (!inside.isBehind)
                best = std::min(best, std::tuple(1, distanceSq(p, t, y), code));
        }
    const auto [kind, square, code] = best;
    if (code < 0) return false;
    entry.body = inside.body;
    entry.vertex = inside.vertex;
    entry.other = inside.other;
    entry.code = code;
    entry.corners = s.triangle(code);
    entry.stretch = bodies_.stretch[at(inside.body)] + bodies_.stretch[at(inside.other)];
    if (!mayEnter(inside, entry.corners)) return false;
    chooseSpring(entry, x);
    return entry.stiffness > 0 && (kind == 0 || square < entry.free * entry.free);
}

double ContactSides::heightOf(std::int32_t body, std::int32_t vertex) const {
    const ContactShape& s = shape(body);
    return s.stiffness[at(vertex)] > 0 ? s.reach[at(vertex)] / kContactReach : 2 * s.volume[at(vertex)] / s.area[at(vertex)];
}

/// The vertex opposite to the face is on a face that looks the other way.
bool ContactSides::isThin(const ContactEntry& entry, Places x) const {
    const ContactShape& s = shape(entry.other);
    const Span<const Vec3> y = x[at(entry.other)];
    const auto normal = [&](const Tri& t) { return Vec3((y[at(t[1])] - y[at(t[0])]).cross(y[at(t[2])] - y[at(t[0])]).normalized()); };
    const Vec3 out = normal(entry.corners);
    for (const std::int32_t code : s.trianglesAround[at(s.corners[at(entry.code / 4)][at(entry.code % 4)])])
        if (normal(s.triangle(code)).dot(out) < kOpposite) return true;
    return false;
}

void ContactSides::chooseSpring(ContactEntry& entry, Places x) const {
    const ContactShape &own = shape(entry.body), &other = shape(entry.other);
    const auto perArea = [](const ContactShape& s, std::int32_t v) { return s.stiffness[at(v)] / s.area[at(v)]; };
    double height = 0, behind = 0;
    for (const std::int32_t v : entry.corners) {
        height += heightOf(entry.other, v) / 3;
        behind += perArea(other, v) / 3;
    }
    const double before = perArea(own, entry.vertex);
    // the springs of overlap have a half on either side, and where one side keeps its shape the other counts twice
    double softer = std::min(before, behind);
    if (std::isinf(own.modulus) != std::isinf(other.modulus)) softer = std::isinf(own.modulus) ? behind : before;
    if (softer == 0) softer = std::max(before, behind);
    const Span<const Vec3> y = x[at(entry.other)];
    const Vec3& a = y[at(entry.corners[0])];
    const double face = 0.5 * (y[at(entry.corners[1])] - a).cross(y[at(entry.corners[2])] - a).norm();
    entry.free = (isThin(entry, x) ? kFreeThin : kFree) * height;
    entry.stiffness = 2 * softer * std::min(own.area[at(entry.vertex)], face);
    entry.reach = kContactReach * height;
}

/// True if the entry still makes sense. Where a crack has cut its face, or given it another corner, it goes on with the part below which the vertex is.
bool ContactSides::findAgain(ContactEntry& entry, Places x) const {
    const auto exists = [&](std::int32_t body, std::int32_t vertex) { return body >= 0 && at(body) < x.size() && vertex >= 0 && at(vertex) < x[at(body)].size(); };
    if (!exists(entry.body, entry.vertex) || entry.code < 0) return false;
    for (const std::int32_t v : entry.corners)
        if (!exists(entry.other, v)) return false;
    if (bodies_.stretch[at(entry.body)] + bodies_.stretch[at(entry.other)] != entry.stretch) return false;
    if (bodies_.memory[at(entry.body)]->allowanceOf(at(entry.vertex)) >= kAnyDepth) return false;
    const ContactShape& s = shape(entry.other);
    const auto isThere = [&](std::int32_t code) { return at(code / 4) < s.features.size() && s.corners[at(code / 4)][0] >= 0 && s.isOuter(code); };
    if (isThere(entry.code) && s.triangle(entry.code) == entry.corners) return true;
    const Span<const Vec3> y = x[at(entry.other)];
    const Vec3 &p = x[at(entry.body)][at(entry.vertex)], &a = y[at(entry.corners[0])];
    const Vec3 u = y[at(entry.corners[1])] - a, v = y[at(entry.corners[2])] - a, normal = u.cross(v);
    if (!(normal.squaredNorm() > 0)) return false;
    const Vec3 foot = p - normal * (normal.dot(p - a) / normal.squaredNorm());
    std::pair<double, std::int32_t> best(kNear * kNear * std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()}), -1);
    const auto consider = [&](std::int32_t code) {
        if (!isThere(code)) return;
        const Tri t = s.triangle(code);
        const Vec3& b = y[at(t[0])];
        if (normal.dot((y[at(t[1])] - b).cross(y[at(t[2])] - b)) > 0) best = std::min(best, {distanceSq(foot, t, y), code});
    };
    consider(entry.code);
    for (const std::int32_t c : entry.corners)
        for (const std::int32_t code : s.trianglesAround[at(c)]) consider(code);
    if (best.second < 0) return false;
    entry.code = best.second;
    entry.corners = s.triangle(entry.code);
    return true;
}

}  // namespace sunder
