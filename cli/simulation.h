#pragma once

#include <optional>
#include <string>

#include "cli/output_folder.h"
#include "cli/progress.h"
#include "core/io/manifest.h"
#include "core/sim/scene.h"
#include "core/sim/stepper.h"

namespace sunder::cli {

struct SimulateOptions {
    std::string scene, out;
    std::string frames;                 ///< "A-B" or empty for all
    int threads = 0;                    ///< 0: all of the machine
    std::optional<std::uint64_t> seed;  ///< in place of the scene's
    bool resume = false, overwrite = false, json = false, usda = false;
    double checkpointSeconds = 1;  ///< at least this long between two checkpoints
};

/// One run of `sunder simulate`: from the start or a checkpoint to the last frame, leaving frames, manifest
/// and checkpoint in a state from which a later run can go on, whatever happens.
class Simulation {
  public:
    Simulation(const SimulateOptions& options, Progress& progress, CommandMonitor& monitor);
    void run();

  private:
    void prepareFolder();
    bool loadCheckpoint();
    void startFresh();
    void restoreManifest();
    void warnOfMissingFrames();
    void simulateFrames();
    void advanceTo(std::int64_t frame);
    void finishFrame(FrameRecord record);
    void saveCheckpoint();
    void saveManifest(const char* status, const std::string& message = {});
    void saveAfterTrouble(const char* status, const std::string& message);
    void writeUsda();
    FrameRecord recordOf(const StepReport& report) const;

    SimulateOptions options_;
    Progress& progress_;
    CommandMonitor& monitor_;
    Scene scene_;
    FrameRange range_;
    OutputFolder folder_;
    Manifest manifest_;
    WorldState world_;
    Workspace workspace_;
    std::int64_t frame_ = 0;             ///< of the world
    std::int64_t checkpointFrame_ = -1;  ///< of the file
    Timer sinceCheckpoint_;
};

}  // namespace sunder::cli
