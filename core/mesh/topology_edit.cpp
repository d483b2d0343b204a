#include "core/mesh/topology_edit.h"

#include <algorithm>

namespace sunder {

std::vector<std::int32_t> TopologyEdit::touchedTets() const {
    std::vector<std::int32_t> tets = changedTets;
    for (std::size_t k = 0; k < newTets.size(); ++k) tets.push_back(static_cast<std::int32_t>(tetCount + k));
    std::sort(tets.begin(), tets.end());
    tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
    return tets;
}

TetStars::TetStars(Span<const Tet> tets, std::size_t vertexCount) : around_(vertexCount) {
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (const std::int32_t v : tets[t]) around_[static_cast<std::size_t>(v)].push_back(static_cast<std::int32_t>(t));
}

std::vector<std::int32_t> TetStars::around(std::int32_t a, std::int32_t b) const {
    std::vector<std::int32_t> both;
    std::set_intersection(around(a).begin(), around(a).end(), around(b).begin(), around(b).end(), std::back_inserter(both));
    return both;
}

std::int32_t TetStars::addVertex() {
    around_.emplace_back();
    return static_cast<std::int32_t>(around_.size()) - 1;
}

void TetStars::add(std::int32_t vertex, std::int32_t tet) {
    std::vector<std::int32_t>& list = around_[static_cast<std::size_t>(vertex)];
    list.insert(std::lower_bound(list.begin(), list.end(), tet), tet);
}

void TetStars::remove(std::int32_t vertex, std::int32_t tet) {
    std::vector<std::int32_t>& list = around_[static_cast<std::size_t>(vertex)];
    const auto place = std::lower_bound(list.begin(), list.end(), tet);
    SUNDER_ASSERT(place != list.end() && *place == tet);
    list.erase(place);
}

int cornerOf(const Tet& tet, std::int32_t vertex) {
    for (int c = 0; c < 4; ++c)
        if (tet[static_cast<std::size_t>(c)] == vertex) return c;
    return -1;
}

int sharedFace(const Tet& a, const Tet& b) {
    int other = -1, missing = 0;
    for (int c = 0; c < 4; ++c)
        if (cornerOf(b, a[static_cast<std::size_t>(c)]) < 0) {
            other = c;
            ++missing;
        }
    return missing == 1 ? other : -1;
}

std::int32_t MeshEditor::addVertex(const VertexOrigin& origin) {
    const auto between = [&](const std::vector<Vec3>& p) -> Vec3 {
        const Vec3 &a = p[static_cast<std::size_t>(origin.a)], &b = p[static_cast<std::size_t>(origin.b)];
        return origin.isCopy() ? a : Vec3((1 - origin.weight) * a + origin.weight * b);
    };
    mesh.rest.push_back(between(mesh.rest));
    x.push_back(between(x));
    edit.newVertices.push_back(origin);
    return stars.addVertex();
}

void MeshEditor::replaceCorner(std::int32_t tet, std::int32_t from, std::int32_t to) {
    Tet& corners = mesh.tets[static_cast<std::size_t>(tet)];
    corners[static_cast<std::size_t>(cornerOf(corners, from))] = to;
    stars.remove(from, tet);
    stars.add(to, tet);
    if (static_cast<std::size_t>(tet) < edit.tetCount) edit.changedTets.push_back(tet);
}

std::int32_t MeshEditor::bisect(std::int32_t a, std::int32_t b, double weight) {
    const std::int32_t middle = addVertex({a, b, weight});
    for (const std::int32_t near : stars.around(a, b)) {
        const Tet corners = mesh.tets[static_cast<std::size_t>(near)];
        const int atA = cornerOf(corners, a), atB = cornerOf(corners, b);
        const auto far = static_cast<std::int32_t>(mesh.tetCount());
        mesh.tets.push_back(corners);
        insideFaces.push_back(insideFaces[static_cast<std::size_t>(near)]);
        edit.newTets.push_back(near);
        for (const std::int32_t v : corners) stars.add(v, far);
        replaceCorner(near, b, middle);
        replaceCorner(far, a, middle);
        // the face between the halves is opposite a in the one and opposite b in the other
        insideFaces[static_cast<std::size_t>(near)] &= static_cast<std::uint8_t>(~(1u << atA));
        insideFaces[static_cast<std::size_t>(far)] &= static_cast<std::uint8_t>(~(1u << atB));
    }
    ++mesh.topologyVersion;
    return middle;
}

std::int32_t MeshEditor::splitOff(std::int32_t vertex, Span<const std::int32_t> tets) {
    const std::int32_t copy = addVertex({vertex, vertex, 0});
    for (const std::int32_t t : tets) replaceCorner(t, vertex, copy);
    ++mesh.topologyVersion;
    return copy;
}

}  // namespace sunder
