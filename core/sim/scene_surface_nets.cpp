#include <algorithm>
#include <array>
#include <cmath>

#include "core/sim/scene_shapes.h"

namespace sunder {

namespace {
using Distance = std::function<double(const Vec3&)>;

struct Grid {
    Vec3 origin;
    double cell;
    std::array<int, 3> nodes;  ///< along each axis

    std::size_t number(int i, int j, int k) const {
        return static_cast<std::size_t>(i) +
               static_cast<std::size_t>(nodes[0]) *
                   (static_cast<std::size_t>(j) +
                    static_cast<std::size_t>(nodes[1]) * static_cast<std::size_t>(k));
    }
    Vec3 position(int i, int j, int k) const { return origin + cell * Vec3(i, j, k); }
};

std::vector<double> sampleNodes(const Distance& distance, const Grid& grid) {
    std::vector<double> value(grid.number(0, 0, grid.nodes[2]));
    for (int k = 0; k < grid.nodes[2]; ++k)
        for (int j = 0; j < grid.nodes[1]; ++j)
            for (int i = 0; i < grid.nodes[0]; ++i)
                value[grid.number(i, j, k)] = distance(grid.position(i, j, k));
    return value;
}

/// Mean of the crossings on the twelve edges of a cell; false if there are none.
bool crossingCentre(const Grid& grid, const std::vector<double>& value, int i, int j, int k, Vec3& centre) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (int corner = 0; corner < 8; ++corner)
        for (int axis = 0; axis < 3; ++axis) {
            if (corner >> axis & 1) continue;
            const int other = corner | 1 << axis;
            const auto node = [&](int c) {
                return grid.number(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
            };
            const double a = value[node(corner)], b = value[node(other)];
            if ((a < 0) == (b < 0)) continue;
            Vec3 p = grid.position(i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2 & 1));
            p[axis] += grid.cell * a / (a - b);
            sum += p;
            ++count;
        }
    if (count > 0) centre = sum / count;
    return count > 0;
}

class NetBuilder {
  public:
    NetBuilder(const Distance& distance, const Grid& grid)
        : grid_(grid), value_(sampleNodes(distance, grid)) {}

    TriMesh build() {
        addVertices();
        forEachCell([&](int i, int j, int k) {
            for (int axis = 0; axis < 3; ++axis) addQuad({i, j, k}, axis);
        });
        return std::move(mesh_);
    }

  private:
    template <class Body>
    void forEachCell(Body body) {
        for (int k = 0; k + 1 < grid_.nodes[2]; ++k)
            for (int j = 0; j + 1 < grid_.nodes[1]; ++j)
                for (int i = 0; i + 1 < grid_.nodes[0]; ++i) body(i, j, k);
    }

    void addVertices() {
        vertex_.assign(value_.size(), -1);
        forEachCell([&](int i, int j, int k) {
            Vec3 centre;
            if (!crossingCentre(grid_, value_, i, j, k, centre)) return;
            vertex_[grid_.number(i, j, k)] = static_cast<std::int32_t>(mesh_.vertexCount());
            mesh_.positions.push_back(centre);
        });
    }

    /// The quad across the edge from node `n` along `axis`: one vertex of each of the four cells around the
    /// edge.
    void addQuad(const std::array<int, 3>& n, int axis) {
        const std::size_t u = static_cast<std::size_t>((axis + 1) % 3),
                          w = static_cast<std::size_t>((axis + 2) % 3);
        std::array<int, 3> end = n;
        ++end[static_cast<std::size_t>(axis)];
        const double a = value_[grid_.number(n[0], n[1], n[2])],
                     b = value_[grid_.number(end[0], end[1], end[2])];
        if ((a < 0) == (b < 0) || n[u] == 0 || n[w] == 0) return;
        std::array<std::int32_t, 4> quad;
        constexpr int kAround[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
        for (std::size_t c = 0; c < 4; ++c) {
            std::array<int, 3> cell = n;
            cell[u] += kAround[c][0];
            cell[w] += kAround[c][1];
            quad[c] = vertex_[grid_.number(cell[0], cell[1], cell[2])];
        }
        if (a >= 0) std::swap(quad[1], quad[3]);
        const auto lengthSq = [&](std::size_t p, std::size_t q) {
            return (mesh_.positions[static_cast<std::size_t>(quad[p])] -
                    mesh_.positions[static_cast<std::size_t>(quad[q])])
                .squaredNorm();
        };
        const std::size_t s = lengthSq(0, 2) <= lengthSq(1, 3) ? 0 : 1;
        mesh_.triangles.push_back({quad[s], quad[s + 1], quad[s + 2]});
        mesh_.triangles.push_back({quad[s], quad[s + 2], quad[(s + 3) % 4]});
    }

    Grid grid_;
    std::vector<double> value_;
    std::vector<std::int32_t> vertex_;
    TriMesh mesh_;
};

Vec3 gradient(const Distance& distance, const Vec3& p, double h) {
    Vec3 g;
    for (int c = 0; c < 3; ++c) {
        Vec3 step = Vec3::Zero();
        step[c] = h;
        g[c] = (distance(p + step) - distance(p - step)) / (2 * h);
    }
    return g;
}

void projectOnto(const Distance& distance, Vec3& p, double cell) {
    for (int iteration = 0; iteration < 3; ++iteration) {
        const Vec3 g = gradient(distance, p, 1e-4 * cell);
        if (!(g.squaredNorm() > 1e-6)) return;
        Vec3 step = distance(p) / g.squaredNorm() * g;
        if (step.norm() > 0.5 * cell) step *= 0.5 * cell / step.norm();
        p -= step;
    }
}

/// Moves every vertex half of the way to the mean of its neighbours, then back onto the surface.
void relax(TriMesh& mesh, const Distance& distance, double cell) {
    std::vector<Vec3> sum(mesh.vertexCount(), Vec3::Zero());
    std::vector<int> count(mesh.vertexCount(), 0);
    for (const Tri& t : mesh.triangles)
        for (std::size_t c = 0; c < 3; ++c) {
            const auto a = static_cast<std::size_t>(t[c]), b = static_cast<std::size_t>(t[(c + 1) % 3]);
            sum[a] += mesh.positions[b];
            ++count[a];
        }
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        if (count[v] > 0) mesh.positions[v] += 0.5 * (sum[v] / count[v] - mesh.positions[v]);
        projectOnto(distance, mesh.positions[v], cell);
    }
}
}  // namespace

TriMesh surfaceOf(const Distance& distance, const Vec3& min, const Vec3& max, double cellSize) {
    Grid grid{min, cellSize, {}};
    for (int c = 0; c < 3; ++c)
        grid.nodes[static_cast<std::size_t>(c)] =
            2 + static_cast<int>(std::ceil((max[c] - min[c]) / cellSize));
    TriMesh mesh = NetBuilder(distance, grid).build();
    constexpr int kRelaxations = 4;
    for (int i = 0; i < kRelaxations; ++i) relax(mesh, distance, cellSize);
    return mesh;
}

}  // namespace sunder
