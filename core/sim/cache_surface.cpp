#include "core/sim/cache_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace sunder {

namespace {
constexpr double kFolded = -0.99;  // cosine of normals at rest where two sides of a crack meet

Vec3 areaVector(const Tri& t, const std::vector<Vec3>& x) {
    const Vec3 &a = x[static_cast<std::size_t>(t[0])], &b = x[static_cast<std::size_t>(t[1])], &c = x[static_cast<std::size_t>(t[2])];
    return 0.5 * (b - a).cross(c - a);
}

void collectPoints(const CacheFrame& frame, CacheSurface& surface) {
    surface.point.assign(frame.pointId.size(), -1);
    for (const BoundaryFace& face : surface.faces)
        for (const std::int32_t v : face.vertices) surface.point[static_cast<std::size_t>(v)] = 0;
    std::vector<std::int32_t> source;
    for (std::size_t i = 0; i < surface.point.size(); ++i) {
        if (surface.point[i] < 0) continue;
        surface.point[i] = static_cast<std::int32_t>(source.size());
        source.push_back(static_cast<std::int32_t>(i));
        surface.geometry.positions.push_back(frame.geometry.positions[i]);
    }
    surface.geometry.points = gatherAttributes(frame.geometry.points, source);
}

void addTriangles(const CacheFrame& frame, CacheSurface& surface) {
    std::vector<std::int32_t> tet, vertex;
    for (const BoundaryFace& face : surface.faces) {
        Tri triangle = face.vertices;
        for (std::int32_t& v : triangle) v = surface.point[static_cast<std::size_t>(v)];
        surface.geometry.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(triangle.data(), 3));
        tet.push_back(face.tet);
        for (const int corner : kTetFaces[face.localFace]) vertex.push_back(4 * face.tet + corner);
    }
    surface.geometry.primitives = gatherAttributes(frame.geometry.primitives, tet);
    surface.geometry.vertices = gatherAttributes(frame.geometry.vertices, vertex);
}

bool isInside(const CacheFrame& frame, const BoundaryFace& face) { return frame.isInside(static_cast<std::size_t>(face.tet), face.localFace); }

void addGroups(const CacheFrame& frame, CacheSurface& surface) {
    Group inside{"inside", {}}, outside{"outside", {}};
    for (const BoundaryFace& face : surface.faces) {
        inside.members.push_back(isInside(frame, face) ? 1 : 0);
        outside.members.push_back(isInside(frame, face) ? 0 : 1);
    }
    surface.geometry.primitives.addGroup("inside", 0) = std::move(inside);
    surface.geometry.primitives.addGroup("outside", 0) = std::move(outside);
}

/// A point seen along an axis, from outside: u to the right, v up or, seen along the y axis, into the picture.
Vec2 seenAlong(int axis, double sign, const Vec3& p) {
    constexpr int kRight[] = {2, 0, 0}, kUp[] = {1, 2, 1};
    const double mirror = axis == 2 ? sign : -sign;
    return {mirror * p[kRight[axis]], p[kUp[axis]]};
}

void addTextureCoordinates(const CacheFrame& frame, CacheSurface& surface) {
    Geometry& g = surface.geometry;
    std::vector<float> uv(3 * g.vertexCount(), 0);
    const Attribute *ofPoints = g.points.find("uv"), *ofVertices = g.vertices.find("uv"), *given = ofVertices ? ofVertices : ofPoints;
    for (std::size_t i = 0; i < surface.faces.size(); ++i) {
        const BoundaryFace& face = surface.faces[i];
        const Vec3 normal = areaVector(face.vertices, frame.rest);
        Eigen::Index axis = 0;
        normal.cwiseAbs().maxCoeff(&axis);
        for (std::size_t k = 0; k < 3; ++k) {
            float* out = &uv[3 * (3 * i + k)];
            const auto v = static_cast<std::size_t>(face.vertices[k]);
            if (isInside(frame, face)) {
                const Vec2 place = seenAlong(static_cast<int>(axis), normal[axis] < 0 ? -1 : 1, frame.rest[v]);
                out[0] = static_cast<float>(place.x());
                out[1] = static_cast<float>(place.y());
            } else if (given) {
                for (int c = 0; c < std::min(3, given->tupleSize); ++c) out[c] = static_cast<float>(given->number(ofVertices ? 3 * i + k : static_cast<std::size_t>(surface.point[v]), c));
            }
        }
    }
    g.points.erase("uv");
    g.vertices.add<float>("uv", g.vertexCount(), 3, AttributeMeaning::kTextureCoord) = std::move(uv);
}

struct CrackEdge {
    Edge edge;             ///< points of the frame
    std::int32_t face;     ///< an inside one beside it
    float age, speed;
};

struct Side {
    Edge edge;
    std::int32_t face;
};

/// Every side of every triangle, those of one edge behind each other.
std::vector<Side> sidesOf(const std::vector<BoundaryFace>& faces) {
    std::vector<Side> sides;
    for (std::size_t i = 0; i < faces.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = faces[i].vertices[k], b = faces[i].vertices[(k + 1) % 3];
            sides.push_back({{std::min(a, b), std::max(a, b)}, static_cast<std::int32_t>(i)});
        }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return std::pair(a.edge, a.face) < std::pair(b.edge, b.face); });
    return sides;
}

