#pragma once

#include <vector>

#include "core/fem/element_table.h"

namespace sunder {

/// The values of a chunk's vertices side by side, four doubles each (x, y, z, unused), in one of a few buffers of this thread.
/// Valid until the same thread asks for the same buffer again.
template <int kBuffer>
const double* copyToChunk(const ElementTable& table, const ElementChunk& chunk, Span<const Vec3> values) {
    thread_local std::vector<double> buffer;
    if (buffer.size() < 4 * chunk.vertexCount) buffer.resize(4 * chunk.vertexCount);
    const std::int32_t* vertex = table.chunkVertex.data() + chunk.firstVertex;
    for (std::size_t k = 0; k < chunk.vertexCount; ++k) {
        const double* from = values[static_cast<std::size_t>(vertex[k])].data();
        double* to = buffer.data() + 4 * k;
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
    }
    return buffer.data();
}

}  // namespace sunder
