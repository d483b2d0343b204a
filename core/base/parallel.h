#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sunder {

/// How many threads parallelFor may use from now on; 0 means all of the machine. Results never depend on it.
void setThreadCount(int count);
int threadCount();

namespace detail {
using BlockFunction = void (*)(void* context, std::size_t block);
void runBlocks(std::size_t blockCount, BlockFunction function, void* context);
}  // namespace detail

/// Calls body(block) for every block in [0, blockCount), in parallel, each exactly once. An exception in one is
/// rethrown here after the others have stopped.
template <class Body>
void parallelBlocks(std::size_t blockCount, Body&& body) {
    if (blockCount == 1) {
        body(std::size_t{0});
        return;
    }
    using Plain = std::remove_reference_t<Body>;
    detail::runBlocks(
        blockCount, [](void* context, std::size_t block) { (*static_cast<Plain*>(context))(block); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

/// Calls body(first, last) over [0, count) cut into blocks of `grain`. The cut depends on count and grain alone.
template <class Body>
void parallelFor(std::size_t count, std::size_t grain, Body&& body) {
    if (count == 0) return;
    const std::size_t blocks = (count + grain - 1) / grain;
    parallelBlocks(blocks, [&](std::size_t b) { body(b * grain, std::min(count, (b + 1) * grain)); });
}

/// Sum of body(first, last) over the blocks of [0, count), added in block order: the same bits for any thread count.
template <class T, class Body>
T parallelReduce(std::size_t count, std::size_t grain, T zero, Body&& body) {
    if (count == 0) return zero;
    const std::size_t blocks = (count + grain - 1) / grain;
    if (blocks == 1) return zero + body(std::size_t{0}, count);
    std::vector<T> partial(blocks, zero);
    parallelBlocks(blocks, [&](std::size_t b) { partial[b] = body(b * grain, std::min(count, (b + 1) * grain)); });
    T total = zero;
    for (const T& p : partial) total = total + p;
    return total;
}

}  // namespace sunder
