#include "cli/simulation.h"

#include <filesystem>

#include "cli/build_info.h"
#include "cli/command.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/checkpoint.h"
#include "core/io/file.h"
#include "core/io/geometry_io.h"
#include "core/io/material_text.h"
#include "core/io/scene_json.h"
#include "core/io/usda_writer.h"
#include "core/sim/measures.h"
#include "core/sim/scene_build.h"
#include "core/sim/scene_frame.h"

namespace sunder::cli {

namespace {
bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

const GeometryLoader loadModel([](const std::string& path, Monitor* monitor) { return readGeometry(path, monitor); }, materialFromText);

Scene loadScene(const SimulateOptions& options) {
    Scene scene = readScene(options.scene);
    if (options.seed) scene.seed = *options.seed;
    validate(scene.settings);
    return scene;
}

double kineticEnergy(const WorldState& world) {
    double energy = 0;
    for (const WorldBody& b : world.bodies)
        for (std::size_t v = 0; v < b.body->mass.size(); ++v)
            energy += 0.5 * b.body->mass[v] * b.state->v[v].squaredNorm();
    return energy;
}

std::string lineOf(const FrameRecord& record, std::int64_t last) {
    double seconds = 0;
    for (const auto& stage : record.seconds)
        if (stage.first == "step" || stage.first == "write") seconds += stage.second;
    return format("frame %lld/%lld  tets %llu  steps %lld  detF %.3f  %.2f s",
                  static_cast<long long>(record.frame), static_cast<long long>(last),
                  static_cast<unsigned long long>(record.tets), static_cast<long long>(record.steps),
                  record.smallestDetF, seconds);
}

/// The frames to write: all of the scene's, or those of --frames.
FrameRange chooseFrames(const std::string& text, const Scene& scene) {
    if (text.empty()) return {scene.startFrame, scene.endFrame};
    const FrameRange range = parseFrameRange(text);
    if (range.first < scene.startFrame)
        throw UsageError(
            format("--frames '%s' begins before the scene's startFrame, %lld", text.c_str(),
                   static_cast<long long>(scene.startFrame)),
            format("begin at %lld, or change startFrame", static_cast<long long>(scene.startFrame)));
    return range;
}
}  // namespace

Simulation::Simulation(const SimulateOptions& options, Progress& progress, CommandMonitor& monitor)
    : options_(options),
      progress_(progress),
      monitor_(monitor),
      scene_(loadScene(options)),
      range_(chooseFrames(options.frames, scene_)),
      folder_(options.out) {
    setThreadCount(options.threads);
    manifest_.parameters = sceneToJson(scene_);
    manifest_.sceneIdentity = sceneIdentity(scene_);
    manifest_.seed = scene_.seed;
    manifest_.fps = scene_.fps;
    manifest_.startFrame = scene_.startFrame;
    manifest_.build = buildInfo();
}

void Simulation::run() {
    prepareFolder();
    const bool resumed = options_.resume && loadCheckpoint();
    if (!resumed) startFresh();
    try {
        simulateFrames();
        if (options_.usda) writeUsda();
        saveManifest("complete");
    } catch (const Cancelled&) {
        saveAfterTrouble("interrupted", "");
        progress_.note(
            format("stopped after frame %lld; continue with --resume", static_cast<long long>(frame_)));
        throw;
    } catch (const SimulationError& e) {
        saveAfterTrouble("failed", e.what());
        throw;
    }
}

void Simulation::prepareFolder() {
    folder_.prepare();
    if (options_.resume || options_.overwrite || folder_.results().empty()) return;
    throw Error(format("the folder '%s' holds a simulation already", options_.out.c_str()),
                "add --resume to continue it, --overwrite to replace it, or choose another --out");
}

bool Simulation::loadCheckpoint() {
    if (!exists(folder_.checkpoint())) {
        if (!folder_.results().empty())
            progress_.note("there is no checkpoint; starting again from the first frame");
        return false;
    }
    Checkpoint checkpoint = readCheckpoint(folder_.checkpoint());
    restoreManifest();
    if (checkpoint.sceneIdentity != manifest_.sceneIdentity)
        throw Error(
            format("the checkpoint in '%s' belongs to another scene", options_.out.c_str()),
            "resume with the scene it was made from, choose another --out, or start again with --overwrite");
    frame_ = checkpointFrame_ = checkpoint.frame;
    world_ = std::move(checkpoint.world);
    world_.colliders = buildColliders(scene_, loadModel, &monitor_);
    while (!manifest_.frames.empty() && manifest_.frames.back().frame > frame_) manifest_.frames.pop_back();
    warnOfMissingFrames();
    return true;
}

/// Takes over what an earlier run has recorded, and says where its scene differs.
void Simulation::restoreManifest() {
    if (!exists(folder_.manifest())) return;
    Manifest earlier = readManifest(folder_.manifest());
    if (earlier.sceneIdentity != manifest_.sceneIdentity) {
        const std::vector<std::string> places = differingParameters(earlier.parameters, manifest_.parameters);
        throw Error(
            format(
                "the simulation in '%s' is of another scene: %s", options_.out.c_str(),
                places.empty() ? "a model that it uses has changed" : ("it differs at " + places[0]).c_str()),
            "resume with the scene it was made from, choose another --out, or start again with --overwrite");
    }
    manifest_.frames = std::move(earlier.frames);
    manifest_.warnings = std::move(earlier.warnings);
}

void Simulation::warnOfMissingFrames() {
    std::int64_t missing = 0;
    for (std::int64_t f = range_.first; f <= std::min(range_.last, frame_); ++f)
        missing += exists(folder_.frame(f)) ? 0 : 1;
    if (missing > 0)
        monitor_.warn(format(
            "%lld frames before the checkpoint at frame %lld are not in '%s'; --overwrite makes them again",
            static_cast<long long>(missing), static_cast<long long>(frame_), options_.out.c_str()));
}

void Simulation::startFresh() {
    progress_.stage("building the bodies ...");
    Timer timer;
    world_ = buildWorld(scene_, loadModel, &monitor_);
    // only now, so that a scene that cannot be built leaves an earlier simulation alone
    if (!folder_.results().empty()) folder_.removeResults();
    frame_ = scene_.startFrame;
    StepReport start;
    start.smallestDetF = 1;
    start.energy.kinetic = kineticEnergy(world_);
    world_.energy = start.energy;
    saveManifest("running");
    FrameRecord record = recordOf(start);
    record.seconds.insert(record.seconds.begin(), {"build", timer.seconds()});
    finishFrame(std::move(record));
}

void Simulation::simulateFrames() {
    progress_.begin(frame_ + 1, range_.last);
    while (frame_ < range_.last) {
        throwIfCancelled(&monitor_);
        advanceTo(frame_ + 1);
    }
    if (checkpointFrame_ != frame_) saveCheckpoint();
    progress_.end();
}

/// The time of a frame follows from its number, so that no error adds up over many frames.
void Simulation::advanceTo(std::int64_t frame) {
    const double duration = scene_.timeOf(frame) - scene_.timeOf(frame - 1);
    const StepReport report = step(world_, duration, scene_.settings, workspace_, &monitor_);
    for (const std::string& warning : report.warnings) monitor_.warn(warning);
    if (report.failed)
        throw SimulationError(
            format("frame %lld: %s", static_cast<long long>(frame), report.message.c_str()),
            "change the scene and start again with --overwrite; the frames before are kept until then");
    world_.time = scene_.timeOf(frame);
    frame_ = frame;
    finishFrame(recordOf(report));
}

namespace {
/// What broke, was left or let go, without zeros.
std::vector<std::pair<std::string, double>> brokenOf(const StepReport& report) {
    const BreakTotals& b = report.broken;
    const std::pair<const char*, double> all[] = {
        {"cuts", b.cuts},         {"alongFaces", b.alongFaces},   {"snapped", b.snapped},          {"grazing", b.grazing},           {"tooSmall", b.tooSmall},
        {"heldByParts", b.heldByParts}, {"skipped", b.skipped},   {"left", b.left},                {"solvedAgain", report.solvedAgain},
        {"roundsUsedUp", report.roundsUsedUp}, {"unsolvedCuts", report.unsolvedCuts}, {"released", report.released},    {"bondsBroken", report.bondsBroken},
        {"area", b.area},         {"energy", b.energy},           {"addedMass", b.addedMass},
        {"toRigid", report.departures.rigid}, {"toParticles", report.departures.particles}};
    std::vector<std::pair<std::string, double>> list;
    for (const auto& [kind, value] : all)
        if (value > 0) list.emplace_back(kind, value);
    return list;
}
}  // namespace

FrameRecord Simulation::recordOf(const StepReport& report) const {
    FrameRecord record;
    record.frame = frame_;
    record.file = OutputFolder::frameName(frame_);
    for (const WorldBody& b : world_.bodies) {
        if (b.body->pieceOf.body >= 0) continue;  // still counted where it came from
        record.tets += b.body->mesh.tetCount();
        record.pieces += countPieces(b.body->mesh);
    }
    record.energy = report.energy;
    record.smallestDetF = report.smallestDetF;
    record.steps = report.steps;
    record.rejected = report.rejected;
    record.newtonIterations = report.newtonIterations;
    record.linearIterations = report.linearIterations;
    record.held = report.held;
    record.seconds = {{"step", report.totalSeconds},
                      {"force", report.forceSeconds},
                      {"assemble", report.assembleSeconds},
                      {"solve", report.solveSeconds},
                      {"contact", report.contactSeconds},
                      {"fracture", report.fractureSeconds},
                      {"criterion", report.criterionSeconds},
                      {"split", report.splitSeconds},
                      {"compact", report.compactSeconds},
                      {"symbolic", report.symbolicSeconds}};
    record.broken = brokenOf(report);
    return record;
}

/// Frame first, then the manifest that names it, then the checkpoint that builds on both: a cut at any point
/// leaves a folder from which --resume goes on.
void Simulation::finishFrame(FrameRecord record) {
    if (frame_ >= range_.first) {
        const Timer timer;
        const std::vector<std::uint8_t> bytes =
            encodeGeometry(frameGeometry(world_, frame_), GeometryFormat::kBgeoSc);
        record.hash = hashVector(bytes);
        writeFileAtomic(folder_.frame(frame_), bytes);
        record.seconds.emplace_back("write", timer.seconds());
        manifest_.frames.push_back(record);
        saveManifest("running");
    }
    if (checkpointFrame_ < 0 || sinceCheckpoint_.seconds() >= options_.checkpointSeconds) saveCheckpoint();
    progress_.frameDone(frame_, lineOf(record, range_.last), frameRecordToJson(record));
}

void Simulation::saveCheckpoint() {
    writeCheckpoint(folder_.checkpoint(), {manifest_.sceneIdentity, frame_, world_});
    checkpointFrame_ = frame_;
    sinceCheckpoint_.restart();
}

void Simulation::saveManifest(const char* status, const std::string& message) {
    manifest_.status = status;
    manifest_.message = message;
    for (const std::string& warning : monitor_.warnings())
        if (std::find(manifest_.warnings.begin(), manifest_.warnings.end(), warning) ==
            manifest_.warnings.end())
            manifest_.warnings.push_back(warning);
    writeManifest(folder_.manifest(), manifest_);
}

/// The trouble itself is what the user hears of; failing to note it must not hide it.
void Simulation::saveAfterTrouble(const char* status, const std::string& message) {
    progress_.end();
    try {
        if (checkpointFrame_ != frame_) saveCheckpoint();
        saveManifest(status, message);
    } catch (const WriteError& e) {
        monitor_.warn(e.what());
    }
}

void Simulation::writeUsda() {
    UsdaOptions usda;
    usda.timeCodesPerSecond = scene_.fps;
    const std::vector<FrameRecord>& frames = manifest_.frames;
    const auto load = [&](std::size_t i) {
        return UsdaFrame{static_cast<double>(frames[i].frame),
                         readGeometry(folder_.path() + "/" + frames[i].file)};
    };
    progress_.stage("writing animation.usda ...");
    writeUsdaSequence(folder_.path() + "/animation.usda", frames.size(), load, usda, &monitor_);
    progress_.end();
}

}  // namespace sunder::cli
