#include "dop/constraints_of_objects.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "dop/scene_of_objects.h"

namespace sunder::dop {

namespace {
constexpr const char* kConstraintData = "ConstraintGeometry";
}

void bindObjects(WorldState& world, const std::vector<SIM_Object*>& objects,
                 std::vector<ConstraintTrack>& tracks, Monitor* monitor) {
    for (std::size_t k = 0; k < objects.size(); ++k) {
        const auto isOwn = [&](const ConstraintTrack& t) { return static_cast<std::size_t>(t.body) == k; };
        if (std::any_of(tracks.begin(), tracks.end(), isOwn)) continue;
        const Geometry drawn = geometryOf(*objects[k], monitor, kConstraintData);
        if (drawn.pointCount() == 0) continue;
        try {
            tracks.push_back(bindConstraints(world, k, drawn));
        } catch (const Error& e) {
            throw Error(format("object '%s': %s", objects[k]->getName().c_str(), e.what()), e.remedy());
        }
    }
}

std::vector<Geometry> drawnOfObjects(const std::vector<ConstraintTrack>& tracks,
                                     const std::vector<SIM_Object*>& objects, Monitor* monitor) {
    std::vector<Geometry> drawn;
    for (const ConstraintTrack& track : tracks)
        drawn.push_back(geometryOf(*objects[static_cast<std::size_t>(track.body)], monitor, kConstraintData));
    return drawn;
}

}  // namespace sunder::dop
