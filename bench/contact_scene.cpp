#include "bench/contact_scene.h"

#include <map>

#include "core/base/parallel.h"
#include "core/base/random.h"

namespace sunder::bench {

TriMesh makeCubeSphere(int m, double radius, std::uint64_t seed) {
    TriMesh mesh;
    std::map<std::array<int, 3>, std::int32_t> number;
    const auto vertex = [&](const std::array<int, 3>& at) {
        const auto [place, isNew] = number.emplace(at, static_cast<std::int32_t>(mesh.positions.size()));
        if (!isNew) return place->second;
        const Vec3 p = Vec3(2.0 * at[0] / m - 1, 2.0 * at[1] / m - 1, 2.0 * at[2] / m - 1).normalized();
        const double rough = randomRange(-0.2, 0.2, seed, mesh.positions.size()) / m;
        mesh.positions.push_back(radius * (1 + rough) * p);
        return place->second;
    };
    for (int axis = 0; axis < 3; ++axis)
        for (const int side : {0, m})
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < m; ++j) {
                    const auto at = [&](int di, int dj) {
                        std::array<int, 3> p{};
                        p[axis] = side;
                        p[(axis + 1) % 3] = i + (side ? di : dj);
                        p[(axis + 2) % 3] = j + (side ? dj : di);
                        return vertex(p);
                    };
                    mesh.triangles.push_back({at(0, 0), at(1, 0), at(1, 1)});
                    mesh.triangles.push_back({at(0, 0), at(1, 1), at(0, 1)});
                }
    return mesh;
}

TriMesh joinMeshes(const TriMesh& a, const TriMesh& b) {
    TriMesh mesh = a;
    const auto first = static_cast<std::int32_t>(a.positions.size());
    mesh.positions.insert(mesh.positions.end(), b.positions.begin(), b.positions.end());
    for (const Tri& t : b.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    return mesh;
}

void moveMesh(TriMesh& mesh, const Vec3& by) {
    for (Vec3& p : mesh.positions) p += by;
}

std::vector<ElementCorners> elementsOf(const TriMesh& mesh) {
    std::vector<ElementCorners> elements;
    for (const Tri& t : mesh.triangles) elements.push_back({t[0], t[1], t[2], -1});
    return elements;
}

void computeBoxes(const TriMesh& mesh, std::vector<Aabb>& boxes) {
    boxes.resize(mesh.triangles.size());
    parallelFor(boxes.size(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            const Tri& v = mesh.triangles[t];
            boxes[t] = boxOf(mesh.positions[v[0]], mesh.positions[v[1]], mesh.positions[v[2]]);
        }
    });
}

}  // namespace sunder::bench
