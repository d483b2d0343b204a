#include "core/fracture/crack_plane.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace sunder {
namespace {

/// A cubic node: six faces of area 2, so that A(n) = 2 (|nx| + |ny| + |nz|).
const std::vector<Vec3> kFaces = {Vec3(2, 0, 0), Vec3(-2, 0, 0), Vec3(0, 2, 0), Vec3(0, -2, 0), Vec3(0, 0, 2), Vec3(0, 0, -2)};

NodeTension pulledAlongX(double force) {
    Mat3 tensor = Mat3::Zero();
    tensor(0, 0) = force;
    return {tensor, kFaces, Mat3::Identity(), 10, true};
}

WeakNode guide(double scale, const Vec3& lead, bool line = false) { return {scale, lead, line}; }

TEST(CrackPlane, WithoutAGuideItIsTheEigenvector) {
    const Separation s = choosePlane(pulledAlongX(30), {});
    EXPECT_NEAR(std::abs(s.normal.x()), 1, 1e-12);
    EXPECT_NEAR(s.toughness, 20, 1e-12);
    EXPECT_NEAR(s.ratio, 1.5, 1e-12);
    EXPECT_NEAR(s.excess, 10, 1e-12);
}

TEST(CrackPlane, AGuideAcrossWhatPullsHasItsOwnToughness) {
    const Separation s = choosePlane(pulledAlongX(30), guide(0.1, Vec3::UnitX()));
    EXPECT_NEAR(s.ratio, 15, 1e-9);
    EXPECT_NEAR(std::abs(s.normal.x()), 1, 1e-12);
}

TEST(CrackPlane, AGuideAlongWhatPullsIsAsToughAsTheRest) {
    const Separation s = choosePlane(pulledAlongX(30), guide(0.1, Vec3::UnitY()));
    EXPECT_NEAR(s.ratio, 1.5, 1e-12);
    EXPECT_NEAR(std::abs(s.normal.x()), 1, 1e-12);
}

/// What pulls across a plane at 45 degrees is half; its area is root 2 of that across x.
TEST(CrackPlane, ASlantedGuideOpensByWhatPullsAcrossIt) {
    const Vec3 slanted = Vec3(1, 1, 0).normalized();
    const Separation s = choosePlane(pulledAlongX(30), guide(0.1, slanted));
    EXPECT_NEAR(s.ratio, 15 / (0.1 * 10 * 2 * std::sqrt(2.0)), 1e-9);
    EXPECT_NEAR(std::abs(s.normal.dot(slanted)), 1, 1e-12);
    const Separation other = choosePlane(pulledAlongX(30), guide(0.1, -slanted));
    EXPECT_NEAR(other.ratio, s.ratio, 1e-12) << "which way it looks does not matter";
}

TEST(CrackPlane, WithoutFollowItIsWeakInAllDirections) {
    const Separation s = choosePlane(pulledAlongX(30), guide(0.1, Vec3::Zero()));
    EXPECT_NEAR(s.ratio, 15, 1e-9);
    EXPECT_NEAR(std::abs(s.normal.x()), 1, 1e-12);
}

TEST(CrackPlane, HalfFollowTurnsHalfWay) {
    const Vec3 slanted = Vec3(1, 1, 0).normalized();
    const Separation s = choosePlane(pulledAlongX(30), guide(0.01, 0.5 * slanted));
    EXPECT_NEAR(std::acos(std::abs(s.normal.x())), M_PI / 8, 1e-9) << "the mean of two unit vectors lies half way between them";
}

TEST(CrackPlane, ACrackNearALineContainsIt) {
    const Vec3 tangent = Vec3(1, 0, 1).normalized();
    const Separation s = choosePlane(pulledAlongX(30), guide(0.01, tangent, true));
    EXPECT_NEAR(s.normal.dot(tangent), 0, 1e-12);
    EXPECT_NEAR(std::abs(s.normal.dot(Vec3(1, 0, -1).normalized())), 1, 1e-12);
}

/// Normals go with the inverse transpose: a sheared guide stays between the same points.
TEST(CrackPlane, AGuideGoesWithTheBody) {
    NodeTension tension = pulledAlongX(30);
    tension.F << 1, 0.5, 0, 0, 1, 0, 0, 0, 1;
    const Separation s = choosePlane(tension, guide(0.01, Vec3::UnitX()));
    EXPECT_NEAR(s.normal.dot(tension.F * Vec3::UnitY()), 0, 1e-12);
    EXPECT_NEAR(s.normal.dot(tension.F * Vec3::UnitZ()), 0, 1e-12);
}

TEST(CrackPlane, ForceOpensWhateverTheStress) {
    NodeTension still = pulledAlongX(0);
    const Separation led = forceOpen(still, guide(0.5, Vec3::UnitZ()), 1), drawn = forceOpen(still, {}, 1), again = forceOpen(still, {}, 1), other = forceOpen(still, {}, 2);
    EXPECT_GT(led.ratio, 1);
    EXPECT_NEAR(std::abs(led.normal.z()), 1, 1e-12);
    EXPECT_GT(drawn.ratio, 1);
    EXPECT_NEAR(drawn.normal.norm(), 1, 1e-12);
    EXPECT_EQ(drawn.normal, again.normal);
    EXPECT_NE(drawn.normal, other.normal);
    const Separation pulled = forceOpen(pulledAlongX(1), {}, 1);
    EXPECT_NEAR(std::abs(pulled.normal.x()), 1, 1e-12) << "across what pulls, if anything does";
    EXPECT_EQ(pulled.excess, 0);
}

}  // namespace
}  // namespace sunder
