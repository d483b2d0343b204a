#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "bench/figure.h"
#include "core/base/memory.h"
#include "tests/sim/pile.h"

/// Shards tumble into a bin until the time is up: bench_pile ACROSS HIGH SECONDS [SEED [CELLS [RUNS]]]. CELLS along the edges of a shard, as 2 or
/// 1x1x2; RUNS with as many seeds in a row, of which none may fail. One line a second of the simulation on standard error, figures on standard
/// output. CONTACT_TOLERANCE in the environment sets contactTolerance (0.1 takes half the time), VERBOSE writes a line a frame.
namespace sunder::bench {
namespace {
using namespace sunder::testing;

constexpr double kLargestRise = 1e-3;
constexpr double kDeepest = 0.25;            // of a shard's size: half of what a side of the bin is thick

struct Run {
    double seconds = 0, contactSeconds = 0;  ///< of steps, by the clock on the wall
    double processorSeconds = 0;             ///< of all threads
    double restAt = 0;                       ///< last time with a vertex faster than 1 cm/s, s
    double largestRise = 0;                  ///< of the energy above its least so far, J
    double deepest = 0;                      ///< of a vertex beyond an inner side of the bin, m
    double turnover = 0;                     ///< about what the fall turns over, J
    int newton = 0, steps = 0;
    std::size_t tets = 0, shards = 0;
    bool failed = false;                     ///< a step, or a shard is out of the bin or nowhere
    bool still = false;                      ///< no vertex faster than that in the last frame

    /// All that a pile must do in the time it was given. Time is a sum of steps, so `restAt` is not compared with its end.
    bool rests() const { return !failed && still && largestRise <= kLargestRise * turnover; }
};

/// How far the vertex that is farthest out of the bin is beyond its floor or a side; endless if one is nowhere.
double deepestOf(const WorldState& world, const PileOptions& options) {
    const double w = binWidth(options);
    double deepest = 0;
    for (std::size_t b = 5; b < world.bodies.size(); ++b)
        for (const Vec3& p : world.bodies[b].state->x) {
            if (!p.allFinite()) return HUGE_VAL;
            deepest = std::max({deepest, -p.y(), std::abs(p.x()) - w, std::abs(p.z()) - w});
        }
    return deepest;
}

Run runPile(const PileOptions& options, double seconds) {
    WorldState world = makePile(options);
    StepSettings settings;
    settings.newtonTolerance = settings.linearTolerance = 1e-3;
    if (const char* tolerance = std::getenv("CONTACT_TOLERANCE")) settings.contactTolerance = std::atof(tolerance);
    refreshEnergy(world, settings);
    Run run;
    run.shards = world.bodies.size() - 5;
    run.turnover = world.energy.kinetic + static_cast<double>(run.shards) * 9.81 * options.size;
    for (std::size_t b = 5; b < world.bodies.size(); ++b) run.tets += world.bodies[b].body->mesh.tetCount();
    Workspace workspace;
    double least = world.energy.mechanical();
    const std::clock_t start = std::clock();
    for (int frame = 1; frame <= seconds * 24 && !run.failed; ++frame) {
        const StepReport report = step(world, 1.0 / 24, settings, workspace);
        run.deepest = std::max(run.deepest, deepestOf(world, options));
        run.failed = report.failed || run.deepest > kDeepest * options.size;
        run.largestRise = std::max(run.largestRise, world.energy.mechanical() - least);
        least = std::min(least, world.energy.mechanical());
        run.seconds += report.totalSeconds;
        run.contactSeconds += report.contactSeconds;
        run.newton += report.newtonIterations;
        run.steps += report.steps;
        const double speed = fastest(world);
        run.still = speed <= 0.01;
        if (!run.still) run.restAt = world.time;
        if (std::getenv("VERBOSE"))
            std::fprintf(stderr, "frame %d: %d steps, %d Newton, %d CG; %.2f s contact, %.2f solve, %.2f assemble, %.2f forces\n", frame, report.steps,
                         report.newtonIterations, report.linearIterations, report.contactSeconds, report.solveSeconds, report.assembleSeconds, report.forceSeconds);
        if (frame % 24 == 0)
            std::fprintf(stderr, "%.0f s: fastest %.3g m/s, %d iterations in the last frame, %.0f s so far %s\n", world.time, speed,
                         report.newtonIterations, run.seconds, report.message.c_str());
    }
    run.processorSeconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return run;
}

void print(const char* name, const char* unit, double value, double target, const Run& run, double seed) {
    Figure figure;
    figure.name = name;
    figure.unit = unit;
    figure.value = value;
    figure.target = target;
    figure.hasTarget = target > 0;
    figure.rounds = 1;
    figure.checks = {{"shards", static_cast<double>(run.shards)}, {"tets", static_cast<double>(run.tets)}, {"failed", run.failed ? 1.0 : 0.0}, {"deepest_m", run.deepest}, {"seed", seed}};
    figure.print();
}

void print(const Run& run, double seed) {
    print("pile_contact_share", "of step time", run.contactSeconds / run.seconds, 0.4, run, seed);
    print("pile_rest_after", "s", run.restAt, 10, run, seed);
    print("pile_energy_rise", "J above the least before", run.largestRise, kLargestRise * run.turnover, run, seed);
    print("pile_newton_a_step", "iterations", run.steps > 0 ? static_cast<double>(run.newton) / run.steps : 0, 0, run, seed);
    print("pile_seconds", "s", run.seconds, 0, run, seed);
    print("pile_processor_seconds", "s", run.processorSeconds, 0, run, seed);
}

/// "2" or "1x1x2".
std::array<int, 3> parseCells(const char* text) {
    std::array<int, 3> cells;
    if (std::sscanf(text, "%dx%dx%d", &cells[0], &cells[1], &cells[2]) != 3) cells.fill(std::atoi(text));
    return cells;
}
}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) {
    using namespace sunder::bench;
    sunder::keepFreedMemory();
    sunder::testing::PileOptions options;
    options.across = argc > 1 ? std::atoi(argv[1]) : 5;
    options.high = argc > 2 ? std::atoi(argv[2]) : 5;
    const double duration = argc > 3 ? std::atof(argv[3]) : 10;
    const int firstSeed = argc > 4 ? std::atoi(argv[4]) : 1, runs = argc > 6 ? std::atoi(argv[6]) : 1;
    if (argc > 5) options.cells = parseCells(argv[5]);
    options.youngs = 2e7;
    int resting = 0;
    for (int seed = firstSeed; seed < firstSeed + runs; ++seed) {
        options.seed = static_cast<std::uint64_t>(seed);
        const Run run = runPile(options, duration);
        print(run, seed);
        resting += run.rests() ? 1 : 0;
    }
    Figure all;
    all.name = "pile_runs_at_rest";
    all.unit = "of the runs";
    all.value = resting;
    all.target = runs;
    all.atMost = false;
    all.rounds = runs;
    all.print();
    return resting == runs ? 0 : 1;
}
