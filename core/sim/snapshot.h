#pragma once

#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/sim/world.h"

namespace sunder {

/// Changes whenever the bytes of a snapshot get another meaning.
inline constexpr std::uint32_t kSnapshotVersion = 2;

/// The world as bytes, little-endian, every double with all of its bits. What buildBody derives is left out.
std::vector<std::uint8_t> saveSnapshot(const WorldState& world);

/// The same world again: step() goes on from it to the same bits. Throws Error for bytes that are cut short,
/// too long or make no sense; memory stays in proportion to the bytes.
WorldState loadSnapshot(Span<const std::uint8_t> bytes);

}  // namespace sunder
