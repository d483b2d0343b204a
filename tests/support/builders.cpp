#include "tests/support/builders.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/base/random.h"

namespace sunder::testing {

namespace {
// The six tets of a cube whose corner (i, j, k) has bit pattern i + 2 j + 4 k; all share the diagonal 0-7.
constexpr int kCubeTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

template <class Corner>
void addCubeTets(TetMesh& mesh, Corner corner) {
    for (const auto& t : kCubeTets) {
        Tet tet;
        for (std::size_t v = 0; v < 4; ++v) tet[v] = corner(t[v] & 1, (t[v] >> 1) & 1, (t[v] >> 2) & 1);
        mesh.tets.push_back(tet);
        if (restVolume(mesh, mesh.tetCount() - 1) < 0) std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
    }
}
}  // namespace

TetMesh makeBox(int nx, int ny, int nz, const Vec3& size) {
    TetMesh mesh;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                mesh.rest.emplace_back(size.x() * i / nx, size.y() * j / ny, size.z() * k / nz);
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                addCubeTets(mesh, [&](int di, int dj, int dk) {
                    return static_cast<std::int32_t>((i + di) + (nx + 1) * ((j + dj) + (ny + 1) * (k + dk)));
                });
    return mesh;
}

TetMesh makeTorus(int around, int across, double ringRadius, double tubeRadius) {
    TetMesh mesh;
    const int n = across + 1;
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                // square to disc, area-preserving enough: scale each square shell to a circle
                const double u = 2.0 * j / across - 1, w = 2.0 * k / across - 1;
                const double shell = std::max(std::abs(u), std::abs(w)), length = std::hypot(u, w);
                const double s = length > 0 ? tubeRadius * shell / length : 0;
                const double angle = 2 * M_PI * i / around, radius = ringRadius + s * u;
                mesh.rest.emplace_back(radius * std::cos(angle), radius * std::sin(angle), s * w);
            }
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < across; ++j)
            for (int k = 0; k < across; ++k)
                addCubeTets(mesh, [&](int di, int dj, int dk) {
                    return static_cast<std::int32_t>(((i + di) % around * n + j + dj) * n + k + dk);
                });
    return mesh;
}

void jitter(TetMesh& mesh, double amount, std::uint64_t seed) {
    std::vector<double> shortest(mesh.vertexCount(), 1e300);
    for (const Tet& t : mesh.tets)
        for (const auto& e : kTetEdges) {
            const auto a = static_cast<std::size_t>(t[static_cast<std::size_t>(e[0])]);
            const auto b = static_cast<std::size_t>(t[static_cast<std::size_t>(e[1])]);
            const double length = (mesh.rest[a] - mesh.rest[b]).norm();
            shortest[a] = std::min(shortest[a], length);
            shortest[b] = std::min(shortest[b], length);
        }
    for (std::size_t i = 0; i < mesh.vertexCount(); ++i)
        for (int c = 0; c < 3; ++c)
            mesh.rest[i][c] += amount * shortest[i] * randomRange(-1, 1, seed, i, static_cast<std::uint64_t>(c));
}

TriMesh makeSphere(int subdivisions, double radius) {
    const double g = (1 + std::sqrt(5.0)) / 2;
    TriMesh mesh;
    mesh.positions = {{-1, g, 0}, {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                      {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                      {11, 10, 2}, {10, 7, 6}, {7, 1, 8},   {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                      {3, 8, 9},  {4, 9, 5},  {2, 4, 11},  {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    for (int s = 0; s < subdivisions; ++s) {
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middle;
        const auto midpoint = [&](std::int32_t a, std::int32_t b) {
            const auto [it, isNew] = middle.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(mesh.positions.size()));
            if (isNew)
                mesh.positions.push_back((mesh.positions[static_cast<std::size_t>(a)] + mesh.positions[static_cast<std::size_t>(b)]) / 2);
            return it->second;
        };
        std::vector<Tri> finer;
        for (const Tri& t : mesh.triangles) {
            const std::int32_t a = midpoint(t[0], t[1]), b = midpoint(t[1], t[2]), c = midpoint(t[2], t[0]);
            finer.insert(finer.end(), {{t[0], a, c}, {t[1], b, a}, {t[2], c, b}, {a, b, c}});
        }
        mesh.triangles = std::move(finer);
    }
    for (Vec3& p : mesh.positions) p = radius * p.normalized();
    return mesh;
}

namespace {
/// Attributes of a class, `before` elements into `to`, which has room for them.
void mergeInto(AttributeSet& to, const AttributeSet& from, std::size_t before, std::size_t total) {
    for (const Attribute& a : from.attributes) {
        Attribute* there = to.find(a.name);
        if (!there) {
            to.attributes.push_back({a.name, a.tupleSize, a.meaning, a.values});
            there = &to.attributes.back();
            std::visit([](auto& values) { values.clear(); }, there->values);
        }
        std::visit(
            [&](const auto& values) {
                auto& all = std::get<std::decay_t<decltype(values)>>(there->values);
                all.resize(total * static_cast<std::size_t>(a.tupleSize));
                std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(before * static_cast<std::size_t>(a.tupleSize)));
            },
            a.values);
    }
    for (const Group& g : from.groups) {
        Group* there = to.findGroup(g.name);
        if (!there) there = &to.addGroup(g.name, total);
        std::copy(g.members.begin(), g.members.end(), there->members.begin() + static_cast<std::ptrdiff_t>(before));
    }
}
}  // namespace

Geometry merged(const std::vector<Geometry>& parts) {
    Geometry all;
    std::size_t points = 0, vertices = 0, primitives = 0;
    for (const Geometry& g : parts) {
        points += g.pointCount();
        vertices += g.vertexCount();
        primitives += g.primitiveCount();
    }
    for (const Geometry& g : parts) {
        const std::size_t point = all.pointCount(), vertex = all.vertexCount(), primitive = all.primitiveCount();
        all.positions.insert(all.positions.end(), g.positions.begin(), g.positions.end());
        for (std::size_t p = 0; p < g.primitiveCount(); ++p) {
            std::vector<std::int32_t> corners;
            for (const std::int32_t v : g.primitivePoints(p)) corners.push_back(v + static_cast<std::int32_t>(point));
            all.addPrimitive(g.primitiveKind[p], corners);
        }
        mergeInto(all.points, g.points, point, points);
        mergeInto(all.vertices, g.vertices, vertex, vertices);
        mergeInto(all.primitives, g.primitives, primitive, primitives);
        for (const Attribute& a : g.detail.attributes)
            if (!all.detail.find(a.name)) all.detail.attributes.push_back(a);
    }
    const auto fillUp = [](AttributeSet& set, std::size_t count) {
        for (Attribute& a : set.attributes) std::visit([&](auto& values) { values.resize(count * static_cast<std::size_t>(a.tupleSize)); }, a.values);
    };
    fillUp(all.points, points);
    fillUp(all.vertices, vertices);
    fillUp(all.primitives, primitives);
    return all;
}

Geometry withText(Geometry geometry, const std::string& name, const std::string& text) {
    auto& texts = geometry.primitives.add<std::string>(name, geometry.primitiveCount());
    std::fill(texts.begin(), texts.end(), text);
    return geometry;
}

std::string modelPath(const std::string& name) {
    for (const char* root : {"../shared/models/", "../../shared/models/", "../../../shared/models/", "../../../../shared/models/",
                             "../../../../../shared/models/", "../../../../../../shared/models/"}) {
        const std::string path = root + name;
        if (std::filesystem::exists(path)) return path;
    }
    return {};
}

}  // namespace sunder::testing
