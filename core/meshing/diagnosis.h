#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/adjacency.h"
#include "core/mesh/geometry.h"
#include "core/mesh/tri_mesh.h"

namespace sunder {

enum class FindingKind {
    kNotFinitePoints,
    kOpenEdges,
    kNonmanifoldEdges,
    kNonmanifoldPoints,
    kSelfIntersections,
    kDegenerateFaces,
    kDuplicateFaces,
    kDuplicatePoints,
    kUnusedPoints,
    kFlippedFaces,
    kTwistedShells,
    kInsideOutShells,
};

/// One kind of trouble with everything that has it.
struct Finding {
    FindingKind kind;
    std::string name;    ///< snake_case; also the name of its group
    std::string text;    ///< one sentence
    std::string remedy;  ///< what to do about it
    std::size_t count = 0;
    std::vector<std::int32_t> points, primitives;  ///< numbers in the geometry, ascending
    std::vector<Edge> edges;                       ///< for findings about edges, as point pairs
};

/// True for trouble that a boundary-conforming mesher cannot work with.
bool preventsTetgen(FindingKind kind);

struct SurfaceDiagnosis {
    std::vector<Finding> findings;  ///< in the order of FindingKind; only what was found
    std::size_t triangleCount = 0;
    int shellCount = 0, openShellCount = 0;

    const Finding* find(FindingKind kind) const;
    bool has(FindingKind kind) const { return find(kind) != nullptr; }
    /// Closed, manifold, free of self-intersections and degenerate faces, consistently oriented: what a
    /// boundary-conforming mesher needs.
    bool isCleanSolid() const;
    /// One line a finding, or a sentence that all is well.
    std::string summary() const;
};

/// Never throws on bad geometry: that is what it reports. Indices must be valid (Geometry::validate).
SurfaceDiagnosis diagnose(const Geometry& geometry, Monitor* monitor = nullptr);
SurfaceDiagnosis diagnose(const TriMesh& mesh, Monitor* monitor = nullptr);

/// A point or primitive group for every finding, named after it with `prefix` in front.
void addDiagnosisGroups(Geometry& geometry, const SurfaceDiagnosis& diagnosis,
                        const std::string& prefix = "");

/// Pairs of triangles that cross or touch where they should not, by number. Pairs that share corners (same
/// number in `corner`) count if they have more than those in common.
std::vector<Edge> findSelfIntersections(Span<const Vec3> positions, Span<const Tri> triangles,
                                        Span<const std::int32_t> corner, Monitor* monitor = nullptr);

}  // namespace sunder
