#include "core/fem/element_table.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/parallel.h"
#include "core/math/decompose.h"

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
    struct Key {
        std::tuple<ElasticLawId, PlasticLawId> laws;
        std::uint64_t place;
        std::int32_t tet;
        bool operator<(const Key& b) const { return std::tie(laws, place, tet) < std::tie(b.laws, b.place, b.tet); }
    };
    const std::vector<std::uint64_t> places = mortonKeys(mesh);
    std::vector<Key> keys(mesh.tetCount());
    for (std::size_t t = 0; t < keys.size(); ++t) keys[t] = {lawsOf(materials[t]), places[t], static_cast<std::int32_t>(t)};
    std::sort(keys.begin(), keys.end());
    std::vector<std::int32_t> order;
    for (const Key& key : keys) order.push_back(key.tet);
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
    return boundsOf(symmetricEigen3(sum).values.maxCoeff(), sum.trace(), m);
}

void updateBounds(ElementTable& table, PackBounds& bounds, std::size_t lane, const Mat3& inverse, const TetMaterial& m) {
    const TetBounds own = boundsOf(inverse, m);
    bounds.omegaSq[lane] = own.omegaSq;
    bounds.damping[lane] = own.damping;
    table.largestOmegaSq = std::max(table.largestOmegaSq, own.omegaSq);
    table.largestDamping = std::max(table.largestDamping, own.damping);
}

