#include <cmath>
#include <cstdlib>
#include <iostream>

#ifdef SUNDER_BENCH_BULLET
#include "bench/bullet_beam.h"
#endif
#include "bench/cantilever.h"
#include "bench/figure.h"
#include "core/base/parallel.h"
#include "core/base/timer.h"

/// Elastic steps on the beam: implicit corotated against Bullet's deformable body, explicit green with damping, growth with size.
namespace sunder::bench {

namespace {
int rounds = 5;

StepSettings implicitSettings() {
    StepSettings settings;
    settings.integrator = Integrator::kImplicit;
    settings.oneSolve = true;
    settings.linearSolver = LinearSolverKind::kCgIncompleteCholesky;
    settings.linearTolerance = 1e-6;
    return settings;
}

/// A beam that keeps swinging from round to round, so that every round measures typical steps.
struct OurBeam {
    WorldState world;
    Workspace workspace;
    StepSettings settings;
    double residual = 0, iterations = 0, assemble = 0, solve = 0, force = 0;
    int steps = 0;

    OurBeam(const BeamSize& size, ElasticLawId law, StepSettings s) : world(makeBeamWorld(size, law)), settings(s) {}
    /// Seconds a call of step.
    double run(int count, double duration) {
        Timer timer;
        for (int k = 0; k < count; ++k) {
            const StepReport report = step(world, duration, settings, workspace);
            if (report.failed) {
                std::cerr << report.message << "\n";
                std::exit(1);
            }
            residual = std::max(residual, report.linearResidual);
            iterations += report.linearIterations;
            assemble += report.assembleSeconds;
            solve += report.solveSeconds;
            force += report.forceSeconds;
            steps += report.steps;
        }
        return timer.seconds() / count;
    }
};

void implicitFigure(const BeamSize& size, double largestShare) {
    OurBeam ours(size, ElasticLawId::kCorotated, implicitSettings());
#ifdef SUNDER_BENCH_BULLET
    BulletBeam bullet(size);
#endif
    std::vector<double> ourSeconds, theirSeconds;
    const int steps = std::max(2, 20000 / size.tets() * 2);
    for (int r = 0; r < rounds; ++r) {
        ourSeconds.push_back(ours.run(steps, 0.01));
#ifdef SUNDER_BENCH_BULLET
        theirSeconds.push_back(bullet.run(steps, 0.01));
#endif
    }
    Figure figure;
    figure.name = std::string("implicit_step_") + size.name;
    figure.unit = "ms";
    figure.value = 1e3 * median(ourSeconds);
    figure.hasTarget = false;
    figure.rounds = rounds;
    figure.checks = {{"tip_drop", tipDrop(ours.world)},
                     {"residual", ours.residual},
                     {"cg_iterations", ours.iterations / ours.steps},
                     {"assemble_ms", 1e3 * ours.assemble / ours.steps},
                     {"solve_ms", 1e3 * ours.solve / ours.steps},
                     {"force_ms", 1e3 * ours.force / ours.steps}};
#ifdef SUNDER_BENCH_BULLET
    figure.name += kBulletSuffix;
    figure.peer = kBulletName;
    figure.peerValue = 1e3 * median(theirSeconds);
    figure.target = figure.peerValue * largestShare;
    figure.hasTarget = largestShare > 0;
    figure.checks.push_back({"tip_drop_peer", bullet.tipDrop()});
    figure.checks.push_back({"residual_peer", bullet.residual()});
    figure.checks.push_back({"cg_iterations_peer", bullet.iterations()});
#else
    (void)largestShare;
#endif
    figure.print();
}

double explicitRate(const BeamSize& size, int steps, double& tip, double& share) {
    StepSettings settings;
    settings.integrator = Integrator::kExplicit;
    OurBeam beam(size, ElasticLawId::kGreen, settings);
    beam.run(1, 1e-4);
    const double dt = beam.world.nextStep;
    beam.steps = 0;
    std::vector<double> rates;
    for (int r = 0; r < rounds; ++r) {
        Timer timer;
        const int before = beam.steps;
        beam.run(1, steps * dt);
        rates.push_back((beam.steps - before) * static_cast<double>(size.tets()) / timer.seconds());
    }
    tip = tipDrop(beam.world);
    share = beam.world.time;
    return median(rates);
}

void explicitFigures() {
    std::vector<double> logTets, logSeconds;
    for (const BeamSize& size : kBeams) {
        double tip, time;
        const double rate = explicitRate(size, std::max(8, 2000000 / size.tets()), tip, time);
        Figure figure;
        figure.name = std::string("explicit_") + size.name;
        figure.unit = "Mtet-steps/s";
        figure.value = 1e-6 * rate;
        figure.atMost = false;
        figure.target = 40;
        figure.hasTarget = size.tets() > 9000 && (size.tets() < 11000 || size.tets() > 90000);
        figure.rounds = rounds;
        figure.checks = {{"tip_drop", tip}, {"simulated_s", time}, {"free_fall_m", 0.5 * 9.81 * time * time}};
        figure.print();
        logTets.push_back(std::log(size.tets()));
        logSeconds.push_back(std::log(size.tets() / rate));
    }
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const double n = static_cast<double>(logTets.size());
    for (std::size_t k = 0; k < logTets.size(); ++k) {
        sx += logTets[k], sy += logSeconds[k];
        sxx += logTets[k] * logTets[k], sxy += logTets[k] * logSeconds[k];
    }
    Figure figure;
    figure.name = "explicit_growth_exponent";
    figure.value = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    figure.target = 1.1;
    figure.rounds = rounds;
    figure.print();
}
}  // namespace

}  // namespace sunder::bench

int main(int argc, char** argv) {
    using namespace sunder::bench;
    const std::string only = argc > 1 ? argv[1] : "";
    if (argc > 2) rounds = std::atoi(argv[2]);
    sunder::setThreadCount(2);
    if (only.empty() || only == "explicit") explicitFigures();
    if (only.empty() || only == "implicit") {
        implicitFigure(kBeams[0], 0);
        implicitFigure(kBeams[1], 1.0 / 15);
        implicitFigure(kBeams[2], 0);
        implicitFigure(kBeams[3], 1.0 / 15);
    }
    return 0;
}
