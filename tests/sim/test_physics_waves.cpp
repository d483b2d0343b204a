#include "tests/sim/beam_theory.h"
#include "tests/sim/physics_fixture.h"

/// Waves and free vibrations in time, against bar theory.
namespace sunder {

using namespace testing;

namespace {
/// How much of `mode` is in the motion: sum of m v . mode. Other modes are orthogonal to it and do not count.
double modalSpeed(const WorldBody& body, Span<const Vec3> mode) {
    double sum = 0;
    for (std::size_t i = 0; i < mode.size(); ++i) sum += body.body->mass[i] * body.state->v[i].dot(mode[i]);
    return sum;
}

/// Frequency of a free body that is let go with the velocity of `mode`, from `crossings` zeros of its modal
/// speed, which come every half period after the first quarter.
double ringingFrequency(Body input, const std::vector<Vec3>& mode, double expected, int crossings) {
    WorldState world = makeWorld(std::move(input));
    editState(world, [&](BodyState& s) {
        for (std::size_t i = 0; i < mode.size(); ++i) s.v[i] = 1e-4 * mode[i];
    });
    const StepSettings settings = spaceSettings(Integrator::kExplicit);
    Workspace workspace;
    const double dt = 1 / (40 * expected);
    std::vector<double> zeros, number;
    double before = modalSpeed(world.bodies[0], mode);
    while (static_cast<int>(zeros.size()) < crossings && world.time < crossings / expected) {
        const StepReport report = step(world, dt, settings, workspace);
        EXPECT_FALSE(report.failed) << report.message;
        const double after = modalSpeed(world.bodies[0], mode);
        if (before * after <= 0) {
            zeros.push_back(world.time - dt * after / (after - before));
            number.push_back(static_cast<double>(zeros.size()));
        }
        before = after;
    }
    EXPECT_EQ(static_cast<int>(zeros.size()), crossings);
    return 1 / (2 * fittedSlope(number, zeros));
}

/// First bending frequency as a share of Timoshenko's, with n cubes over the height of a bar half as wide.
double bendingShare(const Beam& bar, int n) {
    TetMesh mesh = makeBox(10 * n, n, n / 2, Vec3(bar.length, bar.height, bar.width));
    std::vector<Vec3> mode;
    for (const Vec3& p : mesh.rest)
        mode.emplace_back((0.5 * bar.height - p.y()) * Beam::bendingSlope(p.x() / bar.length) / bar.length,
                          Beam::bendingShape(p.x() / bar.length), 0);
    const double expected = bar.timoshenkoFrequency();
    Body body = makeBody(std::move(mesh), elastic(bar.youngs, bar.poisson));
    return ringingFrequency(std::move(body), mode, expected, 2) / expected;
}

/// First torsional frequency as a share of Saint-Venant's, with n cubes across a square bar of unit width.
double torsionShare(const Beam& bar, int n) {
    TetMesh mesh = makeBox(8 * n, n, n, Vec3(bar.length, 1, 1));
    std::vector<Vec3> mode;
    for (const Vec3& p : mesh.rest) {
        const double turn = std::cos(kPi * p.x() / bar.length);
        mode.emplace_back(0, -turn * (p.z() - 0.5), turn * (p.y() - 0.5));
    }
    const double expected = bar.torsionFrequency();
    Body body = makeBody(std::move(mesh), elastic(bar.youngs, bar.poisson));
    return ringingFrequency(std::move(body), mode, expected, 2) / expected;
}
}  // namespace

// A pulse with the displacement exp(-(x/w)^2) is let run along a bar of 200 cells, one cell thick, w = 12
// cells. Its place is the centre of its kinetic energy. Expected: sqrt(E/rho), less Love's correction for
// sideways inertia and plus the grid's dispersion, each below (k a)^2 / 24 = 0.1 percent at the pulse's wave
// numbers.
TEST(Waves, PulseRunsAlongAThinBarAtTheBarSpeed) {
    const int cells = 200;
    const Beam bar{200, 1, 1, 1e6, 0.3, 1000};
    for (const ElasticLawId law : {ElasticLawId::kGreen, ElasticLawId::kCorotated}) {
        WorldState world = makeWorld(makeBody(makeBox(cells, 1, 1, Vec3(bar.length, 1, 1)),
                                              elastic(bar.youngs, bar.poisson, 1000, law)));
        const double width = 12, c = bar.waveSpeed();
        editState(world, [&](BodyState& s) {
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                const double x = s.x[i].x() - 40, u = 1e-3 * std::exp(-x * x / (width * width)),
                             strain = -2 * x / (width * width) * u;
                s.x[i].x() += u;
                s.x[i].y() -= bar.poisson * strain * (s.x[i].y() - 0.5);
                s.x[i].z() -= bar.poisson * strain * (s.x[i].z() - 0.5);
                s.v[i].x() = -c * strain;
            }
        });
        std::vector<double> times, places;
        run(world, spaceSettings(Integrator::kExplicit), 110 / c, 100, [&](const StepReport&) {
            double energy = 0, moment = 0;
            const BodyState& s = *world.bodies[0].state;
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                const double e = world.bodies[0].body->mass[i] * s.v[i].squaredNorm();
                energy += e;
                moment += e * s.x[i].x();
            }
            times.push_back(world.time);
            places.push_back(moment / energy);
        });
        const double speed = fittedSlope(times, places);
        figure(std::string("bar wave speed over sqrt(E/rho), ") + elasticLaw(law).name, speed / c);
        EXPECT_NEAR(speed / c, 1, 0.01);
    }
}