/// Returns the inverse.
Mat3 fillLane(ElementPack& pack, std::size_t lane, const TetMesh& mesh, const Tet& tet, bool filler) {
    const Mat3 edges = restEdges(mesh, tet), inverse = edges.inverse();
    for (int c = 0; c < 9; ++c) pack.restInverse[c][lane] = inverse.data()[c];
    pack.volume[lane] = filler ? 0 : std::abs(edges.determinant()) / 6;
    return inverse;
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

/// Vertices and pairs of vertices of a chunk's tets, ascending. A pair is two places among the vertices.
class ChunkIndex {
  public:
    std::vector<std::int32_t> vertices;
    std::vector<std::array<std::uint16_t, 2>> entries;

    ChunkIndex(const TetMesh& mesh, Span<const std::int32_t> tets) : places_(roomFor(mesh.vertexCount())) {
        listVertices(mesh, tets);
        std::vector<std::array<std::uint16_t, 4>> corners;
        corners.reserve(tets.size());
        for (const std::int32_t t : tets) corners.push_back(cornersOf(sortedCorners(mesh.tets[static_cast<std::size_t>(t)])));
        listPairs(corners);
    }
    /// Of a tet of the chunk, until the thread makes another index.
    std::array<std::uint16_t, 4> cornersOf(const Tet& tet) const {
        std::array<std::uint16_t, 4> corner;
        for (std::size_t c = 0; c < 4; ++c) corner[c] = places_[static_cast<std::size_t>(tet[c])];
        return corner;
    }
    std::uint16_t entryOf(std::uint16_t a, std::uint16_t b) const {
        std::uint32_t at = first_[a];
        while (entries[at][1] != b) ++at;
        return static_cast<std::uint16_t>(at);
    }

  private:
    /// Of every vertex of a mesh, holding anything.
    static std::vector<std::uint16_t>& roomFor(std::size_t vertexCount) {
        static thread_local std::vector<std::uint16_t> places;
        if (places.size() < vertexCount) places.resize(vertexCount);
        return places;
    }
    void listVertices(const TetMesh& mesh, Span<const std::int32_t> tets) {
        const auto isListed = [&](std::int32_t v) {
            const std::size_t place = places_[static_cast<std::size_t>(v)];
            return place < vertices.size() && vertices[place] == v;
        };
        for (const std::int32_t t : tets)
            for (const std::int32_t v : mesh.tets[static_cast<std::size_t>(t)])
                if (!isListed(v)) {
                    places_[static_cast<std::size_t>(v)] = static_cast<std::uint16_t>(vertices.size());
                    vertices.push_back(v);
                }
        std::sort(vertices.begin(), vertices.end());
        for (std::size_t k = 0; k < vertices.size(); ++k) places_[static_cast<std::size_t>(vertices[k])] = static_cast<std::uint16_t>(k);
    }
    /// Pairs by their first vertex; a vertex has few.
    void listPairs(const std::vector<std::array<std::uint16_t, 4>>& corners) {
        std::vector<std::uint32_t> next(vertices.size() + 1, 0);
        const auto forPairs = [&](auto use) {
            for (const auto& corner : corners)
                for (const auto& p : kPackPairs) use(corner[static_cast<std::size_t>(p[0])], corner[static_cast<std::size_t>(p[1])]);
        };
        forPairs([&](std::uint16_t a, std::uint16_t) { ++next[a + 1U]; });
        std::partial_sum(next.begin(), next.end(), next.begin());
        std::vector<std::uint16_t> seconds(next.back());
        std::vector<std::uint32_t> begin(next.begin(), next.end());
        forPairs([&](std::uint16_t a, std::uint16_t b) {
            const auto from = seconds.begin() + begin[a], to = seconds.begin() + next[a];
            if (std::find(from, to, b) == to) seconds[next[a]++] = b;
        });
        first_.reserve(vertices.size());
        for (std::size_t a = 0; a < vertices.size(); ++a) {
            std::sort(seconds.begin() + begin[a], seconds.begin() + next[a]);
            first_.push_back(static_cast<std::uint32_t>(entries.size()));
            for (std::uint32_t k = begin[a]; k < next[a]; ++k) entries.push_back({static_cast<std::uint16_t>(a), seconds[k]});
        }
    }

    std::vector<std::uint16_t>& places_;  ///< of every vertex of the mesh; those of the chunk hold
    std::vector<std::uint32_t> first_;    ///< of every vertex of the chunk, where its entries begin
};

/// Adds one chunk of tets, all of the same laws. `firstPack` is where it will stand in the whole table, whose tetLane is given.
void addChunk(ElementTable& table, const TetMesh& mesh, Span<const TetMaterial> materials, Span<const std::int32_t> tets, std::size_t firstPack, Span<std::int32_t> tetLane) {
    ElementChunk chunk{};
    chunk.uniform = true;
    std::tie(chunk.law, chunk.plastic) = lawsOf(materials[static_cast<std::size_t>(tets[0])]);
    chunk.firstPack = static_cast<std::uint32_t>(table.packs.size());
    chunk.packCount = static_cast<std::uint32_t>((tets.size() + 3) / 4);
    chunk.firstVertex = static_cast<std::uint32_t>(table.chunkVertex.size());
    chunk.firstEntry = static_cast<std::uint32_t>(table.chunkEntry.size());

    const ChunkIndex index(mesh, tets);
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
            const Mat3 inverse = fillLane(pack, lane, mesh, tet, filler);
            fillMaterial(material, lane, m.params);
            plastic[lane] = m.plastic;
            packTet[lane] = filler ? -1 : t;
            if (!filler) tetLane[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(4 * (firstPack + table.packs.size()) + lane);
            const std::array<std::uint16_t, 4> corner = index.cornersOf(tet);
            for (std::size_t c = 0; c < 4; ++c) pack.vertex[c][lane] = corner[c];
            for (std::size_t e = 0; e < 10; ++e) packEntries[e][lane] = index.entryOf(corner[static_cast<std::size_t>(kPackPairs[e][0])], corner[static_cast<std::size_t>(kPackPairs[e][1])]);
            chunk.uniform &= sameMaterial(m.params, materials[static_cast<std::size_t>(tets[0])].params);
            chunk.viscous |= m.params.phi != 0 || m.params.psi != 0;
            table.totalVolume += pack.volume[lane];
            if (!filler) updateBounds(table, bounds, lane, inverse, m);
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
    chunk.vertexCount = static_cast<std::uint32_t>(index.vertices.size());
    chunk.entryCount = static_cast<std::uint32_t>(index.entries.size());
    table.chunkVertex.insert(table.chunkVertex.end(), index.vertices.begin(), index.vertices.end());
    for (const auto& e : index.entries) table.chunkEntry.push_back({index.vertices[e[0]], index.vertices[e[1]]});
    table.chunks.push_back(chunk);
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

/// The one chunk of `part` behind all others.
void appendChunk(ElementTable& table, const ElementTable& part) {
    ElementChunk chunk = part.chunks[0];
    chunk.firstPack = static_cast<std::uint32_t>(table.packs.size());
    chunk.firstVertex = static_cast<std::uint32_t>(table.chunkVertex.size());
    chunk.firstEntry = static_cast<std::uint32_t>(table.chunkEntry.size());
    table.chunks.push_back(chunk);
    if (!part.packPlastic.empty()) {
        table.packPlastic.resize(table.packs.size());
        append(table.packPlastic, part.packPlastic);
    }
    append(table.packs, part.packs);
    append(table.packMaterial, part.packMaterial);
    append(table.packEntries, part.packEntries);
    append(table.packTet, part.packTet);
    append(table.packBounds, part.packBounds);
    append(table.chunkVertex, part.chunkVertex);
    append(table.chunkEntry, part.chunkEntry);
    table.totalVolume += part.totalVolume;
    table.largestOmegaSq = std::max(table.largestOmegaSq, part.largestOmegaSq);
    table.largestDamping = std::max(table.largestDamping, part.largestDamping);
}

/// Chunks of tets that are sorted by law, each made by itself.
void addChunks(ElementTable& table, const TetMesh& mesh, Span<const TetMaterial> materials, Span<const std::int32_t> order) {
    std::vector<std::size_t> first{0}, firstPack{table.packs.size()};
    for (std::size_t k = 1; k <= order.size(); ++k) {
        const bool ends = k == order.size() || k - first.back() == kChunkTets ||
                          lawsOf(materials[static_cast<std::size_t>(order[k])]) != lawsOf(materials[static_cast<std::size_t>(order[first.back()])]);
        if (!ends) continue;
        firstPack.push_back(firstPack.back() + (k - first.back() + 3) / 4);
        first.push_back(k);
    }
    std::vector<ElementTable> parts(first.size() - 1);
    parallelBlocks(parts.size(), [&](std::size_t c) { addChunk(parts[c], mesh, materials, order.subspan(first[c], first[c + 1] - first[c]), firstPack[c], table.tetLane); });
    for (const ElementTable& part : parts) appendChunk(table, part);
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
