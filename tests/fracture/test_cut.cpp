#include "core/fracture/cut.h"

#include "core/body/apply_edit.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

void figure(const char* what, double value, const char* unit) {
    ::testing::Test::RecordProperty(what, std::to_string(value));
    std::printf("    %s: %.3g %s\n", what, value, unit);
}

TetMesh randomMesh(std::uint64_t seed) {
    TetMesh mesh = seed % 3 == 0 ? makeTorus(8, 2, 1, 0.4) : makeBox(2 + static_cast<int>(seed % 3), 3, 2 + static_cast<int>(seed % 2), Vec3(1, 1, 1));
    jitter(mesh, seed % 3 == 0 ? 0.05 : 0.2, seed);
    return mesh;
}

std::size_t pieceCount(const TetMesh& mesh) {
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    return static_cast<std::size_t>(*std::max_element(label.begin(), label.end())) + 1;
}

std::int32_t randomVertex(const TetMesh& mesh, std::uint64_t seed, std::uint64_t k) {
    return static_cast<std::int32_t>(randomBits(seed, k, 7) % mesh.vertexCount());
}

TEST(Cut, ANodeInsideGetsTwoFacesAndOneCopy) {
    EditedMesh m(makeBox(2, 2, 2, Vec3(1, 1, 1)));
    std::int32_t middle = 0;
    for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v)
        if ((m.mesh.rest[v] - Vec3(0.5, 0.5, 0.5)).norm() < 1e-9) middle = static_cast<std::int32_t>(v);
    MeshEditor editor = m.editor();
    const CutResult cut = cutAt(editor, middle, Vec3(0.2, 1, 0.1).normalized(), {});
    EXPECT_TRUE(cut.opened);
    EXPECT_EQ(cut.copies.size(), 1u);
    EXPECT_GE(cut.tips.size(), 3u);
    EXPECT_EQ(pieceCount(m.mesh), 1u);
    EXPECT_GT(cut.area, 0);
    expectSound(m);
}

TEST(Cut, APlaneThroughABarMakesTwoPieces) {
    EditedMesh m(makeBox(4, 1, 1, Vec3(4, 1, 1)));
    MeshEditor editor = m.editor();
    const Vec3 normal = Vec3(1, 0.1, 0.05).normalized();
    // every vertex near the plane, those that come up on the way too
    for (std::size_t v = 0; v < m.mesh.vertexCount() && pieceCount(m.mesh) < 2; ++v)
        if (std::abs((m.mesh.rest[v] - Vec3(2, 0.5, 0.5)).dot(normal)) < 0.12) cutAt(editor, static_cast<std::int32_t>(v), normal, {});
    EXPECT_EQ(pieceCount(m.mesh), 2u);
    expectSound(m);
}

// The 10,000 cracks: sums are those of the uncut mesh, and the mesh is sound after every edit.
TEST(Cut, RandomCracksInRandomMeshesKeepWhatTheyMust) {
    int cuts = 0, opened = 0, snapped = 0, alongFaces = 0, grazing = 0;
    double worstVolume = 0, worstMoment = 0, worstMomentum = 0, worstSpin = 0, worstKinetic = 0, worstQuality = 1;
    for (std::uint64_t seed = 1; cuts < 10000; ++seed) {
        EditedMesh m(randomMesh(seed));
        expectSound(m);
        std::vector<Vec3> v;
        for (std::size_t i = 0; i < m.mesh.vertexCount(); ++i) v.push_back(randomDirection(seed, i, 100));
        const LumpedSums before = lumpedSums(m.mesh, v);
        CutOptions options;
        for (std::uint64_t k = 0; k < 25; ++k) {
            MeshEditor editor = m.editor();
            const std::size_t had = m.mesh.vertexCount();
            const CutResult cut = cutAt(editor, randomVertex(m.mesh, seed, k), randomDirection(seed, k, 1), options);
            for (std::size_t i = had; i < m.mesh.vertexCount(); ++i) {
                const VertexOrigin& o = m.edit.newVertices[i - m.edit.vertexCount];
                v.push_back((1 - o.weight) * v[static_cast<std::size_t>(o.a)] + o.weight * v[static_cast<std::size_t>(o.b)]);
            }
            ++cuts;
            opened += cut.opened;
            snapped += cut.snappedForQuality;
            alongFaces += cut.opened && cut.alongFaces;
            grazing += cut.grazing;
            expectSound(m);
            ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", cut " << k;
        }
        const LumpedSums after = lumpedSums(m.mesh, v);
        worstVolume = std::max(worstVolume, std::abs(after.mass - before.mass) / before.mass);
        worstMoment = std::max(worstMoment, (after.moment - before.moment).norm() / before.mass);
        worstMomentum = std::max(worstMomentum, (after.momentum - before.momentum).norm() / before.mass);
        worstSpin = std::max(worstSpin, (after.spin - before.spin).norm() / before.mass);
        worstKinetic = std::max(worstKinetic, std::abs(after.kinetic - before.kinetic) / before.kinetic);
        for (const Tet& t : m.mesh.tets) {
            const auto p = [&](std::size_t c) { return m.mesh.rest[static_cast<std::size_t>(t[c])]; };
            worstQuality = std::min(worstQuality, tetQuality(p(0), p(1), p(2), p(3)));
        }
    }
    EXPECT_LT(worstVolume, 1e-12);
    EXPECT_LT(worstMoment, 1e-12);
    EXPECT_LT(worstMomentum, 1e-12);
    EXPECT_GT(opened, cuts / 2);
    figure("cuts", cuts, "");
    figure("opened", opened, "");
    figure("left because they graze a surface", grazing, "");
    figure("along faces that were there", alongFaces, "");
    figure("edges not cut for quality", snapped, "");
    figure("volume off by", worstVolume, "of it");
    figure("centre of mass off by", worstMoment, "m");
    figure("momentum off by", worstMomentum, "of mass times 1 m/s");
    figure("angular momentum off by", worstSpin, "of mass times 1 m2/s, 25 cuts");
    figure("kinetic energy off by", worstKinetic, "of it, 25 cuts");
    figure("worst quality", worstQuality, "");
}

