#include "core/contact/overlap_shapes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/random.h"
#include "tests/contact/overlap_cases.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::Corners4;

Mat3 randomTurn(std::uint64_t seed, std::uint64_t id) {
    const Vec3 axis(randomRange(-1, 1, seed, id, 0), randomRange(-1, 1, seed, id, 1),
                    randomRange(-1, 1, seed, id, 2));
    return Eigen::AngleAxisd(randomRange(0, 3, seed, id, 3), axis.normalized()).toRotationMatrix();
}
HalfSpace randomPlane(std::uint64_t id) {
    return {randomTurn(51, id).col(0), randomRange(-0.2, 0.2, 52, id)};
}
SolidBox randomBox(std::uint64_t id) {
    return {Vec3(randomRange(-0.3, 0.3, 53, id, 0), randomRange(-0.3, 0.3, 53, id, 1),
                 randomRange(-0.3, 0.3, 53, id, 2)),
            randomTurn(54, id), Vec3(0.2, 0.3, 0.25)};
}
Capsule randomCapsule(std::uint64_t id) {
    const Vec3 c(randomRange(-0.5, 0.5, 55, id, 0), randomRange(-0.5, 0.5, 55, id, 1),
                 randomRange(-0.5, 0.5, 55, id, 2));
    return {c, id % 2 ? Vec3(c + 0.4 * randomTurn(56, id).col(0)) : c, 0.5};
}

/// What the tests need to know of a shape, polyhedral or round.
struct Answer {
    TetShares shares;
    TetVectors forces;
    TetSlopes slopes;
};
using Kernel = std::function<Answer(const OverlapTet&, const Vec4&)>;

template <class Shape>
Kernel clipped(const Shape& shape) {
    return [shape](const OverlapTet& a, const Vec4& pressure) {
        OverlapPolyhedron p;
        clipTet(a, shape, p);
        Answer answer{computeTetShares(p, a), computeTetForces(p, a, pressure), {}};
        computeTetSlopes(p, a, answer.slopes);
        return answer;
    };
}
Kernel rounded(const Capsule& shape, int divisions) {
    return [shape, divisions](const OverlapTet& a, const Vec4& pressure) {
        Answer answer{
            computeTetShares(a, shape, {divisions}), computeTetForces(a, shape, pressure, {divisions}), {}};
        computeTetSlopes(a, shape, answer.slopes, {divisions});
        return answer;
    };
}

/// Largest difference of slopes to central differences over the largest slope, and of forces to slopes.
struct SlopeCheck {
    double differences, forces;
};
SlopeCheck checkSlopes(const Kernel& kernel, const Corners4& x, double step) {
    const Vec4 pressure(1, -2, 3, 0.5);
    const Answer at = kernel(makeOverlapTet(x), pressure);
    SlopeCheck check{0, 0};
    double largest = 1e-3;
    for (int m = 0; m < 4; ++m) {
        for (int k = 0; k < 3; ++k) {
            Corners4 up = x, down = x;
            up[m][k] += step;
            down[m][k] -= step;
            const Vec4 slope = (kernel(makeOverlapTet(up), pressure).shares.shares -
                                kernel(makeOverlapTet(down), pressure).shares.shares) /
                               (2 * step);
            double force = 0;
            for (int i = 0; i < 4; ++i) {
                check.differences = std::max(check.differences, std::abs(slope[i] - at.slopes[i](k, m)));
                largest = std::max(largest, std::abs(at.slopes[i](k, m)));
                force -= pressure[i] * at.slopes[i](k, m);
            }
            check.forces = std::max(check.forces, std::abs(force - at.forces(k, m)));
        }
    }
    check.differences /= largest;
    return check;
}

void expectSlopes(const char* what, const std::function<Kernel(std::uint64_t)>& shapeOf) {
    std::vector<double> errors, orders;
    double forces = 0;
    for (int id = 0; id < 300; ++id) {
        const Corners4 x = testing::randomCorners(57, id);
        const Kernel kernel = shapeOf(id);
        const double volume = kernel(makeOverlapTet(x), Vec4::Zero()).shares.volume;
        if (volume < 1e-3 || volume > 0.999 * makeOverlapTet(x).volume()) continue;
        const SlopeCheck fine = checkSlopes(kernel, x, 1e-5), half = checkSlopes(kernel, x, 2e-5);
        errors.push_back(fine.differences);
        orders.push_back(std::log2(half.differences / fine.differences));
        forces = std::max(forces, fine.forces);
    }
    ASSERT_GT(errors.size(), 50u);
    std::sort(errors.begin(), errors.end());
    std::sort(orders.begin(), orders.end());
    std::printf("%s: slopes against differences of 1e-5: %.2g in the middle, %.2g at most; order %.2f\n",
                what, errors[errors.size() / 2], errors.back(), orders[orders.size() / 2]);
    EXPECT_LT(errors[errors.size() / 2], 1e-7);
    EXPECT_LT(errors.back(), 1e-3);  // a vertex that crosses a face within the step
    EXPECT_LT(forces, 1e-13);
}

