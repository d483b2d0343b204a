#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/io/geometry_io.h"
#include "core/io/scene_json.h"
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

}  // namespace
}  // namespace sunder
