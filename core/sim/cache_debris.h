#pragma once

#include "core/sim/cache_cracks.h"

namespace sunder {

struct DebrisOptions {
    double density = 1000;   ///< points a m2 of the sides of new cracks; both sides count
    double speed = 0;        ///< m/s, largest random speed off the face
    std::uint64_t seed = 0;
};

/// Points to start debris and dust from where cracks open.
class DebrisSource {
  public:
    /// Throws Error for a density or speed below zero.
    explicit DebrisSource(const DebrisOptions& options);

    /// Points on the faces that have opened since the frame before, spread evenly at random: `v` (of the face, and off it by up to `speed`), `N` (out of
    /// the piece), `area` (of crack that one point stands for, m2), `age` (s, even within the interval in which the face opened), `name` of the piece
    /// and an `id` that no other point of any frame has.
    Geometry emit(const CrackHistory& cracks);

  private:
    DebrisOptions options_;
    std::int64_t next_ = 0;
};

}  // namespace sunder