// Looking at all of a mesh after every cut takes 20 times as long as the cuts, so most seeds are looked at after every tenth.
TEST(Cut, AThousandRandomCutsOfOneBody) {
    constexpr std::uint64_t kLookedAtAlways = 2;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        TetMesh mesh = makeBox(4, 4, 4, Vec3(1, 1, 1));
        jitter(mesh, 0.2, seed);
        EditedMesh m(std::move(mesh));
        const double volume = totalVolume(m.mesh);
        CutOptions options;
        options.smallestAltitude = 0.01;
        int opened = 0;
        for (std::uint64_t k = 0; opened < 1000 && k < 20000; ++k) {
            MeshEditor editor = m.editor();
            const CutResult cut = cutAt(editor, randomVertex(m.mesh, seed, k), randomDirection(seed, k, 1), options);
            opened += cut.opened;
            if (cut.opened && (seed <= kLookedAtAlways || opened % 10 == 0)) expectSound(m);
            ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", cut " << k;
        }
        EXPECT_EQ(opened, 1000) << "seed " << seed;
        EXPECT_NEAR(totalVolume(m.mesh), volume, 1e-12 * volume);
        expectSound(m);
    }
}

/// A body with a painted attribute of every kind.
Body paintedBody(std::uint64_t seed) {
    Body body;
    body.name = "block";
    body.mesh = makeBox(3, 3, 3, Vec3(1, 1, 1));
    jitter(body.mesh, 0.2, seed);
    body.materials.resize(1);
    body.materials[0].fracture.enabled = true;
    const std::size_t vertices = body.mesh.vertexCount(), tets = body.mesh.tetCount();
    AttributeSet &onVertices = body.attributes.vertices, &onTets = body.attributes.tets;
    std::vector<double> place, orient;
    std::vector<float> normal, heat;
    std::vector<std::int32_t> number;
    std::vector<std::string> label, kind;
    for (std::size_t v = 0; v < vertices; ++v) {
        const Vec3 rest = body.mesh.rest[v], direction = randomDirection(seed, v, 3);
        const double sign = v % 2 ? 1 : -1;  // the same turn everywhere
        place.insert(place.end(), {rest.x(), rest.y(), rest.z()});
        orient.insert(orient.end(), {0.6 * sign, 0, 0, 0.8 * sign});
        for (int c = 0; c < 3; ++c) normal.push_back(static_cast<float>(direction[c]));
        number.push_back(static_cast<std::int32_t>(v));
        label.push_back(std::to_string(v));
    }
    for (std::size_t t = 0; t < tets; ++t) {
        heat.push_back(static_cast<float>(t) + 0.5f);
        kind.push_back(std::to_string(t));
    }
    onVertices.add<double>("place", vertices, 3) = place;
    onVertices.add<double>("orient", vertices, 4, AttributeMeaning::kQuaternion) = orient;
    onVertices.add<float>("N", vertices, 3, AttributeMeaning::kNormal) = normal;
    onVertices.add<std::int32_t>("number", vertices) = number;
    onVertices.add<std::string>("label", vertices) = label;
    onTets.add<float>("heat", tets) = heat;
    onTets.add<std::string>("kind", tets) = kind;
    std::vector<std::uint8_t>& some = onVertices.addGroup("some", vertices).members;
    for (std::size_t v = 0; v < vertices; ++v) some[v] = v % 3 == 0;
    std::vector<std::uint8_t>& half = onTets.addGroup("half", tets).members;
    for (std::size_t t = 0; t < tets; ++t) half[t] = t % 2 == 0;
    return body;
}

