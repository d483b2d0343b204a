#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/span.h"
#include "core/sim/collider.h"

namespace sunder {

/// What a host that shows a collider anew for every step keeps of it. With this and the surface at the end of a step the collider is in that step, to the bit, the one of
/// a scene that knows all of its surfaces from the start. Keys are constant and shared by the tracks of many steps.
struct ColliderTrack {
    std::string name;
    std::int32_t earlier = 0;                       ///< see Collider
    std::shared_ptr<const Collider::Key> before;    ///< the last one of the topology before: only in the step at whose start the topology is new, else null
    std::shared_ptr<const Collider::Key> first;     ///< of the present topology: what the layer behind the surface was built for
    std::shared_ptr<const Collider::Key> last;      ///< where it was at the end of the last step; its time is not looked at. The same one as `first` if it has not moved
};

/// Colliders as a step from `from` to `to` shows them.
struct ColliderShow {
    const std::vector<ColliderTrack>& tracks;
    double from = 0, to = 0;  ///< s
};

/// Gives a collider that has one key, the surface at the end of the step, those of its track. One without a track is new and stands still.
void followTrack(const ColliderShow& show, Collider& input);

/// The tracks after a step that ended at `time` with these colliders. What has not changed is shared with the tracks before.
std::vector<ColliderTrack> trackColliders(const std::vector<std::shared_ptr<const Collider>>& colliders, double time, const std::vector<ColliderTrack>& before);

std::vector<std::uint8_t> saveTracks(const std::vector<ColliderTrack>& tracks);
/// Throws Error for bytes that are no tracks.
std::vector<ColliderTrack> loadTracks(Span<const std::uint8_t> bytes);
/// Bytes that the tracks hold alone or share with others.
std::size_t memoryOf(const std::vector<ColliderTrack>& tracks);

}  // namespace sunder
