#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/sim/world.h"

namespace sunder {

/// What made the frames.
struct BuildInfo {
    std::string version, commit, compiler, flags;
};

/// What is known of one frame on disk.
struct FrameRecord {
    std::int64_t frame = 0;
    std::string file;  ///< in the manifest's folder
    std::uint64_t tets = 0, pieces = 0;
    EnergyBooks energy;  ///< J
    double smallestDetF = 1;
    std::int64_t steps = 0;  ///< inner steps from the frame before
    std::int64_t rejected = 0, newtonIterations = 0, linearIterations = 0;
    std::int64_t held = 0;  ///< vertices by faces that they have gone far through, see StepReport
    std::vector<std::pair<std::string, double>> broken;   ///< what broke, was left or let go, by kind; without zeros
    std::vector<std::pair<std::string, double>> seconds;  ///< by stage
    std::uint64_t hash = 0;                               ///< of the file's bytes
};

/// The record of a simulation beside its frames.
struct Manifest {
    std::string status = "running";  ///< running, complete, interrupted or failed
    std::string message;             ///< why it failed
    std::string parameters;          ///< the whole scene as JSON
    std::uint64_t sceneIdentity = 0;
    std::uint64_t seed = 0;
    double fps = 24;
    std::int64_t startFrame = 1;  ///< the frame at time zero
    BuildInfo build;
    std::vector<std::string> warnings;
    std::vector<FrameRecord> frames;  ///< ascending
};

std::string manifestToJson(const Manifest& manifest);
std::string frameRecordToJson(const FrameRecord& record);
/// Replaces the file whole or leaves the old one. Throws WriteError.
void writeManifest(const std::string& path, const Manifest& manifest);
/// Throws Error for a file that is missing or not a manifest.
Manifest readManifest(const std::string& path);

/// Places (JSON pointers) at which two scenes written by sceneToJson differ, endFrame apart.
std::vector<std::string> differingParameters(const std::string& a, const std::string& b);

}  // namespace sunder