/// Of vertices: what is linear in space stays so, whole numbers, texts and groups come from the nearer parent, what has unit length keeps it.
void expectInterpolated(const Body& body) {
    const AttributeSet& set = body.attributes.vertices;
    const auto &number = *set.find("number")->as<std::int32_t>();
    const auto& label = *set.find("label")->as<std::string>();
    const auto& some = set.findGroup("some")->members;
    const std::size_t vertices = body.mesh.vertexCount(), whole = vertices - body.origin.size();
    ASSERT_EQ(number.size(), vertices);
    for (std::size_t v = 0; v < vertices; ++v) {
        for (int c = 0; c < 3; ++c) ASSERT_NEAR(set.find("place")->number(v, c), body.mesh.rest[v][c], 1e-14) << "vertex " << v;
        ASSERT_NEAR(std::abs(0.6 * set.find("orient")->number(v, 0) + 0.8 * set.find("orient")->number(v, 3)), 1, 1e-14) << "vertex " << v;
        const Vec3 normal(set.find("N")->number(v, 0), set.find("N")->number(v, 1), set.find("N")->number(v, 2));
        ASSERT_NEAR(normal.norm(), 1, 1e-6) << "vertex " << v;
        ASSERT_EQ(label[v], std::to_string(number[v]));
        ASSERT_EQ(some[v], number[v] % 3 == 0);
        if (v < whole) continue;
        const VertexOrigin& o = body.origin[v - whole];
        ASSERT_EQ(number[v], number[static_cast<std::size_t>(o.weight > 0.5 ? o.b : o.a)]) << "vertex " << v;
    }
}

/// Of tets: all from the one that they were cut from.
void expectCopied(const Body& body) {
    const AttributeSet& set = body.attributes.tets;
    const auto& heat = *set.find("heat")->as<float>();
    const auto& kind = *set.find("kind")->as<std::string>();
    const std::size_t tets = body.mesh.tetCount(), whole = tets - body.tetParent.size();
    ASSERT_EQ(heat.size(), tets);
    for (std::size_t t = 0; t < tets; ++t) {
        const std::size_t parent = t < whole ? t : static_cast<std::size_t>(body.tetParent[t - whole]);
        ASSERT_EQ(heat[t], heat[parent]);
        ASSERT_EQ(kind[t], std::to_string(static_cast<int>(heat[t])));
        ASSERT_EQ(set.findGroup("half")->members[t], static_cast<int>(heat[t]) % 2 == 0);
    }
}

TEST(Cut, AttributesSurviveAsPromised) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Body body = *buildBody(paintedBody(seed));
        BodyState state = makeBodyState(body);
        TetStars stars(body.mesh.tets, body.mesh.vertexCount());
        int opened = 0;
        for (std::uint64_t k = 0; k < 400; ++k) {
            TopologyEdit edit(body.mesh);
            MeshEditor editor{body.mesh, state.x, body.insideFaces, stars, edit};
            const std::size_t tets = body.mesh.tetCount();
            opened += cutAt(editor, randomVertex(body.mesh, seed, k), randomDirection(seed, k, 1), {}).opened;
            body.appendTets(edit, tets);
            applyEdit(edit, stars, body);
            expectInterpolated(body);
            expectCopied(body);
            ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", cut " << k;
        }
        EXPECT_GT(opened, 200);
        EXPECT_GT(body.mesh.vertexCount(), 300u);
    }
}

/// New vertices lie on the plane to round-off, and no vertex of the crack is farther from it than snapping allows.
TEST(Cut, KeepsToItsPlane) {
    double worstNew = 0, worstSnapped = 0;
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        EditedMesh m(randomMesh(seed));
        const std::size_t had = m.mesh.vertexCount();
        const std::int32_t node = randomVertex(m.mesh, seed, 0);
        const Vec3 origin = m.x[static_cast<std::size_t>(node)], normal = randomDirection(seed, 0, 1);
        MeshEditor editor = m.editor();
        const CutResult cut = cutAt(editor, node, normal, {});
        if (!cut.opened || cut.snappedForQuality > 0) continue;
        ++count;
        for (std::size_t i = had; i < m.mesh.vertexCount(); ++i) {
            const VertexOrigin& o = m.edit.newVertices[i - had];
            const Vec3 r = m.x[i] - origin;
            if (!o.isCopy()) worstNew = std::max(worstNew, std::abs(r.dot(normal)));
            else if (r.norm() > 0) worstSnapped = std::max(worstSnapped, std::asin(std::abs(r.normalized().dot(normal))));
        }
    }
    EXPECT_GT(count, 50);
    EXPECT_LT(worstNew, 1e-14);
    figure("new vertices off their plane by", worstNew, "m");
    figure("lines to vertices that were taken for on it, off by", worstSnapped, "rad");
}

}  // namespace
}  // namespace sunder
