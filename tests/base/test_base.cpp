#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/base/hash.h"
#include "core/base/polled_parallel.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace sunder {

TEST(Hash, MatchesPublishedXxh64Vectors) {
    EXPECT_EQ(hashText(hashBytes("", 0)), "ef46db3751d8e999");
    EXPECT_EQ(hashText(hashBytes("a", 1)), "d24ec4f1a98c6e5b");
    EXPECT_EQ(hashText(hashBytes("abc", 3)), "44bc2cf5ad770999");
    const std::string longText = "Call me Ishmael. Some years ago--never mind how long precisely-";
    EXPECT_EQ(hashText(hashBytes(longText.data(), longText.size())), "02a2e85470d6fd96");
}

TEST(Parallel, VisitsEveryElementOnce) {
    for (const std::size_t count : {0u, 1u, 7u, 1000u, 1001u}) {
        std::vector<std::atomic<int>> visits(count);
        parallelFor(count, 10, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) ++visits[i];
        });
        for (const auto& v : visits) EXPECT_EQ(v.load(), 1);
    }
}

TEST(Parallel, APolledLoopHasTheSameBlocksAndStopsBetweenThem) {
    struct Stopper : Monitor {
        int polls = 0, last = 1 << 30;
        std::thread::id caller = std::this_thread::get_id();
        bool cancelled() override {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            return ++polls > last;
        }
    };
    for (const std::size_t count : {0u, 9u, 60u, 1001u}) {
        Stopper monitor;
        std::vector<std::atomic<int>> visits(count);
        std::atomic<bool> aligned{true};
        polledParallelFor(&monitor, count, 10, 3, [&](std::size_t first, std::size_t last) {
            aligned = aligned && first % 10 == 0 && last == std::min(first + 10, count);
            for (std::size_t i = first; i < last; ++i) ++visits[i];
        });
        for (const auto& v : visits) EXPECT_EQ(v.load(), 1);
        EXPECT_TRUE(aligned);
        EXPECT_EQ(monitor.polls, static_cast<int>((count + 29) / 30));
    }
    Stopper monitor;
    monitor.last = 2;
    std::atomic<int> visited{0};
    EXPECT_THROW(polledParallelFor(&monitor, 1001, 10, 3, [&](std::size_t first, std::size_t last) { visited += static_cast<int>(last - first); }), Cancelled);
    EXPECT_EQ(visited, 60);
}

TEST(Parallel, SumHasTheSameBitsForAnyThreadCount) {
    std::vector<double> values(100000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = randomRange(-1, 1, 5, i) * std::pow(10, randomRange(-8, 8, 6, i));
    std::vector<double> sums;
    for (const int threads : {1, 2, 7, 0}) {
        setThreadCount(threads);
        sums.push_back(parallelReduce(values.size(), 256, 0.0, [&](std::size_t first, std::size_t last) {
            return std::accumulate(&values[first], &values[0] + last, 0.0);
        }));
    }
    for (const double s : sums) EXPECT_EQ(s, sums[0]);
}

TEST(Parallel, PassesExceptionsOn) {
    EXPECT_THROW(parallelFor(1000, 1, [](std::size_t i, std::size_t) { if (i == 500) throw std::runtime_error("x"); }),
                 std::runtime_error);
}

#ifdef __SANITIZE_THREAD__
// What is on one thread is no race, whatever it writes.
TEST(Parallel, NeighbouringBlocksAreOnDifferentThreadsWhereRacesAreLookedFor) {
    setThreadCount(2);
    std::vector<std::thread::id> threads(100);
    parallelBlocks(threads.size(), [&](std::size_t b) { threads[b] = std::this_thread::get_id(); });
    setThreadCount(0);
    for (std::size_t b = 1; b < threads.size(); ++b) EXPECT_NE(threads[b], threads[b - 1]) << b;
}
#endif

TEST(Random, IsUniformAndUncorrelatedBetweenNeighbours) {
    double sum = 0, sumSq = 0, product = 0;
    const int n = 200000;
    for (int i = 0; i < n; ++i) {
        const double a = randomUnit(1, static_cast<std::uint64_t>(i)), b = randomUnit(1, static_cast<std::uint64_t>(i) + 1);
        sum += a;
        sumSq += a * a;
        product += (a - 0.5) * (b - 0.5);
    }
    // standard errors: 0.29/sqrt(n), 0.30/sqrt(n), (1/12)/sqrt(n); four of each
    EXPECT_NEAR(sum / n, 0.5, 4 * 0.29 / std::sqrt(n));
    EXPECT_NEAR(sumSq / n, 1.0 / 3, 4 * 0.30 / std::sqrt(n));
    EXPECT_NEAR(product / n, 0, 4 / 12.0 / std::sqrt(n));
}

TEST(Text, FindsTheNearestWord) {
    const std::vector<std::string> keys = {"density", "youngs", "poisson"};
    EXPECT_EQ(nearestWord("denisty", keys), "density");
    EXPECT_EQ(nearestWord("poison", keys), "poisson");
    EXPECT_EQ(nearestWord("zzzzzzzz", keys), "");
}

}  // namespace sunder
