// Batched 3x3 decompositions against Eigen's general ones, one thread. The counter `ratio` of ours is its
// speed over Eigen's, measured alternately in the same run; `error` is the worst reconstruction over the
// largest value, to catch a fast wrong run.
#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <ctime>
#include <vector>

#include "core/base/random.h"
#include "core/math/decompose.h"

namespace sunder {
namespace {

constexpr std::size_t kCount = 4096;  // fits the second level cache with its results
constexpr int kRounds = 9;

std::vector<Mat3> randomMatrices(bool symmetric) {
    std::vector<Mat3> matrices(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        Mat3& m = matrices[i];
        for (int k = 0; k < 9; ++k) m.data()[k] = randomRange(-1, 1, 1, i, static_cast<std::uint64_t>(k));
        if (symmetric) m = (0.5 * (m + m.transpose())).eval();
    }
    return matrices;
}

/// Processor time, so that other programs on the machine do not enter the ratio.
template <class Work>
double seconds(Work&& work) {
    const std::clock_t start = std::clock();
    work();
    benchmark::ClobberMemory();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

template <class Ours, class Peer>
double ratioToPeer(Ours&& ours, Peer&& peer) {
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
        const double oursTime = seconds(ours), peerTime = seconds(peer);
        ratios.push_back(peerTime / oursTime);
    }
    return median(ratios);
}

template <class Ours, class Peer>
void report(benchmark::State& state, Ours&& ours, Peer&& peer, double error) {
    for (auto _ : state) {
        ours();
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
    state.counters["ratio"] = ratioToPeer(ours, peer);
    state.counters["error"] = error;
}

struct EigenSvd {
    Mat3 U, V;
    Vec3 sigma;
};
void eigenSvd(const std::vector<Mat3>& F, std::vector<EigenSvd>& out) {
    Eigen::JacobiSVD<Mat3> solver;
    for (std::size_t i = 0; i < F.size(); ++i) {
        solver.compute(F[i], Eigen::ComputeFullU | Eigen::ComputeFullV);
        out[i] = {solver.matrixU(), solver.matrixV(), solver.singularValues()};
    }
}
void eigenPolar(const std::vector<Mat3>& F, std::vector<Polar3>& out) {
    Eigen::JacobiSVD<Mat3> solver;
    for (std::size_t i = 0; i < F.size(); ++i) {
        solver.compute(F[i], Eigen::ComputeFullU | Eigen::ComputeFullV);
        out[i].R.noalias() = solver.matrixU() * solver.matrixV().transpose();
        out[i].S.noalias() =
            solver.matrixV() * solver.singularValues().asDiagonal() * solver.matrixV().transpose();
    }
}
void eigenSymmetric(const std::vector<Mat3>& A, std::vector<Eigen3>& out) {
    Eigen::SelfAdjointEigenSolver<Mat3> solver;
    for (std::size_t i = 0; i < A.size(); ++i) {
        solver.compute(A[i]);
        out[i] = {solver.eigenvalues(), solver.eigenvectors()};
    }
}

void benchSvd(benchmark::State& state) {
    const std::vector<Mat3> F = randomMatrices(false);
    std::vector<Svd3> results(kCount);
    std::vector<EigenSvd> peer(kCount);
    const auto ours = [&] { svd3Batch(F, results); };
    ours();
    double error = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const Svd3& r = results[i];
        error = std::max(error, (r.U * r.sigma.asDiagonal() * r.V.transpose() - F[i]).norm() / r.sigma[0]);
    }
    report(
        state, ours, [&] { eigenSvd(F, peer); }, error);
}

void benchPolar(benchmark::State& state) {
    const std::vector<Mat3> F = randomMatrices(false);
    std::vector<Polar3> results(kCount), peer(kCount);
    const auto ours = [&] { polar3Batch(F, results); };
    ours();
    double error = 0;
    for (std::size_t i = 0; i < kCount; ++i)
        error = std::max(error, (results[i].R * results[i].S - F[i]).norm() / F[i].norm());
    report(
        state, ours, [&] { eigenPolar(F, peer); }, error);
}

void benchEigen(benchmark::State& state) {
    const std::vector<Mat3> A = randomMatrices(true);
    std::vector<Eigen3> results(kCount), peer(kCount);
    const auto ours = [&] { symmetricEigen3Batch(A, results); };
    ours();
    double error = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const Eigen3& r = results[i];
        error = std::max(
            error, (r.vectors * r.values.asDiagonal() * r.vectors.transpose() - A[i]).norm() / A[i].norm());
    }
    report(
        state, ours, [&] { eigenSymmetric(A, peer); }, error);
}

BENCHMARK(benchSvd)->Name("math/svd3")->Unit(benchmark::kMicrosecond);
BENCHMARK(benchPolar)->Name("math/polar3")->Unit(benchmark::kMicrosecond);
BENCHMARK(benchEigen)->Name("math/symmetricEigen3")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sunder

BENCHMARK_MAIN();
