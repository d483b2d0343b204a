#include "core/meshing/surface_repair.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/meshing/surface_topology.h"

namespace sunder {

namespace {
/// Vertex of primitive p that sits on the point.
std::int32_t vertexOn(const Geometry& geometry, std::int32_t p, std::int32_t point) {
    const auto points = geometry.primitivePoints(static_cast<std::size_t>(p));
    const auto at = std::find(points.begin(), points.end(), point) - points.begin();
    return geometry.primitiveFirstVertex[p] + static_cast<std::int32_t>(at);
}

/// +1 or -1 by the order of the corners against their sorted order.
int turnOf(const Tri& t) {
    return (t[0] < t[1]) == (t[1] < t[2]) ? ((t[0] < t[2]) ? 1 : -1) : ((t[0] < t[2]) ? -1 : 1);
}

/// Of faces over the same points those that face each other cancel; of what is left one stays.
std::vector<std::uint8_t> chooseOneOfCopies(const std::vector<Tri>& triangles) {
    std::map<Tri, std::vector<std::int32_t>> copies;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        Tri sorted = triangles[i];
        std::sort(sorted.begin(), sorted.end());
        copies[sorted].push_back(static_cast<std::int32_t>(i));
    }
    std::vector<std::uint8_t> keep(triangles.size(), 0);
    for (const auto& [key, list] : copies) {
        int net = 0;
        for (const std::int32_t i : list) net += turnOf(triangles[i]);
        const auto stays = std::find_if(list.begin(), list.end(),
                                        [&](std::int32_t i) { return turnOf(triangles[i]) * net > 0; });
        if (stays != list.end()) keep[*stays] = 1;
    }
    return keep;
}

class Repair {
  public:
    explicit Repair(const Geometry& geometry) : geometry_(geometry), source_(triMeshFromGeometry(geometry)) {}

    RepairedSurface run() {
        fuse();
        dropCollapsedAndCopies();
        gather();
        orient();
        return std::move(out_);
    }

  private:
    void note(std::size_t count, const char* text) {
        if (count > 0) out_.notes.push_back(std::to_string(count) + " " + text);
    }

    void fuse() {
        first_ = findCoincidentPoints(geometry_.positions);
        std::size_t fused = 0;
        for (std::size_t p = 0; p < first_.size(); ++p) fused += first_[p] != static_cast<std::int32_t>(p);
        note(fused, "coincident points were fused");
        for (const Tri& t : source_.triangles)
            triangles_.push_back({first_[t[0]], first_[t[1]], first_[t[2]]});
    }

    void dropCollapsedAndCopies() {
        std::size_t collapsed = 0, copies = 0;
        std::vector<Tri> sound;
        for (std::size_t i = 0; i < triangles_.size(); ++i) {
            const Tri& t = triangles_[i];
            if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
                ++collapsed;
                continue;
            }
            sound.push_back(t);
            origin_.push_back(static_cast<std::int32_t>(i));
        }
        const std::vector<std::uint8_t> keep = chooseOneOfCopies(sound);
        std::vector<std::int32_t> kept;
        triangles_.clear();
        for (std::size_t i = 0; i < sound.size(); ++i) {
            if (!keep[i]) {
                ++copies;
                continue;
            }
            triangles_.push_back(sound[i]);
            kept.push_back(origin_[i]);
        }
        origin_ = std::move(kept);
        note(collapsed, "collapsed faces were left out");
        note(copies, "duplicate faces were left out");
    }

