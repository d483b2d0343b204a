#pragma once

#include <cstdint>
#include <vector>

#include "core/math/types.h"
#include "core/mesh/attributes.h"

namespace sunder {

enum class PrimitiveKind : std::uint8_t { kPolygon, kCurve /* open polygon */, kTet };

/// What a geometry file holds: points, primitives over vertices that refer to points, and four sets of attributes.
/// It is how core talks to files and hosts. Orientation here is core's: polygons counter-clockwise seen from outside and tets
/// with det[v1-v0, v2-v0, v3-v0] > 0; readers and writers turn what their format has otherwise.
/// Positions live apart from the other point attributes, in double.
struct Geometry {
    std::vector<Vec3> positions;
    std::vector<std::int32_t> vertexPoint;           ///< point of every vertex
    std::vector<PrimitiveKind> primitiveKind;        ///< kind of every primitive
    std::vector<std::int32_t> primitiveFirstVertex;  ///< primitiveCount() + 1 entries: vertices of primitive p are [p], [p+1]
    AttributeSet points, vertices, primitives, detail;

    Geometry() : primitiveFirstVertex{0} {}
    std::size_t pointCount() const { return positions.size(); }
    std::size_t vertexCount() const { return vertexPoint.size(); }
    std::size_t primitiveCount() const { return primitiveKind.size(); }
    int primitiveSize(std::size_t p) const { return primitiveFirstVertex[p + 1] - primitiveFirstVertex[p]; }
    /// Points of primitive p, in order.
    Span<const std::int32_t> primitivePoints(std::size_t p) const;
    /// Appends a primitive and returns its number.
    std::size_t addPrimitive(PrimitiveKind kind, Span<const std::int32_t> pointNumbers);
    std::size_t countOf(PrimitiveKind kind) const;
    /// Throws Error on indices out of range or arrays of the wrong length.
    void validate() const;
};

}  // namespace sunder
