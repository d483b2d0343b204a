#include "tests/sim/cracked_plate.h"
#include "tests/sim/cut_block.h"

/// Toughness `energy` against Griffith: cracks that are there go on at the load that linear fracture mechanics gives, on any mesh.
namespace sunder {
namespace {
using namespace testing;

constexpr double kYoungs = 1e6, kEnergy = 1.0;

Material tough(double poisson) {
    Material m = elastic(kYoungs, poisson, 1);
    m.fracture.enabled = true;
    m.fracture.kind = ToughnessKind::kByEnergy;
    m.fracture.energy = kEnergy;
    m.fracture.stress = 1e12;  // it breaks at crack tips only
    return m;
}

/// Ratios of the nodes at the crack's front.
struct TipRatios {
    double largest = 0, mean = 0, spread = 0;
};
TipRatios tipRatios(const WorldState& world) {
    const Body& body = *world.bodies[0].body;
    const std::vector<Vec3>& x = world.bodies[0].state->x;
    const TetStars stars(body.mesh.tets, body.mesh.vertexCount());
    const SeparationFinder finder(body, x, {}, stars);
    std::vector<double> ratios;
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(body.mesh.vertexCount()); ++v)
        if (findCrackTip(findNodeSurface(body.mesh.tets, stars, v), x)) {
            const double ratio = finder.at(v, Mat3::Zero()).ratio;
            if (ratio > 0) ratios.push_back(ratio);
        }
    TipRatios r;
    double squares = 0;
    for (const double ratio : ratios) {
        r.largest = std::max(r.largest, ratio);
        r.mean += ratio / static_cast<double>(ratios.size());
        squares += ratio * ratio / static_cast<double>(ratios.size());
    }
    r.spread = std::sqrt(std::max(0.0, squares - r.mean * r.mean)) / r.mean;
    return r;
}

/// Loads over Griffith's, sigma = sqrt(E' G) / shape: at which the first node of the front breaks, and of the mean of its nodes.
struct BreakLoad {
    double first, mean, spread;
};
BreakLoad breakLoad(const CrackedPlate& plate, double poisson) {
    constexpr double kStrain = 1e-6;
    const Material material = tough(poisson);
    const WorldState world = stretchPlate(plate.mesh(), material, kStrain);
    const TipRatios tips = tipRatios(world);
    const double griffith = std::sqrt(kYoungs * kEnergy) / plate.shape();  // plane stress; plane strain is the same for nu = 0
    const double load = meanStress(world, CrackedPlate::kWidth * plate.thickness()) / griffith;
    return {load / tips.largest, load / tips.mean, tips.spread};
}

TEST(CrackEnergy, PlatesBreakAtGriffithsLoad) {
    for (const double half : {0.15, 0.25})
        for (const int cells : {12, 24, 40}) {
            BreakLoad mean{0, 0, 0};
            const std::vector<std::uint64_t> seeds = {1, 2, 3};
            for (const std::uint64_t seed : seeds) {
                const BreakLoad load = breakLoad({half, cells, cells > 30 ? 1 : 2, seed}, 0);
                EXPECT_NEAR(load.first, 1, 0.15) << half << ", " << cells << " cells, seed " << seed;
                mean.first += load.first / 3;
                mean.mean += load.mean / 3;
                mean.spread = std::max(mean.spread, load.spread);
            }
            std::printf("    a = %.2f m, %d cells: first node at %.3f of Griffith's load, mean of the front %.3f, spread of nodes at most %.3f\n", half, cells, mean.first, mean.mean,
                        mean.spread);
        }
}

/// A thin plate is in plane stress, where a crack takes 1 - nu^2 less load squared than inside a body, which is what the strength is for.
TEST(CrackEnergy, PoissonsRatioIsThatOfPlaneStrain) {
    const BreakLoad plain = breakLoad({0.2, 24, 1, 1}, 0), thin = breakLoad({0.2, 24, 1, 1}, 0.3);
    figure("load of a thin plate with nu = 0.3 over that with nu = 0", thin.mean / plain.mean);
    EXPECT_NEAR(thin.mean / plain.mean, 1 / std::sqrt(1 - 0.09), 0.05);
}

/// The pre-cut block, slowly: force on its hole when the crack starts.
double cutBlockLoad(int cells) {
    CutBlock block{cells};
    block.speed = 1e-6;
    WorldState world = block.world(tough(0.2));
    StepSettings settings = spaceSettings(Integrator::kImplicit);
    settings.contact = settings.fracture.enabled = false;
    run(world, settings, 1000, 1);
    const WorldBody& b = world.bodies[0];
    ForceScratch scratch;
    std::vector<Vec3> force(b.state->x.size());
    computeForces(b.body->elements, b.state->x, {}, scratch, force);
    double pulled = 0;
    for (const std::int32_t v : b.body->constraints.hard[1].vertices) pulled += force[static_cast<std::size_t>(v)].y();
    return pulled / tipRatios(world).largest;
}

TEST(CrackEnergy, ThePreCutBlockBreaksAtOneLoadOnAnyMesh) {
    const double coarse = cutBlockLoad(20), middle = cutBlockLoad(27), fine = cutBlockLoad(54);
    figure("load of the block at 20 cells over that at 54", coarse / fine);
    figure("load of the block at 27 cells over that at 54", middle / fine);
    EXPECT_NEAR(coarse / fine, 1, 0.15);
    EXPECT_NEAR(middle / fine, 1, 0.15);
}

}  // namespace
}  // namespace sunder
