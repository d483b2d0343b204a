#include "core/base/parallel.h"
#include "core/fem/pack_stress.h"

namespace sunder {

namespace {
/// Cauchy's stress P F^T / det F is symmetric; Gershgorin's circles bound its eigenvalues.
Wide4d largestPull(const WideMat3& P, const WideMat3& F) {
    const WideMat3 stress = multiplyTransposed(P, F);
    Wide4d bound(0.0);
    for (int i = 0; i < 3; ++i) bound = max(bound, stress(i, i) + abs(stress(i, (i + 1) % 3)) + abs(stress(i, (i + 2) % 3)));
    const Wide4d det = determinant(F);
    return select(det > Wide4d(0.0), bound / det, Wide4d(0.0));
}

struct WriteTension {
    const ElementTable& table;
    Span<double> tension;

    bool wants(std::uint32_t) const { return true; }
    void operator()(std::uint32_t p, const WideMat3& P, const WideMat3& F) const {
        const Wide4d pull = largestPull(P, F);
        for (int lane = 0; lane < 4; ++lane)
            if (table.packTet[p][static_cast<std::size_t>(lane)] >= 0) tension[static_cast<std::size_t>(table.packTet[p][static_cast<std::size_t>(lane)])] = pull[lane];
    }
};
}  // namespace

void computeTensions(const ElementTable& table, Span<const Vec3> x, Span<const PlasticState> plastic, Span<double> tension) {
    const WriteTension write{table, tension};
    parallelBlocks(table.chunks.size(), [&](std::size_t c) { visitPackStress(table, table.chunks[c], copyToChunk<0>(table, table.chunks[c], x), plastic, write); });
}

}  // namespace sunder
