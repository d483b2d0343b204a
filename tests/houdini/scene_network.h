#pragma once

#include <standin/dop.h>

#include <map>
#include <string>

#include "core/mesh/geometry.h"
#include "core/sim/scene.h"

namespace sunder::test {

/// A scene whose bodies and colliders are geometry files, as a SOP would hand them over: places and shapes are in the files, what pins hold has become groups,
/// colliders are not shown, since they are objects of their own. The command line and a DOP network both start from it, and so from the same floats.
struct GeometryScene {
    Scene scene;
    std::map<std::string, Geometry> files;  ///< by the paths of the scene

    explicit GeometryScene(Scene from);
    /// What save() left in a folder.
    explicit GeometryScene(const std::string& folder);
    /// All bodies merged to one whose tets name their materials, with the velocities that they start with; what else bodies have of their own is gone.
    GeometryScene mergedToOne() const;
    /// scene.json and all its files.
    void save(const std::string& folder) const;

    /// An object a body and collider with the data that the scene asks for; every value goes to the option of the same word.
    standin::DopNetwork network() const;
    /// Frames as the core alone makes them, as bytes, body by body.
    std::vector<std::vector<std::string>> frames(int count) const;
};

/// Geometry as it comes back from a file.
Geometry throughFile(const Geometry& geometry);
/// The bodies of a frame of `sunder simulate` one by one; `like` tells how much belongs to each. Empty if that does not add up.
std::vector<Geometry> splitFrame(const Geometry& frame, const std::vector<Geometry>& like);
/// What went wrong in a network.
std::string trouble(const standin::DopNetwork& net);

}  // namespace sunder::test
