#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "cli/render/view.h"
#include "core/base/error.h"
#include "tests/cli/render/shapes.h"

namespace sunder::render {
namespace {

using sunder::testing::makeTorus;
using sunder::testing::sphereGeometry;
using sunder::testing::tetGeometry;

/// A ring that flies, turns and falls.
std::vector<Surface> flight(const RenderOptions& options) {
    std::vector<Surface> frames;
    for (int f = 0; f < 6; ++f) {
        Geometry g = tetGeometry(makeTorus(16, 3, 1, 0.3));
        sunder::testing::transform(g,
                                   Eigen::AngleAxisd(0.7 * f, Vec3(1, 2, 0).normalized()).toRotationMatrix(),
                                   Vec3(100 + 0.8 * f, 2 + f - 0.3 * f * f, -0.5 * f));
        if (!options.attribute.empty()) {
            auto& v = g.points.add<float>(options.attribute, g.pointCount());
            for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(f * 10 - 5);
        }
        frames.push_back(buildSurface(g, options));
    }
    return frames;
}

struct PixelBounds {
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
};

PixelBounds boundsOf(const std::vector<Surface>& frames, const View& view, const RenderOptions& o) {
    const Projection projection(view.camera, o.width, o.height);
    PixelBounds b;
    for (const Surface& s : frames)
        for (const Vec3& p : s.positions) {
            const Vec3 q = projection.project(p);
            EXPECT_GT(q.z(), 0);
            b = {std::min(b.left, q.x()), std::max(b.right, q.x()), std::min(b.top, q.y()),
                 std::max(b.bottom, q.y())};
        }
    return b;
}

View fit(const std::vector<Surface>& frames, const RenderOptions& o) {
    ViewFit f(o);
    for (const Surface& s : frames) f.add(s);
    return f.view();
}

TEST(View, framingHoldsEveryPointOfEveryFrameAndWastesNothing) {
    for (const double azimuth : {0.0, 0.6, 2.5, -1.2})
        for (const double elevation : {-0.4, 0.0, 0.3, 1.2}) {
            RenderOptions o;
            o.azimuth = azimuth;
            o.elevation = elevation;
            const auto frames = flight(o);
            const PixelBounds b = boundsOf(frames, fit(frames, o), o);
            const double m = o.margin * o.height, slack = 1e-6 * o.height;
            EXPECT_GE(b.left, m - slack);
            EXPECT_LE(b.right, o.width - m + slack);
            EXPECT_GE(b.top, m - slack);
            EXPECT_LE(b.bottom, o.height - m + slack);
            const bool fillsWidth = std::abs(b.right - b.left - (o.width - 2 * m)) < 1e-3;
            const bool fillsHeight = std::abs(b.bottom - b.top - (o.height - 2 * m)) < 1e-3;
            EXPECT_TRUE(fillsWidth || fillsHeight) << azimuth << " " << elevation;
        }
}

TEST(View, framingLeavesRoomForTheLegend) {
    RenderOptions o;
    o.attribute = "stress";
    const auto frames = flight(o);
    const View view = fit(frames, o);
    EXPECT_LE(boundsOf(frames, view, o).right, o.width - legendWidth(o) + 1e-6);
    EXPECT_EQ(view.range.low, -5);
    EXPECT_EQ(view.range.high, 45);
}

TEST(View, givenCameraGroundAndRangeAreKept) {
    RenderOptions o;
    o.camera = Camera{Vec3(1, 2, 3), Vec3(0, 1, 0), 0.8};
    o.groundHeight = -4;
    o.attribute = "stress";
    EXPECT_TRUE(ViewFit(o).isNeeded());
    o.range = ValueRange{-1, 2};
    EXPECT_FALSE(ViewFit(o).isNeeded());
    const View view = fit(flight(o), o);
    EXPECT_EQ(view.camera.position, o.camera->position);
    EXPECT_EQ(view.groundHeight, -4);
    EXPECT_EQ(view.range.high, 2);
}

TEST(View, groundIsTheLowestPointOfAllFrames) {
    RenderOptions o;
    const auto frames = flight(o);
    double lowest = 1e9;
    for (const Surface& s : frames)
        for (const Vec3& p : s.positions) lowest = std::min(lowest, p.y());
    EXPECT_EQ(fit(frames, o).groundHeight, lowest);
}

TEST(View, divergingRangeIsEvenAroundZero) {
    RenderOptions o;
    o.attribute = "pressure";
    o.colorMap = ColorMap::kDiverging;
    const View view = fit(flight(o), o);
    EXPECT_EQ(view.range.low, -45);
    EXPECT_EQ(view.range.high, 45);
}

TEST(View, constantValuesStillHaveARange) {
    RenderOptions o;
    o.attribute = "mass";
    Geometry g = sphereGeometry(1);
    for (float& v : g.points.add<float>("mass", g.pointCount())) v = 4;
    const View view = fit({buildSurface(g, o)}, o);
    EXPECT_LT(view.range.low, 4);
    EXPECT_GT(view.range.high, 4);
}

TEST(View, projectionAndDirectionAreInverse) {
    const Projection p(Camera{Vec3(1, 2, 3), Vec3(-2, 0, 1), 0.7}, 640, 360);
    for (const double x : {0.0, 100.0, 639.0})
        for (const double y : {0.0, 180.0, 359.0}) {
            const Vec3 q = p.project(p.position + 7 * p.direction(x, y));
            EXPECT_LT((q - Vec3(x, y, 7)).norm(), 1e-9);
        }
}

TEST(View, straightDownIsAViewToo) {
    RenderOptions o;
    o.camera = Camera{Vec3(0, 5, 0), Vec3::Zero(), 0.7};
    const Projection p(*o.camera, 640, 360);
    EXPECT_NEAR(p.right.norm(), 1, 1e-12);
    EXPECT_LT((p.project(Vec3::Zero()) - Vec3(320, 180, 5)).norm(), 1e-9);
}

TEST(View, impossibleOptionsAreErrors) {
    RenderOptions o;
    o.width = 0;
    EXPECT_THROW(validate(o), Error);
    o = {};
    o.range = ValueRange{2, 2};
    EXPECT_THROW(validate(o), Error);
    o = {};
    o.camera = Camera{Vec3::Zero(), Vec3::Zero(), 0.5};
    EXPECT_THROW(validate(o), Error);
    EXPECT_NO_THROW(validate(RenderOptions()));
}

}  // namespace
}  // namespace sunder::render
