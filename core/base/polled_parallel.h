#pragma once

#include "core/base/monitor.h"
#include "core/base/parallel.h"

namespace sunder {

/// parallelFor with a look at the monitor every `between` blocks, by the calling thread: hosts stop the thread that computes, not its helpers. The same blocks, and so the same bits. Throws
/// Cancelled.
template <class Body>
void polledParallelFor(Monitor* monitor, std::size_t count, std::size_t grain, std::size_t between, Body&& body) {
    const std::size_t batch = grain * between;
    for (std::size_t start = 0; start < count; start += batch) {
        throwIfCancelled(monitor);
        parallelFor(std::min(batch, count - start), grain, [&](std::size_t first, std::size_t last) { body(start + first, start + last); });
    }
}

}  // namespace sunder
