#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "bench/figure.h"
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/base/timer.h"
#include "core/body/apply_edit.h"
#include "core/contact/contact_shape.h"
#include "core/fem/sparse_system.h"
#include "core/fracture/cut.h"
#include "core/io/geometry_io.h"
#include "core/io/scene_json.h"
#include "core/sim/loads.h"
#include "core/sim/measures.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"
#include "tests/support/builders.h"

/// What breaking costs: bench_fracture split | beam [CELLS [STEPS]] | scene FILE FRAMES. Figures on standard output, a line a step on standard error with
/// VERBOSE=1.
namespace sunder::bench {
namespace {
void print(const char* name, const std::string& size, const char* unit, double value, double target, std::vector<std::pair<std::string, double>> checks,
           bool comparable = true) {
    Figure figure;
    figure.name = name + size;
    figure.unit = unit;
    figure.value = value;
    figure.target = target;
    figure.hasTarget = target > 0;
    figure.comparable = comparable;
    figure.rounds = 1;
    figure.checks = std::move(checks);
    figure.print();
}

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A body of about as many tets that single cracks are made in, and all that a step keeps up to date.
class SplitBench {
  public:
    explicit SplitBench(int cells) {
        Body input;
        input.name = "block";
        input.mesh = testing::makeBox(cells, cells, cells, Vec3(1, 1, 1));
        testing::jitter(input.mesh, 0.2, 3);
        input.materials.resize(1);
        input.materials[0].fracture.enabled = true;
        body_ = *buildBody(std::move(input));
        for (const double reach : buildContactShape(body_).reach) body_.columnHeight.push_back(reach / kContactReach);
        state_ = makeBodyState(body_);
        stars_ = TetStars(body_.mesh.tets, body_.mesh.vertexCount());
        links_ = buildTetLinks(body_.mesh);
        shape_ = buildContactShape(body_, links_);
        settings_.ground.enabled = true;
        loads_ = std::make_unique<Loads>(body_, settings_);
        tets_ = body_.mesh.tetCount();
    }

    /// Microseconds a split over `count` of them, by kinds; processor time of this one thread.
    void run(int count) {
        for (int k = 0; k < count; ++k) {
            TopologyEdit edit(body_.mesh);
            MeshEditor editor{body_.mesh, state_.x, body_.insideFaces, stars_, edit};
            time(cut_, [&] {
                const std::size_t tets = body_.mesh.tetCount();
                cutAt(editor, static_cast<std::int32_t>(randomBits(5, static_cast<std::uint64_t>(k)) % body_.mesh.vertexCount()), direction(k), {});
                body_.appendTets(edit, tets);
            });
            if (edit.empty()) continue;
            ++splits_;
            time(maps_, [&] {
                applyEdit(edit, stars_, body_);
                applyEdit(edit, state_);
            });
            std::vector<std::int32_t> renumbered;
            time(linksTime_, [&] { renumbered = patchTetLinks(edit, body_.mesh.tets, stars_, links_); });
            time(elements_, [&] { updateElements(edit, body_); });
            time(contact_, [&] { patchContactShape({edit, body_, stars_, links_, renumbered}, shape_); });
            time(loadsTime_, [&] { loads_->follow(findReach(edit, body_.mesh.tets, stars_).vertices); });
        }
        measureWhole();
    }

    double perSplit() const { return 1e6 * (cut_ + maps_ + linksTime_ + elements_ + contact_ + loadsTime_) / splits_; }
    void report() const {
        const std::string size = std::to_string(tets_ / 1000) + "k";
        const auto micro = [&](double seconds) { return 1e6 * seconds / splits_; };
        print("split_", size, "us of processor time", perSplit(), 0,
              {{"cut", micro(cut_)}, {"maps", micro(maps_)}, {"neighbours_and_pieces", micro(linksTime_)}, {"element_table", micro(elements_)}, {"contact_shape", micro(contact_)},
               {"loads", micro(loadsTime_)}, {"splits", splits_}});
        print("whole_tables_", size, "ms of processor time, at most once a step", 1e3 * (copy_ + table_ + pattern_), 0,
              {{"copy_of_body", 1e3 * copy_}, {"element_table", 1e3 * table_}, {"sparse_pattern", 1e3 * pattern_}});
    }
    std::size_t tets() const { return tets_; }

