#include "core/contact/response_nodes.h"

#include <gtest/gtest.h>

#include "tests/contact/touching_bodies.h"

namespace sunder {

using namespace testing;

namespace {
/// Boxes that overlap at a corner or an edge, turned at random.
TouchingBodies makeCorner(std::uint64_t seed) {
    const auto turned = [&](TetMesh mesh, const Vec3& centre, std::uint64_t id) {
        const auto random = [&](std::uint64_t k) { return randomRange(-1, 1, seed, id, k); };
        const Mat3 turn = Eigen::Quaterniond(random(0), random(1), random(2), random(3)).normalized().toRotationMatrix();
        for (Vec3& p : mesh.rest) p = turn * (p - Vec3(0.5, 0.5, 0.5)) + centre;
        return mesh;
    };
    return {makeContactBody(turned(makeBox(3, 3, 3, Vec3(1, 1, 1)), Vec3::Zero(), 1), 1e5),
            makeContactBody(turned(makeBox(2, 4, 3, Vec3(1, 1, 1)), Vec3(1.05, 0.1, -0.05), 2), 4e5)};
}
}  // namespace

TEST(ResponseNodes, ForcesKeepBothMomentaToRounding) {
    MomentumErrors errors;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        TouchingBodies t = makeCorner(seed);
        t.setRandomVelocities(seed);
        const ContactTotals totals = t.pushByNodes({1e-4});
        errors.add(totals, t.sums());
    }
    errors.print();
    EXPECT_GT(errors.touching, 20);
    EXPECT_LT(errors.force, 1e-14);
    EXPECT_LT(errors.moment, 1e-14);
    EXPECT_LT(errors.power, 1e-14);
}

// Where no way out jumps, and areas and stiffness are the same all over the face, forces are minus the gradient of the energy. (Elsewhere
// the stiffness goes with where in the face the way out ends, of which the force knows nothing.)
TEST(ResponseNodes, ForcesAreAGradientBetweenJumps) {
    TetMesh below = makeBox(4, 4, 4, Vec3(1, 1, 1)), above = makeBox(2, 2, 2, Vec3(0.21, 0.2, 0.22));
    for (Vec3& p : above.rest) p += Vec3(0.521, 0.996, 0.517);
    TouchingBodies t(makeContactBody(below, 1e5), makeContactBody(above, 1e5));
    const double energy = t.pushByNodes({}).energy;
    ASSERT_GT(energy, 0);
    std::vector<Vec3> force[2] = {t.force[0], t.force[1]};
    double size = 0, error = 0;
    for (int k = 0; k < 2; ++k)
        for (const Vec3& f : force[k]) size = std::max(size, f.norm());
    const double h = 1e-6;
    for (int k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < t.x[k].size(); ++i)
            for (int c = 0; c < 3; ++c) {
                t.x[k][i][c] += h;
                const double up = t.pushByNodes({}).energy;
                t.x[k][i][c] -= 2 * h;
                const double down = t.pushByNodes({}).energy;
                t.x[k][i][c] += h;
                error = std::max(error, std::abs((up - down) / (2 * h) + force[k][i][c]));
            }
    std::cout << "    largest error of a difference = " << error / size << "\n";
    EXPECT_LT(error, 1e-6 * size);
}

TEST(ResponseNodes, DepthIsTheWayOut) {
    TetMesh below = makeBox(4, 4, 4, Vec3(1, 1, 1)), above = makeBox(2, 2, 2, Vec3(0.21, 0.2, 0.22));
    for (Vec3& p : above.rest) p += Vec3(0.521, 0.99, 0.517);
    TouchingBodies t(makeContactBody(below, 1e5), makeContactBody(above, 1e5));
    const std::vector<NodeContact> nodes = t.nodes();
    EXPECT_EQ(nodes.size(), 9u);
    for (const NodeContact& n : nodes) {
        EXPECT_EQ(n.body, 1);
        EXPECT_NEAR(n.depth, 0.01, 1e-12);
        EXPECT_LT((n.up - Vec3(0, 1, 0)).norm(), 1e-9);
    }
    // only one side has vertices in the other: half of the pressure of the potential
    t.pushByNodes({});
    Vec3 up = Vec3::Zero();
    for (const Vec3& f : t.force[1]) up += f;
    double half = 0;
    for (const NodeContact& n : nodes) {
        const auto i = static_cast<std::size_t>(n.vertex);
        half += 0.5 * t.shape[1].area[i] * 0.01 * (t.shape[1].stiffness[i] / t.shape[1].area[i] + 0.5 * 1e5 / 0.25);
    }
    EXPECT_NEAR(up.y() / half, 1, 1e-9);
}

// A thin sheet pushes what is beyond its middle back to where it came from.
TEST(ResponseNodes, ThinSheetPushesBack) {
    TetMesh sheet = makeBox(6, 1, 6, Vec3(1, 0.02, 1)), block = makeBox(2, 2, 2, Vec3(0.3, 0.3, 0.3));
    for (Vec3& p : block.rest) p += Vec3(0.33, 0.005, 0.34);
    TouchingBodies t(makeContactBody(sheet, 1e5), makeContactBody(block, 1e5));
    t.pushByNodes({});
    Vec3 up = Vec3::Zero();
    for (const Vec3& f : t.force[1]) up += f;
    EXPECT_GT(up.y(), 0);
    for (const NodeContact& n : t.nodes())
        if (n.body == 1) {
            EXPECT_GT(n.up.y(), 0.9);
            EXPECT_NEAR(n.depth, 0.015, 1e-9);
        }
}

}  // namespace sunder
