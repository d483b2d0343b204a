#include "core/contact/feature_pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/random.h"
#include "core/contact/broad_phase.h"
#include "tests/support/builders.h"

namespace sunder::feature_pairs_test {
namespace {

using VertexFaceKey = std::array<std::int32_t, 4>;
using EdgeEdgeKey = std::array<std::int32_t, 6>;

struct Features {
    std::set<VertexFaceKey> vertexFace;
    std::set<EdgeEdgeKey> edgeEdge;
};

struct Case {
    std::vector<TriMesh> meshes;
    std::vector<std::vector<Vec3>> ends;
    std::vector<BodyMotion> motion() const {
        std::vector<BodyMotion> m(meshes.size());
        for (std::size_t b = 0; b < meshes.size(); ++b) m[b] = {meshes[b].positions, ends[b], {}, false};
        return m;
    }
};

/// Two spheres that pass into each other, crumpled so that each meets itself, too.
Case makeCase(std::uint64_t seed) {
    Case c;
    for (int b = 0; b < 2; ++b) {
        TriMesh mesh = testing::makeSphere(1, 1.0);
        std::vector<Vec3> end(mesh.positions.size());
        for (std::size_t v = 0; v < end.size(); ++v) {
            const auto noise = [&](int k) { return randomRange(-0.25, 0.25, seed + b, v, k); };
            mesh.positions[v] += Vec3(noise(0) + 1.7 * b, noise(1), noise(2));
            end[v] = mesh.positions[v] + Vec3(noise(3) - 0.3 * b, noise(4), noise(5));
        }
        c.meshes.push_back(mesh);
        c.ends.push_back(end);
    }
    return c;
}

Aabb sweptBox(const Case& c, int body, std::initializer_list<std::int32_t> vertices) {
    Aabb box;
    for (const std::int32_t v : vertices) {
        box.extend(c.meshes[body].positions[v]);
        box.extend(c.ends[body][v]);
    }
    return box;
}

std::set<Edge> edgesOf(const TriMesh& mesh) {
    std::set<Edge> edges;
    for (const Tri& t : mesh.triangles)
        for (int k = 0; k < 3; ++k)
            edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    return edges;
}

Features allFeatures(const Case& c, double distance) {
    Features found;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
            const TriMesh& mesh = c.meshes[b];
            for (std::int32_t v = 0; v < static_cast<std::int32_t>(c.meshes[a].positions.size()); ++v)
                for (std::int32_t f = 0; f < static_cast<std::int32_t>(mesh.triangles.size()); ++f) {
                    const Tri& t = mesh.triangles[f];
                    if (a == b && (t[0] == v || t[1] == v || t[2] == v)) continue;
                    if (sweptBox(c, b, {t[0], t[1], t[2]}).inflated(distance).overlaps(sweptBox(c, a, {v})))
                        found.vertexFace.insert({a, v, b, f});
                }
            if (b < a) continue;
            for (const Edge& e : edgesOf(c.meshes[a]))
                for (const Edge& f : edgesOf(mesh)) {
                    if (a == b && (e >= f || e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]))
                        continue;
                    if (sweptBox(c, a, {e[0], e[1]})
                            .inflated(distance)
                            .overlaps(sweptBox(c, b, {f[0], f[1]})))
                        found.edgeEdge.insert({a, b, e[0], e[1], f[0], f[1]});
                }
        }
    return found;
}

TEST(FeaturePairs, EveryVertexAndEdgeHasOneOwner) {
    const TriMesh mesh = testing::makeSphere(2, 1.0);
    const FeatureSurface surface = buildFeatureSurface(mesh.triangles);
    std::multiset<std::int32_t> vertices;
    std::multiset<Edge> edges;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const std::int32_t v = mesh.triangles[t][k], w = mesh.triangles[t][(k + 1) % 3];
            if (surface.owned[t] >> k & 1) vertices.insert(v);
            if (surface.owned[t] >> (3 + k) & 1) edges.insert({std::min(v, w), std::max(v, w)});
        }
    EXPECT_EQ(vertices.size(), mesh.positions.size());
    EXPECT_EQ(std::set<std::int32_t>(vertices.begin(), vertices.end()).size(), mesh.positions.size());
    EXPECT_EQ(edges.size(), edgesOf(mesh).size());
    EXPECT_EQ(std::set<Edge>(edges.begin(), edges.end()), edgesOf(mesh));
}

TEST(FeaturePairs, EqualsAllAgainstAllAndListsNothingTwice) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const double distance = seed % 2 ? 0.05 : 0.0;
        const Case c = makeCase(10 * seed);
        BroadPhase broad;
        std::vector<FeatureSurface> surfaces;
        for (const TriMesh& mesh : c.meshes) {
            std::vector<ElementCorners> elements;
            for (const Tri& t : mesh.triangles) elements.push_back({t[0], t[1], t[2], -1});
            ContactBody body;
            body.skipNeighbors = false;
            // Both boxes of a pair are thickened, so half of the distance is enough.
            body.thickness = 0.5 * distance;
            broad.addBody(body, elements);
            surfaces.push_back(buildFeatureSurface(mesh.triangles));
        }
        const auto motion = c.motion();
        PairList pairs;
        broad.update(motion);
        broad.tightPairs(motion, pairs);
        FeaturePairs out;
        collectFeaturePairs(pairs, surfaces, motion, distance, out);
        Features found;
        for (const VertexFacePair& p : out.vertexFace)
            ASSERT_TRUE(found.vertexFace.insert({p.vertexBody, p.vertex, p.faceBody, p.face}).second);
        for (const EdgeEdgePair& p : out.edgeEdge) {
            const bool swap = p.bodyA == p.bodyB && p.b < p.a;
            const Edge e = swap ? p.b : p.a, f = swap ? p.a : p.b;
            ASSERT_TRUE(found.edgeEdge.insert({p.bodyA, p.bodyB, e[0], e[1], f[0], f[1]}).second);
        }
        const Features expected = allFeatures(c, distance);
        ASSERT_GT(expected.vertexFace.size(), 100u);
        EXPECT_EQ(found.vertexFace, expected.vertexFace);
        EXPECT_EQ(found.edgeEdge, expected.edgeEdge);
    }
}

}  // namespace
}  // namespace sunder::feature_pairs_test
