#include "core/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace sunder {

namespace {
std::mutex limitMutex;
std::unique_ptr<tbb::global_control> limit;
std::atomic<int> limitCount{0};  // read without the lock, which would put the blocks of different threads in an order
}  // namespace

void setThreadCount(int count) {
    const std::lock_guard<std::mutex> guard(limitMutex);
    limit.reset();
    limitCount = count;
    if (count > 0)
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<std::size_t>(count));
}

int threadCount() {
    const int count = limitCount.load(std::memory_order_relaxed);
    // also known to the TBB of Houdini 20.5, which has no tbb::info
    return count > 0 ? count : tbb::this_task_arena::max_concurrency();
}

namespace detail {
#ifdef __SANITIZE_THREAD__
// Debian's oneTBB is not built for the thread sanitizer, which then sees races inside of it and would miss ours. Plain threads, a few a
// call, show it all that the blocks do. Which thread has which blocks is fixed, neighbours never the same one: a counter that threads draw from would
// leave all short blocks to the first thread, and would itself put what one thread did before what another does next, which hides races.
void runBlocks(std::size_t blockCount, BlockFunction function, void* context) {
    const std::size_t used = threadCount() > 1 ? std::min(std::size_t{3}, blockCount) : 1;
    std::atomic<bool> stop{false};  // relaxed, so that it orders nothing
    std::exception_ptr error;
    std::mutex errorMutex;
    const auto work = [&](std::size_t thread) {
        try {
            for (std::size_t b = thread; b < blockCount && !stop.load(std::memory_order_relaxed); b += used) function(context, b);
        } catch (...) {
            stop.store(true, std::memory_order_relaxed);
            const std::lock_guard<std::mutex> guard(errorMutex);
            if (!error) error = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < used; ++t) threads.emplace_back(work, t);
    work(0);
    for (std::thread& t : threads) t.join();
    if (error) std::rethrow_exception(error);
}
#else
void runBlocks(std::size_t blockCount, BlockFunction function, void* context) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, blockCount, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t b = range.begin(); b != range.end(); ++b) function(context, b);
        },
        tbb::simple_partitioner());
}
#endif
}  // namespace detail

}  // namespace sunder
