#pragma once

#include <gmpxx.h>

#include <array>

#include "core/math/types.h"

namespace sunder::testing {

using Corners4 = std::array<Vec3, 4>;
enum class TouchKind { vertexFace, edgeEdge };

enum class Verdict { touch, noTouch, undecided };
struct ExactTouch {
    Verdict verdict;
    mpq_class lower, upper;  ///< the first touch lies between; far closer together than doubles are
};
/// The first touch of points with whole coordinates that move along straight lines, in whole numbers of any
/// size: the coplanarity polynomial and the polynomials that say on which sides of its edges a point lies, as
/// Bernstein coefficients, halved until their signs decide. Undecided where a root is double, lies on an edge
/// or where all is flat.
ExactTouch exactTouch(TouchKind kind, const Corners4& start, const Corners4& end);

/// True if they touch at time t, exactly; any coordinates, flat and parallel ones included.
bool touchesAt(TouchKind kind, const Corners4& start, const Corners4& end, const mpq_class& t);

}  // namespace sunder::testing
