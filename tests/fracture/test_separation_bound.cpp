#include "core/fracture/separation_bound.h"

#include <Eigen/Geometry>

#include "core/base/random.h"
#include "core/fem/forces.h"
#include "core/fracture/breaker.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

/// A jittered block, turned and bent at random: every vertex is moved by up to `shake` of a cell.
struct ShakenBlock {
    std::shared_ptr<const Body> body;
    BodyState state;
    TetStars stars;
    std::vector<std::int32_t> nodes;

    ShakenBlock(const Material& material, double shake, std::uint64_t seed, int cells = 4) {
        Body input;
        input.name = "block";
        input.mesh = makeBox(cells, cells, cells, Vec3(1, 1, 1));
        jitter(input.mesh, 0.15, seed);
        input.materials = {material};
        body = buildBody(std::move(input));
        state = makeBodyState(*body);
        const Mat3 turn = Eigen::AngleAxisd(randomRange(-3, 3, seed, 1), Vec3(randomRange(-1, 1, seed, 2), 0.3, 1).normalized()).toRotationMatrix();
        for (std::size_t v = 0; v < state.x.size(); ++v) {
            const auto at = [&](std::uint64_t c) { return shake / cells * randomRange(-1, 1, seed, v, c); };
            state.x[v] = turn * (body->mesh.rest[v] + Vec3(at(3), at(4), at(5)));
            nodes.push_back(static_cast<std::int32_t>(v));
        }
        stars = TetStars(body->mesh.tets, body->mesh.vertexCount());
    }
};

Material breakable(ElasticLawId law, ToughnessKind kind) {
    Material m;
    m.law = law;
    m.youngs = 7e9;
    m.poisson = 0.22;
    m.fracture.enabled = true;
    m.fracture.kind = kind;
    m.fracture.stress = 5e7;
    m.fracture.force = 1e6;
    return m;
}

constexpr ElasticLawId kLaws[] = {ElasticLawId::kGreen, ElasticLawId::kCorotated, ElasticLawId::kViscoelastic, ElasticLawId::kNeoHookean};
// below the first, allowances for rounding are most of the bound; above the second, there are tets that it does not know
constexpr double kWorthKnowing = 0.01, kModerate = 0.03;
constexpr double kShakes[] = {1e-7, 1e-4, 3e-3, 0.03, 0.1};

TEST(SeparationBound, IsNeverBelowTheRatioAndCloseToIt) {
    int close = 0, worthKnowing = 0;
    std::uint64_t seed = 7;
    for (const ElasticLawId law : kLaws)
        for (const ToughnessKind kind : {ToughnessKind::kByForce, ToughnessKind::kByStress})
            for (const double shake : kShakes) {
                const ShakenBlock block(breakable(law, kind), shake, ++seed);
                const SeparationFinder finder(*block.body, block.state.x, {}, block.stars);
                const SeparationBound bound(*block.body, block.state.x, {}, block.stars, block.nodes);
                for (const std::int32_t node : block.nodes) {
                    const double ratio = finder.at(node, Mat3::Zero()).ratio, most = bound.ratioOf(node);
                    ASSERT_GE(most, ratio) << "node " << node << " shaken by " << shake;
                    ASSERT_GE(bound.ratioOf(node, 2 * ratio), ratio);
                    if (ratio < kWorthKnowing || shake > kModerate) continue;
                    close += most < 1.01 * ratio ? 1 : 0;
                    ++worthKnowing;
                }
            }
    EXPECT_GT(worthKnowing, 500);
    EXPECT_GT(close, 0.95 * worthKnowing);
}

TEST(SeparationBound, KnowsNothingOfFlatTets) {
    ShakenBlock block(breakable(ElasticLawId::kGreen, ToughnessKind::kByForce), 1e-3, 3);
    const std::int32_t moved = block.body->mesh.tets[0][0];
    block.state.x[static_cast<std::size_t>(moved)] = block.state.x[static_cast<std::size_t>(block.body->mesh.tets[0][1])];
    const SeparationBound bound(*block.body, block.state.x, {}, block.stars, block.nodes);
    EXPECT_EQ(bound.ratioOf(moved), HUGE_VAL);
}

TEST(SeparationBound, NodesThatCannotBreakHaveNoRatio) {
    Body input = *ShakenBlock(breakable(ElasticLawId::kGreen, ToughnessKind::kByForce), 0, 3).body;
    input.materials.push_back(input.materials[0]);
    input.materials[1].fracture.enabled = false;
    input.tetMaterial[0] = 1;
    const auto body = buildBody(input);
    const TetStars stars(body->mesh.tets, body->mesh.vertexCount());
    const std::vector<std::int32_t> nodes(body->mesh.tets[0].begin(), body->mesh.tets[0].end());
    EXPECT_EQ(SeparationBound(*body, body->mesh.rest, {}, stars, nodes).ratioOf(nodes[0]), 0);
}

/// findFailures and damage are the same bits with and without the bound, over shapes that follow one another, with painted toughness, weak surfaces and all kinds.
TEST(SeparationBound, ChangesNoResult) {
    int failures = 0;
    for (const ElasticLawId law : kLaws)
        for (const ToughnessKind kind : {ToughnessKind::kByForce, ToughnessKind::kByStress, ToughnessKind::kByEnergy}) {
            ShakenBlock block(breakable(law, kind), 0, 11, 3);
            Body painted = *block.body;
            for (std::size_t t = 0; t < painted.mesh.tetCount(); ++t) painted.toughnessScale.push_back(randomRange(0.5, 2, 5, t));
            std::vector<float> with(block.nodes.size(), 0), without = with;
            for (int k = 0; k < 6; ++k) {
                const ShakenBlock shaken(breakable(law, kind), 0.004 * (k % 3 + 1), 100 + static_cast<std::uint64_t>(k), 3);
                block.state.x = shaken.state.x;
                for (std::size_t v = 0; v < block.state.x.size(); ++v) block.state.x[v] += block.body->mesh.rest[v] - shaken.body->mesh.rest[v];
                for (const Body* body : {block.body.get(), static_cast<const Body*>(&painted)}) {
                    const auto fast = findFailures(*body, block.state, block.stars, block.nodes, {}, with);
                    const auto slow = findFailuresAmong(*body, block.state, block.stars, block.nodes, {}, without);
                    ASSERT_EQ(fast.size(), slow.size());
                    for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_TRUE(fast[i].node == slow[i].node && fast[i].ratio == slow[i].ratio);
                    ASSERT_EQ(with, without);
                    failures += static_cast<int>(slow.size());
                }
            }
        }
    EXPECT_GT(failures, 10);
}
}  // namespace
}  // namespace sunder
