#include "core/fem/forces.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/fem/chunk.h"
#include "core/fem/plastic_chunk.h"
#include "core/fem/wide_laws.h"

namespace sunder {

namespace {
/// Asks for the pack that comes a little later: the hardware's own guess ends at every page. Past the end it does nothing.
inline void prefetchAhead(const ElementPack* pack) {
    constexpr std::size_t kAhead = 8, kLine = 64;
    const char* line = reinterpret_cast<const char*>(pack + kAhead);
    for (std::size_t offset = 0; offset < sizeof(ElementPack); offset += kLine) __builtin_prefetch(line + offset);
}

/// Adds -volume P Dm^-T of every pack of the chunk to its slots.
template <ElasticLawId kLaw, bool kViscous>
ForceTotals chunkForces(const ElementTable& table, const ElementChunk& chunk, const double* x, const double* v, double* f) {
    LaneTotals totals;
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        prefetchAhead(&pack);
        const WideParams params(materialOf(table, chunk, p));
        const WideMat3 restInverse = loadMatrix(pack.restInverse);
        const WideMat3 F = multiply(gatherEdges(x, pack), restInverse);
        const Wide4d volume = Wide4d::load(pack.volume);
        Wide4d energy;
        WideMat3 P;
        if constexpr (kViscous) {
            const WideSymmetric strainRate = greenRate(F, multiply(gatherEdges(v, pack), restInverse));
            const WideSymmetric S = viscousStress<kLaw>(params, F, strainRate);
            totals.dissipation += volume * doubleDot(S, strainRate);
            if constexpr (kLaw == ElasticLawId::kGreen) {
                P = F * (greenStress(params, F, energy) + S);
            } else {
                P = elasticStress<kLaw>(params, F, energy);
                P += F * S;
            }
        } else {
            P = elasticStress<kLaw>(params, F, energy);
        }
        scatterForces(f, pack, cornerForces(P, restInverse, volume));
        totals.add(F, volume, energy);
    }
    return totals.sum();
}

/// The viscous forces alone, of rate v at the shape x.
ForceTotals chunkViscous(const ElementTable& table, const ElementChunk& chunk, const double* x, const double* v, double* f) {
    LaneTotals totals;
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideParams params(materialOf(table, chunk, p));
        const WideMat3 restInverse = loadMatrix(pack.restInverse);
        const WideMat3 F = multiply(gatherEdges(x, pack), restInverse), rate = multiply(gatherEdges(v, pack), restInverse);
        const Wide4d scale = chunk.law == ElasticLawId::kViscoelastic ? determinant(F) : Wide4d(1.0);
        const Wide4d volume = Wide4d::load(pack.volume);
        const WideSymmetric strainRate = greenRate(F, rate), S = hooke(strainRate, scale * params.phi, scale * params.psi);
        scatterForces(f, pack, cornerForces(F * S, restInverse, volume));
        totals.dissipation += volume * doubleDot(S, strainRate);
    }
    return totals.sum();
}

template <ElasticLawId kLaw>
ForceTotals chunkForces(const ElementTable& table, const ElementChunk& chunk, const double* x, const double* v, double* f) {
    return v && chunk.viscous ? chunkForces<kLaw, true>(table, chunk, x, v, f) : chunkForces<kLaw, false>(table, chunk, x, v, f);
}

ForceTotals chunkForces(const ElementTable& table, const ElementChunk& chunk, const double* x, const double* v, double* f) {
    switch (chunk.law) {
        case ElasticLawId::kGreen: return chunkForces<ElasticLawId::kGreen>(table, chunk, x, v, f);
        case ElasticLawId::kCorotated: return chunkForces<ElasticLawId::kCorotated>(table, chunk, x, v, f);
        case ElasticLawId::kViscoelastic: return chunkForces<ElasticLawId::kViscoelastic>(table, chunk, x, v, f);
        case ElasticLawId::kNeoHookean: return chunkForces<ElasticLawId::kNeoHookean>(table, chunk, x, v, f);
    }
    return {};
}

