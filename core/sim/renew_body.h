#pragma once

#include <optional>

#include "core/sim/scene.h"
#include "core/sim/world.h"

namespace sunder {

/// What a host says of a running body where that may change from step to step.
struct BodyRenewal {
    const Material* material = nullptr;  ///< of the tets whose material geometry does not name; null: as it is
    ContactSurface contact;
    std::vector<ScenePin> pins;        ///< when and by what they let go; they hold whom they hold
    std::vector<SceneTarget> targets;  ///< the same, strength and damping
};

/// The body with that, awake; nothing where nothing is different. Pins and targets go by their names, several of one name by their order, and what has let go by `time` stays let go.
/// Throws Error with a remedy for values that make no sense.
std::optional<WorldBody> renewBody(const WorldBody& body, const BodyRenewal& now, double time);

}  // namespace sunder