TEST(OverlapShapes, SlopesOfThePlane) {
    expectSlopes("plane", [](std::uint64_t id) { return clipped(randomPlane(id)); });
}
TEST(OverlapShapes, SlopesOfTheBox) {
    expectSlopes("box", [](std::uint64_t id) { return clipped(randomBox(id)); });
}
TEST(OverlapShapes, SlopesOfTheCapsule) {
    for (const int divisions : {1, 2, 4})
        expectSlopes("capsule", [=](std::uint64_t id) { return rounded(randomCapsule(id), divisions); });
}

TEST(OverlapShapes, ThePlaneCutsACorner) {
    const OverlapTet a = makeOverlapTet({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)});
    OverlapPolyhedron p;
    ASSERT_TRUE(clipTet(a, HalfSpace{Vec3(0, 0, -1), -0.9}, p));  // the solid is above z = 0.9
    const TetShares s = computeTetShares(p, a);
    EXPECT_NEAR(s.volume, 1e-3 / 6, 1e-18);
    const TetVectors f = computeTetForces(p, a, Vec4::Ones());
    const OverlapMeasure m = computeMeasure(a, s, f);
    EXPECT_NEAR((m.direction - Vec3(0, 0, 1)).norm(), 0, 1e-13);  // the tet pushes the solid up
    EXPECT_NEAR(m.centre.z(), 0.925, 1e-15);
    const Wrench w = reactionOf(a, f, Vec3::Zero());
    EXPECT_NEAR(w.force.z(), 0.5 * 0.01, 1e-16);  // pressure 1 on the cut
    EXPECT_FALSE(clipTet(a, HalfSpace{Vec3(0, 0, 1), 0}, p));
    ASSERT_TRUE(clipTet(a, HalfSpace{Vec3(0, 0, -1), 0}, p));
    EXPECT_EQ(computeTetShares(p, a).volume, a.volume());
}

TEST(OverlapShapes, TheBoxIsTheSumOfItsTets) {
    TetMesh mesh = testing::makeBox(1, 1, 1, Vec3(0.4, 0.6, 0.5));
    double worst = 0;
    for (int id = 0; id < 1000; ++id) {
        const SolidBox box = randomBox(id);
        const Corners4 x = testing::randomCorners(58, id);
        const OverlapTet a = makeOverlapTet(x);
        OverlapPolyhedron p;
        clipTet(a, box, p);
        double sum = 0;
        for (const Tet& t : mesh.tets) {
            Corners4 y;
            for (int k = 0; k < 4; ++k) y[k] = box.centre + box.axes * (mesh.rest[t[k]] - box.halfSize);
            sum += testing::overlapOf(x, y).shares.volume;
        }
        worst = std::max(worst, std::abs(sum - computeTetShares(p, a).volume));
    }
    EXPECT_LT(worst, 1e-16);
}

TEST(OverlapShapes, TheReactionMovesTheShapeLikeTheShares) {
    // force and torque against differences of rigid motions of the shape
    const Vec4 pressure(1, 2, 0.5, 1.5);
    for (int id = 0; id < 40; ++id) {
        const OverlapTet a = makeOverlapTet(testing::randomCorners(59, id));
        const Capsule capsule = randomCapsule(id);
        const SolidBox box = randomBox(id);
        const Vec3 about(0.1, 0.2, -0.1);
        const auto workOf = [&](const Vec3& shift, const Mat3& turn) {
            const auto moved = [&](const Vec3& x) -> Vec3 { return about + turn * (x - about) + shift; };
            OverlapPolyhedron p;
            clipTet(a, SolidBox{moved(box.centre), turn * box.axes, box.halfSize}, p);
            const Capsule c{moved(capsule.first), moved(capsule.second), capsule.radius};
            return Vec2(pressure.dot(computeTetShares(p, a).shares),
                        pressure.dot(computeTetShares(a, c).shares));
        };
        OverlapPolyhedron p;
        clipTet(a, box, p);
        const Wrench onBox = reactionOf(a, computeTetForces(p, a, pressure), about);
        const Wrench onCapsule = reactionOf(a, computeTetForces(a, capsule, pressure), about);
        const double h = 1e-5;
        for (int k = 0; k < 3; ++k) {
            const Vec3 e = Vec3::Unit(k);
            const Vec2 push = (workOf(-h * e, Mat3::Identity()) - workOf(h * e, Mat3::Identity())) / (2 * h);
            EXPECT_NEAR(push[0], onBox.force[k], 1e-7);
            EXPECT_NEAR(push[1], onCapsule.force[k], 1e-7);
            const Mat3 turn = Eigen::AngleAxisd(h, e).toRotationMatrix();
            const Vec2 twist =
                (workOf(Vec3::Zero(), turn.transpose()) - workOf(Vec3::Zero(), turn)) / (2 * h);
            EXPECT_NEAR(twist[0], onBox.torque[k], 1e-7);
            EXPECT_NEAR(twist[1], onCapsule.torque[k], 1e-7);
        }
    }
}