  private:
    template <class Work>
    static void time(double& sum, Work work) {
        const double start = processorSeconds();
        work();
        sum += processorSeconds() - start;
    }
    static Vec3 direction(int k) {
        const auto at = [&](std::uint64_t c) { return randomRange(-1, 1, 7, static_cast<std::uint64_t>(k), c); };
        return Vec3(at(0), at(1), at(2) + 1.5).normalized();
    }
    void measureWhole() {
        Body copy;
        time(copy_, [&] { copy = body_; });
        time(table_, [&] { rebuildElements(body_); });
        time(pattern_, [&] { buildSparsePattern(body_.elements); });
    }

    Body body_;
    BodyState state_;
    TetStars stars_;
    TetLinks links_;
    ContactShape shape_;
    StepSettings settings_;
    std::unique_ptr<Loads> loads_;
    std::size_t tets_ = 0;
    int splits_ = 0;
    double cut_ = 0, maps_ = 0, linksTime_ = 0, elements_ = 0, contact_ = 0, loadsTime_ = 0;
    double copy_ = 0, table_ = 0, pattern_ = 0;
};

/// Splits cost the same in small and in large bodies.
void runSplits() {
    double first = 0;
    for (const int cells : {12, 20, 32}) {  // 10k, 48k, 197k tets of six a cell
        SplitBench bench(cells);
        bench.run(400);
        bench.report();
        if (first == 0) first = bench.perSplit();
        if (cells == 32) print("split_growth_", "10k_to_200k", "times", bench.perSplit() / first, 2, {{"tets", static_cast<double>(bench.tets())}});
    }
}

struct Times {
    double wall = 0, processor = 0, fracture = 0, criterion = 0, split = 0, compact = 0, symbolic = 0, contact = 0, solve = 0, assemble = 0, force = 0;
    int steps = 0, newton = 0, linear = 0, cuts = 0;
    bool failed = false;

