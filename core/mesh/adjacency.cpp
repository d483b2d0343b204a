#include "core/mesh/adjacency.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 4096;

struct Face {
    std::int32_t middle, last;  ///< vertices after the smallest, ascending
    std::int32_t code;          ///< 4 * tet + local face
};

Tri sortedFace(const Tet& tet, int face) {
    Tri t{tet[kTetFaces[face][0]], tet[kTetFaces[face][1]], tet[kTetFaces[face][2]]};
    std::sort(t.begin(), t.end());
    return t;
}

std::vector<std::int32_t> offsetsFromCounts(std::vector<std::int32_t> counts) {
    std::int32_t sum = 0;
    for (std::int32_t& c : counts) {
        const std::int32_t next = sum + c;
        c = sum;
        sum = next;
    }
    counts.push_back(sum);
    return counts;
}

void matchFaces(Span<Face> faces, std::vector<std::array<std::int32_t, 4>>& neighbors) {
    std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
        return a.middle != b.middle ? a.middle < b.middle
               : a.last != b.last   ? a.last < b.last
                                    : a.code < b.code;
    });
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t j = i + 1;
        while (j < faces.size() && faces[j].middle == faces[i].middle && faces[j].last == faces[i].last) ++j;
        if (j - i > 2)
            throw Error(format("tets %d, %d and %d share one face", faces[i].code / 4, faces[i + 1].code / 4,
                               faces[i + 2].code / 4),
                        "remove duplicate tetrahedra");
        if (j - i == 2) {
            neighbors[faces[i].code / 4][faces[i].code % 4] = faces[i + 1].code / 4;
            neighbors[faces[i + 1].code / 4][faces[i + 1].code % 4] = faces[i].code / 4;
        }
        i = j;
    }
}
}  // namespace

IndexLists buildVertexTets(Span<const Tet> tets, std::size_t vertexCount) {
    std::vector<std::int32_t> counts(vertexCount, 0);
    for (const Tet& t : tets)
        for (const std::int32_t v : t) ++counts[v];
    IndexLists lists;
    lists.first = offsetsFromCounts(std::move(counts));
    lists.items.resize(4 * tets.size());
    std::vector<std::int32_t> next(lists.first.begin(), lists.first.end() - 1);
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (const std::int32_t v : tets[t]) lists.items[next[v]++] = static_cast<std::int32_t>(t);
    return lists;
}

std::vector<std::array<std::int32_t, 4>> buildTetNeighbors(Span<const Tet> tets, std::size_t vertexCount) {
    // Buckets by smallest vertex: each holds a few dozen faces, and the buckets are matched side by side.
    std::vector<std::int32_t> counts(vertexCount, 0);
    for (const Tet& t : tets)
        for (int f = 0; f < 4; ++f) ++counts[sortedFace(t, f)[0]];
    const std::vector<std::int32_t> first = offsetsFromCounts(std::move(counts));
    std::vector<Face> faces(4 * tets.size());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            const Tri s = sortedFace(tets[t], f);
            faces[next[s[0]]++] = {s[1], s[2], static_cast<std::int32_t>(4 * t + f)};
        }
    std::vector<std::array<std::int32_t, 4>> neighbors(tets.size(), {-1, -1, -1, -1});
    parallelFor(vertexCount, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            matchFaces(Span<Face>(faces.data() + first[v], static_cast<std::size_t>(first[v + 1] - first[v])),
                       neighbors);
    });
    return neighbors;
}

std::vector<BoundaryFace> collectBoundaryFaces(Span<const Tet> tets,
                                               Span<const std::array<std::int32_t, 4>> neighbors) {
    std::vector<BoundaryFace> boundary;
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (int f = 0; f < 4; ++f)
            if (neighbors[t][f] < 0)
                boundary.push_back(
                    {{tets[t][kTetFaces[f][0]], tets[t][kTetFaces[f][1]], tets[t][kTetFaces[f][2]]},
                     static_cast<std::int32_t>(t),
                     f});
    return boundary;
}

IndexLists buildVertexNeighbors(Span<const Tet> tets, std::size_t vertexCount) {
    const IndexLists around = buildVertexTets(tets, vertexCount);
    std::vector<std::vector<std::int32_t>> lists(vertexCount);
    parallelFor(vertexCount, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            auto& list = lists[v];
            for (const std::int32_t t : around[v])
                for (const std::int32_t w : tets[t])
                    if (w != static_cast<std::int32_t>(v)) list.push_back(w);
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
    });
    IndexLists out;
    out.first.push_back(0);
    for (const auto& list : lists) {
        out.items.insert(out.items.end(), list.begin(), list.end());
        out.first.push_back(static_cast<std::int32_t>(out.items.size()));
    }
    return out;
}

std::vector<Edge> collectEdges(Span<const Tet> tets, std::size_t vertexCount) {
    const IndexLists neighbors = buildVertexNeighbors(tets, vertexCount);
    std::vector<Edge> edges;
    for (std::size_t v = 0; v < vertexCount; ++v)
        for (const std::int32_t w : neighbors[v])
            if (static_cast<std::int32_t>(v) < w) edges.push_back({static_cast<std::int32_t>(v), w});
    return edges;
}

std::vector<std::int32_t> labelComponents(Span<const std::array<std::int32_t, 4>> neighbors) {
    std::vector<std::int32_t> label(neighbors.size(), -1), stack;
    std::int32_t count = 0;
    for (std::size_t seed = 0; seed < neighbors.size(); ++seed) {
        if (label[seed] >= 0) continue;
        label[seed] = count;
        stack.push_back(static_cast<std::int32_t>(seed));
        while (!stack.empty()) {
            const std::int32_t t = stack.back();
            stack.pop_back();
            for (const std::int32_t n : neighbors[t])
                if (n >= 0 && label[n] < 0) {
                    label[n] = count;
                    stack.push_back(n);
                }
        }
        ++count;
    }
    return label;
}

Adjacency buildAdjacency(const TetMesh& mesh) {
    Adjacency a;
    a.vertexTets = buildVertexTets(mesh.tets, mesh.vertexCount());
    a.tetNeighbors = buildTetNeighbors(mesh.tets, mesh.vertexCount());
    a.boundary = collectBoundaryFaces(mesh.tets, a.tetNeighbors);
    a.edges = collectEdges(mesh.tets, mesh.vertexCount());
    return a;
}

}  // namespace sunder
