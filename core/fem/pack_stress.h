#pragma once

#include "core/fem/chunk.h"
#include "core/fem/forces.h"
#include "core/fem/plastic_chunk.h"
#include "core/fem/wide_laws.h"

namespace sunder {

namespace detail {
template <class StressOf, class Use>
void visitPacks(const ElementTable& table, const ElementChunk& chunk, const double* x, const StressOf& stressOf, const Use& use) {
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        if (!use.wants(p)) continue;
        const WideMat3 F = multiply(gatherEdges(x, table.packs[p]), loadMatrix(table.packs[p].restInverse));
        use(p, stressOf(p, F), F);
    }
}

template <ElasticLawId kLaw, class Use>
void visitElasticPacks(const ElementTable& table, const ElementChunk& chunk, const double* x, const Use& use) {
    const auto stressOf = [&](std::uint32_t p, const WideMat3& F) {
        Wide4d energy;
        return elasticStress<kLaw>(WideParams(materialOf(table, chunk, p)), F, energy);
    };
    visitPacks(table, chunk, x, stressOf, use);
}
}  // namespace detail

/// Calls use(pack number, first Piola-Kirchhoff stress, F) for the packs of a chunk that use.wants(pack number). Stress as it is: nothing flows any more.
/// `x`: of the chunk's vertices (copyToChunk).
template <class Use>
void visitPackStress(const ElementTable& table, const ElementChunk& chunk, const double* x, Span<const PlasticState> plastic, const Use& use) {
    if (chunk.plastic != PlasticLawId::kNone) {
        const PlasticStep now{plastic, 0};
        return detail::visitPacks(table, chunk, x, [&](std::uint32_t p, const WideMat3& F) { return plasticStress(PlasticPack(table, chunk, p, now), F); }, use);
    }
    switch (chunk.law) {
        case ElasticLawId::kGreen: return detail::visitElasticPacks<ElasticLawId::kGreen>(table, chunk, x, use);
        case ElasticLawId::kCorotated: return detail::visitElasticPacks<ElasticLawId::kCorotated>(table, chunk, x, use);
        case ElasticLawId::kViscoelastic: return detail::visitElasticPacks<ElasticLawId::kViscoelastic>(table, chunk, x, use);
        case ElasticLawId::kNeoHookean: return detail::visitElasticPacks<ElasticLawId::kNeoHookean>(table, chunk, x, use);
    }
}

}  // namespace sunder
