#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"
#include "core/sim/collider_track.h"
#include "core/sim/material_rows.h"
#include "core/sim/scene.h"
#include "core/sim/world.h"

namespace sunder {

/// How files are read, and the materials that they name; given from outside because sim does not know the file formats.
class GeometryLoader {
  public:
    using Read = std::function<Geometry(const std::string& path, Monitor* monitor)>;
    template <class F, class = std::enable_if_t<std::is_invocable_r_v<Geometry, F, const std::string&, Monitor*>>>
    GeometryLoader(F read, MaterialReader readMaterial = nullptr) : read_(std::move(read)), readMaterial_(std::move(readMaterial)) {}
    GeometryLoader(std::nullptr_t) {}  ///< for scenes without files

    Geometry operator()(const std::string& path, Monitor* monitor) const { return read_(path, monitor); }
    /// Throws Error for text that is not a material.
    Material material(const std::string& text, const std::string& owner) const;

  private:
    Read read_;
    MaterialReader readMaterial_;
};

/// Makes the world of a scene at its start: loads or generates every body, fills surfaces with tets, places
/// it, and resolves pins, targets, forces and velocities; then the colliders. Throws Error, with the body's
/// name, for what cannot be simulated; Monitor::warn gets what was repaired.
WorldState buildWorld(const Scene& scene, const GeometryLoader& load, Monitor* monitor = nullptr);

/// The bodies alone that the world does not have yet: as many as it has stand first in the scene.
void buildBodies(WorldState& world, const Scene& scene, const GeometryLoader& load, Monitor* monitor = nullptr);

/// The colliders of a scene alone: a world that comes from a snapshot has none yet. They are the same to the bit every time. With a `show` their files are what hosts show
/// of them at the end of a step.
std::vector<std::shared_ptr<const Collider>> buildColliders(const Scene& scene, const GeometryLoader& load, Monitor* monitor = nullptr, const ColliderShow* show = nullptr);

/// How a body or collider meets others, its groups as bits.
ContactSurface buildContactSurface(const Scene& scene, const SceneContact& contact);

/// Vertices of the mesh in a region, ascending (`nearest`: by distance). Throws Error, with `owner` in the
/// message, if there is none or the group does not exist.
std::vector<std::int32_t> selectVertices(const Region& region, Span<const Vec3> positions,
                                         const AttributeSet& attributes, const std::string& owner);

}  // namespace sunder