/// Area of the part of a disc around the origin inside a polygon.
double discArea(const std::vector<Vec2>& polygon, double radius) {
    double area = 0;
    const auto sector = [&](const Vec2& p, const Vec2& q) {
        return 0.5 * radius * radius * std::atan2(p.x() * q.y() - p.y() * q.x(), p.dot(q));
    };
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vec2 p = polygon[i], q = polygon[(i + 1) % polygon.size()], d = q - p;
        const double b = p.dot(d), disc = b * b - d.squaredNorm() * (p.squaredNorm() - radius * radius);
        const double root = disc > 0 ? std::sqrt(disc) : 0;
        const double t0 = std::clamp((-b - root) / d.squaredNorm(), 0.0, 1.0);
        const double t1 = std::clamp((-b + root) / d.squaredNorm(), 0.0, 1.0);
        const Vec2 s = p + t0 * d, t = p + t1 * d;
        area += sector(p, s) + 0.5 * (s.x() * t.y() - s.y() * t.x()) + sector(t, q);
    }
    return area;
}

/// The slice of a tet at height z, counter-clockwise around its middle.
std::vector<Vec2> sliceOf(const Corners4& x, double z) {
    std::vector<Vec2> polygon;
    for (const auto& e : kTetEdges) {
        const Vec3 &p = x[e[0]], &q = x[e[1]];
        if ((p.z() < z) == (q.z() < z)) continue;
        const double t = (z - p.z()) / (q.z() - p.z());
        polygon.emplace_back((p + t * (q - p)).head<2>());
    }
    Vec2 middle = Vec2::Zero();
    for (const Vec2& p : polygon) middle += p / static_cast<double>(polygon.size());
    std::sort(polygon.begin(), polygon.end(), [&](const Vec2& p, const Vec2& q) {
        return std::atan2(p.y() - middle.y(), p.x() - middle.x()) <
               std::atan2(q.y() - middle.y(), q.x() - middle.x());
    });
    return polygon;
}

/// Volume of tet and capsule from 4000 slices across the capsule's axis.
double slicedVolume(Corners4 x, const Capsule& shape) {
    const Vec3 axis = shape.second - shape.first;
    const double length = axis.norm();
    const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(length > 0 ? axis : Vec3(0, 0, 1), Vec3(0, 0, 1))
                          .toRotationMatrix();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Vec3& p : x) {
        p = turn * (p - shape.first);
        low = std::min(low, p.z());
        high = std::max(high, p.z());
    }
    const int slices = 4000;
    double volume = 0;
    for (int k = 0; k < slices; ++k) {
        const double z = low + (high - low) * (k + 0.5) / slices;
        const double beyond = z < 0 ? z : std::max(0.0, z - length);
        const double radiusSq = shape.radius * shape.radius - beyond * beyond;
        if (radiusSq > 0) volume += discArea(sliceOf(x, z), std::sqrt(radiusSq)) * (high - low) / slices;
    }
    return volume;
}

