#include "core/fem/element_table.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::uint32_t kChunkTets = 512;

std::uint64_t spreadBits(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

/// Place of every tet's centre along a Morton curve through the body's box.
std::vector<std::uint64_t> mortonKeys(const TetMesh& mesh) {
    Vec3 low = Vec3::Constant(1e300), high = -low;
    for (const Vec3& p : mesh.rest) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    const double scale = 0x1fffff / std::max((high - low).maxCoeff(), 1e-300);
    std::vector<std::uint64_t> keys(mesh.tetCount());
    for (std::size_t t = 0; t < keys.size(); ++t) {
        Vec3 centre = Vec3::Zero();
        for (const std::int32_t v : mesh.tets[t]) centre += 0.25 * (mesh.rest[static_cast<std::size_t>(v)] - low);
        for (int c = 0; c < 3; ++c) keys[t] |= spreadBits(static_cast<std::uint64_t>(std::max(0.0, centre[c] * scale))) << c;
    }
    return keys;
}

/// Chunks are of one elastic and one plastic law.
std::tuple<ElasticLawId, PlasticLawId> lawsOf(const TetMaterial& m) { return {m.law, m.plastic.law}; }

/// Tets sorted by laws, then along the curve, then by number.
std::vector<std::int32_t> workOrder(const TetMesh& mesh, Span<const TetMaterial> materials) {
    const std::vector<std::uint64_t> keys = mortonKeys(mesh);
    std::vector<std::int32_t> order(mesh.tetCount());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        return std::make_tuple(lawsOf(materials[i]), keys[i], a) < std::make_tuple(lawsOf(materials[j]), keys[j], b);
    });
    return order;
}

/// Corners in ascending order, so that block (i, j) with i < j always lies above the diagonal of the system.
Tet sortedCorners(Tet tet) {
    std::sort(tet.begin(), tet.end());
    return tet;
}

Mat3 restEdges(const TetMesh& mesh, const Tet& t) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k)
        edges.col(k) = mesh.rest[static_cast<std::size_t>(t[static_cast<std::size_t>(k + 1)])] - mesh.rest[static_cast<std::size_t>(t[0])];
    return edges;
}

/// With shape function gradients g_i, |strain|^2 <= e |u|^2 where e is the largest eigenvalue of G = sum g_i g_i^T, and (tr strain)^2 <= tr(G) |u|^2. So
/// u.K u / V = 2 mu |strain|^2 + lambda (tr strain)^2 <= (2 mu e + lambda tr G) |u|^2, and the mass is rho V / 4 a corner.
TetBounds boundsOf(double e, double trace, const TetMaterial& m) {
    const auto bound = [&](double lambda, double mu) { return 4 / m.density * (2 * mu * e + std::max(0.0, lambda) * trace); };
    return {bound(m.params.lambda, m.params.mu), bound(m.params.phi, m.params.psi)};
}

/// G.
Mat3 gradientSquares(const Mat3& inverse) {
    const Mat3 sum = inverse.transpose() * inverse;
    const Vec3 first = -(inverse.row(0) + inverse.row(1) + inverse.row(2)).transpose();
    return sum + first * first.transpose();
}

TetBounds boundsOf(const Mat3& inverse, const TetMaterial& m) {
    const Mat3 sum = gradientSquares(inverse);
    return boundsOf(Eigen::SelfAdjointEigenSolver<Mat3>(sum, Eigen::EigenvaluesOnly).eigenvalues()[2], sum.trace(), m);
}

void updateBounds(ElementTable& table, PackBounds& bounds, std::size_t lane, const Mat3& inverse, const TetMaterial& m) {
    const TetBounds own = boundsOf(inverse, m);
    bounds.omegaSq[lane] = own.omegaSq;
    bounds.damping[lane] = own.damping;
    table.largestOmegaSq = std::max(table.largestOmegaSq, own.omegaSq);
    table.largestDamping = std::max(table.largestDamping, own.damping);
}

void fillLane(ElementPack& pack, std::size_t lane, const TetMesh& mesh, const Tet& tet, bool filler) {
    const Mat3 edges = restEdges(mesh, tet), inverse = edges.inverse();
    for (int c = 0; c < 9; ++c) pack.restInverse[c][lane] = inverse.data()[c];
    pack.volume[lane] = filler ? 0 : std::abs(edges.determinant()) / 6;
}

void fillMaterial(PackMaterial& material, std::size_t lane, const LawParams& params) {
    material.lambda[lane] = params.lambda;
    material.mu[lane] = params.mu;
    material.phi[lane] = params.phi;
    material.psi[lane] = params.psi;
}

bool sameMaterial(const LawParams& a, const LawParams& b) {
    return a.lambda == b.lambda && a.mu == b.mu && a.phi == b.phi && a.psi == b.psi;
}

