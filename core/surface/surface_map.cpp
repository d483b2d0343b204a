#include "core/surface/surface_map.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/spatial/triangle_tree.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 1024;
constexpr std::size_t kBatch = 262144;  ///< points between two looks at the monitor

Mat3 edgeMatrix(const Tet& t, Span<const Vec3> x) {
    Mat3 m;
    m << x[t[1]] - x[t[0]], x[t[2]] - x[t[0]], x[t[3]] - x[t[0]];
    return m;
}

Mat3 cofactor(const Mat3& f) {
    Mat3 c;
    c << f.col(1).cross(f.col(2)), f.col(2).cross(f.col(0)), f.col(0).cross(f.col(1));
    return c;
}

std::vector<Aabb> tetBoxes(const TetMesh& mesh) {
    std::vector<Aabb> boxes(mesh.tetCount());
    for (std::size_t t = 0; t < boxes.size(); ++t)
        for (const std::int32_t v : mesh.tets[t]) boxes[t].extend(mesh.rest[v]);
    return boxes;
}

struct Locator {
    const TetMesh& mesh;
    BoundarySurface surface;
    Bvh tets;
    TriangleTree skin;

    explicit Locator(const TetMesh& m)
        : mesh(m), surface(extractBoundary(m)), tets(tetBoxes(m)), skin(m.rest, surface.triangles) {}

    /// The tet that holds p deepest, or -1.
    std::int32_t containing(const Vec3& p, Vec4& weights) const {
        std::int32_t best = -1;
        double depth = -1e-12;  // a point on a shared face belongs to one of its tets in spite of rounding
        tets.query(Aabb{p, p}, [&](std::int32_t t) {
            const Vec4 w = barycentricWeights(mesh, t, p);
            if (w.minCoeff() > depth || (w.minCoeff() == depth && t < best)) {
                depth = w.minCoeff();
                best = t;
                weights = w;
            }
        });
        return best;
    }
};
}  // namespace

Vec4 barycentricWeights(const TetMesh& mesh, std::int32_t tet, const Vec3& p) {
    const Tet& t = mesh.tets[tet];
    const Mat3 m = edgeMatrix(t, mesh.rest);
    const Vec3 b = cofactor(m).transpose() * (p - mesh.rest[t[0]]) / m.col(0).dot(m.col(1).cross(m.col(2)));
    return {1 - b.sum(), b[0], b[1], b[2]};
}

SurfaceMap::SurfaceMap(const TetMesh& mesh, Span<const Vec3> points, Monitor* monitor)
    : tet_(points.size(), -1), weights_(points.size(), Vec4::Zero()) {
    if (mesh.tets.empty())
        throw Error("the solid has no tetrahedra to embed a surface in", "tetrahedralize a surface first");
    const Locator locator(mesh);
    std::vector<std::uint8_t> outside(points.size(), 0);
    const auto locate = [&](std::size_t i) {
        if (!points[i].allFinite())
            throw Error("a render point is not a number", "remove or repair NaN and infinite points");
        tet_[i] = locator.containing(points[i], weights_[i]);
        if (tet_[i] >= 0) return;
        outside[i] = 1;
        tet_[i] = locator.surface.tet[locator.skin.closest(points[i]).triangle];
        weights_[i] = barycentricWeights(mesh, tet_[i], points[i]);
    };
    for (std::size_t start = 0; start < points.size(); start += kBatch) {
        throwIfCancelled(monitor);
        parallelFor(std::min(kBatch, points.size() - start), kGrain,
                    [&](std::size_t first, std::size_t last) {
                        for (std::size_t i = start + first; i < start + last; ++i) locate(i);
                    });
    }
    outside_ = static_cast<std::size_t>(std::count(outside.begin(), outside.end(), std::uint8_t{1}));
}

std::vector<Vec3> SurfaceMap::interpolate(const TetMesh& mesh, Span<const Vec3> vertexValues) const {
    SUNDER_ASSERT(vertexValues.size() == mesh.vertexCount());
    std::vector<Vec3> out(size());
    parallelFor(size(), 4 * kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Tet& t = mesh.tets[tet_[i]];
            const Vec4& w = weights_[i];
            out[i] = w[0] * vertexValues[t[0]] + w[1] * vertexValues[t[1]] + w[2] * vertexValues[t[2]] +
                     w[3] * vertexValues[t[3]];
        }
    });
    return out;
}

std::vector<Vec3> SurfaceMap::deformNormals(const TetMesh& mesh, Span<const Vec3> x,
                                            Span<const Vec3> restNormals) const {
    SUNDER_ASSERT(restNormals.size() == size());
    std::vector<Vec3> out(size());
    parallelFor(size(), 4 * kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Tet& t = mesh.tets[tet_[i]];
            // cof(F) up to a positive factor: F = X M^-1, so cof(F) = cof(X) M^T / det M.
            const Vec3 n =
                cofactor(edgeMatrix(t, x)) * (edgeMatrix(t, mesh.rest).transpose() * restNormals[i]);
            out[i] = n.squaredNorm() > 0 ? n.normalized() : restNormals[i];
        }
    });
    return out;
}

}  // namespace sunder
