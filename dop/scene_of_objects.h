#pragma once

#include <SIM/SIM_Object.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/scene_build.h"

namespace sunder::dop {

/// DOP objects as a scene whose files are their geometry.
struct ObjectScene {
    Scene scene;
    std::map<std::string, Geometry> files;

    GeometryLoader loader() const;
};

/// Adds bodies, their guides and constraints, colliders and blasts. Throws Error with the object's name.
void addObjects(ObjectScene& to, const std::vector<SIM_Object*>& objects, Monitor* monitor);
/// Colliders and blasts alone: what may change while it runs. Of `late`, objects that are still to come, none is a collider.
void addSurroundings(ObjectScene& to, const std::vector<SIM_Object*>& objects, Monitor* monitor, const std::vector<SIM_Object*>& late = {});
/// Bodies of objects that appear while others run, as addLateBodies takes them: the others stand before them by name and contact alone.
void addLate(ObjectScene& to, const std::vector<SIM_Object*>& running, const std::vector<SIM_Object*>& late, Monitor* monitor);
/// A running body with the material, contact, and strengths and releases of constraints that its object has now; nothing if it has them.
std::optional<WorldBody> renewed(const WorldBody& body, const SIM_Object& object, const ObjectScene& surroundings, double time);

Geometry geometryOf(const SIM_Object& object, Monitor* monitor);
/// Its geometry of another data name; empty if there is none.
Geometry geometryOf(const SIM_Object& object, Monitor* monitor, const char* dataName);
/// Of that what an artist may have changed since the last step: positions, velocities, and what frames do not make of the state.
Geometry motionOf(const SIM_Object& object, Monitor* monitor);

}  // namespace sunder::dop
