#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "bench/figure.h"
#include "core/base/random.h"
#include "core/math/decompose.h"

/// Batched 3x3 decompositions against Eigen's general ones, alternately, one thread. The check values are the
/// worst reconstructions over the largest value.
namespace sunder::bench {
namespace {

constexpr std::size_t kCount = 4096;  // fits the second level cache with its results
constexpr int kRepeats = 20;          // of the batch in a round
constexpr double kTargetRatio = 5;
int rounds = 5;

std::vector<Mat3> randomMatrices(bool symmetric) {
    std::vector<Mat3> matrices(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        Mat3& m = matrices[i];
        for (int k = 0; k < 9; ++k) m.data()[k] = randomRange(-1, 1, 1, i, static_cast<std::uint64_t>(k));
        if (symmetric) m = (0.5 * (m + m.transpose())).eval();
    }
    return matrices;
}

/// Nanoseconds a matrix, of processor time, so that other programs on the machine do not enter.
template <class Work>
double nanoseconds(Work&& work) {
    const std::clock_t start = std::clock();
    for (int k = 0; k < kRepeats; ++k) {
        work();
        benchmark::ClobberMemory();
    }
    return 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
           (kRepeats * static_cast<double>(kCount));
}

template <class Ours, class Peer>
Figure measure(const char* name, Ours&& ours, Peer&& peer) {
    std::vector<double> ourTimes, peerTimes;
    for (int round = 0; round < rounds; ++round) {
        ourTimes.push_back(nanoseconds(ours));
        peerTimes.push_back(nanoseconds(peer));
    }
    Figure figure;
    figure.name = name;
    figure.unit = "ns/matrix";
    figure.value = median(ourTimes);
    figure.peer = "eigen";
    figure.peerValue = median(peerTimes);
    figure.target = figure.peerValue / kTargetRatio;
    figure.rounds = rounds;
    return figure;
}

/// Worst |rebuilt(i) - input(i)| / size(i).
template <class Rebuild>
double worstError(const std::vector<Mat3>& input, Rebuild&& rebuild) {
    double worst = 0;
    for (std::size_t i = 0; i < input.size(); ++i)
        worst = std::max(worst, (rebuild(i) - input[i]).norm() / input[i].norm());
    return worst;
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

void svdFigure() {
    const std::vector<Mat3> F = randomMatrices(false);
    std::vector<Svd3> ours(kCount);
    std::vector<EigenSvd> peer(kCount);
    Figure figure = measure(
        "svd3", [&] { svd3Batch(F, ours); }, [&] { eigenSvd(F, peer); });
    const auto rebuild = [](const auto& r) -> Mat3 { return r.U * r.sigma.asDiagonal() * r.V.transpose(); };
    figure.checks = {{"error", worstError(F, [&](std::size_t i) { return rebuild(ours[i]); })},
                     {"error_peer", worstError(F, [&](std::size_t i) { return rebuild(peer[i]); })}};
    figure.print();
}

void polarFigure() {
    const std::vector<Mat3> F = randomMatrices(false);
    std::vector<Polar3> ours(kCount), peer(kCount);
    Figure figure = measure(
        "polar3", [&] { polar3Batch(F, ours); }, [&] { eigenPolar(F, peer); });
    const auto rebuild = [](const Polar3& r) -> Mat3 { return r.R * r.S; };
    figure.checks = {{"error", worstError(F, [&](std::size_t i) { return rebuild(ours[i]); })},
                     {"error_peer", worstError(F, [&](std::size_t i) { return rebuild(peer[i]); })}};
    figure.print();
}

void eigenFigure() {
    const std::vector<Mat3> A = randomMatrices(true);
    std::vector<Eigen3> ours(kCount), peer(kCount);
    Figure figure = measure(
        "eigen3", [&] { symmetricEigen3Batch(A, ours); }, [&] { eigenSymmetric(A, peer); });
    const auto rebuild = [](const Eigen3& r) -> Mat3 {
        return r.vectors * r.values.asDiagonal() * r.vectors.transpose();
    };
    figure.checks = {{"error", worstError(A, [&](std::size_t i) { return rebuild(ours[i]); })},
                     {"error_peer", worstError(A, [&](std::size_t i) { return rebuild(peer[i]); })}};
    figure.print();
}

}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) {
    using namespace sunder::bench;
    if (argc > 1) rounds = std::atoi(argv[1]);
    svdFigure();
    polarFigure();
    eigenFigure();
    return 0;
}
