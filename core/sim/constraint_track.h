#pragma once

#include <memory>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/snapshot_bytes.h"
#include "core/sim/world.h"

namespace sunder {

/// What a host that shows constraint geometry anew for every step keeps of it. The constraints themselves
/// belong to the body; each point that holds something is one target there, whose motion is set for a step
/// and taken out again behind it, so that frames share the body.
struct ConstraintTrack {
    std::int32_t body = 0;                           ///< its number in the world
    std::int32_t firstHard = 0, firstSoft = 0;       ///< its first targets among those of the body
    std::vector<std::int32_t> hardPoint, softPoint;  ///< of each of its targets: the point that leads it
    std::shared_ptr<const std::vector<Vec3>> start;  ///< places of all points when they were bound, m
    std::shared_ptr<const std::vector<Vec3>>
        last;  ///< and at the end of the last step; the same ones if they have not moved
};

/// The releaseTime of a target that `active` has switched off.
inline constexpr double kSwitchedOff = -1;

/// Binds drawn constraints (readConstraints) to a body as it is now. Pins and targets hold vertices of that
/// body; a point without a group, a vertex or a radius holds the nearest one, which has to be no farther than
/// the edges there are long. Glue may go to any body. Throws Error with a remedy and leaves the world as it
/// was; glue after the start is refused.
ConstraintTrack bindConstraints(WorldState& world, std::size_t body, const Geometry& drawn);

/// Constraint geometry as the host shows it at the end of a step, in the order of the tracks.
struct ConstraintShow {
    const std::vector<Geometry>& drawn;
    double from = 0, to = 0;  ///< s
};

/// Constraints that follow their points through one step.
class LedConstraints {
  public:
    explicit LedConstraints(std::vector<ConstraintTrack> tracks) : tracks_(std::move(tracks)) {}
    /// Gives targets the straight ways of their points, and lets go of those that are no longer `active` or
    /// holds those that have become so, where they are. Returns whether some did: then forces and books start
    /// anew. Throws Error with a remedy for other constraints than those that were bound.
    bool lead(WorldState& world, const ConstraintShow& show);
    /// Behind the step: takes the ways out again.
    void settle(WorldState& world);
    const std::vector<ConstraintTrack>& tracks() const { return tracks_; }

  private:
    struct Led {
        std::size_t body;
        std::shared_ptr<const Body> before, led;
    };
    bool leadOne(WorldState& world, ConstraintTrack& track, const Geometry& drawn,
                 const ConstraintShow& show);
    std::vector<ConstraintTrack> tracks_;
    std::vector<Led> led_;
};

/// Throws Error unless the tracks fit the bodies.
void checkTracks(const std::vector<ConstraintTrack>& tracks, const WorldState& world);
void transferTracks(ByteWriter& io, const std::vector<ConstraintTrack>& tracks);
void transferTracks(ByteReader& io, std::vector<ConstraintTrack>& tracks);
/// Bytes that the tracks hold alone or share with others.
std::size_t memoryOf(const std::vector<ConstraintTrack>& tracks);

}  // namespace sunder
