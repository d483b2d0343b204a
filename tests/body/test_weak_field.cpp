#include "core/body/weak_field.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/body/weak_patterns.h"

namespace sunder {
namespace {

Vec3 randomPoint(std::uint64_t k) { return {randomRange(-1, 1, 5, k, 0), randomRange(-1, 1, 5, k, 1), randomRange(-1, 1, 5, k, 2)}; }

WeakSurface surfaceOf(const WeakShape& shape, std::uint64_t seed = 3) {
    WeakSurface s;
    s.name = "test";
    s.shape = shape;
    s.seed = seed;
    return s;
}

std::vector<WeakShape> patterns() {
    GrainPattern grain;
    grain.axis = Vec3(1, 2, 0.5);
    grain.size = 0.2;
    grain.length = 0.7;
    BrickPattern brick;
    brick.mortar = 0;
    RadialPattern radial;
    radial.center = Vec3(0.1, 0.2, 0.3);
    VoronoiPattern cells;
    cells.size = 0.3;
    return {grain, brick, radial, cells};
}

/// A way of the distance along the direction leads just to another cell, one way or the other.
TEST(WeakPatterns, TheNearestWallIsWhereTheCellEnds) {
    constexpr double kShort = 1e-9;
    for (const WeakShape& shape : patterns()) {
        const WeakField field(std::vector<WeakSurface>{surfaceOf(shape)});
        std::set<std::uint64_t> cells;
        for (std::uint64_t k = 0; k < 2000; ++k) {
            const Vec3 p = randomPoint(k);
            const WeakPoint near = field.nearest(0, p);
            cells.insert(near.cell);
            ASSERT_NEAR(near.direction.norm(), 1, 1e-12);
            bool leaves = false;
            for (const double way : {1.0, -1.0}) {
                EXPECT_EQ(field.nearest(0, p + way * std::max(0.0, near.distance - kShort) * near.direction).cell, near.cell) << "shape " << shape.index() << ", point " << k;
                leaves |= field.nearest(0, p + way * (near.distance + kShort) * near.direction).cell != near.cell;
            }
            EXPECT_TRUE(leaves) << "shape " << shape.index() << ", point " << k;
        }
        EXPECT_GT(cells.size(), 20u) << "shape " << shape.index();
    }
}

/// No wall is nearer than said: nothing within the distance lies in another cell.
TEST(WeakPatterns, NothingNearerLiesInAnotherCell) {
    for (const WeakShape& shape : patterns()) {
        const WeakField field(std::vector<WeakSurface>{surfaceOf(shape)});
        for (std::uint64_t k = 0; k < 300; ++k) {
            const Vec3 p = randomPoint(k);
            const WeakPoint near = field.nearest(0, p);
            for (std::uint64_t j = 0; j < 20; ++j) {
                const Vec3 way = randomPoint(1000 * k + j + 7).normalized();
                const WeakPoint there = field.nearest(0, p + 0.99 * near.distance * way);
                // the ends of a splinter's neighbours, and rings beyond a ray, are not seen from it: there the wall between them is
                EXPECT_EQ(there.cell, near.cell) << "shape " << shape.index() << ", point " << k;
            }
        }
    }
}

TEST(WeakPatterns, GoBySeedAndPlaceAlone) {
    for (const WeakShape& shape : patterns()) {
        const std::vector<WeakSurface> list = {surfaceOf(shape, 3), surfaceOf(shape, 3), surfaceOf(shape, 4)};
        const WeakField field(list);
        int differ = 0;
        for (std::uint64_t k = 0; k < 200; ++k) {
            const Vec3 p = randomPoint(k);
            EXPECT_EQ(field.nearest(0, p).distance, field.nearest(1, p).distance);
            differ += field.nearest(0, p).distance != field.nearest(2, p).distance;
        }
        EXPECT_EQ(differ > 100, !std::holds_alternative<BrickPattern>(shape)) << "bricks have nothing random";
    }
}

TEST(WeakPatterns, TurnWithTheirFrame) {
    const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    const Vec3 shift(0.3, -0.2, 0.5);
    for (const WeakShape& shape : patterns()) {
        WeakSurface moved = surfaceOf(shape);
        moved.turn = turn;
        moved.shift = shift;
        const WeakField field(std::vector<WeakSurface>{surfaceOf(shape), moved});
        for (std::uint64_t k = 0; k < 50; ++k) {
            const WeakPoint a = field.nearest(0, randomPoint(k)), b = field.nearest(1, turn * randomPoint(k) + shift);
            EXPECT_NEAR(a.distance, b.distance, 1e-12);
            EXPECT_NEAR((turn * a.direction - b.direction).norm(), 0, 1e-9);
        }
    }
}

TEST(WeakPatterns, BricksStandInRunningBond) {
    BrickPattern brick;
    brick.size = Vec3(0.2, 0.1, 0);
    brick.mortar = 0.02;
    EXPECT_NEAR(nearestWeak(brick, 0, Vec3(0.1, 0.05, 0)).distance, 0.04, 1e-15) << "middle of a brick, half a course less half a joint";
    EXPECT_EQ(nearestWeak(brick, 0, Vec3(0.005, 0.05, 0)).distance, 0) << "in the joint at the origin";
    EXPECT_EQ(nearestWeak(brick, 0, Vec3(0.105, 0.15, 0)).distance, 0) << "the next course is shifted by half a brick";
    EXPECT_NEAR(std::abs(nearestWeak(brick, 0, Vec3(0.105, 0.15, 0)).direction.x()), 1, 0);
    EXPECT_GT(nearestWeak(brick, 0, Vec3(0.105, 0.05, 0)).distance, 0.03);
}

TEST(WeakField, FadesFromTheSurfaceToItsWidth) {
    WeakSurface s = surfaceOf(PlaneGuide{Vec3(0, 1, 0), Vec3(0, 3, 0)});
    s.strength = 0.25;
    s.width = 0.2;
    s.follow = 0.8;
    const WeakField field(std::vector<WeakSurface>{s});
    constexpr double kCell = 0.1;
    const auto at = [&](double distance) { return field.at(Vec3(4, 1 + distance, 2), kCell); };
    EXPECT_EQ(at(0).scale, 0.25);
    EXPECT_EQ(at(-0.049).scale, 0.25) << "half a cell counts as on it";
    EXPECT_NEAR(at(0.15).scale, 0.25 + 0.75 * 0.5, 1e-12) << "half way";
    EXPECT_EQ(at(0.26).scale, 1);
    EXPECT_NEAR((at(0).lead - Vec3(0, 0.8, 0)).norm(), 0, 1e-15);
    EXPECT_NEAR(at(0.15).lead.norm(), 0.4, 1e-12);
    EXPECT_EQ(at(0.26).lead, Vec3(Vec3::Zero()));
    s.width = 0;
    const WeakField sharp(std::vector<WeakSurface>{s});
    EXPECT_EQ(sharp.at(Vec3(0, 1.049, 0), kCell).scale, 0.25);
    EXPECT_EQ(sharp.at(Vec3(0, 1.051, 0), kCell).scale, 1);
}

TEST(WeakField, TheWeakestOfSeveralCounts) {
    WeakSurface a = surfaceOf(PlaneGuide{Vec3::Zero(), Vec3::UnitX()}), b = surfaceOf(SphereGuide{Vec3::Zero(), 0.5});
    a.strength = 0.5;
    b.strength = 0.1;
    const WeakField field(std::vector<WeakSurface>{a, b});
    EXPECT_EQ(field.at(Vec3(0, 0, 0.5), 0.01).scale, 0.1);
    EXPECT_NEAR(field.at(Vec3(0, 0, 0.5), 0.01).lead.z(), 1, 1e-12);
    EXPECT_EQ(field.at(Vec3(0, 0, 0.2), 0.01).scale, 0.5);
    EXPECT_EQ(field.at(Vec3(0.2, 0, 0.2), 0.01).scale, 1);
}

/// A line of points as a line, swept as a surface, and the same as triangles and segments.
TEST(WeakField, CurvesAreLinesOrWhatTheySweep) {
    CurveGuide curve;
    curve.points = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)};
    CurveGuide swept = curve;
    swept.sweep = Vec3(0, 0, 2);
    const WeakField field(std::vector<WeakSurface>{surfaceOf(curve), surfaceOf(swept)});
    const Vec3 p(0.5, 0.1, 0.3);
    EXPECT_TRUE(field.nearest(0, p).line);
    EXPECT_NEAR(field.nearest(0, p).distance, std::hypot(0.1, 0.3), 1e-15);
    EXPECT_NEAR(std::abs(field.nearest(0, p).direction.x()), 1, 1e-15);
    EXPECT_FALSE(field.nearest(1, p).line);
    EXPECT_NEAR(field.nearest(1, p).distance, 0.1, 1e-15);
    EXPECT_NEAR(std::abs(field.nearest(1, p).direction.y()), 1, 1e-15);
    EXPECT_NEAR(field.nearest(1, Vec3(0.5, 0, 2.5)).distance, 0.5, 1e-15) << "beyond its end";
    curve.closed = true;
    EXPECT_NEAR(WeakField(std::vector<WeakSurface>{surfaceOf(curve)}).nearest(0, Vec3(0.5, 0.5, 0)).distance, 0, 1e-15) << "back to the first point";
}

TEST(WeakField, RefusesWhatMakesNoSense) {
    std::vector<WeakSurface> bad(8, surfaceOf(PlaneGuide{}));
    bad[0].strength = 0;
    bad[1].strength = 1.5;
    bad[2].width = -1;
    bad[3].follow = 2;
    bad[4].shape = PlaneGuide{Vec3::Zero(), Vec3::Zero()};
    bad[5].shape = CurveGuide{{Vec3::Zero()}, false, Vec3::Zero()};
    bad[6].shape = VoronoiPattern{0, 1};
    bad[7].shape = MeshGuide{};
    for (const WeakSurface& s : bad) {
        try {
            validate(s);
            ADD_FAILURE() << "accepted";
        } catch (const Error& e) {
            EXPECT_FALSE(e.remedy().empty());
        }
    }
}

}  // namespace
}  // namespace sunder
