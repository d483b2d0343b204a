#include "core/sim/scene_shapes.h"

#include <cmath>

namespace sunder {

namespace {
// Kuhn's cut of a cube whose corner (i, j, k) has the bit pattern i + 2 j + 4 k; all six tets share the
// diagonal 0-7.
constexpr int kCubeTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                 {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

/// Adds the tets of one cell. `mirror` has a bit for every axis along which the cut is mirrored.
template <class Corner>
void addCell(TetMesh& mesh, int mirror, Corner corner) {
    for (const auto& cubeTet : kCubeTets) {
        Tet tet;
        for (std::size_t v = 0; v < 4; ++v) {
            const int bits = cubeTet[v] ^ mirror;
            tet[v] = corner(bits & 1, (bits >> 1) & 1, (bits >> 2) & 1);
        }
        mesh.tets.push_back(tet);
        if (restVolume(mesh, mesh.tetCount() - 1) < 0) std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
    }
}

/// Point of the cube [-1, 1]^3 to the unit ball: every shell of the cube becomes a sphere.
Vec3 cubeToBall(const Vec3& p) {
    const double length = p.norm();
    return length > 0 ? Vec3(p * (p.cwiseAbs().maxCoeff() / length)) : p;
}
}  // namespace

TetMesh makeShape(const BoxShape& shape) {
    const auto [nx, ny, nz] = shape.cells;
    const auto number = [nx = nx, ny = ny](int i, int j, int k) { return i + (nx + 1) * (j + (ny + 1) * k); };
    TetMesh mesh;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                mesh.rest.push_back(shape.size.cwiseProduct(Vec3(static_cast<double>(i) / nx - 0.5,
                                                                 static_cast<double>(j) / ny - 0.5,
                                                                 static_cast<double>(k) / nz - 0.5)));
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                addCell(mesh, 0, [&](int di, int dj, int dk) { return number(i + di, j + dj, k + dk); });
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