    void add(const StepReport& r) {
        wall += r.totalSeconds;
        fracture += r.fractureSeconds;
        criterion += r.criterionSeconds;
        split += r.splitSeconds;
        compact += r.compactSeconds;
        symbolic += r.symbolicSeconds;
        contact += r.contactSeconds;
        solve += r.solveSeconds;
        assemble += r.assembleSeconds;
        force += r.forceSeconds;
        steps += r.steps;
        newton += r.newtonIterations;
        linear += r.linearIterations;
        cuts += r.broken.cuts;
        failed |= r.failed;
    }
    std::vector<std::pair<std::string, double>> checks() const {
        return {{"seconds", wall},          {"processor_seconds", processor}, {"fracture", fracture}, {"criterion", criterion},
                {"split", split},           {"compact", compact},             {"symbolic", symbolic}, {"contact", contact},
                {"solve", solve},           {"assemble", assemble},           {"force", force},       {"inner_steps", static_cast<double>(steps)},
                {"newton", static_cast<double>(newton)}, {"cg", static_cast<double>(linear)}, {"cuts", static_cast<double>(cuts)}, {"failed", failed ? 1.0 : 0.0}};
    }
};

void tell(int step, const WorldState& world, const StepReport& r) {
    if (!std::getenv("VERBOSE")) return;
    std::size_t pieces = 0, tets = 0;
    for (const WorldBody& b : world.bodies) {
        pieces += countPieces(b.body->mesh);
        tets += b.body->mesh.tetCount();
    }
    std::fprintf(stderr, "step %d: %.1f ms, %d solves, %d Newton, %d CG, %d cuts, %zu pieces, %zu tets; fracture %.1f (criterion %.1f split %.1f compact %.1f) symbolic %.1f contact %.1f solve %.1f assemble %.1f force %.1f %s\n",
                 step, 1e3 * r.totalSeconds, r.steps + r.rejected, r.newtonIterations, r.linearIterations, r.broken.cuts, pieces, tets, 1e3 * r.fractureSeconds, 1e3 * r.criterionSeconds,
                 1e3 * r.splitSeconds, 1e3 * r.compactSeconds, 1e3 * r.symbolicSeconds, 1e3 * r.contactSeconds, 1e3 * r.solveSeconds, 1e3 * r.assembleSeconds, 1e3 * r.forceSeconds, r.message.c_str());
}

double number(const char* name, double other) {
    const char* text = std::getenv(name);
    return text ? std::atof(text) : other;
}

/// A free beam of 4 m, cubic cells of six tets, just above the ground, on which it falls with 8 m/s. `across` cells over its height.
WorldState makeBeam(int across, double strength) {
    const int along = static_cast<int>(3.25 * across);
    const double cell = 4.0 / along;
    Body body;
    body.name = "beam";
    body.mesh = testing::makeBox(along, across, across, Vec3(4, across * cell, across * cell));
    testing::jitter(body.mesh, 0.2, 3);
    for (Vec3& p : body.mesh.rest) p.y() += 0.3 * cell;
    body.materials.resize(1);
    Material& m = body.materials[0];
    m.law = ElasticLawId::kCorotated;
    m.youngs = number("YOUNGS", 2e6);
    m.poisson = 0.2;
    m.density = 2000;
    m.stiffnessDamping = 1e-3;
    m.fracture.enabled = true;
    m.fracture.stress = strength;
    WorldState world;
    WorldBody beam;
    beam.body = buildBody(std::move(body));
    BodyState state = makeBodyState(*beam.body);
    for (Vec3& v : state.v) v = Vec3(0, -8, 0);
    beam.state = std::make_shared<const BodyState>(std::move(state));
    world.bodies.push_back(std::move(beam));
    return world;
}

constexpr double kFewestPieces = 2000;  // for which the beam's targets are

void runBeam(int across, int steps) {
    WorldState world = makeBeam(across, number("STRENGTH", 8.5e3));
    const std::size_t tets = world.bodies[0].body->mesh.tetCount();
    StepSettings settings;
    settings.ground.enabled = true;
    settings.oneSolve = number("ONESOLVE", 1) != 0;
    settings.newtonTolerance = settings.linearTolerance = number("TOLERANCE", 0.05);
    settings.fracture.rounds = static_cast<int>(number("ROUNDS", 0));
    // cracks along the faces that are there, as those of the peer
    settings.fracture.snapAngle = number("SNAPANGLE", 0.9);
    settings.fracture.snapShare = 0.49;
    Workspace workspace;
    Times times;
    const double start = processorSeconds();
    double longest = 0;
    for (int k = 0; k < steps && !times.failed; ++k) {
        const StepReport report = step(world, 0.01, settings, workspace);
        times.add(report);
        longest = std::max(longest, report.totalSeconds);
        tell(k + 1, world, report);
    }
    times.processor = processorSeconds() - start;
    auto checks = times.checks();
    const auto pieces = static_cast<double>(countPieces(world.bodies[0].body->mesh));
    Aabb box;
    for (const Vec3& p : world.bodies[0].state->x) box.extend(p);
    checks.insert(checks.begin(), {{"pieces", pieces},
                                   {"tets_at_start", static_cast<double>(tets)},
                                   {"tets_at_end", static_cast<double>(world.bodies[0].body->mesh.tetCount())},
                                   {"longest_step_ms", 1e3 * longest},
                                   {"lowest_vertex_m", box.lower.y()},
                                   {"highest_vertex_m", box.upper.y()},
                                   {"kinetic_J", world.energy.kinetic}});
    const std::string size = std::to_string(tets / 1000) + "k";
    print("beam_step_", size, "ms a step", 1e3 * times.wall / steps, across == 8 ? 100 : 0, checks, pieces > kFewestPieces);
    print("beam_step_processor_", size, "ms of processor time a step", 1e3 * times.processor / steps, across == 8 ? 200 : 0, {{"pieces", pieces}}, pieces > kFewestPieces);
}

void runScene(const char* path, int frames) {
    const Scene scene = readScene(path);
    WorldState world = buildWorld(scene, [](const std::string& file, Monitor* monitor) { return readGeometry(file, monitor); });
    Workspace workspace;
    Times times;
    const double start = processorSeconds();
    for (int k = 0; k < frames && !times.failed; ++k) {
        const StepReport report = step(world, 1.0 / scene.fps, scene.settings, workspace);
        times.add(report);
        tell(k + 1, world, report);
    }
    times.processor = processorSeconds() - start;
    std::string name = path;
    if (name.rfind("examples/", 0) == 0) name = name.substr(9);
    name = name.substr(0, name.rfind('.'));
    std::replace(name.begin(), name.end(), '/', '_');
    print("fracture_share_", name, "of run time", (times.fracture + times.symbolic) / times.wall, 0.2, times.checks());
}
}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) {
    using namespace sunder::bench;
    sunder::keepFreedMemory();
    const char* what = argc > 1 ? argv[1] : "";
    if (!std::strcmp(what, "split")) runSplits();
    else if (!std::strcmp(what, "beam")) runBeam(argc > 2 ? std::atoi(argv[2]) : 8, argc > 3 ? std::atoi(argv[3]) : 60);
    else if (!std::strcmp(what, "scene") && argc > 3) runScene(argv[2], std::atoi(argv[3]));
    else return std::fprintf(stderr, "usage: bench_fracture split | beam [CELLS [STEPS]] | scene FILE FRAMES\n"), 2;
    return 0;
}
