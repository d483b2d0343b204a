#pragma once

#include <array>
#include <vector>

#include "core/sim/cache_frame.h"

namespace sunder {

/// When the cracks of a simulation opened, as its frames tell: a face opened at the time of the first frame that has it open. What is open in
/// the first frame of all counts as opened then, but not as new.
class CrackHistory {
  public:
    /// Frames come in order of time. Throws Error if they are not of one simulation.
    void add(CacheFrame frame);

    /// The frame that was added last.
    const CacheFrame& frame() const { return frame_; }
    /// s since a face of that frame opened; -1 if no crack has opened it.
    double age(std::size_t tet, int face) const { return frame_.isOpen(tet, face) ? frame_.time - opened_[tet][static_cast<std::size_t>(face)] : -1; }
    /// Opened since the frame before.
    bool isNew(std::size_t tet, int face) const { return frameCount_ > 1 && age(tet, face) == 0; }
    /// s from the frame before, 0 for the first.
    double interval() const { return interval_; }

  private:
    CacheFrame frame_;
    std::vector<std::array<double, 4>> opened_;  ///< s, of every face of every tet
    std::size_t frameCount_ = 0;
    double interval_ = 0;
};

/// Of every tet of a later frame: bits of the faces that were open in an earlier one, as they are or as part of what they were cut from.
std::vector<std::uint8_t> facesOpenBefore(const CacheFrame& earlier, const CacheFrame& later, const Ancestry& ancestry);

/// How fast the other copies of every point move away from it, m/s: the mean of their velocities minus its own; zero where there are no others,
/// as at the tip of a crack.
std::vector<Vec3> openingVelocities(const CacheFrame& frame);

}  // namespace sunder
