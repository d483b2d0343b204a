#pragma once

#include "core/math/types.h"

namespace sunder {

/// The positive semi-definite matrix nearest to the symmetric part of A (in the sum of squares): negative
/// eigenvalues become zero. Returns the symmetric part itself where it has none.
Mat9 projectPsd9(const Mat9& A);

}  // namespace sunder
