#include "core/spatial/triangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sunder {
namespace {

using Corners = std::array<Vec3, 3>;
const Corners kFlat{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};

/// The test must not depend on how corners are numbered or on which triangle comes first.
void expectMeet(const Corners& s, const Corners& t, bool expected) {
    Corners a = s, b = t;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            EXPECT_EQ(trianglesMeet(a, b), expected);
            EXPECT_EQ(trianglesMeet(b, a), expected);
            EXPECT_EQ(trianglesMeet({a[0], a[2], a[1]}, b), expected);
            std::rotate(b.begin(), b.begin() + 1, b.end());
        }
        std::rotate(a.begin(), a.begin() + 1, a.end());
    }
}

TEST(Triangle, MeetsWhenPierced) { expectMeet(kFlat, {Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(9, 9, 0)}, true); }
TEST(Triangle, ApartWhenThePlaneIsCrossedBesideIt) {
    expectMeet(kFlat, {Vec3(3, 3, -1), Vec3(3, 3, 1), Vec3(9, 9, 0)}, false);
}
TEST(Triangle, TouchingWithACornerCounts) {
    expectMeet(kFlat, {Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(2, 1, 1)}, true);
    expectMeet(kFlat, {Vec3(1, 1, 0x1.0p-1000), Vec3(1, 1, 1), Vec3(2, 1, 1)}, false);
}
TEST(Triangle, CoplanarOverlapContainmentAndGap) {
    expectMeet(kFlat, {Vec3(1, 1, 0), Vec3(9, 1, 0), Vec3(1, 9, 0)}, true);
    expectMeet(kFlat, {Vec3(1, 1, 0), Vec3(1.5, 1, 0), Vec3(1, 1.5, 0)}, true);
    expectMeet(kFlat, {Vec3(2.0000001, 2, 0), Vec3(9, 2, 0), Vec3(2.0000001, 9, 0)}, false);
    expectMeet(kFlat, {Vec3(2, 2, 0), Vec3(9, 2, 0), Vec3(2, 9, 0)}, true);
}
TEST(Triangle, CollinearOnesMeetNothing) {
    EXPECT_TRUE(isCollinear(Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(3, 3, 3)));
    EXPECT_FALSE(isCollinear(Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(3, 3, std::nextafter(3.0, 4.0))));
}
TEST(Triangle, SharedCornerCountsOnlyBeyondIt) {
    EXPECT_FALSE(trianglesMeetBeyondCorner(kFlat, {Vec3(0, 0, 0), Vec3(-1, 0, 0), Vec3(0, -1, 3)}));
    EXPECT_TRUE(trianglesMeetBeyondCorner(kFlat, {Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(1, 1, -1)}));
    EXPECT_TRUE(trianglesMeetBeyondCorner(kFlat, {Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(2, 1, 0)}));
    EXPECT_FALSE(trianglesMeetBeyondCorner(kFlat, {Vec3(0, 0, 0), Vec3(-1, -2, 0), Vec3(-2, -1, 0)}));
}
TEST(Triangle, FoldedOntoItsNeighbour) {
    EXPECT_TRUE(trianglesFold(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 2, 0)));
    EXPECT_FALSE(trianglesFold(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, -2, 0)));
    EXPECT_FALSE(trianglesFold(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 2, 1e-300)));
}
TEST(Triangle, ClosestPointInEveryRegion) {
    const auto at = [](const Vec3& p) {
        return closestPointOnTriangle(p, kFlat[0], kFlat[1], kFlat[2]).position;
    };
    EXPECT_EQ(at(Vec3(1, 1, 5)), Vec3(1, 1, 0));
    EXPECT_EQ(at(Vec3(-1, -1, 5)), Vec3(0, 0, 0));
    EXPECT_EQ(at(Vec3(9, -1, 5)), Vec3(4, 0, 0));
    EXPECT_EQ(at(Vec3(2, -3, 1)), Vec3(2, 0, 0));
    EXPECT_EQ(at(Vec3(4, 4, 1)), Vec3(2, 2, 0));
    // Degenerate: the segment that it is.
    EXPECT_EQ(closestPointOnTriangle(Vec3(1, 1, 0), Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(2, 0, 0)).position,
              Vec3(1, 0, 0));
}
TEST(Triangle, OctantHasAnEighthOfTheSphere) {
    EXPECT_NEAR(windingOfTriangle(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)), 0.125, 1e-15);
    EXPECT_NEAR(windingOfTriangle(Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, 1)), -0.125, 1e-15);
}

}  // namespace
}  // namespace sunder
