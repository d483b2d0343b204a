#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/random.h"
#include "core/mesh/adjacency.h"
#include "core/mesh/topology_edit.h"

namespace sunder::testing {

/// A mesh with all that an editor needs.
struct EditedMesh {
    TetMesh mesh;
    std::vector<Vec3> x;
    std::vector<std::uint8_t> insideFaces;
    TetStars stars;
    TopologyEdit edit;

    explicit EditedMesh(TetMesh input)
        : mesh(std::move(input)), x(mesh.rest), insideFaces(mesh.tetCount(), 0), stars(mesh.tets, mesh.vertexCount()), edit(mesh) {}
    MeshEditor editor() { return {mesh, x, insideFaces, stars, edit}; }
};

inline double totalVolume(const TetMesh& mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) sum += restVolume(mesh, t);
    return sum;
}

/// Mass, centre and momentum of a mesh of density 1 with a quarter of every tet's mass at each corner.
struct LumpedSums {
    double mass = 0;
    Vec3 moment = Vec3::Zero(), momentum = Vec3::Zero(), spin = Vec3::Zero();
    double kinetic = 0;
};
inline LumpedSums lumpedSums(const TetMesh& mesh, Span<const Vec3> v) {
    LumpedSums s;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const double m = restVolume(mesh, t) / 4;
        for (const std::int32_t c : mesh.tets[t]) {
            const auto i = static_cast<std::size_t>(c);
            s.mass += m;
            s.moment += m * mesh.rest[i];
            s.momentum += m * v[i];
            s.spin += m * mesh.rest[i].cross(v[i]);
            s.kinetic += 0.5 * m * v[i].squaredNorm();
        }
    }
    return s;
}

/// Tets around a vertex hold together by faces.
inline bool isOneGroup(const TetMesh& mesh, const std::vector<std::int32_t>& tets) {
    std::set<std::int32_t> left(tets.begin(), tets.end());
    std::vector<std::int32_t> queue{tets[0]};
    left.erase(tets[0]);
    while (!queue.empty()) {
        const std::int32_t t = queue.back();
        queue.pop_back();
        for (auto it = left.begin(); it != left.end();)
            if (sharedFace(mesh.tets[static_cast<std::size_t>(t)], mesh.tets[static_cast<std::size_t>(*it)]) >= 0) {
                queue.push_back(*it);
                it = left.erase(it);
            } else {
                ++it;
            }
    }
    return left.empty();
}

/// What must hold after every edit; the cost goes with the whole mesh.
inline void expectSound(const EditedMesh& m) {
    double smallest = 1e300;
    for (std::size_t t = 0; t < m.mesh.tetCount(); ++t) smallest = std::min(smallest, restVolume(m.mesh, t));
    EXPECT_GT(smallest, 0);
    // throws if a face has three tets
    const auto neighbors = buildTetNeighbors(m.mesh.tets, m.mesh.vertexCount());
    std::map<std::pair<std::int32_t, std::int32_t>, int> open;
    for (const BoundaryFace& f : collectBoundaryFaces(m.mesh.tets, neighbors))
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = f.vertices[k], b = f.vertices[(k + 1) % 3];
            open[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
    int unmatched = 0;
    for (const auto& [edge, sum] : open) unmatched += sum != 0;
    EXPECT_EQ(unmatched, 0) << "edges of the boundary without a partner";
    const IndexLists rebuilt = buildVertexTets(m.mesh.tets, m.mesh.vertexCount());
    for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v) {
        const auto& kept = m.stars.around(static_cast<std::int32_t>(v));
        ASSERT_FALSE(kept.empty()) << "vertex " << v << " belongs to no tet";
        ASSERT_TRUE(std::equal(kept.begin(), kept.end(), rebuilt[v].begin(), rebuilt[v].end())) << "vertex " << v;
        ASSERT_TRUE(isOneGroup(m.mesh, kept)) << "vertex " << v << " joins tets that share no face";
    }
    for (std::size_t t = 0; t < m.mesh.tetCount(); ++t)
        for (int f = 0; f < 4; ++f)
            ASSERT_TRUE((m.insideFaces[t] >> f & 1) == 0 || neighbors[t][static_cast<std::size_t>(f)] == -1) << "an opened face has a tet behind it";
}

inline Vec3 randomDirection(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t k = 0;; ++k) {
        const Vec3 v(randomRange(-1, 1, seed, a, 10 * b + 3 * k), randomRange(-1, 1, seed, a, 10 * b + 3 * k + 1), randomRange(-1, 1, seed, a, 10 * b + 3 * k + 2));
        if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
}

}  // namespace sunder::testing
