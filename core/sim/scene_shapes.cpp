#include "core/sim/scene_shapes.h"

#include <cmath>

#include "core/meshing/jitter.h"

namespace sunder {

namespace {
// Kuhn's cut of a cube whose corner (i, j, k) has the bit pattern i + 2 j + 4 k; all six tets share the
// diagonal 0-7.
constexpr int kCubeTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                 {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

void addPositive(TetMesh& mesh, const Tet& tet) {
    mesh.tets.push_back(tet);
    if (restVolume(mesh, mesh.tetCount() - 1) < 0) std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
}

/// Adds the tets of one cell. `mirror` has a bit for every axis along which the cut is mirrored.
template <class Corner>
void addCell(TetMesh& mesh, int mirror, Corner corner) {
    for (const auto& cubeTet : kCubeTets) {
        Tet tet;
        for (std::size_t v = 0; v < 4; ++v) {
            const int bits = cubeTet[v] ^ mirror;
            tet[v] = corner(bits & 1, (bits >> 1) & 1, (bits >> 2) & 1);
        }
        addPositive(mesh, tet);
    }
}

/// Point of the cube [-1, 1]^3 to the unit ball: every shell of the cube becomes a sphere.
Vec3 cubeToBall(const Vec3& p) {
    const double length = p.norm();
    return length > 0 ? Vec3(p * (p.cwiseAbs().maxCoeff() / length)) : p;
}
/// Numbers of the corners of a box's cells, and of the vertices in their middles behind them.
struct BoxGrid {
    std::array<int, 3> cells;

    std::int32_t corner(int i, int j, int k) const { return i + (cells[0] + 1) * (j + (cells[1] + 1) * k); }
    std::int32_t middle(int i, int j, int k) const { return corner(0, 0, cells[2] + 1) + i + cells[0] * (j + cells[1] * k); }
    template <class Visit>
    void forEachCell(Visit visit) const {
        for (int k = 0; k < cells[2]; ++k)
            for (int j = 0; j < cells[1]; ++j)
                for (int i = 0; i < cells[0]; ++i) visit(i, j, k);
    }
};

/// The face of cell `at` on the lower or upper side along `axis`: on the boundary the pyramid below it in two tets, whose diagonal changes
/// from cell to cell; else, once a pair of cells, four tets around the line between their middles.
void addCentredFace(TetMesh& mesh, const BoxGrid& grid, std::array<int, 3> at, std::size_t axis, int side) {
    const std::size_t u = (axis + 1) % 3, w = (axis + 2) % 3;
    constexpr int kAround[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    std::array<std::int32_t, 4> face;
    for (std::size_t c = 0; c < 4; ++c) {
        std::array<int, 3> n = at;
        n[axis] += side;
        n[u] += kAround[c][0];
        n[w] += kAround[c][1];
        face[c] = grid.corner(n[0], n[1], n[2]);
    }
    const std::int32_t middle = grid.middle(at[0], at[1], at[2]);
    const bool boundary = side == 0 ? at[axis] == 0 : at[axis] + 1 == grid.cells[axis];
    if (boundary) {
        const auto s = static_cast<std::size_t>((at[u] + at[w]) % 2);
        addPositive(mesh, {middle, face[s], face[s + 1], face[s + 2]});
        addPositive(mesh, {middle, face[s], face[s + 2], face[(s + 3) % 4]});
    } else if (side == 1) {
        ++at[axis];
        for (std::size_t c = 0; c < 4; ++c) addPositive(mesh, {middle, grid.middle(at[0], at[1], at[2]), face[c], face[(c + 1) % 4]});
    }
}

void addCentredCells(TetMesh& mesh, const BoxShape& shape, const BoxGrid& grid) {
    const Vec3 cell = shape.size.cwiseQuotient(Vec3(shape.cells[0], shape.cells[1], shape.cells[2]));
    grid.forEachCell([&](int i, int j, int k) {
        mesh.rest.push_back(cell.cwiseProduct(Vec3(i + 0.5, j + 0.5, k + 0.5)) - 0.5 * shape.size);
    });
    grid.forEachCell([&](int i, int j, int k) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (const int side : {0, 1}) addCentredFace(mesh, grid, {i, j, k}, axis, side);
    });
}
}  // namespace

TetMesh makeShape(const BoxShape& shape) {
    const auto [nx, ny, nz] = shape.cells;
    const BoxGrid grid{shape.cells};
    TetMesh mesh;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                mesh.rest.push_back(shape.size.cwiseProduct(Vec3(static_cast<double>(i) / nx - 0.5,
                                                                 static_cast<double>(j) / ny - 0.5,
                                                                 static_cast<double>(k) / nz - 0.5)));
    if (shape.pattern == CellPattern::kCentred)
        addCentredCells(mesh, shape, grid);
    else
        grid.forEachCell([&](int i, int j, int k) {
            addCell(mesh, 0, [&](int di, int dj, int dk) { return grid.corner(i + di, j + dj, k + dk); });
        });
    jitterVertices(mesh, shape.jitter, shape.seed, [half = Vec3(0.5 * shape.size)](const Vec3& from, Vec3 to) {
        for (int c = 0; c < 3; ++c)
            if (std::abs(from[c]) >= half[c]) to[c] = from[c];
        return to;
    });
    return mesh;
}

TetMesh makeShape(const SphereShape& shape) {
    const int n = shape.cells;
    const auto number = [n](int i, int j, int k) { return i + (n + 1) * (j + (n + 1) * k); };
    TetMesh mesh;
    for (int k = 0; k <= n; ++k)
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i)
                mesh.rest.push_back(shape.radius * cubeToBall((2.0 / n) * Vec3(i, j, k) - Vec3::Ones()));
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                // the diagonal of every cell points away from the centre, so that no tet lies flat against
                // the sphere
                const int mirror =
                    (2 * i < n - 1 ? 1 : 0) | (2 * j < n - 1 ? 2 : 0) | (2 * k < n - 1 ? 4 : 0);
                addCell(mesh, mirror, [&](int di, int dj, int dk) { return number(i + di, j + dj, k + dk); });
            }
    jitterVertices(mesh, shape.jitter, shape.seed, [radius = shape.radius](const Vec3& from, const Vec3& to) {
        return from.norm() < radius * (1 - 1e-9) ? to : Vec3(radius / to.norm() * to);
    });
    return mesh;
}

