#include <benchmark/benchmark.h>

#include <vector>

#include "core/base/random.h"
#include "core/contact/continuous.h"
#include "core/contact/overlap_shapes.h"
#include "core/mesh/tet_mesh.h"

/// The kernels of contact on random tets in a unit cube, one thread, one pair at a time; a figure is the mean
/// over pairs, whose cases differ as they do in a heap of rubble.
namespace sunder::bench {
namespace {

using Corners = std::array<Vec3, 4>;

Corners randomTet(std::uint64_t seed, std::uint64_t id) {
    Corners x;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) x[i][k] = randomUnit(seed, id, static_cast<std::uint64_t>(3 * i + k));
    }
    if (signedVolume(x[0], x[1], x[2], x[3]) < 0) std::swap(x[2], x[3]);
    return x;
}

struct Pairs {
    std::vector<OverlapTet> a, b;
    std::vector<Corners> corners;
};
/// Pairs that overlap, or pairs that `separated` tells apart.
const Pairs& pairsOf(bool overlapping) {
    static const std::array<Pairs, 2> both = [] {
        std::array<Pairs, 2> pairs;
        for (std::uint64_t id = 0; id < 4096; ++id) {
            const Corners x = randomTet(1, id);
            const OverlapTet a = makeOverlapTet(x), b = makeOverlapTet(randomTet(2, id));
            OverlapPolyhedron p;
            const bool apart = separated(a, b);
            if (!apart && !clipTets(a, b, p)) continue;
            Pairs& list = pairs[apart ? 0 : 1];
            list.a.push_back(a);
            list.b.push_back(b);
            list.corners.push_back(x);
        }
        return pairs;
    }();
    return both[overlapping ? 1 : 0];
}

template <class Work>
void forPairs(benchmark::State& state, bool overlapping, Work&& work) {
    const Pairs& pairs = pairsOf(overlapping);
    std::size_t i = 0;
    for (auto _ : state) {
        work(pairs.a[i], pairs.b[i], pairs.corners[i]);
        if (++i == pairs.a.size()) i = 0;
    }
}

void prepare(benchmark::State& state) {
    forPairs(state, true, [](const auto&, const auto&, const Corners& x) {
        benchmark::DoNotOptimize(makeOverlapTet(x).det);
    });
}
void reject(benchmark::State& state) {
    forPairs(state, false,
             [](const auto& a, const auto& b, const auto&) { benchmark::DoNotOptimize(separated(a, b)); });
}
void clip(benchmark::State& state) {
    forPairs(state, true, [](const auto& a, const auto& b, const auto&) {
        OverlapPolyhedron p;
        benchmark::DoNotOptimize(clipTets(a, b, p));
    });
}
void clipAndShares(benchmark::State& state) {
    forPairs(state, true, [](const auto& a, const auto& b, const auto&) {
        OverlapPolyhedron p;
        clipTets(a, b, p);
        benchmark::DoNotOptimize(computeShares(p, a));
    });
}
void clipAndForces(benchmark::State& state) {
    forPairs(state, true, [](const auto& a, const auto& b, const auto&) {
        OverlapPolyhedron p;
        clipTets(a, b, p);
        benchmark::DoNotOptimize(computeForces(p, a, b, Vec4(1, 2, 3, 4), Vec4(4, 3, 2, 1)));
    });
}
void clipAndSlopes(benchmark::State& state) {
    OverlapSlopes slopes;
    forPairs(state, true, [&](const auto& a, const auto& b, const auto&) {
        OverlapPolyhedron p;
        clipTets(a, b, p);
        computeSlopes(p, a, b, slopes);
        benchmark::DoNotOptimize(slopes);
    });
}
void planeForces(benchmark::State& state) {
    const HalfSpace plane{Vec3(0, 0, 1), 0.5};
    forPairs(state, true, [&](const auto& a, const auto&, const auto&) {
        OverlapPolyhedron p;
        clipTet(a, plane, p);
        benchmark::DoNotOptimize(computeTetForces(p, a, Vec4::Ones()));
    });
}
void sphereForces(benchmark::State& state) {
    const Capsule sphere{Vec3(0.5, 0.5, -0.5), Vec3(0.5, 0.5, -0.5), 1};
    forPairs(state, true, [&](const auto& a, const auto&, const auto&) {
        benchmark::DoNotOptimize(computeTetForces(a, sphere, Vec4::Ones()));
    });
}

/// Vertices and faces (0) or edges (1) in a unit cube that move by up to the second argument, in percent.
void touch(benchmark::State& state) {
    std::vector<Corners> start, end;
    for (std::uint64_t id = 0; id < 4096; ++id) {
        start.push_back(randomTet(3, id));
        Corners x = start.back();
        const Corners to = randomTet(4, id);
        const double part = 0.01 * static_cast<double>(state.range(1));
        for (int i = 0; i < 4; ++i) x[i] = (1 - part) * x[i] + part * to[i];
        end.push_back(x);
    }
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(state.range(0) ? edgeEdgeTouch(start[i], end[i])
                                                : vertexFaceTouch(start[i], end[i]));
        if (++i == start.size()) i = 0;
    }
}

BENCHMARK(prepare);
BENCHMARK(reject);
BENCHMARK(clip);
BENCHMARK(clipAndShares);
BENCHMARK(clipAndForces);
BENCHMARK(clipAndSlopes);
BENCHMARK(planeForces);
BENCHMARK(sphereForces);
BENCHMARK(touch)->ArgsProduct({{0, 1}, {5, 100}});

}  // namespace
}  // namespace sunder::bench

BENCHMARK_MAIN();