/// Adds one chunk of tets order[first, last), all of the same laws.
void addChunk(ElementTable& table, const TetMesh& mesh, Span<const TetMaterial> materials, Span<const std::int32_t> tets) {
    ElementChunk chunk{};
    chunk.uniform = true;
    std::tie(chunk.law, chunk.plastic) = lawsOf(materials[static_cast<std::size_t>(tets[0])]);
    chunk.firstPack = static_cast<std::uint32_t>(table.packs.size());
    chunk.packCount = static_cast<std::uint32_t>((tets.size() + 3) / 4);
    chunk.firstVertex = static_cast<std::uint32_t>(table.chunkVertex.size());
    chunk.firstEntry = static_cast<std::uint32_t>(table.chunkEntry.size());

    std::vector<std::int32_t> vertices;
    std::vector<std::array<std::int32_t, 2>> entries;
    for (const std::int32_t t : tets) {
        const Tet tet = sortedCorners(mesh.tets[static_cast<std::size_t>(t)]);
        vertices.insert(vertices.end(), tet.begin(), tet.end());
        for (const auto& p : kPackPairs)
            entries.push_back({tet[static_cast<std::size_t>(p[0])], tet[static_cast<std::size_t>(p[1])]});
    }
    const auto makeUnique = [](auto& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    makeUnique(vertices);
    makeUnique(entries);
    const auto placeOf = [](const auto& list, const auto& item) {
        return static_cast<std::uint16_t>(std::lower_bound(list.begin(), list.end(), item) - list.begin());
    };
    for (std::uint32_t p = 0; p < chunk.packCount; ++p) {
        ElementPack pack{};
        PackMaterial material{};
        PackPlastic plastic{};
        PackEntries packEntries{};
        PackBounds bounds;
        std::array<std::int32_t, 4> packTet{};
        for (std::size_t lane = 0; lane < 4; ++lane) {
            // lanes walk along different quarters of the chunk: neighbours in one pack would add to the same vertices, each
            // waiting for the other's sum
            const std::size_t k = lane * chunk.packCount + p;
            const bool filler = k >= tets.size();
            const std::int32_t t = tets[std::min(k, tets.size() - 1)];
            const Tet tet = sortedCorners(mesh.tets[static_cast<std::size_t>(t)]);
            const TetMaterial& m = materials[static_cast<std::size_t>(t)];
            fillLane(pack, lane, mesh, tet, filler);
            fillMaterial(material, lane, m.params);
            plastic[lane] = m.plastic;
            packTet[lane] = filler ? -1 : t;
            if (!filler) table.tetLane[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(4 * table.packs.size() + lane);
            for (std::size_t c = 0; c < 4; ++c) pack.vertex[c][lane] = placeOf(vertices, tet[c]);
            for (std::size_t e = 0; e < 10; ++e)
                packEntries[e][lane] = placeOf(entries, std::array<std::int32_t, 2>{tet[static_cast<std::size_t>(kPackPairs[e][0])],
                                                                                   tet[static_cast<std::size_t>(kPackPairs[e][1])]});
            chunk.uniform &= sameMaterial(m.params, materials[static_cast<std::size_t>(tets[0])].params);
            chunk.viscous |= m.params.phi != 0 || m.params.psi != 0;
            table.totalVolume += pack.volume[lane];
            if (!filler) updateBounds(table, bounds, lane, restEdges(mesh, tet).inverse(), m);
        }
        table.packs.push_back(pack);
        table.packMaterial.push_back(material);
        if (chunk.plastic != PlasticLawId::kNone) {
            table.packPlastic.resize(table.packs.size());
            table.packPlastic.back() = plastic;
        }
        table.packEntries.push_back(packEntries);
        table.packTet.push_back(packTet);
        table.packBounds.push_back(bounds);
    }
    chunk.vertexCount = static_cast<std::uint32_t>(vertices.size());
    chunk.entryCount = static_cast<std::uint32_t>(entries.size());
    table.chunkVertex.insert(table.chunkVertex.end(), vertices.begin(), vertices.end());
    table.chunkEntry.insert(table.chunkEntry.end(), entries.begin(), entries.end());
    table.chunks.push_back(chunk);
}

/// Chunks of tets that are sorted by law.
void addChunks(ElementTable& table, const TetMesh& mesh, Span<const TetMaterial> materials, Span<const std::int32_t> order) {
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && last - first < kChunkTets &&
               lawsOf(materials[static_cast<std::size_t>(order[last])]) == lawsOf(materials[static_cast<std::size_t>(order[first])]))
            ++last;
        addChunk(table, mesh, materials, order.subspan(first, last - first));
        first = last;
    }
}

void buildSlots(ElementTable& table) {
    std::vector<std::int32_t> first(table.vertexCount + 1, 0), slot(table.chunkVertex.size());
    for (const std::int32_t v : table.chunkVertex) ++first[static_cast<std::size_t>(v) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t s = 0; s < table.chunkVertex.size(); ++s)
        slot[static_cast<std::size_t>(next[static_cast<std::size_t>(table.chunkVertex[s])]++)] = static_cast<std::int32_t>(s);
    table.slots = RowLists(first, std::move(slot));
}
}  // namespace