    void gather() {
        std::vector<std::int32_t> vertex(geometry_.pointCount(), -1);
        for (const Tri& t : triangles_)
            for (const std::int32_t p : t) vertex[p] = 0;
        for (std::size_t p = 0; p < vertex.size(); ++p)
            if (vertex[p] == 0) {
                vertex[p] = static_cast<std::int32_t>(out_.point.size());
                out_.point.push_back(static_cast<std::int32_t>(p));
                out_.mesh.positions.push_back(geometry_.positions[p]);
            }
        for (std::size_t i = 0; i < triangles_.size(); ++i) {
            const Tri &t = triangles_[i], &original = source_.triangles[origin_[i]];
            const std::int32_t primitive = source_.face[origin_[i]];
            out_.mesh.triangles.push_back({vertex[t[0]], vertex[t[1]], vertex[t[2]]});
            out_.mesh.face.push_back(primitive);
            out_.geometryVertex.push_back({vertexOn(geometry_, primitive, original[0]),
                                           vertexOn(geometry_, primitive, original[1]),
                                           vertexOn(geometry_, primitive, original[2])});
        }
    }

    void orient() {
        if (triangles_.empty()) return;
        auto& triangles = out_.mesh.triangles;
        const Shells shells = findShells(triangles, buildEdgeTable(triangles));
        const auto insideOut = findInsideOutShells(out_.mesh.positions, triangles, shells);
        std::size_t flipped = 0, reversed = 0;
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            const bool turn = shells.flipped[i] && !shells.twisted[shells.label[i]],
                       out = insideOut[shells.label[i]] != 0;
            flipped += turn;
            reversed += out;
            if (turn == out) continue;
            std::swap(triangles[i][1], triangles[i][2]);
            std::swap(out_.geometryVertex[i][1], out_.geometryVertex[i][2]);
        }
        note(flipped, "faces were turned to agree with their neighbours");
        note(reversed, "faces of shells turned inside out were reversed");
    }

    const Geometry& geometry_;
    TriMesh source_;
    RepairedSurface out_;
    std::vector<std::int32_t> first_, origin_;
    std::vector<Tri> triangles_;
};

/// The used point farthest from what `distance` measures.
template <class Distance>
Vec3 farthestPoint(const TriMesh& mesh, const Distance& distance) {
    Vec3 best = mesh.positions[mesh.triangles[0][0]];
    for (const Tri& t : mesh.triangles)
        for (const std::int32_t v : t)
            if (distance(mesh.positions[v]) > distance(best)) best = mesh.positions[v];
    return best;
}

/// Flat to the rounding of coordinates that were computed rather than typed.
bool allInOnePlane(const TriMesh& mesh) {
    constexpr double kFlat = 1e-9;
    const Vec3 a = mesh.positions[mesh.triangles[0][0]];
    const Vec3 b = farthestPoint(mesh, [&](const Vec3& p) { return (p - a).norm(); });
    const Vec3 ab = b - a;
    const Vec3 c = farthestPoint(mesh, [&](const Vec3& p) { return ab.cross(p - a).norm(); });
    const Vec3 normal = ab.cross(c - a).normalized();
    const Vec3 d = farthestPoint(mesh, [&](const Vec3& p) { return std::abs(normal.dot(p - a)); });
    return !(std::abs(normal.dot(d - a)) > kFlat * ab.norm());
}
}  // namespace

RepairedSurface repairSurface(const Geometry& geometry) { return Repair(geometry).run(); }

void requireMeshable(const Geometry& geometry) {
    if (geometry.pointCount() == 0)
        throw Error("the surface is empty: it has no points", "connect or load a surface");
    const TriMesh mesh = triMeshFromGeometry(geometry);
    if (mesh.triangles.empty())
        throw Error(format("the surface has %zu points but no polygons", geometry.pointCount()),
                    "give it polygons; curves and tetrahedra do not count");
    for (const Tri& t : mesh.triangles)
        for (const std::int32_t v : t)
            if (!mesh.positions[v].allFinite())
                throw Error(format("point %d has a coordinate that is not a finite number", v),
                            "delete or repair that point");
    if (allInOnePlane(mesh))
        throw Error(format("all %zu triangles lie in one plane and enclose no volume", mesh.triangleCount()),
                    "give the surface thickness, for example by extruding it");
}

}  // namespace sunder
