#include "core/meshing/diagnosis.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/text.h"
#include "core/meshing/surface_topology.h"
#include "core/spatial/triangle.h"

namespace sunder {

namespace {
struct Words {
    const char *name, *text, *remedy;
};

/// `text` takes the count.
Words wordsFor(FindingKind kind) {
    switch (kind) {
        case FindingKind::kNotFinitePoints:
            return {"not_finite_points", "%zu points have a coordinate that is not a finite number",
                    "delete or repair these points"};
        case FindingKind::kOpenEdges:
            return {"open_edges", "%zu edges belong to one face only: the surface is open there",
                    "close the holes, or use the lattice method, which closes them"};
        case FindingKind::kNonmanifoldEdges:
            return {"nonmanifold_edges", "%zu edges belong to more than two faces",
                    "remove inner walls and fins, or use the lattice method"};
        case FindingKind::kNonmanifoldPoints:
            return {"nonmanifold_points",
                    "%zu points join parts of the surface that touch in the point alone",
                    "give every part its own point"};
        case FindingKind::kSelfIntersections:
            return {"self_intersections", "%zu pairs of faces cross or touch",
                    "unite the parts (boolean) or pull them apart, or use the lattice method"};
        case FindingKind::kDegenerateFaces:
            return {"degenerate_faces", "%zu faces have no area", "delete them, or fuse their points"};
        case FindingKind::kDuplicateFaces:
            return {"duplicate_faces", "%zu faces lie on another face with the same points",
                    "delete the copies"};
        case FindingKind::kDuplicatePoints:
            return {"duplicate_points", "%zu points lie exactly on another one", "fuse them"};
        case FindingKind::kUnusedPoints:
            return {"unused_points", "%zu points belong to no face", "nothing is needed: they are left out"};
        case FindingKind::kFlippedFaces:
            return {"flipped_faces", "%zu faces are turned against their neighbours", "reverse them"};
        case FindingKind::kTwistedShells:
            return {"twisted_shells", "%zu faces belong to one-sided shells, which have no inside",
                    "cut the shells open and rejoin them"};
        case FindingKind::kInsideOutShells:
            return {"inside_out_shells", "%zu faces belong to shells turned inside out",
                    "reverse these shells"};
    }
    return {"", "%zu", ""};
}

std::vector<std::int32_t> sortedUnique(std::vector<std::int32_t> list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

class Examination {
  public:
    Examination(const TriMesh& mesh, Monitor* monitor) : mesh_(mesh), monitor_(monitor) {}

    SurfaceDiagnosis run() {
        result_.triangleCount = mesh_.triangleCount();
        examinePoints();
        chooseSoundTriangles();
        examineEdges();
        examineShells();
        throwIfCancelled(monitor_);
        examineIntersections();
        std::stable_sort(result_.findings.begin(), result_.findings.end(),
                         [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
        return std::move(result_);
    }

  private:
    std::int32_t primitiveOf(std::int32_t triangle) const {
        return mesh_.face.empty() ? triangle : mesh_.face[triangle];
    }

    Finding& begin(FindingKind kind, std::size_t count) {
        Finding f;
        const Words words = wordsFor(kind);
        f.kind = kind;
        f.name = words.name;
        // The pattern is one of the literals above, each with one %zu.
        std::string text = words.text;
        text.replace(text.find("%zu"), 3, std::to_string(count));
        f.text = text;
        f.remedy = words.remedy;
        f.count = count;
        result_.findings.push_back(std::move(f));
        return result_.findings.back();
    }

    void addPoints(FindingKind kind, std::vector<std::int32_t> points) {
        if (!points.empty()) begin(kind, points.size()).points = std::move(points);
    }

    std::vector<std::int32_t> primitivesOf(const std::vector<std::int32_t>& triangles) const {
        std::vector<std::int32_t> primitives;
        for (const std::int32_t t : triangles) primitives.push_back(primitiveOf(t));
        return sortedUnique(std::move(primitives));
    }

    /// Faces by triangle number; counted as primitives.
    void addFaces(FindingKind kind, const std::vector<std::int32_t>& triangles) {
        if (triangles.empty()) return;
        std::vector<std::int32_t> primitives = primitivesOf(triangles);
        begin(kind, primitives.size()).primitives = std::move(primitives);
    }

    void addEdges(FindingKind kind, std::vector<Edge> edges, const std::vector<std::int32_t>& triangles) {
        if (edges.empty()) return;
        Finding& f = begin(kind, edges.size());
        f.primitives = primitivesOf(triangles);
        for (const Edge& e : edges) f.points.insert(f.points.end(), e.begin(), e.end());
        f.points = sortedUnique(std::move(f.points));
        f.edges = std::move(edges);
    }

    void examinePoints() {
        same_ = findCoincidentPoints(mesh_.positions);
        std::vector<std::uint8_t> used(mesh_.vertexCount(), 0);
        for (const Tri& t : mesh_.triangles)
            for (const std::int32_t v : t) used[v] = 1;
        std::vector<std::int32_t> bad, duplicate, unused;
        for (std::size_t v = 0; v < mesh_.vertexCount(); ++v) {
            const auto point = static_cast<std::int32_t>(v);
            if (!mesh_.positions[v].allFinite()) bad.push_back(point);
            if (same_[v] != point) duplicate.push_back(point);
            if (!used[v]) unused.push_back(point);
        }
        addPoints(FindingKind::kNotFinitePoints, std::move(bad));
        addPoints(FindingKind::kDuplicatePoints, std::move(duplicate));
        addPoints(FindingKind::kUnusedPoints, std::move(unused));
    }

    /// Degenerate faces and copies get their finding here and stay out of the rest, so that each defect has
    /// one name.
    void chooseSoundTriangles() {
        std::vector<std::int32_t> degenerate, duplicate;
        std::map<Tri, std::int32_t> seen;
        for (std::size_t i = 0; i < mesh_.triangleCount(); ++i) {
            const Tri& t = mesh_.triangles[i];
            const Vec3 &a = mesh_.positions[t[0]], &b = mesh_.positions[t[1]], &c = mesh_.positions[t[2]];
            if (!a.allFinite() || !b.allFinite() || !c.allFinite()) continue;
            const bool flat = isCollinear(a, b, c);
            if (flat) degenerate.push_back(static_cast<std::int32_t>(i));
            if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
            Tri sorted = t;
            std::sort(sorted.begin(), sorted.end());
            if (!seen.emplace(sorted, static_cast<std::int32_t>(i)).second) {
                duplicate.push_back(static_cast<std::int32_t>(i));
                continue;
            }
            sound_.push_back(t);
            origin_.push_back(static_cast<std::int32_t>(i));
        }
        addFaces(FindingKind::kDegenerateFaces, degenerate);
        addFaces(FindingKind::kDuplicateFaces, duplicate);
    }

    void examineEdges() {
        table_ = buildEdgeTable(sound_);
        std::vector<Edge> open, crowded;
        std::vector<std::int32_t> openFaces, crowdedFaces;
        for (const SurfaceEdge& e : table_.edges) {
            if (e.useCount == 2) continue;
            auto& edges = e.useCount == 1 ? open : crowded;
            auto& faces = e.useCount == 1 ? openFaces : crowdedFaces;
            edges.push_back({e.a, e.b});
            for (const std::int32_t side : table_.usesOf(e)) faces.push_back(origin_[side / 3]);
        }
        addEdges(FindingKind::kOpenEdges, open, openFaces);
        addEdges(FindingKind::kNonmanifoldEdges, crowded, crowdedFaces);
        addPoints(FindingKind::kNonmanifoldPoints, findPinchedVertices(sound_, mesh_.vertexCount()));
    }

    void examineShells() {
        const Shells shells = findShells(sound_, table_);
        result_.shellCount = shells.count;
        result_.openShellCount =
            static_cast<int>(std::count(shells.open.begin(), shells.open.end(), std::uint8_t{1}));
        if (sound_.empty()) return;
        const auto insideOut = findInsideOutShells(mesh_.positions, sound_, shells);
        std::vector<std::int32_t> flipped, twisted, reversed;
        for (std::size_t i = 0; i < sound_.size(); ++i) {
            const std::int32_t shell = shells.label[i];
            if (shells.flipped[i] && !shells.twisted[shell]) flipped.push_back(origin_[i]);
            if (shells.twisted[shell]) twisted.push_back(origin_[i]);
            if (insideOut[shell]) reversed.push_back(origin_[i]);
        }
        addFaces(FindingKind::kFlippedFaces, flipped);
        addFaces(FindingKind::kTwistedShells, twisted);
        addFaces(FindingKind::kInsideOutShells, reversed);
    }

    void examineIntersections() {
        const auto pairs = findSelfIntersections(mesh_.positions, sound_, same_, monitor_);
        if (pairs.empty()) return;
        std::vector<std::int32_t> triangles;
        for (const Edge& pair : pairs)
            for (const std::int32_t t : pair) triangles.push_back(origin_[t]);
        begin(FindingKind::kSelfIntersections, pairs.size()).primitives = primitivesOf(triangles);
    }

    const TriMesh& mesh_;
    Monitor* monitor_;
    SurfaceDiagnosis result_;
    std::vector<std::int32_t> same_;    ///< first point at the same place
    std::vector<Tri> sound_;            ///< triangles that take part in topology
    std::vector<std::int32_t> origin_;  ///< their numbers in the mesh
    EdgeTable table_;
};

void markGroup(AttributeSet& set, std::size_t elements, const std::string& name,
               const std::vector<std::int32_t>& members) {
    if (members.empty()) return;
    Group& group = set.addGroup(name, elements);
    for (const std::int32_t m : members) group.members[m] = 1;
}
}  // namespace

const Finding* SurfaceDiagnosis::find(FindingKind kind) const {
    const auto it =
        std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; });
    return it == findings.end() ? nullptr : &*it;
}

bool preventsTetgen(FindingKind kind) {
    switch (kind) {
        case FindingKind::kUnusedPoints:
        case FindingKind::kInsideOutShells:
        case FindingKind::kFlippedFaces:
        case FindingKind::kNonmanifoldPoints:
            return false;
        default:
            return true;
    }
}

bool SurfaceDiagnosis::isCleanSolid() const {
    return triangleCount > 0 && std::none_of(findings.begin(), findings.end(),
                                             [](const Finding& f) { return preventsTetgen(f.kind); });
}

std::string SurfaceDiagnosis::summary() const {
    std::string text =
        format("%zu triangles in %d shells, %d of them open\n", triangleCount, shellCount, openShellCount);
    for (const Finding& f : findings) text += f.name + ": " + f.text + "; " + f.remedy + "\n";
    if (findings.empty()) text += "no trouble found\n";
    return text;
}

SurfaceDiagnosis diagnose(const TriMesh& mesh, Monitor* monitor) { return Examination(mesh, monitor).run(); }

SurfaceDiagnosis diagnose(const Geometry& geometry, Monitor* monitor) {
    return diagnose(triMeshFromGeometry(geometry), monitor);
}

void addDiagnosisGroups(Geometry& geometry, const SurfaceDiagnosis& diagnosis, const std::string& prefix) {
    for (const Finding& f : diagnosis.findings) {
        markGroup(geometry.points, geometry.pointCount(), prefix + f.name, f.points);
        markGroup(geometry.primitives, geometry.primitiveCount(), prefix + f.name, f.primitives);
    }
}

}  // namespace sunder
