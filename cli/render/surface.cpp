#include "cli/render/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/mesh/adjacency.h"
#include "core/mesh/tri_mesh.h"

namespace sunder::render {

namespace {
constexpr std::size_t kGrain = 4096;

/// The tets of a geometry and which primitives they are.
struct TetPrimitives {
    std::vector<Tet> tets;
    std::vector<std::int32_t> primitives;
};

TetPrimitives collectTets(const Geometry& geometry) {
    TetPrimitives found;
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        if (geometry.primitiveKind[p] != PrimitiveKind::kTet) continue;
        const auto points = geometry.primitivePoints(p);
        found.tets.push_back({points[0], points[1], points[2], points[3]});
        found.primitives.push_back(static_cast<std::int32_t>(p));
    }
    return found;
}

/// Vertex of a polygon at a point, and whether two of its points follow one another around it.
struct PolygonCorners {
    Span<const std::int32_t> points;
    std::int32_t firstVertex;

    std::size_t place(std::int32_t point) const {
        return static_cast<std::size_t>(std::find(points.begin(), points.end(), point) - points.begin());
    }
    bool isEdge(std::int32_t a, std::int32_t b) const { return (place(a) + 1) % points.size() == place(b); }
};

const Attribute* findAttribute(const Geometry& geometry, const std::string& name) {
    for (const AttributeSet* set : {&geometry.vertices, &geometry.points, &geometry.primitives})
        if (const Attribute* a = set->find(name)) return a;
    return nullptr;
}

[[noreturn]] void throwMissing(const Geometry& geometry, const std::string& name) {
    std::vector<std::string> names;
    for (const AttributeSet* set : {&geometry.vertices, &geometry.points, &geometry.primitives})
        for (const Attribute& a : set->attributes)
            if (!a.isString()) names.push_back(a.name);
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
    const std::string nearest = nearestWord(name, names);
    throw Error("the geometry has no attribute called " + name,
                names.empty()     ? "it has no attributes that could be drawn; leave the attribute out"
                : nearest.empty() ? "it has " + all
                                  : "did you mean " + nearest + "?");
}

/// Length of a tuple; infinite values are as wrong as those that are not a number.
float magnitude(const Attribute& attribute, std::size_t element) {
    double value = attribute.number(element);
    if (attribute.tupleSize > 1) {
        value *= value;
        for (int c = 1; c < attribute.tupleSize; ++c) value += std::pow(attribute.number(element, c), 2);
        value = std::sqrt(value);
    }
    return std::isfinite(value) ? static_cast<float>(value) : std::numeric_limits<float>::quiet_NaN();
}

void requireFinite(const Surface& surface) {
    for (const Tri& t : surface.triangles)
        for (const std::int32_t p : t)
            if (!surface.positions[static_cast<std::size_t>(p)].allFinite())
                throw Error(format("point %d has a position that is not finite", p),
                            "the simulation left its range before this frame: render the frames before it");
}
}  // namespace

void appendTetBoundary(const Geometry& geometry, Surface& surface) {
    const TetPrimitives found = collectTets(geometry);
    const auto neighbors = buildTetNeighbors(found.tets, geometry.pointCount());
    for (const BoundaryFace& face : collectBoundaryFaces(found.tets, neighbors)) {
        const std::int32_t primitive = found.primitives[static_cast<std::size_t>(face.tet)];
        const std::int32_t firstVertex = geometry.primitiveFirstVertex[static_cast<std::size_t>(primitive)];
        const int* corners = kTetFaces[face.localFace];
        surface.triangles.push_back(face.vertices);
        surface.vertices.push_back(
            {firstVertex + corners[0], firstVertex + corners[1], firstVertex + corners[2]});
        surface.primitives.push_back(primitive);
        surface.edges.push_back(7);
    }
}

void appendPolygons(const Geometry& geometry, Surface& surface) {
    if (geometry.countOf(PrimitiveKind::kPolygon) == 0) return;
    const TriMesh mesh = triMeshFromGeometry(geometry);
    for (std::size_t i = 0; i < mesh.triangleCount(); ++i) {
        const auto p = static_cast<std::size_t>(mesh.face[i]);
        const PolygonCorners polygon{geometry.primitivePoints(p), geometry.primitiveFirstVertex[p]};
        const Tri& t = mesh.triangles[i];
        Tri vertices;
        unsigned edges = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            vertices[k] = polygon.firstVertex + static_cast<std::int32_t>(polygon.place(t[k]));
            if (polygon.isEdge(t[k], t[(k + 1) % 3])) edges |= 1u << k;
        }
        surface.triangles.push_back(t);
        surface.vertices.push_back(vertices);
        surface.primitives.push_back(mesh.face[i]);
        surface.edges.push_back(static_cast<std::uint8_t>(edges));
    }
}

void updateValues(const Geometry& geometry, const std::string& name, Surface& surface) {
    const Attribute* attribute = findAttribute(geometry, name);
    if (!attribute) throwMissing(geometry, name);
    if (attribute->isString())
        throw Error("attribute " + name + " holds text, which has no colour",
                    "choose an attribute of numbers");
    const bool byVertex = geometry.vertices.find(name) != nullptr,
               byPoint = geometry.points.find(name) != nullptr;
    surface.values.resize(3 * surface.triangleCount());
    parallelFor(surface.triangleCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::int32_t element = byVertex  ? surface.vertices[i][k]
                                             : byPoint ? surface.triangles[i][k]
                                                       : surface.primitives[i];
                surface.values[3 * i + k] = magnitude(*attribute, static_cast<std::size_t>(element));
            }
    });
}

Surface buildSurface(const Geometry& geometry, const RenderOptions& options) {
    geometry.validate();
    Surface surface;
    surface.positions = geometry.positions;
    appendTetBoundary(geometry, surface);
    appendPolygons(geometry, surface);
    if (surface.triangles.empty())
        throw Error("the geometry has no polygons and no tets: there is nothing to draw",
                    "check the file; curves and loose points are not drawn");
    requireFinite(surface);
    updateNormals(surface, options.shading, options.creaseAngle);
    if (!options.attribute.empty()) updateValues(geometry, options.attribute, surface);
    return surface;
}

}  // namespace sunder::render
