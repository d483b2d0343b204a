#include "core/fracture/separation.h"

#include <Eigen/Geometry>
#include <functional>

#include "core/base/error.h"
#include "core/body/apply_edit.h"
#include "core/fracture/cut.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

constexpr double kStrength = 2e4, kYoungs = 1e6;

/// A jittered block in a state of uniform strain: nu = 0, so stretching along x alone is plain tension.
struct StretchedBlock {
    std::shared_ptr<const Body> body;
    std::vector<Vec3> x;
    TetStars stars;

    using Paint = std::function<void(const TetMesh& mesh, MeshAttributes& attributes)>;

    StretchedBlock(const Fracture& fracture, const Mat3& F, const Paint& paint = {}) {
        Body input;
        input.name = "block";
        input.mesh = makeBox(4, 4, 4, Vec3(1, 1, 1));
        jitter(input.mesh, 0.2, 9);
        if (paint) paint(input.mesh, input.attributes);
        Material m;
        m.youngs = kYoungs;
        m.poisson = 0;
        m.fracture = fracture;
        input.materials = {m};
        body = buildBody(std::move(input));
        for (const Vec3& p : body->mesh.rest) x.push_back(F * p);
        stars = TetStars(body->mesh.tets, body->mesh.vertexCount());
    }
    Separation at(std::size_t node) const { return SeparationFinder(*body, x, {}, stars).at(static_cast<std::int32_t>(node), Mat3::Zero()); }
    bool isInside(std::size_t node) const { return findSurface(node) == 0; }
    std::size_t findSurface(std::size_t node) const {
        std::size_t faces = 0;
        const auto neighbors = buildTetNeighbors(body->mesh.tets, body->mesh.vertexCount());
        for (const BoundaryFace& f : collectBoundaryFaces(body->mesh.tets, neighbors))
            faces += std::find(f.vertices.begin(), f.vertices.end(), static_cast<std::int32_t>(node)) != f.vertices.end();
        return faces;
    }
};

Fracture byStress() {
    Fracture f;
    f.enabled = true;
    f.stress = kStrength;
    return f;
}

Mat3 stretchX(double s) { return Vec3(s, 1, 1).asDiagonal(); }

TEST(Separation, ReadsUniformTensionExactlyOnAnyMesh) {
    // corotated, nu = 0: P = E (s - 1) along x, and the faces across x keep their area
    const StretchedBlock block(byStress(), stretchX(1.03));
    int inside = 0;
    for (std::size_t v = 0; v < block.x.size(); ++v) {
        if (!block.isInside(v)) continue;
        ++inside;
        const Separation s = block.at(v);
        EXPECT_NEAR(s.ratio, 0.03 * kYoungs / kStrength, 1e-9);
        EXPECT_NEAR(std::abs(s.normal.x()), 1, 1e-9);
    }
    EXPECT_EQ(inside, 27);
}

TEST(Separation, TurnsWithTheBody) {
    const Mat3 turn = Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    const StretchedBlock straight(byStress(), stretchX(1.03)), turned(byStress(), turn * stretchX(1.03));
    for (std::size_t v = 0; v < straight.x.size(); ++v) {
        if (!straight.isInside(v)) continue;
        EXPECT_NEAR(straight.at(v).ratio, turned.at(v).ratio, 1e-9);
        EXPECT_NEAR(std::abs(turned.at(v).normal.dot(turn.col(0))), 1, 1e-9);
    }
}

TEST(Separation, PressureDoesNotSeparate) {
    const StretchedBlock block(byStress(), stretchX(0.97));
    for (std::size_t v = 0; v < block.x.size(); ++v) {
        if (!block.isInside(v)) continue;
        EXPECT_LT(block.at(v).ratio, 1e-9);
    }
}

/// At the ends of the block, which nothing holds, tension pulls one way only: that moves a node and does not break it.
TEST(Separation, UnbalancedForcesDoNotSeparate) {
    Body input;
    input.name = "tet";
    input.mesh.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    input.mesh.tets = {{0, 1, 2, 3}};
    Material m;
    m.poisson = 0;
    m.fracture = byStress();
    input.materials = {m};
    const auto body = buildBody(std::move(input));
    std::vector<Vec3> x;
    for (const Vec3& p : body->mesh.rest) x.push_back(stretchX(1.1) * p);
    const TetStars stars(body->mesh.tets, 4);
    for (std::int32_t v = 0; v < 4; ++v) EXPECT_NEAR(SeparationFinder(*body, x, {}, stars).at(v, Mat3::Zero()).ratio, 0, 1e-12);
}

TEST(Separation, ForceIsStressTimesArea) {
    Fracture byForce = byStress();
    byForce.kind = ToughnessKind::kByForce;
    byForce.force = 1;
    const StretchedBlock stress(byStress(), stretchX(1.03)), force(byForce, stretchX(1.03));
    for (std::size_t v = 0; v < stress.x.size(); ++v) {
        if (!stress.isInside(v)) continue;
        const double area = stress.at(v).toughness / kStrength;
        EXPECT_NEAR(force.at(v).ratio, 0.03 * kYoungs * area, 1e-6 * kYoungs * area);
    }
}

/// Of stress along an axis its weakness counts, as said.
TEST(Separation, WeaknessIsTheShareThatCounts) {
    Fracture grained = byStress();
    grained.weakness = Vec3(0.25, 1, 1);
    const StretchedBlock plain(byStress(), stretchX(1.03)), weak(grained, stretchX(1.03));
    grained.grain = Vec3(0, 0, 1.5707963267948966);  // the first axis along y
    const StretchedBlock across(grained, stretchX(1.03));
    for (std::size_t v = 0; v < plain.x.size(); ++v) {
        if (!plain.isInside(v)) continue;
        EXPECT_NEAR(weak.at(v).ratio, 0.25 * plain.at(v).ratio, 1e-9);
        EXPECT_NEAR(across.at(v).ratio, plain.at(v).ratio, 1e-9);
    }
}

