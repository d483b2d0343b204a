#pragma once

#include <cstdint>
#include <string>

#include "core/sim/world.h"

namespace sunder {

/// Changes whenever the file around the snapshot changes.
inline constexpr std::uint32_t kCheckpointVersion = 1;

/// All that is needed to go on with a simulation at another time, to the same bits.
struct Checkpoint {
    std::uint64_t sceneIdentity = 0;
    std::int64_t frame = 0;  ///< the last one that is complete
    WorldState world;
};

/// Replaces the file whole or leaves the old one. Throws WriteError.
void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws Error with a remedy for a file that is missing, not a checkpoint, of another version, cut short or
/// damaged.
Checkpoint readCheckpoint(const std::string& path);

}  // namespace sunder
