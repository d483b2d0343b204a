#include "hdk/geometry_bridge.h"

#include <GA/GA_AttributeDict.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>
#include <GA/GA_PageHandle.h>
#include <GA/GA_PageIterator.h>
#include <GA/GA_SplittableRange.h>
#include <GEO/GEO_PolyCounts.h>
#include <GEO/GEO_PrimTetrahedron.h>
#include <UT/UT_ParallelUtil.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/text.h"
#include "hdk/attribute_bridge.h"
#include "hdk/compat.h"

namespace sunder::hdk {

namespace {
constexpr std::size_t kBetween = 131072;  // primitives from one look at the monitor to the next

std::size_t size(GA_Size n) { return static_cast<std::size_t>(n); }
std::size_t numberOf(GA_Index i) { return size(static_cast<exint>(i)); }

/// Calls body(start, end) for runs of offsets without holes, each within one page, in parallel.
template <class Body>
void forPages(const GA_Range& range, const Body& body) {
    UTparallelFor(GA_SplittableRange(range), [&](const GA_SplittableRange& part) {
        for (GA_PageIterator page = part.beginPages(); !page.atEnd(); ++page) {
            GA_Offset start, end;
            for (GA_Iterator it = page.begin(); it.blockAdvance(start, end);) body(start, end);
        }
    });
}

void readPositions(const GU_Detail& detail, Geometry& geometry) {
    geometry.positions.resize(size(detail.getNumPoints()));
    forPages(detail.getPointRange(), [&](GA_Offset start, GA_Offset end) {
        GA_ROPageHandleV3 p(detail.getP());
        p.setPage(start);
        for (GA_Offset o = start; o < end; ++o) {
            const UT_Vector3 at = p.get(o);
            geometry.positions[numberOf(detail.pointIndex(o))] = Vec3(at.x(), at.y(), at.z());
        }
    });
}

/// What a primitive is here; false if it is nothing that we know.
bool kindOf(const GEO_Primitive& primitive, PrimitiveKind& kind) {
    if (primitive.getTypeId() == GA_PRIMTETRAHEDRON)
        kind = PrimitiveKind::kTet;
    else if (primitive.getTypeId() == GA_PRIMPOLY)
        kind = compat::isClosed(primitive) ? PrimitiveKind::kPolygon : PrimitiveKind::kCurve;
    else
        return false;
    return true;
}

/// Houdini's polygons are clockwise seen from outside and its tets have det < 0; turning them leaves the first vertex in its place.
GA_Size turned(PrimitiveKind kind, GA_Size k, GA_Size count) { return kind == PrimitiveKind::kCurve || k == 0 || count < 3 ? k : count - k; }

/// Offsets of what is left out go to `left`.
ElementOrder readPrimitives(const GU_Detail& detail, Geometry& geometry, std::vector<GA_Offset>& left, Monitor* monitor) {
    ElementOrder order;
    std::vector<std::int32_t> points;
    order.vertices.reserve(size(detail.getNumVertices()));
    order.primitives.reserve(size(detail.getNumPrimitives()));
    geometry.vertexPoint.reserve(size(detail.getNumVertices()));
    geometry.primitiveKind.reserve(size(detail.getNumPrimitives()));
    geometry.primitiveFirstVertex.reserve(size(detail.getNumPrimitives()) + 1);
    std::size_t seen = 0;
    for (const GA_Offset o : detail.getPrimitiveRange()) {
        if (seen++ % kBetween == 0) throwIfCancelled(monitor);
        const GEO_Primitive& primitive = *detail.getGEOPrimitive(o);
        PrimitiveKind kind;
        if (!kindOf(primitive, kind)) {
            left.push_back(o);
            continue;
        }
        const GA_Size count = detail.getPrimitiveVertexCount(o);
        points.clear();
        for (GA_Size k = 0; k < count; ++k) {
            const GA_Offset vertex = detail.getPrimitiveVertexOffset(o, turned(kind, k, count));
            order.vertices.push_back(vertex);
            points.push_back(static_cast<std::int32_t>(static_cast<exint>(detail.pointIndex(detail.vertexPoint(vertex)))));
        }
        geometry.addPrimitive(kind, points);
        order.primitives.push_back(o);
    }
    return order;
}
ElementOrder readPrimitives(const GU_Detail& detail, Geometry& geometry, Monitor* monitor) {
    std::vector<GA_Offset> left;
    ElementOrder order = readPrimitives(detail, geometry, left, monitor);
    warnLeftOut(monitor, left.size());
    return order;
}

/// Points of packed primitives that nothing else uses are places, not geometry.
void dropPointsOf(const std::vector<GA_Offset>& packed, const GU_Detail& detail, Geometry& geometry) {
    std::vector<std::uint8_t> gone(geometry.pointCount(), 0);
    for (const GA_Offset o : packed)
        for (GA_Size k = 0; k < detail.getPrimitiveVertexCount(o); ++k) gone[numberOf(detail.pointIndex(detail.vertexPoint(detail.getPrimitiveVertexOffset(o, k))))] = 1;
    for (const std::int32_t i : geometry.vertexPoint) gone[static_cast<std::size_t>(i)] = 0;
    std::vector<std::int32_t> number(gone.size(), -1);
    std::size_t stay = 0;
    for (std::size_t i = 0; i < gone.size(); ++i) {
        if (gone[i]) continue;
        number[i] = static_cast<std::int32_t>(stay);
        geometry.positions[stay++] = geometry.positions[i];
    }
    geometry.positions.resize(stay);
    for (std::int32_t& i : geometry.vertexPoint) i = number[static_cast<std::size_t>(i)];
}

/// Consecutive primitives of one kind, to be built in one call.
void buildRun(GU_Detail& detail, GA_Offset firstPoint, const Geometry& g, std::size_t first, std::size_t last) {
    std::vector<int> numbers;
    GEO_PolyCounts counts;
    const PrimitiveKind kind = g.primitiveKind[first];
    for (std::size_t p = first; p < last; ++p) {
        const Span<const std::int32_t> points = g.primitivePoints(p);
        const auto count = static_cast<GA_Size>(points.size());
        for (GA_Size k = 0; k < count; ++k) numbers.push_back(points[size(turned(kind, k, count))]);
        counts.append(count);
    }
    const auto points = static_cast<GA_Size>(g.pointCount());
    if (kind == PrimitiveKind::kTet)
        GEO_PrimTetrahedron::buildBlock(&detail, firstPoint, points, static_cast<GA_Size>(last - first), numbers.data());
    else
        GEO_PrimPoly::buildBlock(&detail, firstPoint, points, counts, numbers.data(), kind == PrimitiveKind::kPolygon);
}

void buildPrimitives(GU_Detail& detail, GA_Offset firstPoint, const Geometry& g, Monitor* monitor) {
    for (std::size_t first = 0, last = 0; first < g.primitiveCount(); first = last) {
        throwIfCancelled(monitor);
        const std::size_t most = std::min(g.primitiveCount(), first + kBetween);
        while (last < most && g.primitiveKind[last] == g.primitiveKind[first]) ++last;
        buildRun(detail, firstPoint, g, first, last);
    }
}

void writePositions(GU_Detail& detail, const Geometry& g) {
    forPages(detail.getPointRange(), [&](GA_Offset start, GA_Offset end) {
        GA_RWPageHandleV3 p(detail.getP());
        p.setPage(start);
        for (GA_Offset o = start; o < end; ++o) {
            const Vec3& at = g.positions[numberOf(detail.pointIndex(o))];
            p.set(o, UT_Vector3(static_cast<float>(at.x()), static_cast<float>(at.y()), static_cast<float>(at.z())));
        }
    });
}

/// Offsets of the points and primitives, and of the vertices as `g` orders them, if it has anything to say of them.
ElementOrder orderOf(const GU_Detail& detail, const Geometry& g) {
    ElementOrder order;
    const bool hasVertices = !g.vertices.attributes.empty() || !g.vertices.groups.empty();
    if (hasVertices) order.vertices.reserve(g.vertexCount());
    order.primitives = offsetsByIndex(detail, GA_ATTRIB_PRIMITIVE);
    for (std::size_t p = 0; hasVertices && p < g.primitiveCount(); ++p) {
        const GA_Offset o = order.primitives[p];
        const GA_Size count = detail.getPrimitiveVertexCount(o);
        for (GA_Size k = 0; k < count; ++k) order.vertices.push_back(detail.getPrimitiveVertexOffset(o, turned(g.primitiveKind[p], k, count)));
    }
    order.points = offsetsByIndex(detail, GA_ATTRIB_POINT);
    return order;
}

bool hasSamePrimitive(const GU_Detail& detail, GA_Offset o, const Geometry& g, std::size_t p) {
    PrimitiveKind kind;
    const Span<const std::int32_t> points = g.primitivePoints(p);
    const auto count = static_cast<GA_Size>(points.size());
    if (!kindOf(*detail.getGEOPrimitive(o), kind) || kind != g.primitiveKind[p] || detail.getPrimitiveVertexCount(o) != count) return false;
    for (GA_Size k = 0; k < count; ++k)
        if (static_cast<std::int32_t>(static_cast<exint>(detail.pointIndex(detail.vertexPoint(detail.getPrimitiveVertexOffset(o, turned(kind, k, count)))))) != points[size(k)]) return false;
    return true;
}

void writeAllAttributes(GU_Detail& detail, const Geometry& g, Monitor* monitor) {
    const ElementOrder order = orderOf(detail, g);
    writeAttributes(detail, GA_ATTRIB_POINT, g.points, order.points, monitor);
    writeAttributes(detail, GA_ATTRIB_VERTEX, g.vertices, order.vertices, monitor);
    writeAttributes(detail, GA_ATTRIB_PRIMITIVE, g.primitives, order.primitives, monitor);
    writeAttributes(detail, GA_ATTRIB_DETAIL, g.detail, {GA_Offset(0)}, monitor);
}

void requireCountable(const GU_Detail& detail) {
    if (std::max({detail.getNumPoints(), detail.getNumVertices(), detail.getNumPrimitives()}) > INT32_MAX)
        throw Error("the geometry has more than 2^31 elements", "split it");
}
}  // namespace

void warnLeftOut(Monitor* monitor, std::size_t count) {
    if (count > 0 && monitor) monitor->warn(format("%zu primitives are left out: only polygons, open curves and tetrahedra are used; convert or unpack the others", count));
}

Geometry looseFromDetail(const GU_Detail& detail, std::size_t& others) {
    requireCountable(detail);
    Geometry geometry;
    std::vector<GA_Offset> left;
    readPositions(detail, geometry);
    readPrimitives(detail, geometry, left, nullptr);
    const auto packed = std::partition(left.begin(), left.end(), [&](GA_Offset o) { return !compat::isPacked(*detail.getGEOPrimitive(o)); });
    others += static_cast<std::size_t>(packed - left.begin());
    left.erase(left.begin(), packed);
    if (!left.empty()) dropPointsOf(left, detail, geometry);
    return geometry;
}

Geometry motionFromDetail(const GU_Detail& detail, Monitor* monitor, const std::vector<std::string>& without) {
    requireCountable(detail);
    Geometry geometry;
    if (monitor && !detail.vertexAttribs().begin(GA_SCOPE_PUBLIC).atEnd())
        monitor->warn("what vertices have is not taken back into a simulation. Promote it to points to keep it");
    readPositions(detail, geometry);
    ElementOrder order = readPrimitives(detail, geometry, monitor);
    order.points = offsetsByIndex(detail, GA_ATTRIB_POINT);
    geometry.points = readAttributes(detail, GA_ATTRIB_POINT, order.points, monitor, without);
    geometry.primitives = readAttributes(detail, GA_ATTRIB_PRIMITIVE, order.primitives, monitor, without);
    Attribute velocity;
    if (!geometry.points.find("v") && readAttribute(detail, GA_ATTRIB_POINT, "v", order.points, velocity)) geometry.points.attributes.push_back(std::move(velocity));
    return geometry;
}

Geometry geometryFromDetail(const GU_Detail& detail, Monitor* monitor) {
    requireCountable(detail);
    Geometry geometry;
    readPositions(detail, geometry);
    ElementOrder order = readPrimitives(detail, geometry, monitor);
    order.points = offsetsByIndex(detail, GA_ATTRIB_POINT);
    geometry.points = readAttributes(detail, GA_ATTRIB_POINT, order.points, monitor);
    geometry.vertices = readAttributes(detail, GA_ATTRIB_VERTEX, order.vertices, monitor);
    geometry.primitives = readAttributes(detail, GA_ATTRIB_PRIMITIVE, order.primitives, monitor);
    geometry.detail = readAttributes(detail, GA_ATTRIB_DETAIL, {GA_Offset(0)}, monitor);
    return geometry;
}

void clearDetail(GU_Detail& detail) {
    detail.clearAndDestroy();
    detail.bumpDataIdsForAddOrRemove(true, true, true);
}

void writeDetail(GU_Detail& detail, const Geometry& geometry, Monitor* monitor) {
    detail.clearAndDestroy();
    const GA_Offset first = geometry.pointCount() > 0 ? detail.appendPointBlock(static_cast<GA_Size>(geometry.pointCount())) : GA_Offset(0);
    writePositions(detail, geometry);
    buildPrimitives(detail, first, geometry, monitor);
    writeAllAttributes(detail, geometry, monitor);
    detail.bumpDataIdsForAddOrRemove(true, true, true);
}

bool hasSameElements(const GU_Detail& detail, const Geometry& g) {
    if (size(detail.getNumPoints()) != g.pointCount() || size(detail.getNumPrimitives()) != g.primitiveCount() || size(detail.getNumVertices()) != g.vertexCount()) return false;
    if (!hasTheSame(detail, GA_ATTRIB_POINT, g.points) || !hasTheSame(detail, GA_ATTRIB_VERTEX, g.vertices) || !hasTheSame(detail, GA_ATTRIB_PRIMITIVE, g.primitives) ||
        !hasTheSame(detail, GA_ATTRIB_DETAIL, g.detail))
        return false;
    std::size_t p = 0;
    for (const GA_Offset o : detail.getPrimitiveRange())
        if (!hasSamePrimitive(detail, o, g, p++)) return false;
    return true;
}

void writeValues(GU_Detail& detail, const Geometry& geometry) {
    writePositions(detail, geometry);
    detail.getP()->bumpDataId();
    writeAllAttributes(detail, geometry, nullptr);
}

void updateDetail(GU_Detail& detail, const Geometry& geometry) {
    if (hasSameElements(detail, geometry)) return writeValues(detail, geometry);
    writeDetail(detail, geometry);
}

void writeAttribute(GU_Detail& detail, GA_AttributeOwner owner, const Attribute& attribute) {
    AttributeSet one;
    one.attributes.push_back(attribute);
    writeAttributes(detail, owner, one, owner == GA_ATTRIB_DETAIL ? std::vector<GA_Offset>{GA_Offset(0)} : offsetsByIndex(detail, owner));
}

}  // namespace sunder::hdk
