#pragma once

#include <unordered_map>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// Points and tets that DepartedPieces brought back.
inline constexpr const char* kDepartedGroup = "departed";

/// Frames show a piece that has left as a particle as one point. All that is made of frames wants its tets, which the last frame before has: this brings them back.
class DepartedPieces {
  public:
    /// Frames come in order of time, from the first on. The tets of a frame and their points, all else left out: in frames without particles as they are; in others those that have left are there as
    /// well, in the shape and attitude in which they were last seen, where their particle is and with its `v` and `accel`, without `stress` and `strain`, in the groups `departed`. What the first frame of all does
    /// not show, having left before, stays away. Throws Error if a piece came off and left between two frames.
    Geometry restore(const Geometry& frame, Monitor* monitor = nullptr);

  private:
    Geometry before_;  ///< what the frame before became
    std::unordered_map<std::int64_t, Vec3> place_;  ///< of every particle in that, by id
};

}  // namespace sunder
