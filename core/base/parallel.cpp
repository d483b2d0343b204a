#include "core/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <mutex>

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
    return limitCount > 0 ? limitCount : tbb::info::default_concurrency();
}

namespace detail {
void runBlocks(std::size_t blockCount, BlockFunction function, void* context) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, blockCount, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t b = range.begin(); b != range.end(); ++b) function(context, b);
        },
        tbb::simple_partitioner());
}
}  // namespace detail

}  // namespace sunder