class CrackMarker {
  public:
    CrackMarker(CacheSurface& surface, const CrackHistory& cracks) : surface_(surface), cracks_(cracks), opening_(openingVelocities(cracks.frame())) {}

    void run() {
        findEdges();
        const std::size_t triangles = surface_.faces.size();
        addCurves();
        Geometry& g = surface_.geometry;
        std::vector<float> age(g.primitiveCount(), -1), speed(g.primitiveCount(), 0);
        for (std::size_t i = 0; i < triangles; ++i) {
            age[i] = static_cast<float>(ageOf(i));
            const Tri& t = surface_.faces[i].vertices;
            if (age[i] >= 0) speed[i] = static_cast<float>((speedAt(i, t[0]) + speedAt(i, t[1]) + speedAt(i, t[2])) / 3);
        }
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            age[triangles + e] = edges_[e].age;
            speed[triangles + e] = edges_[e].speed;
        }
        g.primitives.add<float>("age", g.primitiveCount()) = std::move(age);
        g.primitives.add<float>("openingspeed", g.primitiveCount()) = std::move(speed);
    }

  private:
    double ageOf(std::size_t i) const { return cracks_.age(static_cast<std::size_t>(surface_.faces[i].tet), surface_.faces[i].localFace); }
    double speedAt(std::size_t i, std::int32_t point) const {
        const Vec3 area = areaVector(surface_.faces[i].vertices, cracks_.frame().geometry.positions);
        return area.squaredNorm() > 0 ? area.normalized().dot(opening_[static_cast<std::size_t>(point)]) : 0;
    }

    void findEdges() {
        const std::vector<Side> sides = sidesOf(surface_.faces);
        for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
            while (last < sides.size() && sides[last].edge == sides[first].edge) ++last;
            addEdge(Span<const Side>(sides).subspan(first, last - first));
        }
    }

    void addEdge(Span<const Side> sides) {
        std::vector<std::int32_t> inside;
        for (const Side& s : sides)
            if (ageOf(static_cast<std::size_t>(s.face)) >= 0) inside.push_back(s.face);
        if (inside.empty() || (inside.size() == sides.size() && !isFolded(inside))) return;
        double age = 0, speed = 0;
        for (const std::int32_t f : inside) {
            const auto i = static_cast<std::size_t>(f);
            age = std::max(age, ageOf(i));
            speed += (speedAt(i, sides[0].edge[0]) + speedAt(i, sides[0].edge[1])) / (2 * static_cast<double>(inside.size()));
        }
        edges_.push_back({sides[0].edge, inside[0], static_cast<float>(age), static_cast<float>(speed)});
    }

    bool isFolded(const std::vector<std::int32_t>& faces) const {
        const auto normal = [&](std::int32_t f) { return areaVector(surface_.faces[static_cast<std::size_t>(f)].vertices, cracks_.frame().rest).normalized(); };
        for (std::size_t i = 0; i < faces.size(); ++i)
            for (std::size_t j = i + 1; j < faces.size(); ++j)
                if (normal(faces[i]).dot(normal(faces[j])) < kFolded) return true;
        return false;
    }

    void addCurves() {
        Geometry& g = surface_.geometry;
        std::vector<std::int32_t> primitive, vertex;
        const std::size_t triangles = g.primitiveCount();
        for (std::size_t p = 0; p < triangles; ++p) primitive.push_back(static_cast<std::int32_t>(p));
        for (std::size_t v = 0; v < g.vertexCount(); ++v) vertex.push_back(static_cast<std::int32_t>(v));
        for (const CrackEdge& e : edges_) {
            primitive.push_back(e.face);
            const Tri& corners = surface_.faces[static_cast<std::size_t>(e.face)].vertices;
            Edge ends;
            for (std::size_t k = 0; k < 2; ++k) {
                vertex.push_back(3 * e.face + static_cast<std::int32_t>(std::find(corners.begin(), corners.end(), e.edge[k]) - corners.begin()));
                ends[k] = surface_.point[static_cast<std::size_t>(e.edge[k])];
            }
            g.addPrimitive(PrimitiveKind::kCurve, Span<const std::int32_t>(ends.data(), 2));
        }
        g.primitives = gatherAttributes(g.primitives, primitive);
        g.vertices = gatherAttributes(g.vertices, vertex);
        Group& edges = g.primitives.addGroup("crackedges", g.primitiveCount());
        std::fill(edges.members.begin() + static_cast<std::ptrdiff_t>(triangles), edges.members.end(), std::uint8_t{1});
        Group& inside = *g.primitives.findGroup("inside");
        std::fill(inside.members.begin() + static_cast<std::ptrdiff_t>(triangles), inside.members.end(), std::uint8_t{0});
    }

    CacheSurface& surface_;
    const CrackHistory& cracks_;
    std::vector<Vec3> opening_;
    std::vector<CrackEdge> edges_;
};
}  // namespace

CacheSurface makeSurface(const CacheFrame& frame) {
    CacheSurface surface;
    surface.faces = collectBoundaryFaces(frame.tets, buildTetNeighbors(frame.tets, frame.pointId.size()));
    collectPoints(frame, surface);
    addTriangles(frame, surface);
    addGroups(frame, surface);
    addTextureCoordinates(frame, surface);
    surface.geometry.detail = frame.geometry.detail;
    return surface;
}

void addCracks(CacheSurface& surface, const CrackHistory& cracks) { CrackMarker(surface, cracks).run(); }

}  // namespace sunder
