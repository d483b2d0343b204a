#include "core/contact/contact_sides.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/parallel.h"

/// What is held, and the way of feet over surfaces. What comes in is found in contact_sides_find.cpp.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 128;
constexpr int kMostFaces = 16;          // that a foot goes over at once
constexpr double kOutside = 1e-9;  // of a face's size: a foot as far from it is still on it
constexpr double kFarthest = 1;         // of its size: a foot that no neighbour takes is nowhere

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
}  // namespace

void ContactSides::begin(SideBodies bodies, Places x) {
    bodies_ = std::move(bodies);
    entries_.clear();
    const auto take = [&](const std::vector<ContactEntry>& list) {
        for (ContactEntry entry : list)
            if (findAgain(entry, x)) entries_.push_back(entry);
    };
    for (std::size_t b = 0; b < bodies_.ledFirst; ++b) take(bodies_.memory[b]->entries);
    for (std::size_t b = 0; b < bodies_.ledFirst; ++b) take(bodies_.memory[b]->ledEntries);
    std::sort(entries_.begin(), entries_.end(), [](const ContactEntry& a, const ContactEntry& b) {
        return std::tie(a.body, a.vertex, a.other) < std::tie(b.body, b.vertex, b.other);
    });
    markHeld(x);
}

void ContactSides::markHeld(Places x) {
    held_.clear();
    for (const ContactEntry& e : entries_) held_.push_back(footOn(e.other, e.code, place(e, x), x).depth > e.free ? 1 : 0);
}

ContactSides::Foot ContactSides::footOn(std::int32_t other, std::int32_t code, const Vec3& p, Places x) const {
    Foot foot;
    foot.corners = shape(other).triangle(code);
    const Span<const Vec3> y = x[at(other)];
    const Vec3 a = y[at(foot.corners[0])], u = y[at(foot.corners[1])] - a, v = y[at(foot.corners[2])] - a, way = p - a, normal = u.cross(v);
    const double square = normal.squaredNorm();
    if (!(square > 0)) return foot;
    foot.code = code;
    foot.normal = normal / std::sqrt(square);
    const double wu = way.cross(v).dot(normal) / square, wv = u.cross(way).dot(normal) / square;
    foot.weights = Vec3(1 - wu - wv, wu, wv);
    foot.depth = -foot.normal.dot(way);
    return foot;
}

/// The triangle on the other side of an edge that runs from p to q in this one.
std::int32_t ContactSides::neighborAcross(std::int32_t other, std::int32_t code, std::int32_t p, std::int32_t q) const {
    const ContactShape& s = shape(other);
    for (const std::int32_t c : s.trianglesAround[at(p)]) {
        if (c == code || !s.isOuter(c)) continue;
        const Tri t = s.triangle(c);
        for (std::size_t k = 0; k < 3; ++k)
            if (t[k] == q && t[(k + 1) % 3] == p) return c;
    }
    return -1;
}

/// From the face of entry on to where the vertex is above none of the edges any more.
ContactSides::Foot ContactSides::findFoot(const ContactEntry& entry, const Foot& first, double slack, Places x) const {
    const Vec3& p = place(entry, x);
    Foot foot = first;
    for (int k = 0; foot.code >= 0 && k < kMostFaces; ++k) {
        Eigen::Index corner;
        const double least = foot.weights.minCoeff(&corner);
        if (least >= -slack) break;
        const auto c = static_cast<std::size_t>(corner);
        const std::int32_t next = neighborAcross(entry.other, foot.code, foot.corners[(c + 1) % 3], foot.corners[(c + 2) % 3]);
        if (next < 0) break;
        const Foot beyond = footOn(entry.other, next, p, x);
        if (beyond.code >= 0 && !(beyond.depth > 0)) return {};              // out over the edge
        if (beyond.code < 0 || !(beyond.weights.minCoeff() > least)) break;  // a valley: it is below both
        foot = beyond;
    }
    if (foot.code >= 0 && (foot.weights.minCoeff() < -kFarthest || !(foot.depth > 0))) foot.code = -1;
    return foot;
}

std::vector<SideHold> ContactSides::holdsAt(Places x) const {
    std::vector<SideHold> holds;
    if (entries_.empty()) return holds;
    std::vector<Foot> feet(entries_.size());
    parallelFor(entries_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const ContactEntry& e = entries_[k];
            feet[k] = footOn(e.other, e.code, place(e, x), x);
            if (feet[k].depth > e.free) feet[k] = findFoot(e, feet[k], held_[k] ? kLooseSlack : kOutside, x);
        }
    });
    for (std::size_t k = 0; k < feet.size(); ++k) {
        const ContactEntry& e = entries_[k];
        if (feet[k].code < 0 || !(feet[k].depth > e.free)) continue;
        holds.push_back(describe(k, feet[k], x));
    }
    return holds;
}

void ContactSides::remember(Span<ContactMemory* const> memory) const {
    for (std::size_t b = 0; b < bodies_.ledFirst; ++b) {
        if (!memory[b]) continue;
        memory[b]->entries.clear();
        memory[b]->ledEntries.clear();
    }
    for (const ContactEntry& e : entries_) {
        const bool led = bodies_.isLed(e.body);
        ContactMemory* own = memory[at(led ? e.other : e.body)];
        if (own) (led ? own->ledEntries : own->entries).push_back(e);
    }
}

}  // namespace sunder