// Linear tets are too stiff, by an error that falls with the square of the cell: 3 percent in frequency at 8
// cells across.
TEST(Waves, FreeBarBendsAtTimoshenkosFrequency) {
    double share[2];
    for (int k = 0; k < 2; ++k) {
        const int n = 6 << k;
        const Beam bar{10, 1, 0.5, 1e6, 0.3, 1000};
        share[k] = bendingShare(bar, n);
        figure("bending frequency share of Timoshenko, cells " + std::to_string(n), share[k]);
        if (k == 0) figure("Timoshenko over Euler", bar.timoshenkoFrequency() / bar.eulerFrequency());
    }
    figure("observed order", std::log2((share[0] - 1) / (share[1] - 1)));
    EXPECT_NEAR(share[1], 1, 0.02);
    EXPECT_NEAR(std::log2((share[0] - 1) / (share[1] - 1)), 2, 0.3);
}

TEST(Waves, FreeSquareBarTwistsAtSaintVenantsFrequency) {
    double share[2];
    for (int k = 0; k < 2; ++k) {
        const int n = 6 << k;
        const Beam bar{8, 1, 1, 1e6, 0.3, 1000};
        share[k] = torsionShare(bar, n);
        figure("torsion frequency share of theory, cells " + std::to_string(n), share[k]);
    }
    figure("observed order", std::log2((share[0] - 1) / (share[1] - 1)));
    EXPECT_NEAR(std::log2((share[0] - 1) / (share[1] - 1)), 2, 0.3);
    EXPECT_NEAR(share[1], 1, 0.02);
}

// Where nearly incompressible material locks: bending wants the volume of tets to change, twisting does not.
TEST(Waves, NearlyIncompressibleBarsLockInBendingMoreThanInTorsion) {
    double bending[2], torsion[2];
    for (int k = 0; k < 2; ++k) {
        const double poisson = k == 0 ? 0.3 : 0.49;
        bending[k] = bendingShare({10, 1, 0.5, 1e6, poisson, 1000}, 4);
        torsion[k] = torsionShare({8, 1, 1, 1e6, poisson, 1000}, 4);
        figure("bending frequency share, 4 cells, poisson " + std::to_string(poisson).substr(0, 4),
               bending[k]);
        figure("torsion frequency share, 4 cells, poisson " + std::to_string(poisson).substr(0, 4),
               torsion[k]);
    }
    EXPECT_GT(bending[1], bending[0]);
    EXPECT_LT(torsion[1] / torsion[0], bending[1] / bending[0]);
}

}  // namespace sunder
