#include "core/base/parallel.h"
#include "core/fem/chunk.h"
#include "core/fem/forces.h"
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

template <ElasticLawId kLaw>
void chunkTensions(const ElementTable& table, const ElementChunk& chunk, const double* x, Span<double> tension) {
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideMat3 F = multiply(gatherEdges(x, pack), loadMatrix(pack.restInverse));
        Wide4d energy;
        const Wide4d pull = largestPull(elasticStress<kLaw>(WideParams(materialOf(table, chunk, p)), F, energy), F);
        for (int lane = 0; lane < 4; ++lane)
            if (table.packTet[p][static_cast<std::size_t>(lane)] >= 0) tension[static_cast<std::size_t>(table.packTet[p][static_cast<std::size_t>(lane)])] = pull[lane];
    }
}
}  // namespace

void computeTensions(const ElementTable& table, Span<const Vec3> x, Span<double> tension) {
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        const double* local = copyToChunk<0>(table, chunk, x);
        switch (chunk.law) {
            case ElasticLawId::kGreen: return chunkTensions<ElasticLawId::kGreen>(table, chunk, local, tension);
            case ElasticLawId::kCorotated: return chunkTensions<ElasticLawId::kCorotated>(table, chunk, local, tension);
            case ElasticLawId::kViscoelastic: return chunkTensions<ElasticLawId::kViscoelastic>(table, chunk, local, tension);
            case ElasticLawId::kNeoHookean: return chunkTensions<ElasticLawId::kNeoHookean>(table, chunk, local, tension);
        }
    });
}

}  // namespace sunder
