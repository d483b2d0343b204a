#include "hdk/primitive_bridge.h"

#include <GEO/GEO_PolyCounts.h>
#include <GEO/GEO_PrimTetrahedron.h>

#include <algorithm>

#include "core/base/text.h"
#include "hdk/compat.h"

namespace sunder::hdk {

namespace {
constexpr std::size_t kBetween = 131072;  // primitives from one look at the monitor to the next

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

std::int32_t pointOf(const GU_Detail& detail, GA_Offset vertex) { return static_cast<std::int32_t>(static_cast<exint>(detail.pointIndex(detail.vertexPoint(vertex)))); }

/// Consecutive primitives of one kind, to be built in one call.
void buildRun(GU_Detail& detail, GA_Offset firstPoint, const Geometry& g, std::size_t first, std::size_t last) {
    std::vector<int> numbers;
    GEO_PolyCounts counts;
    const PrimitiveKind kind = g.primitiveKind[first];
    for (std::size_t p = first; p < last; ++p) {
        const Span<const std::int32_t> points = g.primitivePoints(p);
        const auto count = static_cast<GA_Size>(points.size());
        for (GA_Size k = 0; k < count; ++k) numbers.push_back(points[static_cast<std::size_t>(turned(kind, k, count))]);
        counts.append(count);
    }
    const auto points = static_cast<GA_Size>(g.pointCount());
    if (kind == PrimitiveKind::kTet)
        GEO_PrimTetrahedron::buildBlock(&detail, firstPoint, points, static_cast<GA_Size>(last - first), numbers.data());
    else
        GEO_PrimPoly::buildBlock(&detail, firstPoint, points, counts, numbers.data(), kind == PrimitiveKind::kPolygon);
}

bool hasSamePrimitive(const GU_Detail& detail, GA_Offset o, const Geometry& g, std::size_t p) {
    PrimitiveKind kind;
    const GEO_Primitive& primitive = *detail.getGEOPrimitive(o);
    const Span<const std::int32_t> points = g.primitivePoints(p);
    const auto count = static_cast<GA_Size>(points.size());
    if (!kindOf(primitive, kind) || kind != g.primitiveKind[p] || primitive.getVertexCount() != count) return false;
    for (GA_Size k = 0; k < count; ++k)
        if (pointOf(detail, primitive.getVertexOffset(turned(kind, k, count))) != points[static_cast<std::size_t>(k)]) return false;
    return true;
}
}  // namespace

std::vector<GA_Offset> readPrimitives(const GU_Detail& detail, Geometry& geometry, std::vector<GA_Offset>& left, Monitor* monitor) {
    std::vector<GA_Offset> offsets;
    offsets.reserve(static_cast<std::size_t>(detail.getNumPrimitives()));
    geometry.vertexPoint.reserve(static_cast<std::size_t>(detail.getNumVertices()));
    geometry.primitiveKind.reserve(offsets.capacity());
    geometry.primitiveFirstVertex.reserve(offsets.capacity() + 1);
    std::size_t seen = 0;
    for (const GA_Offset o : detail.getPrimitiveRange()) {
        if (seen++ % kBetween == 0) throwIfCancelled(monitor);
        const GEO_Primitive& primitive = *detail.getGEOPrimitive(o);
        PrimitiveKind kind;
        if (!kindOf(primitive, kind)) {
            left.push_back(o);
            continue;
        }
        const GA_Size count = primitive.getVertexCount();
        for (GA_Size k = 0; k < count; ++k) geometry.vertexPoint.push_back(pointOf(detail, primitive.getVertexOffset(turned(kind, k, count))));
        geometry.primitiveKind.push_back(kind);
        geometry.primitiveFirstVertex.push_back(static_cast<std::int32_t>(geometry.vertexPoint.size()));
        offsets.push_back(o);
    }
    return offsets;
}

std::vector<GA_Offset> verticesOf(const GU_Detail& detail, const Geometry& g, const std::vector<GA_Offset>& primitives, Monitor* monitor) {
    std::vector<GA_Offset> vertices;
    vertices.reserve(g.vertexCount());
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        if (p % kBetween == 0) throwIfCancelled(monitor);
        const GEO_Primitive& primitive = *detail.getGEOPrimitive(primitives[p]);
        const GA_Size count = primitive.getVertexCount();
        for (GA_Size k = 0; k < count; ++k) vertices.push_back(primitive.getVertexOffset(turned(g.primitiveKind[p], k, count)));
    }
    return vertices;
}

void buildPrimitives(GU_Detail& detail, GA_Offset firstPoint, const Geometry& g, Monitor* monitor) {
    for (std::size_t first = 0, last = 0; first < g.primitiveCount(); first = last) {
        throwIfCancelled(monitor);
        const std::size_t most = std::min(g.primitiveCount(), first + kBetween);
        while (last < most && g.primitiveKind[last] == g.primitiveKind[first]) ++last;
        buildRun(detail, firstPoint, g, first, last);
    }
}

bool hasSamePrimitives(const GU_Detail& detail, const Geometry& g) {
    std::size_t p = 0;
    for (const GA_Offset o : detail.getPrimitiveRange())
        if (!hasSamePrimitive(detail, o, g, p++)) return false;
    return true;
}

void warnLeftOut(Monitor* monitor, std::size_t count) {
    if (count > 0 && monitor) monitor->warn(format("%zu primitives are left out: only polygons, open curves and tetrahedra are used; convert or unpack the others", count));
}

}  // namespace sunder::hdk
