#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"

namespace sunder {

struct UsdaOptions {
    std::string primName = "sunder";
    double timeCodesPerSecond = 24;
};

/// Writes a sequence as one UsdGeomMesh in text, frame after frame. What does not change is written once, the
/// rest as time samples, topology included. The mesh is made of the boundary of the tets and of the
/// polygons; curves are left out. Point attribute v gives velocities (per second), N normals, Cd
/// displayColor, uv st (two components); all others and the groups become primvars. A name that two classes
/// of elements use gets the class as a suffix behind the first. Memory holds one frame; the samples wait in
/// nameless files in the folder of `path`.
class UsdaWriter {
  public:
    UsdaWriter(const std::string& path, const UsdaOptions& options);
    ~UsdaWriter();
    UsdaWriter(const UsdaWriter&) = delete;
    UsdaWriter& operator=(const UsdaWriter&) = delete;
    /// Time codes must rise. Throws Error if an attribute changes its type.
    void addFrame(double timeCode, const Geometry& geometry);
    /// Puts the file in place, whole or not at all.
    void finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

struct UsdaFrame {
    double timeCode = 0;
    Geometry geometry;
};

/// Gathers the frames that `load` gives one at a time, typically from a cache on disk, so that an interrupted
/// run can be gathered again at its end.
void writeUsdaSequence(const std::string& path, std::size_t frameCount,
                       const std::function<UsdaFrame(std::size_t)>& load, const UsdaOptions& options = {},
                       Monitor* monitor = nullptr);

}  // namespace sunder
