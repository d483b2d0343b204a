#include "hdk/geometry_bridge.h"

#include <GA/GA_AttributeDict.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>
#include <GA/GA_PageHandle.h>
#include <GA/GA_PageIterator.h>
#include <GA/GA_SplittableRange.h>
#include <UT/UT_ParallelUtil.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "hdk/attribute_bridge.h"
#include "hdk/compat.h"
#include "hdk/primitive_bridge.h"

namespace sunder::hdk {

namespace {
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
ElementOrder orderOf(const GU_Detail& detail, const Geometry& g, Monitor* monitor) {
    ElementOrder order;
    order.points = offsetsByIndex(detail, GA_ATTRIB_POINT);
    order.primitives = offsetsByIndex(detail, GA_ATTRIB_PRIMITIVE);
    if (!g.vertices.attributes.empty() || !g.vertices.groups.empty()) order.vertices = verticesOf(detail, g, order.primitives, monitor);
    return order;
}

ElementOrder readElements(const GU_Detail& detail, Geometry& geometry, Monitor* monitor) {
    ElementOrder order;
    std::vector<GA_Offset> left;
    readPositions(detail, geometry);
    throwIfCancelled(monitor);
    order.points = offsetsByIndex(detail, GA_ATTRIB_POINT);
    order.primitives = readPrimitives(detail, geometry, left, monitor);
    warnLeftOut(monitor, left.size());
    return order;
}

bool hasPrimitivesOf(const Geometry& a, const Geometry& b) {
    return a.primitiveKind == b.primitiveKind && a.primitiveFirstVertex == b.primitiveFirstVertex && a.vertexPoint == b.vertexPoint;
}

void writeAllAttributes(GU_Detail& detail, const Geometry& g, Monitor* monitor) {
    const ElementOrder order = orderOf(detail, g, monitor);
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
    const ElementOrder order = readElements(detail, geometry, monitor);
    geometry.points = readAttributes(detail, GA_ATTRIB_POINT, order.points, monitor, without);
    geometry.primitives = readAttributes(detail, GA_ATTRIB_PRIMITIVE, order.primitives, monitor, without);
    Attribute velocity;
    if (!geometry.points.find("v") && readAttribute(detail, GA_ATTRIB_POINT, "v", order.points, velocity)) geometry.points.attributes.push_back(std::move(velocity));
    return geometry;
}

Geometry geometryFromDetail(const GU_Detail& detail, Monitor* monitor) {
    requireCountable(detail);
    Geometry geometry;
    ElementOrder order = readElements(detail, geometry, monitor);
    order.vertices = verticesOf(detail, geometry, order.primitives, monitor);
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
    throwIfCancelled(monitor);
    const GA_Offset first = geometry.pointCount() > 0 ? detail.appendPointBlock(static_cast<GA_Size>(geometry.pointCount())) : GA_Offset(0);
    throwIfCancelled(monitor);
    writePositions(detail, geometry);
    buildPrimitives(detail, first, geometry, monitor);
    writeAllAttributes(detail, geometry, monitor);
    detail.bumpDataIdsForAddOrRemove(true, true, true);
}

bool hasSameElements(const GU_Detail& detail, const Geometry& g, const Geometry* read) {
    if (size(detail.getNumPoints()) != g.pointCount() || size(detail.getNumPrimitives()) != g.primitiveCount() || size(detail.getNumVertices()) != g.vertexCount()) return false;
    if (!hasTheSame(detail, GA_ATTRIB_POINT, g.points) || !hasTheSame(detail, GA_ATTRIB_VERTEX, g.vertices) || !hasTheSame(detail, GA_ATTRIB_PRIMITIVE, g.primitives) ||
        !hasTheSame(detail, GA_ATTRIB_DETAIL, g.detail))
        return false;
    return read ? hasPrimitivesOf(*read, g) : hasSamePrimitives(detail, g);
}

void writeValues(GU_Detail& detail, const Geometry& geometry) {
    writePositions(detail, geometry);
    detail.getP()->bumpDataId();
    writeAllAttributes(detail, geometry, nullptr);
}

void updateDetail(GU_Detail& detail, const Geometry& geometry, const Geometry* read) {
    if (hasSameElements(detail, geometry, read)) return writeValues(detail, geometry);
    writeDetail(detail, geometry);
}

void writeAttribute(GU_Detail& detail, GA_AttributeOwner owner, const Attribute& attribute) {
    AttributeSet one;
    one.attributes.push_back(attribute);
    writeAttributes(detail, owner, one, owner == GA_ATTRIB_DETAIL ? std::vector<GA_Offset>{GA_Offset(0)} : offsetsByIndex(detail, owner));
}

}  // namespace sunder::hdk
