#include <algorithm>

#include "core/base/parallel.h"
#include "core/fem/chunk.h"
#include "core/fem/plastic_chunk.h"
#include "core/fem/sparse_system.h"
#include "core/fem/wide_hooke.h"
#include "core/fem/wide_stiffness.h"

/// Element stiffness. With shape function gradients g_i and K9 = dP/dF, block (i, j) = V sum_ab g_i[a] g_j[b] K9[a, b]; K9 is never
/// formed, see wide_stiffness.h.
/// The rotated rest stiffness has, with q_i = R g_i, V (lambda q_i q_j^T + mu q_j q_i^T + mu (g_i.g_j) I); viscosity from the
/// Green strain rate has the same form with q_i = F g_i, phi, psi, and F F^T in place of I.
namespace sunder {

namespace {
void scatterBlock(double* local, const std::uint16_t (&entry)[4], const WideMat3& block) {
    for (int c = 0; c < 3; ++c) scatterAdd<12>(local + 4 * c, entry, {block(0, c), block(1, c), block(2, c)});
}

using AddProjected = void (*)(WideMat3 (&)[10], const WideParams&, const WideMat3&, const WideMat3&, Wide4d);

AddProjected projectedKernel(ElasticLawId law) {
    switch (law) {
        case ElasticLawId::kGreen: return addProjected<ElasticLawId::kGreen>;
        case ElasticLawId::kCorotated: return addProjected<ElasticLawId::kCorotated>;
        case ElasticLawId::kViscoelastic: return addProjected<ElasticLawId::kViscoelastic>;
        case ElasticLawId::kNeoHookean: return addProjected<ElasticLawId::kNeoHookean>;
    }
    return nullptr;
}

void addViscosity(WideMat3 (&blocks)[10], const ElementPack& pack, const WideParams& params, const ElementChunk& chunk,
                  const double* xViscous, const PackGradients& gradients, double viscosity) {
    const WideMat3 F = multiply(gatherEdges(xViscous, pack), loadMatrix(pack.restInverse)), metric = multiplyTransposed(F, F);
    Wide4d factor = Wide4d(viscosity) * Wide4d::load(pack.volume);
    if (chunk.law == ElasticLawId::kViscoelastic) factor *= determinant(F);
    addHooke(blocks, gradients, F, &metric, factor * params.phi, factor * params.psi);
}

/// Where a chunk's tets are read from and written to.
struct ChunkView {
    const double *x, *xViscous;
    double* entries;
    double* force;  ///< partial sums, or null
};

/// Adds the tets of a chunk to its entries; in the warped case to its forces, too.
ForceTotals assembleChunk(const ElementTable& table, const ElementChunk& chunk, const ChunkView& view, const AssembleOptions& options) {
    LaneTotals totals;
    const AddProjected addProjectedStiffness = projectedKernel(chunk.law);
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideParams params(materialOf(table, chunk, p));
        const WideMat3 restInverse = loadMatrix(pack.restInverse), F = multiply(gatherEdges(view.x, pack), restInverse);
        const PackGradients gradients(restInverse);
        const Wide4d volume = Wide4d::load(pack.volume);
        WideMat3 blocks[10];
        for (WideMat3& b : blocks)
            for (Wide4d& entry : b.m) entry = Wide4d(0.0);
        if (options.warped) {
            const WideMat3 R = polar3Wide(F).R;
            const Wide4d factor = Wide4d(options.stiffness) * volume;
            addHooke(blocks, gradients, R, nullptr, factor * params.lambda, factor * params.mu);
            if (view.force) {
                Wide4d energy;
                scatterForces(view.force, pack, cornerForces(corotatedStress(params, F, R, energy), restInverse, volume));
                totals.add(F, volume, energy);
            }
        } else if (chunk.plastic != PlasticLawId::kNone) {
            addPlasticStiffness(blocks, PlasticPack(table, chunk, p, options.plastic), F, restInverse, Wide4d(options.stiffness) * volume);
        } else {
            addProjectedStiffness(blocks, params, F, restInverse, Wide4d(options.stiffness) * volume);
        }
        if (view.xViscous) addViscosity(blocks, pack, params, chunk, view.xViscous, gradients, options.viscosity);
        for (int k = 0; k < 10; ++k) scatterBlock(view.entries, table.packEntries[p][static_cast<std::size_t>(k)], blocks[k]);
    }
    return totals.sum();
}

/// Sums the chunks' entries of every block and writes it and its mirror.
void gatherBlocks(const SparsePattern& pattern, const std::vector<double>& entries, std::vector<double>& values) {
    parallelFor(pattern.pairUpper.size(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            double sum[12] = {};
            for (auto e = static_cast<std::size_t>(pattern.pairFirst[p]); e < static_cast<std::size_t>(pattern.pairFirst[p + 1]); ++e) {
                const double* entry = entries.data() + 12 * static_cast<std::size_t>(pattern.pairEntry[e]);
                for (int k = 0; k < 12; ++k) sum[k] += entry[k];
            }
            double* upper = values.data() + 9 * static_cast<std::size_t>(pattern.pairUpper[p]);
            double* lower = values.data() + 9 * static_cast<std::size_t>(pattern.pairLower[p]);
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r) upper[3 * c + r] = lower[3 * r + c] = sum[4 * c + r];
        }
    });
}
}  // namespace

namespace {
ForceTotals assembleAll(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> xViscous, const AssembleOptions& options,
                        AssembleScratch& scratch, BlockMatrix& matrix, ForceScratch* forces) {
    scratch.entries.resize(12 * table.chunkEntry.size());
    std::vector<ForceTotals> totals(table.chunks.size());
    if (forces) forces->partial.resize(4 * table.chunkVertex.size());
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        ChunkView view;
        view.x = copyToChunk<0>(table, chunk, x);
        view.xViscous = options.viscosity != 0 && chunk.viscous ? copyToChunk<1>(table, chunk, xViscous) : nullptr;
        view.entries = scratch.entries.data() + 12 * static_cast<std::size_t>(chunk.firstEntry);
        view.force = forces ? forces->partial.data() + 4 * static_cast<std::size_t>(chunk.firstVertex) : nullptr;
        std::fill(view.entries, view.entries + 12 * static_cast<std::size_t>(chunk.entryCount), 0.0);
        if (forces) std::fill(view.force, view.force + 4 * static_cast<std::size_t>(chunk.vertexCount), 0.0);
        totals[c] = assembleChunk(table, chunk, view, options);
    });
    matrix.values.resize(9 * matrix.pattern->blockCount());
    gatherBlocks(*matrix.pattern, scratch.entries, matrix.values);
    return sumTotals(totals);
}
}  // namespace

void assembleStiffness(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> xViscous, const AssembleOptions& options,
                       AssembleScratch& scratch, BlockMatrix& matrix) {
    assembleAll(table, x, xViscous, options, scratch, matrix, nullptr);
}

ForceTotals assembleWarped(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> xViscous, const AssembleOptions& options,
                           AssembleScratch& scratch, BlockMatrix& matrix, ForceScratch& forces) {
    AssembleOptions warped = options;
    warped.warped = true;
    return assembleAll(table, x, xViscous, warped, scratch, matrix, &forces);
}

}  // namespace sunder
