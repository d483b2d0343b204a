#pragma once

#include <array>
#include <optional>

#include "core/math/types.h"

namespace sunder {

/// Continuous collision detection: all points move along straight lines, x(t) = (1 - t) start + t end, 0 <= t
/// <= 1.
struct TouchOptions {
    double separation = 0;     ///< m; closer than this, or just as far, counts as touching
    double tolerance = 1e-12;  ///< where steps in time have become shorter than this and the gap is this part
                               ///< of the pair's extent or less, the time is given as a touch
    int iterations = 128;      ///< after as many steps the time reached is given as a touch
};

/// A time at or before the first touch of vertex 0 with the triangle 1, 2, 3; nothing if they never touch. It
/// may be early or a false alarm (see `tolerance`), it is never late and no touch is missed, whatever
/// rounding does: flat triangles, edges of no length and huge coordinates included. Not-a-number gives a
/// touch at 0.
std::optional<double> vertexFaceTouch(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end,
                                      const TouchOptions& options = {});
/// The same for the edges 0, 1 and 2, 3.
std::optional<double> edgeEdgeTouch(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end,
                                    const TouchOptions& options = {});

}  // namespace sunder
