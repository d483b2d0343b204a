#include <Eigen/Geometry>
#include <cmath>

#include "cli/render/surface.h"
#include "core/base/parallel.h"

namespace sunder::render {

namespace {
constexpr std::size_t kGrain = 4096;

/// Unit normal of every face (zero where it has no area) and the angle at each corner.
struct Faces {
    std::vector<Eigen::Vector3f> normals;
    std::vector<float> angles;
};

float cornerAngle(const Vec3& at, const Vec3& a, const Vec3& b) {
    const Vec3 u = a - at, v = b - at;
    return static_cast<float>(std::atan2(u.cross(v).norm(), u.dot(v)));
}

Faces measureFaces(const Surface& surface) {
    Faces faces{std::vector<Eigen::Vector3f>(surface.triangleCount()),
                std::vector<float>(3 * surface.triangleCount())};
    parallelFor(surface.triangleCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 &a = surface.corner(i, 0), &b = surface.corner(i, 1), &c = surface.corner(i, 2);
            const Vec3 area = (b - a).cross(c - a);
            const double size = area.norm();
            faces.normals[i] =
                size > 0 ? Eigen::Vector3f((area / size).cast<float>()) : Eigen::Vector3f::Zero();
            faces.angles[3 * i] = cornerAngle(a, b, c);
            faces.angles[3 * i + 1] = cornerAngle(b, c, a);
            faces.angles[3 * i + 2] = cornerAngle(c, a, b);
        }
    });
    return faces;
}

/// Corners (3 triangle + k) by point.
struct CornersByPoint {
    std::vector<std::uint32_t> first, corners;
};

CornersByPoint fileCorners(const Surface& surface) {
    CornersByPoint filed;
    filed.first.assign(surface.positions.size() + 2, 0);
    for (const Tri& t : surface.triangles)
        for (const std::int32_t p : t) ++filed.first[static_cast<std::size_t>(p) + 2];
    for (std::size_t p = 2; p < filed.first.size(); ++p) filed.first[p] += filed.first[p - 1];
    filed.corners.resize(3 * surface.triangleCount());
    for (std::size_t i = 0; i < surface.triangleCount(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            filed.corners[filed.first[static_cast<std::size_t>(surface.triangles[i][k]) + 1]++] =
                static_cast<std::uint32_t>(3 * i + k);
    return filed;
}

/// Mean of the faces around the point that lie within the crease angle of this one, weighted by their
/// corner's angle.
Eigen::Vector3f smoothNormal(const Faces& faces, Span<const std::uint32_t> around, std::size_t face,
                             float creaseCosine) {
    const Eigen::Vector3f& own = faces.normals[face];
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (const std::uint32_t c : around)
        if (faces.normals[c / 3].dot(own) >= creaseCosine) sum += faces.angles[c] * faces.normals[c / 3];
    const float length = sum.norm();
    return length > 1e-6f ? Eigen::Vector3f(sum / length) : own;
}
}  // namespace

void updateNormals(Surface& surface, Shading shading, double creaseAngle) {
    const Faces faces = measureFaces(surface);
    surface.normals.resize(3 * surface.triangleCount());
    if (shading == Shading::kFlat) {
        for (std::size_t c = 0; c < surface.normals.size(); ++c) surface.normals[c] = faces.normals[c / 3];
        return;
    }
    const CornersByPoint filed = fileCorners(surface);
    const auto creaseCosine = static_cast<float>(std::cos(creaseAngle) - 1e-6);
    parallelFor(surface.triangleCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto p = static_cast<std::size_t>(surface.triangles[i][k]);
                const Span<const std::uint32_t> all(filed.corners);
                const auto around = all.subspan(filed.first[p], filed.first[p + 1] - filed.first[p]);
                surface.normals[3 * i + k] = smoothNormal(faces, around, i, creaseCosine);
            }
    });
}

}  // namespace sunder::render
