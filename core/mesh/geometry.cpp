#include "core/mesh/geometry.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

Span<const std::int32_t> Geometry::primitivePoints(std::size_t p) const {
    const auto first = static_cast<std::size_t>(primitiveFirstVertex[p]);
    return Span<const std::int32_t>(vertexPoint).subspan(first, static_cast<std::size_t>(primitiveSize(p)));
}

std::size_t Geometry::addPrimitive(PrimitiveKind kind, Span<const std::int32_t> pointNumbers) {
    vertexPoint.insert(vertexPoint.end(), pointNumbers.begin(), pointNumbers.end());
    primitiveKind.push_back(kind);
    primitiveFirstVertex.push_back(static_cast<std::int32_t>(vertexPoint.size()));
    return primitiveKind.size() - 1;
}

std::size_t Geometry::countOf(PrimitiveKind kind) const {
    return static_cast<std::size_t>(std::count(primitiveKind.begin(), primitiveKind.end(), kind));
}

void Geometry::validate() const {
    if (primitiveFirstVertex.size() != primitiveCount() + 1 || primitiveFirstVertex.front() != 0 ||
        static_cast<std::size_t>(primitiveFirstVertex.back()) != vertexCount())
        throw Error("the primitives' vertex ranges do not match the vertex count");
    for (std::size_t p = 0; p < primitiveCount(); ++p)
        if (primitiveSize(p) < 0 || (primitiveKind[p] == PrimitiveKind::kTet && primitiveSize(p) != 4))
            throw Error(format("primitive %zu has %d vertices", p, primitiveSize(p)));
    for (std::size_t v = 0; v < vertexCount(); ++v)
        if (vertexPoint[v] < 0 || static_cast<std::size_t>(vertexPoint[v]) >= pointCount())
            throw Error(format("vertex %zu refers to point %d of %zu", v, vertexPoint[v], pointCount()));
    points.validate(pointCount(), "points");
    vertices.validate(vertexCount(), "vertices");
    primitives.validate(primitiveCount(), "primitives");
    detail.validate(1, "details");
}

}  // namespace sunder
