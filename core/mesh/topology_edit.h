#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/tet_mesh.h"

namespace sunder {

/// Where a vertex comes from: (1 - weight) a + weight b. A copy of one vertex has a == b.
struct VertexOrigin {
    std::int32_t a, b;
    double weight;

    bool isCopy() const { return a == b; }
};

/// Two vertices that were one until a crack opened between them.
struct OpenedPair {
    std::int32_t a, b;
    std::int32_t tet;  ///< on the side of a
    double area;       ///< of the new crack that falls to them, at rest, m^2
};

/// What edits did to a mesh. Vertices and tets are only ever added, and none changes its number: of a tet that was cut in two, one half keeps
/// its number and the other is new; of a vertex that was split, one copy keeps its number. Parents come before children.
struct TopologyEdit {
    std::size_t vertexCount = 0, tetCount = 0;  ///< before
    std::vector<VertexOrigin> newVertices;
    std::vector<std::int32_t> newTets;          ///< the tet that each was cut from
    std::vector<std::int32_t> changedTets;      ///< of those from before: other corners now. In any order, some more than once
    bool keepsStep = true;                      ///< applyEdit makes tets heavier that are too small for the explicit steps of before
    /// Vertices that applyEdit has made heavier, and what of their velocity keeps their momentum.
    struct Slowed {
        std::int32_t vertex;
        double share;
    };
    std::vector<Slowed> slowed;
    double addedMass = 0;                       ///< by that, kg
    bool massIsFull = false;                    ///< more would have been needed than a body may get
    std::vector<OpenedPair> opened;             ///< all of the new crack surface

    TopologyEdit() = default;
    explicit TopologyEdit(const TetMesh& mesh) : vertexCount(mesh.vertexCount()), tetCount(mesh.tetCount()) {}
    bool empty() const { return newVertices.empty() && changedTets.empty(); }
    /// Numbers of all tets that are new or have other corners, ascending.
    std::vector<std::int32_t> touchedTets() const;
};

/// Tets around every vertex while a mesh is edited, ascending.
class TetStars {
  public:
    TetStars() = default;
    TetStars(Span<const Tet> tets, std::size_t vertexCount);

    std::size_t vertexCount() const { return around_.size(); }
    const std::vector<std::int32_t>& around(std::int32_t vertex) const { return around_[static_cast<std::size_t>(vertex)]; }
    std::vector<std::int32_t> around(std::int32_t a, std::int32_t b) const;

    std::int32_t addVertex();
    void add(std::int32_t vertex, std::int32_t tet);
    void remove(std::int32_t vertex, std::int32_t tet);

  private:
    std::vector<std::vector<std::int32_t>> around_;
};

/// Cuts edges and splits vertices of a mesh, at a cost that goes with what is around them. Everything here is of one body.
struct MeshEditor {
    TetMesh& mesh;
    std::vector<Vec3>& x;                      ///< where the vertices are now
    std::vector<std::uint8_t>& insideFaces;    ///< of every tet: bits of the faces (kTetFaces) that a crack has opened
    TetStars& stars;
    TopologyEdit& edit;                        ///< gets longer

    /// A new vertex on the edge from a to b, and every tet around the edge in two. Returns its number.
    std::int32_t bisect(std::int32_t a, std::int32_t b, double weight);
    /// A copy of a vertex that takes over some of its tets. Returns its number.
    std::int32_t splitOff(std::int32_t vertex, Span<const std::int32_t> tets);

  private:
    std::int32_t addVertex(const VertexOrigin& origin);
    void replaceCorner(std::int32_t tet, std::int32_t from, std::int32_t to);
};

/// The face of `a` that it shares with `b`, -1 if there is none.
int sharedFace(const Tet& a, const Tet& b);
/// Number of the corner at a vertex, -1 if it has none.
int cornerOf(const Tet& tet, std::int32_t vertex);

}  // namespace sunder
