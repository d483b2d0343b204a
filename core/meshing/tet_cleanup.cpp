#include "core/meshing/tet_cleanup.h"

#include <algorithm>
#include <numeric>

#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
/// Groups of the tets around a vertex that are joined by faces with that vertex; the group of each, 0 for the
/// first.
std::vector<int> groupsAround(Span<const std::int32_t> around, std::int32_t vertex, const TetMesh& mesh,
                              const std::vector<std::array<std::int32_t, 4>>& neighbors) {
    std::vector<int> group(around.size(), -1);
    int count = 0;
    std::vector<std::size_t> stack;
    for (std::size_t seed = 0; seed < around.size(); ++seed) {
        if (group[seed] >= 0) continue;
        group[seed] = count;
        stack.push_back(seed);
        while (!stack.empty()) {
            const std::int32_t t = around[stack.back()];
            stack.pop_back();
            for (int f = 0; f < 4; ++f) {
                if (mesh.tets[t][f] == vertex || neighbors[t][f] < 0) continue;
                const auto it = std::lower_bound(around.begin(), around.end(), neighbors[t][f]);
                const auto n = static_cast<std::size_t>(it - around.begin());
                if (group[n] >= 0) continue;
                group[n] = count;
                stack.push_back(n);
            }
        }
        ++count;
    }
    return group;
}
}  // namespace

std::vector<PieceMeasure> measurePieces(const TetMesh& mesh) {
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    std::vector<PieceMeasure> pieces;
    for (std::size_t t = 0; t < label.size(); ++t) {
        if (label[t] >= static_cast<std::int32_t>(pieces.size())) pieces.resize(label[t] + 1);
        PieceMeasure& piece = pieces[label[t]];
        piece.volume += restVolume(mesh, t);
        ++piece.tets;
        for (const std::int32_t v : mesh.tets[t]) piece.box.extend(mesh.rest[v]);
    }
    return pieces;
}

void keepPieces(TetMesh& mesh, const std::vector<std::uint8_t>& keep) {
    if (std::all_of(keep.begin(), keep.end(), [](std::uint8_t k) { return k != 0; })) return;
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    std::vector<std::uint8_t> keepTet(label.size());
    for (std::size_t t = 0; t < label.size(); ++t) keepTet[t] = keep[label[t]];
    keepTets(mesh, keepTet);
}

std::vector<std::int32_t> keepTets(TetMesh& mesh, const std::vector<std::uint8_t>& keep) {
    std::vector<Tet> tets;
    std::vector<std::int32_t> newVertex(mesh.vertexCount(), -1), oldVertex;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        if (!keep[t]) continue;
        tets.push_back(mesh.tets[t]);
        for (const std::int32_t v : mesh.tets[t]) newVertex[v] = 0;
    }
    std::vector<Vec3> rest;
    for (std::size_t v = 0; v < newVertex.size(); ++v)
        if (newVertex[v] == 0) {
            newVertex[v] = static_cast<std::int32_t>(rest.size());
            rest.push_back(mesh.rest[v]);
            oldVertex.push_back(static_cast<std::int32_t>(v));
        }
    for (Tet& t : tets)
        for (std::int32_t& v : t) v = newVertex[v];
    mesh.tets = std::move(tets);
    mesh.rest = std::move(rest);
    ++mesh.topologyVersion;
    return oldVertex;
}

std::size_t splitPinchedVertices(TetMesh& mesh, std::vector<std::int32_t>* parents) {
    const IndexLists around = buildVertexTets(mesh.tets, mesh.vertexCount());
    const auto neighbors = buildTetNeighbors(mesh.tets, mesh.vertexCount());
    const std::size_t before = mesh.vertexCount();
    for (std::size_t v = 0; v < before; ++v) {
        const auto vertex = static_cast<std::int32_t>(v);
        // Copies made for other vertices do not disturb this: the tets around v still name v, and faces are
        // compared by tet.
        const std::vector<int> group = groupsAround(around[v], vertex, mesh, neighbors);
        const int groups = group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
        for (int g = 1; g < groups; ++g) {
            const auto copy = static_cast<std::int32_t>(mesh.vertexCount());
            mesh.rest.push_back(Vec3(mesh.rest[v]));
            if (parents) parents->push_back(vertex);
            for (std::size_t i = 0; i < group.size(); ++i)
                if (group[i] == g)
                    std::replace(mesh.tets[around[v][i]].begin(), mesh.tets[around[v][i]].end(), vertex,
                                 copy);
        }
    }
    if (mesh.vertexCount() != before) ++mesh.topologyVersion;
    return mesh.vertexCount() - before;
}

}  // namespace sunder