namespace {
ElementChunk& chunkOfPack(ElementTable& table, std::uint32_t pack) {
    const auto after = std::upper_bound(table.chunks.begin(), table.chunks.end(), pack, [](std::uint32_t p, const ElementChunk& c) { return p < c.firstPack; });
    return *(after - 1);
}

template <class Rows>
void copyLanes(Rows& rows, std::size_t from, std::size_t to) {
    for (auto& row : rows) row[to] = row[from];
}

/// A lane without a tet repeats one of its pack with no volume.
void fillFrom(ElementTable& table, std::size_t pack, std::size_t from, std::size_t to) {
    copyLanes(table.packs[pack].restInverse, from, to);
    copyLanes(table.packs[pack].vertex, from, to);
    copyLanes(table.packEntries[pack], from, to);
    if (pack < table.packPlastic.size()) table.packPlastic[pack][to] = table.packPlastic[pack][from];
    table.packs[pack].volume[to] = 0;
    table.packBounds[pack].omegaSq[to] = table.packBounds[pack].damping[to] = 0;
    PackMaterial& m = table.packMaterial[pack];
    for (double* row : {m.lambda, m.mu, m.phi, m.psi}) row[to] = row[from];
}

void movePack(ElementTable& table, std::size_t from, std::size_t to) {
    table.packs[to] = table.packs[from];
    table.packMaterial[to] = table.packMaterial[from];
    table.packEntries[to] = table.packEntries[from];
    table.packTet[to] = table.packTet[from];
    table.packBounds[to] = table.packBounds[from];
    if (from < table.packPlastic.size()) table.packPlastic[to] = table.packPlastic[from];
    for (std::size_t lane = 0; lane < 4; ++lane)
        if (table.packTet[to][lane] >= 0) table.tetLane[static_cast<std::size_t>(table.packTet[to][lane])] = static_cast<std::int32_t>(4 * to + lane);
}

/// Takes a tet out of its chunk. A pack that has no other goes to the end of the chunk, and out of it.
void removeTet(ElementTable& table, std::int32_t tet) {
    const auto place = static_cast<std::size_t>(table.tetLane[static_cast<std::size_t>(tet)]), pack = place / 4;
    auto& tets = table.packTet[pack];
    tets[place % 4] = -1;
    const auto live = std::find_if(tets.begin(), tets.end(), [](std::int32_t t) { return t >= 0; });
    if (live != tets.end()) {
        for (std::size_t lane = 0; lane < 4; ++lane)
            if (tets[lane] < 0) fillFrom(table, pack, static_cast<std::size_t>(live - tets.begin()), lane);
        return;
    }
    ElementChunk& chunk = chunkOfPack(table, static_cast<std::uint32_t>(pack));
    --chunk.packCount;
    const std::size_t last = chunk.firstPack + chunk.packCount;
    if (last != pack) movePack(table, last, pack);
}
}  // namespace

TetBounds computeTetBounds(const TetMesh& mesh, std::int32_t tet, const TetMaterial& material) {
    return boundsOf(restEdges(mesh, sortedCorners(mesh.tets[static_cast<std::size_t>(tet)])).inverse(), material);
}

TetBounds looseTetBounds(const TetMesh& mesh, std::int32_t tet, const TetMaterial& material) {
    const double trace = gradientSquares(restEdges(mesh, mesh.tets[static_cast<std::size_t>(tet)]).inverse()).trace();
    return boundsOf(trace, trace, material);
}

double stepOfTet(const TetBounds& bounds) {
    const double omega = std::sqrt(bounds.omegaSq), r = bounds.damping / omega;
    return 2 / omega / (std::sqrt(1 + r * r) + r);
}

void patchElementTable(ElementTable& table, const TetMesh& mesh, Span<const TetMaterial> materials, Span<const std::int32_t> tets) {
    table.tetLane.resize(mesh.tetCount(), -1);
    table.vertexCount = mesh.vertexCount();
    for (const std::int32_t t : tets)
        if (table.tetLane[static_cast<std::size_t>(t)] >= 0) removeTet(table, t);
    std::vector<std::int32_t> byLaw(tets.begin(), tets.end());
    const auto laws = [&](std::int32_t t) { return lawsOf(materials[static_cast<std::size_t>(t)]); };
    std::stable_sort(byLaw.begin(), byLaw.end(), [&](std::int32_t a, std::int32_t b) { return laws(a) < laws(b); });
    const std::size_t slots = table.chunkVertex.size();
    addChunks(table, mesh, materials, byLaw);
    table.patchedTets += tets.size();
    table.slots.resize(table.vertexCount);
    for (std::size_t s = slots; s < table.chunkVertex.size(); ++s) table.slots.append(static_cast<std::size_t>(table.chunkVertex[s]), static_cast<std::int32_t>(s));
}

ElementTable buildElementTable(const TetMesh& mesh, Span<const TetMaterial> materials) {
    SUNDER_ASSERT(materials.size() == mesh.tetCount());
    ElementTable table;
    table.vertexCount = mesh.vertexCount();
    table.tetLane.assign(mesh.tetCount(), -1);
    const std::vector<std::int32_t> order = workOrder(mesh, materials);
    addChunks(table, mesh, materials, order);
    buildSlots(table);
    return table;
}

}  // namespace sunder
