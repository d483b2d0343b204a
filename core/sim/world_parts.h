#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/collider_track.h"
#include "core/sim/constraint_track.h"
#include "core/sim/world.h"

namespace sunder {

/// What belongs to no single body of a world.
struct WorldCommon {
    std::vector<ColliderTrack> colliders;
    std::vector<GlueBond> glue;
    std::vector<std::int32_t> appeared;  ///< how many bodies were there at the start, and how many came each time later
    std::vector<ConstraintTrack> constraints;  ///< drawn ones, by body
};

/// What a host that keeps its objects apart holds of one body of a world. All of it is constant and shared: copies cost nothing. The parts of all bodies
/// make the world again, to the bit; colliders are made of what the host shows and of their tracks.
struct WorldPart {
    WorldState world;            ///< with this body alone
    std::int32_t number = 0;     ///< of the body in the whole world ...
    std::int32_t count = 1;      ///< ... and how many there are
    double framesPerSecond = 0;  ///< steps a second of the host, and how many there were since `baseTime`: the time is never a running sum
    std::int64_t steps = 0;
    double baseTime = 0;         ///< s
    std::shared_ptr<const WorldCommon> common;  ///< of the first body alone
};

/// Opens the energy books of a world at its start, as a run of a scene does.
void startBooks(WorldState& world);

/// `common` of the clock is that of before the step.
std::vector<WorldPart> takeApart(const WorldState& world, const WorldPart& clock);

/// The world of parts in any order. Throws Error with a remedy unless they are all parts of one world at one time.
WorldState putTogether(const std::vector<const WorldPart*>& parts);
/// That of the first body, or one of nothing.
std::shared_ptr<const WorldCommon> commonOf(const std::vector<const WorldPart*>& parts);

/// Time from which to which the next step of `timestep` seconds goes, and the clock after it. The same times as those of a scene's frames.
struct PartStep {
    double from = 0, to = 0;  ///< s
    WorldPart clock;          ///< without a world and what is common
};
PartStep nextStep(const WorldPart& part, double timestep);

std::vector<std::uint8_t> savePart(const WorldPart& part);
/// Throws Error for bytes that are not a part.
WorldPart loadPart(Span<const std::uint8_t> bytes);
/// Bytes that a part holds, of what others hold, too, its share: all together count about what there is.
std::size_t memoryOf(const WorldPart& part);

/// What frameGeometry shows of each body, in their order. Bodies that appeared together (WorldCommon) have the attributes and ids of a frame with them alone, ids of later ones from
/// kLateIds on for each time: what was there before goes on unchanged, and no two ids are the same.
inline constexpr std::int64_t kLateIds = std::int64_t{1} << 48;
std::vector<Geometry> bodyFrames(const WorldState& world, std::int64_t frame, const std::vector<std::int32_t>& appeared = {});

/// The state after an artist has changed what was shown of it: positions and velocities that are not the float image of the state's win. Null if none has been changed.
/// Throws Error with a remedy if points or tets are not those that were shown.
std::shared_ptr<const BodyState> takeEdits(const WorldBody& body, const Geometry& shown);

}  // namespace sunder