TetMesh makeShape(const TorusShape& shape) {
    const int n = shape.across + 1;
    TetMesh mesh;
    for (int i = 0; i < shape.around; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                const double u = 2.0 * j / shape.across - 1, w = 2.0 * k / shape.across - 1;
                const double length = std::hypot(u, w), shell = std::max(std::abs(u), std::abs(w));
                const double s = length > 0 ? shape.tubeRadius * shell / length : 0;
                const double angle = 2 * M_PI * i / shape.around, radius = shape.ringRadius + s * u;
                mesh.rest.emplace_back(radius * std::cos(angle), s * w, radius * std::sin(angle));
            }
    for (int i = 0; i < shape.around; ++i)
        for (int j = 0; j < shape.across; ++j)
            for (int k = 0; k < shape.across; ++k)
                addCell(mesh, 0, [&](int di, int dj, int dk) {
                    return static_cast<std::int32_t>(((i + di) % shape.around * n + j + dj) * n + k + dk);
                });
    return mesh;
}

TriMesh makeShape(const PlaneShape& shape) {
    const double x = shape.size.x() / 2, z = shape.size.y() / 2;
    TriMesh mesh;
    mesh.positions = {Vec3(-x, 0, -z), Vec3(-x, 0, z), Vec3(x, 0, z), Vec3(x, 0, -z)};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
}

}  // namespace sunder
