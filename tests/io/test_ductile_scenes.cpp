#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/io/geometry_io.h"
#include "core/io/scene_json.h"
#include "core/mesh/adjacency.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"

/// What the scenes of O'Brien, Bargteil and Hodgins 2002 are made to show.
namespace sunder {
namespace {

/// A scene of examples/cylinder_pull with another number of cells across.
class Cylinder {
  public:
    Cylinder(const std::string& file, int cells) : scene_(readScene(std::string(SUNDER_EXAMPLES_DIR) + "/cylinder_pull/" + file)) {
        shape().cells = cells;
        world_ = buildWorld(scene_, [](const std::string& path, Monitor* monitor) { return readGeometry(path, monitor); });
        starts_ = body().mesh.rest;
    }
    bool nextFrame() {
        if (frame_ == scene_.endFrame) return false;
        const StepReport report = step(world_, 1 / scene_.fps, scene_.settings, workspace_);
        EXPECT_FALSE(report.failed) << report.message;
        EXPECT_GT(report.smallestDetF, 0);
        ++frame_;
        return !report.failed;
    }
    int frame() const { return frame_; }
    bool hasCracks() const {
        return std::any_of(body().insideFaces.begin(), body().insideFaces.end(), [](std::uint8_t faces) { return faces != 0; });
    }
    double radius() { return shape().radius; }
    const Body& body() const { return *world_.bodies[0].body; }

    /// Mean radius of the side in ten equal parts of its height, from below, m.
    std::vector<double> radii() {
        std::vector<double> sum(10, 0.0), count(10, 0.0);
        const double height = shape().height;
        for (std::size_t v = 0; v < starts_.size(); ++v) {
            const Vec3& rest = starts_[v];
            if (std::hypot(rest.x(), rest.z()) < 0.999 * radius()) continue;
            const auto part = static_cast<std::size_t>(std::clamp(10 * (rest.y() / height + 0.5), 0.0, 9.5));
            const Vec3& x = world_.bodies[0].state->x[v];
            sum[part] += std::hypot(x.x(), x.z());
            count[part] += 1;
        }
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] /= count[k];
        return sum;
    }

  private:
    CylinderShape& shape() { return std::get<CylinderShape>(scene_.bodies[0].source); }

