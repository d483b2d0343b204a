#pragma once

#include "core/fem/sparse_system.h"
#include "core/mesh/adjacency.h"

namespace sunder {

/// What a matrix falls apart into: vertices that its pattern joins are in one part.
struct MatrixParts {
    IndexLists small{{0}, {}};       ///< the vertices of every part of at most so many, ascending
    std::vector<std::int32_t> rest;  ///< those of all larger ones, ascending
    std::size_t count = 0;           ///< of parts, small and large
};

MatrixParts findParts(const SparsePattern& pattern, std::size_t largest);

}  // namespace sunder
