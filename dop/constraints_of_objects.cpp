#include "dop/constraints_of_objects.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "dop/scene_of_objects.h"

namespace sunder::dop {

namespace {
constexpr const char* kConstraintData = "ConstraintGeometry";
}

std::vector<ConstraintTrack> bindObjects(WorldState& world, const std::vector<SIM_Object*>& objects,
                                         std::size_t first, Monitor* monitor) {
    std::vector<ConstraintTrack> tracks;
    for (std::size_t k = 0; k < objects.size(); ++k) {
        const Geometry drawn = geometryOf(*objects[k], monitor, kConstraintData);
        if (drawn.pointCount() == 0) continue;
        try {
            tracks.push_back(bindConstraints(world, first + k, drawn));
        } catch (const Error& e) {
            throw Error(format("object '%s': %s", objects[k]->getName().c_str(), e.what()), e.remedy());
        }
    }
    return tracks;
}

std::vector<Geometry> drawnOfObjects(const std::vector<ConstraintTrack>& tracks,
                                     const std::vector<SIM_Object*>& objects,
                                     const std::vector<std::size_t>& numbers, Monitor* monitor) {
    std::vector<Geometry> drawn;
    for (const ConstraintTrack& track : tracks) {
        const auto place = std::find(numbers.begin(), numbers.end(), static_cast<std::size_t>(track.body));
        drawn.push_back(place == numbers.end()
                            ? Geometry()
                            : geometryOf(*objects[static_cast<std::size_t>(place - numbers.begin())], monitor,
                                         kConstraintData));
    }
    return drawn;
}

}  // namespace sunder::dop
