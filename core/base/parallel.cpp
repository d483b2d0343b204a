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
int limitCount = 0;
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
    const std::lock_guard<std::mutex> guard(limitMutex);
    // also known to the TBB of Houdini 20.5, which has no tbb::info
    return limitCount > 0 ? limitCount : tbb::this_task_arena::max_concurrency();
}

namespace detail {
#ifdef __SANITIZE_THREAD__
// Debian's oneTBB is not built for the thread sanitizer, which then sees races inside of it and would miss ours. Plain threads, a few a
// call, show it all that the blocks do.
void runBlocks(std::size_t blockCount, BlockFunction function, void* context) {
    constexpr std::size_t kThreads = 3;
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::mutex errorMutex;
    const auto work = [&] {
        try {
            for (std::size_t b = next++; b < blockCount; b = next++) function(context, b);
        } catch (...) {
            next = blockCount;
            const std::lock_guard<std::mutex> guard(errorMutex);
            if (!error) error = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    if (threadCount() > 1)
        for (std::size_t t = 1; t < std::min(kThreads, blockCount); ++t) threads.emplace_back(work);
    work();
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