/// Mean error of the volume over the tet's, for radii in edge lengths (about 0.7) and divisions.
TEST(OverlapShapes, TheCapsuleIsGoodToItsDivisions) {
    std::printf("round shapes: mean (and bias) of the error over the tet's volume\n radius");
    for (const int n : {1, 2, 4, 8}) std::printf("   %d divisions       ", n);
    std::printf("\n");
    for (const double radius : {0.2, 0.5, 2.0, 20.0}) {
        std::array<double, 4> error{}, bias{};
        int cases = 0;
        for (int id = 0; cases < 120; ++id) {
            const Corners4 x = testing::randomCorners(61, id);
            const OverlapTet a = makeOverlapTet(x);
            if (a.volume() < 0.02) continue;
            Capsule shape = randomCapsule(id);
            const Vec3 away = randomTurn(62, id).col(1) * std::max(0.0, radius - 0.3);
            shape = {shape.first + away, shape.second + away, radius};
            const double exact = slicedVolume(x, shape);
            if (exact < 0.01 * a.volume() || exact > 0.99 * a.volume()) continue;
            ++cases;
            for (int k = 0; k < 4; ++k) {
                const double off = (computeTetShares(a, shape, {1 << k}).volume - exact) / a.volume();
                error[k] += std::abs(off) / 120;
                bias[k] += off / 120;
            }
        }
        std::printf("%7.1f", radius);
        for (int k = 0; k < 4; ++k) std::printf("   %.1e (%+.1e)", error[k], bias[k]);
        std::printf("\n");
        EXPECT_LT(error[2], radius < 0.3 ? 0.02 : 0.005);
        EXPECT_LT(error[3], 0.7 * error[2]);
    }
}

TEST(OverlapShapes, TheSphereHasItsVolume) {
    // a ball inside a box of tets
    TetMesh mesh = testing::makeBox(2, 2, 2, Vec3(1, 1, 1));
    const Vec3 centre(0.47, 0.52, 0.49);
    double volume = 0;
    Vec3 force = Vec3::Zero();
    for (const Tet& t : mesh.tets) {
        const OverlapTet a =
            makeOverlapTet({mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]});
        volume += computeTetShares(a, {centre, centre, 0.4}).volume;
        force += computeTetForces(a, {centre, centre, 0.4}, Vec4::Ones()).rowwise().sum();
    }
    const double exact = 4.0 / 3 * M_PI * 0.4 * 0.4 * 0.4;
    std::printf("ball of radius 0.4 in cells of 0.5: volume off by %.2g of it\n",
                std::abs(volume / exact - 1));
    EXPECT_NEAR(volume, exact, 2e-3 * exact);
    EXPECT_NEAR(force.norm(), 0, 2e-2);  // 4 pi r^2 = 2 is the scale
}

TEST(OverlapShapes, InsideAndOutsideOfTheCapsule) {
    const Corners4 x{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    const OverlapTet a = makeOverlapTet(x);
    const Capsule around{Vec3(0.2, 0.2, 0.2), Vec3(0.3, 0.2, 0.2), 5},
        beside{Vec3(3, 0, 0), Vec3(4, 0, 0), 1.9};
    EXPECT_NEAR(computeTetShares(a, around).volume, a.volume(), 1e-16);
    EXPECT_EQ(computeTetShares(a, beside).volume, 0);
    EXPECT_EQ(computeTetForces(a, beside, Vec4::Ones()).norm(), 0);
    const TetVectors inside = computeTetForces(a, around, Vec4::Ones());
    const OverlapMeasure m = computeMeasure(a, computeTetShares(a, around), inside);
    EXPECT_EQ(m.direction, Vec3::Zero());
    const OverlapTet inverted = makeOverlapTet({x[1], x[0], x[2], x[3]});
    EXPECT_EQ(computeTetShares(inverted, around).volume, 0);
}

TEST(OverlapShapes, NeverNegativeAndNeverNaN) {
    for (int id = 0; id < 30000; ++id) {
        const testing::TetPair pair = testing::adversarialPair(63, id);
        const OverlapTet a = makeOverlapTet(pair.b);
        OverlapPolyhedron p;
        if (id % 3 == 0) clipTet(a, HalfSpace{Vec3(0, 0, 1), std::floor(4 * randomUnit(64, id))}, p);
        if (id % 3 == 1) clipTet(a, SolidBox{Vec3(1, 1, 1), Mat3::Identity(), Vec3(1, 1, 1)}, p);
        TetShares s = computeTetShares(p, a);
        TetVectors f = computeTetForces(p, a, Vec4::Ones());
        if (id % 3 == 2) {
            const Capsule shape{pair.a[0], pair.a[id % 2], 0.5};
            s = computeTetShares(a, shape, {2});
            f = computeTetForces(a, shape, Vec4::Ones(), {2});
        }
        ASSERT_GE(s.shares.minCoeff(), 0) << id;
        ASSERT_LE(s.volume, a.det / 6 * (1 + 1e-12)) << id;
        ASSERT_TRUE(f.allFinite()) << id;
    }
}

}  // namespace
}  // namespace sunder
