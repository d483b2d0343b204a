#pragma once

#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/sim/world.h"

namespace sunder {

/// Changes whenever the bytes of a snapshot get another meaning. Version 2 had no rigid bodies and no `contactWork`, version 3 no
/// plasticity and no cracks, version 4 no energy of cracks, no shortest step, no guides, no glue and nothing that lets go, version 5 no pieces
/// that leave and no damage, version 6 no sides of contact, version 7 no friction of theirs, version 9 no sleeping pieces, version 10 no materials that geometry names; all are still read.
inline constexpr std::uint32_t kSnapshotVersion = 11;
inline constexpr std::uint32_t kOldestSnapshotVersion = 2;

/// The world as bytes, little-endian, every double with all of its bits. What buildBody derives is left out, and so are the colliders,
/// which go where they are led and come from the scene again.
/// An older `version` leaves out what it had no place for.
std::vector<std::uint8_t> saveSnapshot(const WorldState& world, std::uint32_t version = kSnapshotVersion);

/// The same world again: step() goes on from it to the same bits. Throws Error for bytes that are cut short,
/// too long or make no sense; memory stays in proportion to the bytes.
WorldState loadSnapshot(Span<const std::uint8_t> bytes);

}  // namespace sunder
