#pragma once

#include "core/base/span.h"
#include "core/material/plastic_law.h"

namespace sunder {

/// What bodies with plastic tets hand to the kernels besides the shape.
struct PlasticStep {
    Span<const PlasticState> before = {};  ///< of every tet at the start of the step; may be empty if no tet is plastic
    double dt = 0;                         ///< s in which they may flow; 0: they do not
    Span<PlasticState> after = {};         ///< unless empty, receives the states at the end; may be the memory of `before`
};

}  // namespace sunder
