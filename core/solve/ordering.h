#pragma once

#include <vector>

#include "core/fem/sparse_system.h"

namespace sunder {

/// Reverse Cuthill-McKee: an order of the vertices in which neighbours stand close together. Entry k is the vertex at place k.
std::vector<std::int32_t> reverseCuthillMcKee(const SparsePattern& pattern);

}  // namespace sunder
