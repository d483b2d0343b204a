#include "core/fracture/crack_tip.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/math/decompose.h"

namespace sunder {

namespace {
constexpr double kOpposite = -0.8;   // cosine of two normals across a crack
constexpr double kCrackShare = 0.2;  // of the area around a node
constexpr double kSmooth = 0.8;      // length of the mean of unit normals

Vec3 areaVector(const Tri& face, Span<const Vec3> x) {
    const Vec3 &a = x[static_cast<std::size_t>(face[0])], &b = x[static_cast<std::size_t>(face[1])], &c = x[static_cast<std::size_t>(face[2])];
    return 0.5 * (b - a).cross(c - a);
}

std::vector<Vec3> areaVectors(const NodeSurface& surface, Span<const Vec3> x) {
    std::vector<Vec3> areas;
    for (const Tri& face : surface.faces) areas.push_back(areaVector(face, x));
    return areas;
}

bool hasOpposite(const std::vector<Vec3>& areas, const Vec3& area) {
    return std::any_of(areas.begin(), areas.end(), [&](const Vec3& other) { return other.dot(area) < kOpposite * other.norm() * area.norm(); });
}
}  // namespace

NodeSurface findNodeSurface(Span<const Tet> tets, const TetStars& stars, std::int32_t node) {
    NodeSurface surface;
    const std::vector<std::int32_t>& star = stars.around(node);
    for (const std::int32_t t : star) {
        const Tet& corners = tets[static_cast<std::size_t>(t)];
        for (int f = 0; f < 4; ++f) {
            Tri face{corners[static_cast<std::size_t>(kTetFaces[f][0])], corners[static_cast<std::size_t>(kTetFaces[f][1])],
                     corners[static_cast<std::size_t>(kTetFaces[f][2])]};
            const auto place = std::find(face.begin(), face.end(), node);
            if (place == face.end()) continue;
            std::rotate(face.begin(), place, face.end());
            const bool shared = std::any_of(star.begin(), star.end(), [&](std::int32_t other) {
                const Tet& theirs = tets[static_cast<std::size_t>(other)];
                return other != t && cornerOf(theirs, face[1]) >= 0 && cornerOf(theirs, face[2]) >= 0;
            });
            if (shared) continue;
            surface.faces.push_back(face);
            surface.tets.push_back(t);
        }
    }
    return surface;
}

std::optional<CrackTip> findCrackTip(const NodeSurface& surface, Span<const Vec3> x) {
    const std::vector<Vec3> areas = areaVectors(surface, x);
    CrackTip tip;
    Mat3 spread = Mat3::Zero();
    Vec3 away = Vec3::Zero();
    double crackArea = 0, allArea = 0;
    for (std::size_t k = 0; k < areas.size(); ++k) {
        const double area = areas[k].norm();
        allArea += area;
        if (!(area > 0) || !hasOpposite(areas, areas[k])) continue;
        const Tri& face = surface.faces[k];
        const Vec3& node = x[static_cast<std::size_t>(face[0])];
        crackArea += area;
        spread += areas[k] * areas[k].transpose() / area;
        away += area * (0.5 * (x[static_cast<std::size_t>(face[1])] + x[static_cast<std::size_t>(face[2])]) - node);
        tip.vertices.insert(tip.vertices.end(), {face[1], face[2]});
    }
    if (!(crackArea > kCrackShare * allArea) || !(away.norm() > 0)) return {};
    tip.normal = symmetricEigen3(spread).vectors.col(0);
    tip.forward = -away.normalized();
    std::sort(tip.vertices.begin(), tip.vertices.end());
    tip.vertices.erase(std::unique(tip.vertices.begin(), tip.vertices.end()), tip.vertices.end());
    return tip;
}

std::optional<Vec3> findSmoothNormal(const NodeSurface& surface, Span<const Vec3> x) {
    Vec3 sum = Vec3::Zero();
    double area = 0;
    for (const Vec3& a : areaVectors(surface, x)) {
        sum += a;
        area += a.norm();
    }
    if (!(area > 0) || sum.norm() < kSmooth * area) return {};
    return sum.normalized();
}

}  // namespace sunder
