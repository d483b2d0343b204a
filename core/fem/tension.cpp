#include "core/base/parallel.h"
#include "core/fem/chunk.h"
#include "core/fem/forces.h"
#include "core/fem/plastic_chunk.h"
#include "core/fem/wide_laws.h"

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

/// `stressOf(pack number, F)` is the first Piola-Kirchhoff stress.
template <class StressOf>
void chunkTensions(const ElementTable& table, const ElementChunk& chunk, const double* x, const StressOf& stressOf, Span<double> tension) {
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideMat3 F = multiply(gatherEdges(x, pack), loadMatrix(pack.restInverse));
        const Wide4d pull = largestPull(stressOf(p, F), F);
        for (int lane = 0; lane < 4; ++lane)
            if (table.packTet[p][static_cast<std::size_t>(lane)] >= 0) tension[static_cast<std::size_t>(table.packTet[p][static_cast<std::size_t>(lane)])] = pull[lane];
    }
}

template <ElasticLawId kLaw>
void elasticTensions(const ElementTable& table, const ElementChunk& chunk, const double* x, Span<double> tension) {
    const auto stressOf = [&](std::uint32_t p, const WideMat3& F) {
        Wide4d energy;
        return elasticStress<kLaw>(WideParams(materialOf(table, chunk, p)), F, energy);
    };
    chunkTensions(table, chunk, x, stressOf, tension);
}
}  // namespace

void computeTensions(const ElementTable& table, Span<const Vec3> x, Span<const PlasticState> plastic, Span<double> tension) {
    const PlasticStep now{plastic, 0};
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        const double* local = copyToChunk<0>(table, chunk, x);
        if (chunk.plastic != PlasticLawId::kNone)
            return chunkTensions(
                table, chunk, local, [&](std::uint32_t p, const WideMat3& F) { return plasticStress(PlasticPack(table, chunk, p, now), F); }, tension);
        switch (chunk.law) {
            case ElasticLawId::kGreen: return elasticTensions<ElasticLawId::kGreen>(table, chunk, local, tension);
            case ElasticLawId::kCorotated: return elasticTensions<ElasticLawId::kCorotated>(table, chunk, local, tension);
            case ElasticLawId::kViscoelastic: return elasticTensions<ElasticLawId::kViscoelastic>(table, chunk, local, tension);
            case ElasticLawId::kNeoHookean: return elasticTensions<ElasticLawId::kNeoHookean>(table, chunk, local, tension);
        }
    });
}

}  // namespace sunder
