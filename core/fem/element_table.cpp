#include "core/fem/element_table.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
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

/// Bounds of omega^2 and of the damping rate of one tet with a quarter of its mass at each corner. With shape function gradients
/// g_i, |strain|^2 <= e |u|^2 where e is the largest eigenvalue of G = sum g_i g_i^T, and (tr strain)^2 <= tr(G) |u|^2. So
/// u.K u / V = 2 mu |strain|^2 + lambda (tr strain)^2 <= (2 mu e + lambda tr G) |u|^2, and the mass is rho V / 4 a corner.
void updateBounds(ElementTable& table, PackBounds& bounds, std::size_t lane, const Mat3& inverse, const TetMaterial& m) {
    Mat3 sum = inverse.transpose() * inverse;
    const Vec3 first = -(inverse.row(0) + inverse.row(1) + inverse.row(2)).transpose();
    sum += first * first.transpose();
    const double largest = Eigen::SelfAdjointEigenSolver<Mat3>(sum, Eigen::EigenvaluesOnly).eigenvalues()[2];
    const auto bound = [&](double lambda, double mu) {
        return 4 / m.density * (2 * mu * largest + std::max(0.0, lambda) * sum.trace());
    };
    bounds.omegaSq[lane] = bound(m.params.lambda, m.params.mu);
    bounds.damping[lane] = bound(m.params.phi, m.params.psi);
    table.largestOmegaSq = std::max(table.largestOmegaSq, bounds.omegaSq[lane]);
    table.largestDamping = std::max(table.largestDamping, bounds.damping[lane]);
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

void buildSlots(ElementTable& table) {
    table.slotFirst.assign(table.vertexCount + 1, 0);
    for (const std::int32_t v : table.chunkVertex) ++table.slotFirst[static_cast<std::size_t>(v) + 1];
    std::partial_sum(table.slotFirst.begin(), table.slotFirst.end(), table.slotFirst.begin());
    std::vector<std::int32_t> next(table.slotFirst.begin(), table.slotFirst.end() - 1);
    table.slot.resize(table.chunkVertex.size());
    for (std::size_t s = 0; s < table.chunkVertex.size(); ++s)
        table.slot[static_cast<std::size_t>(next[static_cast<std::size_t>(table.chunkVertex[s])]++)] = static_cast<std::int32_t>(s);
}
}  // namespace

ElementTable buildElementTable(const TetMesh& mesh, Span<const TetMaterial> materials) {
    SUNDER_ASSERT(materials.size() == mesh.tetCount());
    ElementTable table;
    table.vertexCount = mesh.vertexCount();
    const std::vector<std::int32_t> order = workOrder(mesh, materials);
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && last - first < kChunkTets &&
               lawsOf(materials[static_cast<std::size_t>(order[last])]) == lawsOf(materials[static_cast<std::size_t>(order[first])]))
            ++last;
        addChunk(table, mesh, materials, Span<const std::int32_t>(order).subspan(first, last - first));
        first = last;
    }
    buildSlots(table);
    return table;
}

}  // namespace sunder
