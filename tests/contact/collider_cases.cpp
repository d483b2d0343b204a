#include "tests/contact/collider_cases.h"

#include <cmath>

#include "core/surface/boundary_surface.h"
#include "tests/support/builders.h"

namespace sunder::testing {

namespace {
ColliderSurface surfaceOf(TriMesh mesh) {
    ColliderSurface surface;
    surface.positions = std::move(mesh.positions);
    surface.triangles = std::move(mesh.triangles);
    return surface;
}
}  // namespace

ColliderSurface boxCollider(int cells, const Vec3& size) {
    return surfaceOf(boundaryMesh(makeBox(cells, cells, cells, size)));
}

ColliderSurface sphereCollider(int subdivisions, double radius) {
    return surfaceOf(makeSphere(subdivisions, radius));
}

ColliderSurface sheetCollider(int cells, double size) {
    ColliderSurface surface;
    for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i) surface.positions.emplace_back(size * i / cells, size * j / cells, 0);
    const int row = cells + 1;
    for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
            const int a = j * row + i;
            surface.triangles.push_back({a, a + 1, a + row + 1});
            surface.triangles.push_back({a, a + row + 1, a + row});
        }
    return surface;
}

ColliderSurface moebiusCollider(int cells) {
    ColliderSurface surface;
    constexpr double kPi = 3.14159265358979323846;
    for (int i = 0; i < cells; ++i) {
        const double turn = 2 * kPi * i / cells;
        for (int j = -1; j <= 1; ++j) {
            const double out = 1 + 0.2 * j * std::cos(turn / 2);
            surface.positions.emplace_back(out * std::cos(turn), out * std::sin(turn), 0.2 * j * std::sin(turn / 2));
        }
    }
    const auto at = [&](int i, int j) { return i == cells ? 2 - j : 3 * i + j; };
    for (int i = 0; i < cells; ++i)
        for (int j = 0; j < 2; ++j) {
            surface.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            surface.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    return surface;
}

}  // namespace sunder::testing