/// The same quaternion everywhere, x, y, z, w; every other one with the other sign if `mixed`.
void paintOrient(AttributeSet& set, std::size_t count, const Eigen::Quaterniond& q, bool mixed) {
    std::vector<float>& orient = set.add<float>("orient", count, 4, AttributeMeaning::kQuaternion);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < 4; ++c) orient[4 * i + c] = static_cast<float>((mixed && i % 2 ? -1 : 1) * q.coeffs()[static_cast<Eigen::Index>(c)]);
}

const Eigen::Quaterniond kFiftyDegrees(Eigen::AngleAxisd(50 * M_PI / 180, Vec3::UnitZ()));

Fracture grainedAlongX() {
    Fracture grained = byStress();
    grained.weakness = Vec3(0.25, 1, 1);
    return grained;
}

/// A painted `orient` turns the axes of the weakness as `grain` does, painted on tets or on points, with either sign of the quaternions.
TEST(Separation, OrientTurnsTheGrain) {
    Fracture turned = grainedAlongX();
    turned.grain = Vec3(0, 0, 50 * M_PI / 180);
    const StretchedBlock unpainted(grainedAlongX(), stretchX(1.03)), expected(turned, stretchX(1.03));
    for (const bool onTets : {true, false})
        for (const bool mixed : {false, true}) {
            const StretchedBlock painted(grainedAlongX(), stretchX(1.03), [&](const TetMesh& mesh, MeshAttributes& a) {
                paintOrient(onTets ? a.tets : a.vertices, onTets ? mesh.tetCount() : mesh.vertexCount(), kFiftyDegrees, mixed);
            });
            for (std::size_t v = 0; v < painted.x.size(); ++v) {
                if (!painted.isInside(v)) continue;
                EXPECT_NEAR(painted.at(v).ratio, expected.at(v).ratio, 1e-6) << (onTets ? "tets" : "points") << (mixed ? ", both signs" : "");
                EXPECT_GT(painted.at(v).ratio, 1.5 * unpainted.at(v).ratio);
            }
        }
}

/// The turn of primitives goes before that of points, and zeros, as merged geometry has them, are no turn.
TEST(Separation, OrientOfTetsComesFirstAndZerosAreNoTurn) {
    const StretchedBlock plain(grainedAlongX(), stretchX(1.03));
    const StretchedBlock painted(grainedAlongX(), stretchX(1.03), [](const TetMesh& mesh, MeshAttributes& a) {
        paintOrient(a.vertices, mesh.vertexCount(), kFiftyDegrees, false);
        a.tets.add<float>("orient", mesh.tetCount(), 4, AttributeMeaning::kQuaternion);
    });
    for (std::size_t v = 0; v < plain.x.size(); ++v) EXPECT_EQ(painted.at(v).ratio, plain.at(v).ratio);
}

/// What a crack leaves of a tet keeps its turn, at once and once the body has been brought up to date.
TEST(Separation, OrientFollowsCuts) {
    const StretchedBlock block(grainedAlongX(), stretchX(1.03), [](const TetMesh& mesh, MeshAttributes& a) { paintOrient(a.vertices, mesh.vertexCount(), kFiftyDegrees, true); });
    Body body = *block.body;
    TetStars stars = block.stars;
    std::vector<Vec3> x = block.x;
    TopologyEdit edit(body.mesh);
    MeshEditor editor{body.mesh, x, body.insideFaces, stars, edit};
    std::size_t inside = 0;
    while (!block.isInside(inside)) ++inside;
    const std::size_t tets = body.mesh.tetCount();
    ASSERT_TRUE(cutAt(editor, static_cast<std::int32_t>(inside), Vec3(0.2, 1, 0.1).normalized(), {}).opened);
    body.appendTets(edit, tets);
    ASSERT_GT(body.mesh.tetCount(), tets);
    const auto expectTurned = [&](const char* when) {
        ASSERT_EQ(body.grainTurn.size(), body.mesh.tetCount());
        for (const Vec4& q : body.grainTurn) EXPECT_NEAR(std::abs(q.dot(kFiftyDegrees.coeffs())), 1, 1e-6) << when;
    };
    expectTurned("at once");
    applyEdit(edit, stars, body);
    expectTurned("afterwards");
    for (const Vec4& q : buildBody(body)->grainTurn) EXPECT_NEAR(std::abs(q.dot(kFiftyDegrees.coeffs())), 1, 1e-6);
    const auto anew = buildBody(body);
    for (std::size_t t = 0; t < body.grainTurn.size(); ++t) EXPECT_EQ(anew->grainTurn[t], body.grainTurn[t]) << "a body built anew has the same bits";
}

TEST(Separation, OrientThatIsNoQuaternionIsRefused) {
    const auto vectors = [](const TetMesh& mesh, MeshAttributes& a) { a.vertices.add<float>("orient", mesh.vertexCount(), 3); };
    const auto nan = [](const TetMesh& mesh, MeshAttributes& a) { a.tets.add<float>("orient", mesh.tetCount(), 4)[5] = std::nanf(""); };
    for (const StretchedBlock::Paint& paint : {StretchedBlock::Paint(vectors), StretchedBlock::Paint(nan)}) {
        EXPECT_THROW(StretchedBlock(grainedAlongX(), stretchX(1), paint), Error);
        EXPECT_NO_THROW(StretchedBlock(byStress(), stretchX(1), paint)) << "it is asked for only where it counts";
    }
}

}  // namespace
}  // namespace sunder