template <ElasticLawId kLaw>
ForceTotals chunkEnergy(const ElementTable& table, const ElementChunk& chunk, const double* x) {
    LaneTotals totals;
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideMat3 F = multiply(gatherEdges(x, pack), loadMatrix(pack.restInverse));
        const Wide4d volume = Wide4d::load(pack.volume);
        Wide4d energy;
        elasticStress<kLaw>(WideParams(materialOf(table, chunk, p)), F, energy);
        totals.add(F, volume, energy);
    }
    return totals.sum();
}

ForceTotals chunkEnergy(const ElementTable& table, const ElementChunk& chunk, const double* x) {
    switch (chunk.law) {
        case ElasticLawId::kGreen: return chunkEnergy<ElasticLawId::kGreen>(table, chunk, x);
        case ElasticLawId::kCorotated: return chunkEnergy<ElasticLawId::kCorotated>(table, chunk, x);
        case ElasticLawId::kViscoelastic: return chunkEnergy<ElasticLawId::kViscoelastic>(table, chunk, x);
        case ElasticLawId::kNeoHookean: return chunkEnergy<ElasticLawId::kNeoHookean>(table, chunk, x);
    }
    return {};
}

}  // namespace

ForceTotals sumTotals(const std::vector<ForceTotals>& parts) {
    ForceTotals sum;
    sum.smallestDetF = parts.empty() ? 1 : 1e300;
    for (const ForceTotals& p : parts) {
        sum.energy += p.energy;
        sum.dissipation += p.dissipation;
        sum.smallestDetF = std::min(sum.smallestDetF, p.smallestDetF);
        sum.plasticPotential += p.plasticPotential;
        sum.plasticWork += p.plasticWork;
    }
    return sum;
}

ForceTotals computePartialForces(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> v, ForceScratch& scratch,
                                 const PlasticStep& plastic) {
    scratch.partial.resize(4 * table.chunkVertex.size());
    std::vector<ForceTotals>& parts = scratch.totals;
    parts.resize(table.chunks.size());
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        const double* localX = copyToChunk<0>(table, chunk, x);
        const double* localV = v.empty() || !chunk.viscous ? nullptr : copyToChunk<1>(table, chunk, v);
        double* f = scratch.partial.data() + 4 * chunk.firstVertex;
        std::fill(f, f + 4 * chunk.vertexCount, 0.0);
        parts[c] = chunk.plastic == PlasticLawId::kNone ? chunkForces(table, chunk, localX, localV, f)
                                                        : plasticForces(table, chunk, localX, localV, plastic, f);
    });
    return sumTotals(parts);
}

ForceTotals computeForces(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> v, ForceScratch& scratch,
                          Span<Vec3> force, const PlasticStep& plastic) {
    SUNDER_ASSERT(x.size() == table.vertexCount && force.size() == table.vertexCount);
    const ForceTotals totals = computePartialForces(table, x, v, scratch, plastic);
    parallelFor(table.vertexCount, 2048, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) force[i] = gatherForce(table, scratch, i);
    });
    return totals;
}

double computeViscousForces(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> v, ForceScratch& scratch,
                            Span<Vec3> force) {
    scratch.partial.resize(4 * table.chunkVertex.size());
    scratch.totals.assign(table.chunks.size(), {});
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        double* f = scratch.partial.data() + 4 * chunk.firstVertex;
        std::fill(f, f + 4 * chunk.vertexCount, 0.0);
        if (chunk.viscous)
            scratch.totals[c] = chunkViscous(table, chunk, copyToChunk<0>(table, chunk, x), copyToChunk<1>(table, chunk, v), f);
    });
    parallelFor(force.size(), 2048, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) force[i] += gatherForce(table, scratch, i);
    });
    return sumTotals(scratch.totals).dissipation;
}

ForceTotals computeEnergy(const ElementTable& table, Span<const Vec3> x, const PlasticStep& plastic) {
    std::vector<ForceTotals> parts(table.chunks.size());
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        const double* localX = copyToChunk<0>(table, chunk, x);
        parts[c] = chunk.plastic == PlasticLawId::kNone ? chunkEnergy(table, chunk, localX) : plasticEnergy(table, chunk, localX, plastic);
    });
    return sumTotals(parts);
}

}  // namespace sunder
