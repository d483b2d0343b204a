#include "core/sim/cache_frame.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/frame_particles.h"

namespace sunder {

namespace {
constexpr std::size_t kBlock = 65536;  // elements from one look at the monitor to the next
constexpr const char* kMadeByUs = "use frames that this version of 'sunder simulate' has written";

const Attribute& need(const AttributeSet& set, const char* what, const char* name, int size) {
    const Attribute* a = set.find(name);
    if (!a || a->isString() || a->tupleSize != size) throw Error(format("the frame has no %s attribute '%s' of %d numbers", what, name, size), kMadeByUs);
    return *a;
}

std::vector<std::int64_t> wholeNumbers(const Attribute& a) {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < a.elementCount(); ++i) out.push_back(static_cast<std::int64_t>(a.number(i)));
    return out;
}

std::unordered_map<std::int64_t, std::int32_t> numbersOf(const std::vector<std::int64_t>& ids) {
    std::unordered_map<std::int64_t, std::int32_t> number;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (!number.emplace(ids[i], static_cast<std::int32_t>(i)).second)
            throw Error(format("the frame has the id %lld twice", static_cast<long long>(ids[i])), kMadeByUs);
    return number;
}

[[noreturn]] void failApart() {
    throw Error("the frames are not of one simulation: what was there before has gone", "keep frames of different simulations in different folders");
}

std::int32_t numberOf(const std::unordered_map<std::int64_t, std::int32_t>& numbers, std::int64_t id) {
    const auto place = numbers.find(id);
    if (place == numbers.end()) failApart();
    return place->second;
}
}  // namespace

std::int32_t CacheFrame::copyOf(std::size_t point) const {
    const Origin& o = origin[point];
    const auto place = o.a == o.b ? pointOf.find(o.a) : pointOf.end();
    return place == pointOf.end() ? static_cast<std::int32_t>(point) : place->second;
}

Geometry tetsOf(const Geometry& frame) {
    std::vector<std::int32_t> number(frame.pointCount(), -1), point, vertex, primitive;
    Geometry out;
    for (std::size_t p = 0; p < frame.primitiveCount(); ++p) {
        if (frame.primitiveKind[p] != PrimitiveKind::kTet) continue;
        primitive.push_back(static_cast<std::int32_t>(p));
        for (std::int32_t k = 0; k < 4; ++k) vertex.push_back(frame.primitiveFirstVertex[p] + k);
        for (const std::int32_t v : frame.primitivePoints(p)) number[static_cast<std::size_t>(v)] = 0;
    }
    for (std::size_t i = 0; i < number.size(); ++i) {
        if (number[i] < 0) continue;
        number[i] = static_cast<std::int32_t>(point.size());
        point.push_back(static_cast<std::int32_t>(i));
        out.positions.push_back(frame.positions[i]);
    }
    for (const std::int32_t p : primitive) {
        Tet corners;
        for (std::size_t k = 0; k < 4; ++k) corners[k] = number[static_cast<std::size_t>(frame.primitivePoints(static_cast<std::size_t>(p))[k])];
        out.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(corners.data(), 4));
    }
    out.points = gatherAttributes(frame.points, point);
    out.vertices = gatherAttributes(frame.vertices, vertex);
    out.primitives = gatherAttributes(frame.primitives, primitive);
    out.detail = frame.detail;
    return out;
}

CacheFrame makeCacheFrame(const Geometry& frame, Monitor* monitor) {
    if (frame.countOf(PrimitiveKind::kTet) == 0) throw Error("the frame has no tets", kMadeByUs);
    if (frame.points.findGroup(kParticleGroup))
        throw Error("pieces of this simulation have left as particles, so this frame alone no longer holds all that was there",
                    "let 'sunder cache --constant-topology' bring the frames to one topology first, or simulate with fracture.smallPieces 'rigid' or 'keep'");
    CacheFrame out;
    throwIfCancelled(monitor);
    out.geometry = tetsOf(frame);
    throwIfCancelled(monitor);
    const Geometry& g = out.geometry;
    out.pointId = wholeNumbers(need(g.points, "point", "id", 1));
    out.tetId = wholeNumbers(need(g.primitives, "primitive", "id", 1));
    out.tetParent = wholeNumbers(need(g.primitives, "primitive", "parent", 1));
    const Attribute &parent = need(g.points, "point", "parent", 2), &weight = need(g.points, "point", "parentweight", 1);
    for (std::size_t i = 0; i < g.pointCount(); ++i)
        out.origin.push_back({static_cast<std::int64_t>(parent.number(i, 0)), static_cast<std::int64_t>(parent.number(i, 1)), weight.number(i)});
    throwIfCancelled(monitor);
    const Attribute& inside = need(g.primitives, "primitive", "insidefaces", 1);
    const Attribute& open = g.primitives.find("openfaces") ? need(g.primitives, "primitive", "openfaces", 1) : inside;
    for (std::size_t t = 0; t < g.primitiveCount(); ++t) {
        const auto corners = g.primitivePoints(t);
        out.tets.push_back({corners[0], corners[1], corners[2], corners[3]});
        out.insideFaces.push_back(static_cast<std::uint8_t>(inside.number(t)));
        out.openFaces.push_back(static_cast<std::uint8_t>(open.number(t)));
    }
    throwIfCancelled(monitor);
    out.rest = pointVectors(g, "restP");
    out.pointOf = numbersOf(out.pointId);
    throwIfCancelled(monitor);
    out.tetOf = numbersOf(out.tetId);
    out.time = need(g.detail, "detail", "time", 1).number(0);
    return out;
}

Ancestry findAncestry(const CacheFrame& earlier, const CacheFrame& later, Monitor* monitor) {
    Ancestry a;
    const auto known = [&](std::int64_t id) {
        const std::int32_t number = numberOf(later.pointOf, id);
        if (static_cast<std::size_t>(number) >= a.point.size()) failApart();
        return a.point[static_cast<std::size_t>(number)];
    };
    for (std::size_t i = 0; i < later.pointId.size(); ++i) {
        if (i % kBlock == 0) throwIfCancelled(monitor);
        const auto place = earlier.pointOf.find(later.pointId[i]);
        if (place != earlier.pointOf.end()) {
            a.point.push_back(place->second);
            continue;
        }
        const CacheFrame::Origin& o = later.origin[i];
        a.added.push_back({known(o.a), known(o.b), o.weight});
        a.point.push_back(static_cast<std::int32_t>(earlier.pointId.size() + a.added.size() - 1));
    }
    for (std::size_t t = 0; t < later.tetId.size(); ++t) {
        if (t % kBlock == 0) throwIfCancelled(monitor);
        const auto place = earlier.tetOf.find(later.tetId[t]);
        const std::int32_t parent = place == earlier.tetOf.end() ? numberOf(later.tetOf, later.tetParent[t]) : -1;
        if (parent >= static_cast<std::int32_t>(t)) failApart();
        a.tet.push_back(parent < 0 ? place->second : a.tet[static_cast<std::size_t>(parent)]);
    }
    if (a.point.size() - a.added.size() != earlier.pointId.size()) failApart();
    return a;
}

std::vector<Vec3> pointVectors(const Geometry& geometry, const char* name) {
    const Attribute& a = need(geometry.points, "point", name, 3);
    std::vector<Vec3> out;
    for (std::size_t i = 0; i < geometry.pointCount(); ++i) out.emplace_back(a.number(i, 0), a.number(i, 1), a.number(i, 2));
    return out;
}

}  // namespace sunder