    Scene scene_;
    WorldState world_;
    Workspace workspace_;
    std::vector<Vec3> starts_;
    int frame_ = 1;
};

// Considere: with true stress Y + H e the force, (Y + H e) exp(-e) A, is largest at e = 1 - Y / H, or at once if H < Y. From then on all of the lengthening goes
// into one place. Here H is below Y; grips keep the ends from shrinking, so the neck is in the middle. Looked at until the first crack.
TEST(CylinderPull, DuctileNecksBeforeItTears) {
    Cylinder cylinder("ductile.json", 6);
    std::vector<double> before;
    while (!cylinder.hasCracks()) {
        before = cylinder.radii();
        if (!cylinder.nextFrame()) break;
    }
    EXPECT_TRUE(cylinder.hasCracks()) << "tears before the scene ends";
    const double neck = *std::min_element(before.begin(), before.end()), elsewhere = 0.5 * (before[1] + before[8]);
    std::printf("frame %d: neck of %.1f mm, %.1f mm elsewhere, ratio %.3f\n", cylinder.frame(), 1e3 * neck, 1e3 * elsewhere, neck / elsewhere);
    EXPECT_LT(neck, 0.8 * elsewhere);
    EXPECT_GT(elsewhere, 0.93 * cylinder.radius()) << "it does not thin all over";
    const auto place = std::min_element(before.begin(), before.end()) - before.begin();
    EXPECT_GE(place, 3);
    EXPECT_LE(place, 6) << "away from the grips";
}

/// The crack that parts the two largest pieces of a body, at rest.
struct PartingCrack {
    double area = 0;    ///< m2
    double height = 0;  ///< m, mean along y
    double rough = 0;   ///< m, root of the mean square distance from that height
    double angle = 0;   ///< rad, between y and the direction that its faces look along on average
    double pieces = 0;  ///< share of the volume that the two largest have
};

std::array<std::int32_t, 2> largestPieces(const TetMesh& mesh, const std::vector<std::int32_t>& label, double& share) {
    std::map<std::int32_t, double> volume;
    double all = 0;
    for (std::size_t t = 0; t < label.size(); ++t) {
        volume[label[t]] += restVolume(mesh, t);
        all += restVolume(mesh, t);
    }
    std::vector<std::pair<double, std::int32_t>> bySize;
    for (const auto& [piece, v] : volume) bySize.push_back({v, piece});
    std::sort(bySize.rbegin(), bySize.rend());
    if (bySize.size() < 2) return {bySize[0].second, -1};
    share = (bySize[0].first + bySize[1].first) / all;
    return {bySize[0].second, bySize[1].second};
}

/// Both sides of a crack lie in the same place at rest; those of different pieces are what parts them.
PartingCrack measurePartingCrack(const Body& body) {
    PartingCrack crack;
    const TetMesh& mesh = body.mesh;
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    const auto [first, second] = largestPieces(mesh, label, crack.pieces);
    using Place = std::array<double, 3>;
    std::map<std::array<Place, 3>, std::int32_t> sides;
    Vec3 direction = Vec3::Zero();
    double squares = 0;
    for (std::size_t t = 0; t < body.insideFaces.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (!(body.insideFaces[t] >> f & 1) || (label[t] != first && label[t] != second)) continue;
            std::array<Vec3, 3> x;
            std::array<Place, 3> face;
            for (std::size_t k = 0; k < 3; ++k) {
                x[k] = mesh.rest[static_cast<std::size_t>(mesh.tets[t][static_cast<std::size_t>(kTetFaces[f][k])])];
                face[k] = {x[k].x(), x[k].y(), x[k].z()};
            }
            std::sort(face.begin(), face.end());
            const auto [other, isNew] = sides.emplace(face, label[t]);
            if (isNew || other->second == label[t]) continue;
            const Vec3 areaVector = 0.5 * (x[1] - x[0]).cross(x[2] - x[0]);
            const double area = areaVector.norm(), height = (x[0] + x[1] + x[2]).y() / 3;
            crack.area += area;
            crack.height += area * height;
            squares += area * height * height;
            direction += label[t] == first ? areaVector : Vec3(-areaVector);
        }
    crack.height /= crack.area;
    crack.rough = std::sqrt(std::max(0.0, squares / crack.area - crack.height * crack.height));
    crack.angle = std::acos(std::min(1.0, std::abs(direction.normalized().y())));
    return crack;
}

// What is brittle breaks flat: in two, across the pull, within about a cell of a plane. A cell is an eighth of the diameter.
TEST(CylinderPull, BrittleBreaksFlat) {
    Cylinder cylinder("brittle.json", 8);
    PartingCrack crack;
    const double section = M_PI * cylinder.radius() * cylinder.radius(), cell = cylinder.radius() / 4;
    while (crack.area < 0.1 * section && cylinder.nextFrame()) crack = measurePartingCrack(cylinder.body());  // a crumb is not half of it
    std::printf("frame %d: area %.3f of the section at %.1f mm, rough by %.1f mm with cells of %.1f mm, %.1f degrees off, %.4f of the volume in two pieces\n", cylinder.frame(), crack.area / section,
                1e3 * crack.height, 1e3 * crack.rough, 1e3 * cell, crack.angle * 180 / M_PI, crack.pieces);
    ASSERT_GT(crack.area, 0) << "it breaks";
    EXPECT_GT(crack.pieces, 0.99);
    EXPECT_LT(crack.angle, 10 * M_PI / 180) << "across the pull";
    EXPECT_LT(crack.rough, 0.5 * cell);
    EXPECT_LT(crack.area, 1.25 * section);
    EXPECT_GT(crack.area, 0.9 * section);
}

}  // namespace
}  // namespace sunder
