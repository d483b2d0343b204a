#include "core/contact/collider_mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/contact/overlap_shapes.h"
#include "core/mesh/tri_mesh.h"
#include "core/surface/boundary_surface.h"
#include "tests/contact/collider_cases.h"
#include "tests/contact/overlap_cases.h"
#include "tests/meshing/test_obj.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::boxCollider;
using testing::Corners4;
using testing::moebiusCollider;
using testing::sheetCollider;
using testing::sphereCollider;

double slabTetVolume(const ColliderSlab& slab, std::size_t t) {
    const Tet& c = slab.tets[t];
    return signedVolume(slab.vertices[c[0]], slab.vertices[c[1]], slab.vertices[c[2]], slab.vertices[c[3]]);
}

double slabVolume(const ColliderSlab& slab) {
    double sum = 0;
    for (std::size_t t = 0; t < slab.tets.size(); ++t) sum += slabTetVolume(slab, t);
    return sum;
}

double colliderArea(const ColliderSurface& s) {
    double sum = 0;
    for (const Vec3& a : triangleAreaVectors(s.triangles, s.positions)) sum += a.norm();
    return sum;
}

std::size_t invertedTets(const ColliderSlab& slab) {
    std::size_t count = 0;
    for (std::size_t t = 0; t < slab.tets.size(); ++t) count += !(slabTetVolume(slab, t) > 0);
    return count;
}

/// Every face inside the layer belongs to two tets; the others are fronts, backs and the sides at rims, and the flags say which of
/// them can be touched.
void expectConforming(const ColliderSlab& slab) {
    const auto neighbors = buildTetNeighbors(slab.tets, slab.vertices.size());
    std::size_t outside = 0, touchable = 0, rims = 0, oneSided = 0;
    for (std::size_t t = 0; t < slab.tets.size(); ++t)
        for (int i = 0; i < 4; ++i) {
            const bool touched = slab.outerFaces[t] >> i & 1, open = neighbors[t][static_cast<std::size_t>(i)] < 0;
            EXPECT_TRUE(open || !touched);
            outside += open;
            touchable += touched;
        }
    for (std::size_t t = 0; t < slab.patches.triangle.size(); ++t) {
        for (int k = 0; k < 3; ++k) rims += slab.patches.rim[t] >> k & 1;
        oneSided += !slab.patches.isTwoSided(t);
    }
    EXPECT_EQ(slab.tets.size(), 3 * slab.patches.triangle.size());
    EXPECT_EQ(outside, 2 * slab.patches.triangle.size() + 2 * rims);
    EXPECT_EQ(touchable, outside - oneSided);
}

/// Of the tets with each other; none for a layer that does not pass through itself.
double overlapOfSlabWithItself(const ColliderSlab& slab) {
    std::vector<OverlapTet> tets;
    const std::vector<Vec3>& x = slab.vertices;
    for (const Tet& t : slab.tets) tets.push_back(makeOverlapTet({x[t[0]], x[t[1]], x[t[2]], x[t[3]]}));
    OverlapPolyhedron p;
    double sum = 0;
    for (std::size_t i = 0; i < tets.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!separated(tets[i], tets[j]) && clipTets(tets[i], tets[j], p)) sum += computeShares(p, tets[i]).volume;
    return sum;
}

double overlapWithSlab(const Corners4& corners, const ColliderSlab& slab) {
    const OverlapTet a = makeOverlapTet(corners);
    OverlapPolyhedron p;
    double sum = 0;
    for (const Tet& t : slab.tets) {
        const OverlapTet b = makeOverlapTet({slab.vertices[t[0]], slab.vertices[t[1]], slab.vertices[t[2]], slab.vertices[t[3]]});
        if (!separated(a, b) && clipTets(a, b, p)) sum += computeShares(p, a).volume;
    }
    return sum;
}

TEST(ColliderSlab, OfABoxIsItsWall) {
    ColliderSurface box = boxCollider(4, Vec3(1, 1, 1));
    box.thickness = 0.1;
    const ColliderSlab slab = buildColliderSlab(box);
    EXPECT_EQ(slab.report.summary(), "");
    EXPECT_EQ(slab.report.closedParts, 1u);
    EXPECT_EQ(slab.columnCount(), box.positions.size());
    expectConforming(slab);
    EXPECT_EQ(invertedTets(slab), 0u);
    // mitred at edges and corners, the back is a box that is smaller by the thickness all around
    EXPECT_NEAR(slabVolume(slab), 1 - std::pow(0.8, 3), 1e-14);
    for (std::size_t c = 0; c < slab.columnCount(); ++c) {
        EXPECT_EQ(slab.vertices[c], box.positions[static_cast<std::size_t>(slab.surfaceVertex(c))]);
        EXPECT_NEAR((slab.vertices[c + slab.columnCount()] - Vec3(0.5, 0.5, 0.5)).cwiseAbs().maxCoeff(), 0.4, 1e-15);
    }
}

TEST(ColliderSlab, ChoosesHalfTheMedianEdgeOrAThirdOfWhatIsThere) {
    EXPECT_NEAR(buildColliderSlab(boxCollider(4, Vec3(1, 1, 1))).thickness, 0.125, 1e-15);
    const ColliderSlab coarse = buildColliderSlab(boxCollider(1, Vec3(1, 1, 1)));
    EXPECT_NEAR(coarse.thickness, 0.5, 1e-15);
    for (const double reach : coarse.reach) EXPECT_NEAR(reach, 1.0 / 3, 1e-14);
    EXPECT_EQ(coarse.report.thinned.count, 12u);
    EXPECT_LT(overlapOfSlabWithItself(coarse), 1e-12);
    EXPECT_EQ(invertedTets(coarse), 0u);
}

TEST(ColliderSlab, OfASphereIsAShell) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        ColliderSurface ball = sphereCollider(4, size);
        ball.thickness = 0.02 * size;
        const ColliderSlab slab = buildColliderSlab(ball);
        expectConforming(slab);
        EXPECT_EQ(invertedTets(slab), 0u);
        // area times thickness, less as the back is smaller; facets of 1/20 of the radius leave 1e-3
        const double shell = colliderArea(ball) * ball.thickness * (1 - 0.02 + 0.02 * 0.02 / 3);
        EXPECT_NEAR(slabVolume(slab) / shell, 1, 1e-3);
    }
}

TEST(ColliderSlab, OfASheetHasTheSurfaceInItsMiddle) {
    ColliderSurface sheet = sheetCollider(5, 1.0);
    sheet.thickness = 0.06;
    const ColliderSlab slab = buildColliderSlab(sheet);
    expectConforming(slab);
    EXPECT_EQ(invertedTets(slab), 0u);
    EXPECT_EQ(slab.report.summary(), "");
    EXPECT_EQ(slab.report.openEdge.count, 20u);
    EXPECT_EQ(slab.report.closedParts, 0u);
    EXPECT_NEAR(slabVolume(slab), 0.06, 1e-15);
    for (std::size_t v = 0; v < slab.vertices.size(); ++v) EXPECT_NEAR(slab.vertices[v].z(), v < slab.columnCount() ? 0.03 : -0.03, 1e-17);
}

TEST(ColliderSlab, OfOneTriangle) {
    ColliderSurface one;
    one.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    one.triangles = {{0, 1, 2}};
    const ColliderSlab slab = buildColliderSlab(one);
    expectConforming(slab);
    EXPECT_NEAR(slab.thickness, 0.01 * std::sqrt(2.0), 1e-16);  // bodies stay half of it off the surface
    EXPECT_NEAR(slabVolume(slab), 0.5 * slab.thickness, 1e-16);
    EXPECT_EQ(slab.report.openEdge.count, 3u);
}

TEST(ColliderSlab, OfAMoebiusStripIsWhole) {
    const ColliderSurface strip = moebiusCollider(40);
    const ColliderSlab slab = buildColliderSlab(strip);
    EXPECT_EQ(slab.report.twisted.count, 1u);
    EXPECT_EQ(slab.report.parts, 1u);
    EXPECT_EQ(slab.columnCount(), strip.positions.size());
    expectConforming(slab);
    EXPECT_EQ(invertedTets(slab), 0u);
    EXPECT_NEAR(slabVolume(slab) / (colliderArea(strip) * slab.thickness), 1, 0.01);
    EXPECT_LT(overlapOfSlabWithItself(slab), 1e-12 * slabVolume(slab));
}

TEST(ColliderSlab, TurnsWhatDisagrees) {
    ColliderSurface box = boxCollider(3, Vec3(1, 1, 1));
    for (const std::size_t t : {std::size_t{5}, std::size_t{20}, std::size_t{21}}) std::swap(box.triangles[t][0], box.triangles[t][1]);
    const ColliderSlab slab = buildColliderSlab(box);
    EXPECT_EQ(slab.report.turned.count, 3u);
    EXPECT_EQ(slab.report.turned.triangle, 5);
    EXPECT_EQ(slab.report.closedParts, 1u);
    expectConforming(slab);
    EXPECT_EQ(slabVolume(slab), slabVolume(buildColliderSlab(boxCollider(3, Vec3(1, 1, 1)))));
}

TEST(ColliderSlab, TurnsWhatIsInsideOutButNoCavity) {
    ColliderSurface ball = sphereCollider(2, 1.0);
    const ColliderSlab right = buildColliderSlab(ball);
    for (Tri& t : ball.triangles) std::swap(t[1], t[2]);
    const ColliderSlab turned = buildColliderSlab(ball);
    EXPECT_EQ(turned.report.insideOut.count, 1u);
    EXPECT_EQ(turned.report.turned.count, 0u);
    EXPECT_NEAR(slabVolume(turned), slabVolume(right), 1e-14);

    // the wall of a cavity faces inward by right: its layer is between it and the outer wall
    ColliderSurface hollow = sphereCollider(3, 2.0);
    hollow.thickness = 0.1;
    const auto shift = static_cast<std::int32_t>(hollow.positions.size());
    hollow.positions.insert(hollow.positions.end(), ball.positions.begin(), ball.positions.end());
    for (const Tri& t : ball.triangles) hollow.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    const ColliderSlab wall = buildColliderSlab(hollow);
    EXPECT_EQ(wall.report.summary(), "");
    EXPECT_EQ(wall.report.closedParts, 2u);
    for (std::size_t c = 0; c < wall.columnCount(); ++c) {
        const double r = wall.vertices[c + wall.columnCount()].norm();
        EXPECT_TRUE(r > 1.05 && r < 1.95) << r;
    }
}

TEST(ColliderSlab, LeavesOutWhatIsNoTriangle) {
    ColliderSurface box = boxCollider(2, Vec3(1, 1, 1));
    const std::size_t count = box.triangles.size();
    const Tri t = box.triangles[7];
    box.triangles.push_back({t[0], t[0], t[1]});
    box.triangles.push_back({t[1], t[0], t[2]});
    const ColliderSlab slab = buildColliderSlab(box);
    EXPECT_EQ(slab.report.repeated.count, 1u);
    EXPECT_EQ(slab.report.repeated.triangle, static_cast<std::int32_t>(count));
    EXPECT_EQ(slab.report.duplicate.count, 1u);
    EXPECT_EQ(slab.report.duplicate.triangle, static_cast<std::int32_t>(count) + 1);
    EXPECT_EQ(slab.patches.triangle.size(), count);
    EXPECT_EQ(slab.report.closedParts, 1u);
    expectConforming(slab);
}

// A triangle over three vertices of a line closes a surface all the same.
TEST(ColliderSlab, FlatTrianglesKeepASurfaceClosed) {
    ColliderSurface box = boxCollider(1, Vec3(1, 1, 1));
    const Tri t = box.triangles[0];
    const auto middle = static_cast<std::int32_t>(box.positions.size());
    box.positions.push_back(0.5 * (box.positions[static_cast<std::size_t>(t[0])] + box.positions[static_cast<std::size_t>(t[1])]));
    box.triangles[0] = {t[0], middle, t[2]};
    box.triangles.push_back({middle, t[1], t[2]});
    box.triangles.push_back({t[0], t[1], middle});
    box.thickness = 0.1;
    const ColliderSlab slab = buildColliderSlab(box);
    EXPECT_EQ(slab.report.flat.count, 1u);
    EXPECT_EQ(slab.report.flat.triangle, 13);
    EXPECT_EQ(slab.report.closedParts, 1u);
    EXPECT_EQ(slab.report.givenUp.count, 0u);
    expectConforming(slab);
    EXPECT_NEAR(slabVolume(slab), 1 - std::pow(0.8, 3), 1e-14);
    EXPECT_EQ(invertedTets(slab), 3u);  // those of the flat one
}

TEST(ColliderSlab, SheetsThatMeetAtAnEdgeOverlapThere) {
    ColliderSurface tee;
    tee.positions = {Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(-1, 0, 0), Vec3(-1, 1, 0), Vec3(0, 0, 1), Vec3(0, 1, 1)};
    tee.triangles = {{0, 2, 1}, {2, 3, 1}, {4, 0, 1}, {4, 1, 5}, {0, 1, 6}, {1, 7, 6}};
    tee.thickness = 0.1;
    const ColliderSlab slab = buildColliderSlab(tee);
    EXPECT_EQ(slab.report.crowdedEdge.count, 1u);
    EXPECT_EQ(slab.report.parts, 3u);
    EXPECT_EQ(slab.report.closedParts, 0u);
    EXPECT_EQ(slab.columnCount(), 12u);
    expectConforming(slab);
    EXPECT_EQ(invertedTets(slab), 0u);
    EXPECT_NEAR(slabVolume(slab), 0.3, 1e-14);
}

// Two boxes with an edge in common are open there; with a corner in common they are closed.
TEST(ColliderSlab, BoxesThatTouch) {
    const ColliderSurface one = boxCollider(1, Vec3(1, 1, 1));
    const auto beside = [&](const Vec3& shift) {
        ColliderSurface two = one;
        two.thickness = 0.1;
        std::vector<std::int32_t> number;
        for (const Vec3& p : one.positions) {
            const auto same = std::find(one.positions.begin(), one.positions.end(), Vec3(p + shift));
            const bool isNew = same == one.positions.end();
            number.push_back(static_cast<std::int32_t>(isNew ? static_cast<std::ptrdiff_t>(two.positions.size()) : same - one.positions.begin()));
            if (isNew) two.positions.push_back(p + shift);
        }
        for (const Tri& t : one.triangles) two.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
        return buildColliderSlab(two);
    };
    const ColliderSlab edge = beside(Vec3(1, 1, 0)), corner = beside(Vec3(1, 1, 1));
    EXPECT_EQ(edge.report.crowdedEdge.count, 1u);
    EXPECT_EQ(edge.report.closedParts, 0u);
    EXPECT_EQ(edge.columnCount(), 16u);
    EXPECT_EQ(corner.report.summary(), "");
    EXPECT_EQ(corner.report.closedParts, 2u);
    EXPECT_EQ(corner.columnCount(), 16u);
    EXPECT_NEAR(slabVolume(corner), 2 * (1 - std::pow(0.8, 3)), 1e-14);
    for (const ColliderSlab* slab : {&edge, &corner}) {
        expectConforming(*slab);
        EXPECT_EQ(invertedTets(*slab), 0u);
    }
}

TEST(ColliderSlab, OfARoomHasTwoSides) {
    ColliderSurface room = boxCollider(4, Vec3(1, 1, 1));
    room.thickness = 0.1;
    room.twoSided = true;
    const ColliderSlab slab = buildColliderSlab(room);
    EXPECT_EQ(slab.report.closedParts, 1u);
    expectConforming(slab);
    EXPECT_NEAR(slabVolume(slab), std::pow(1.1, 3) - std::pow(0.9, 3), 1e-14);
}

// Nothing is behind both of two triangles that are folded onto each other: their layer has no thickness at the fold.
TEST(ColliderSlab, TapersAtAFold) {
    ColliderSurface fold;
    fold.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.2, 0.9, 0)};
    fold.triangles = {{0, 1, 2}, {1, 0, 3}};
    const ColliderSlab slab = buildColliderSlab(fold);
    EXPECT_EQ(slab.report.givenUp.count, 2u);
    expectConforming(slab);
    for (std::size_t t = 0; t < slab.tets.size(); ++t) EXPECT_GE(slabTetVolume(slab, t), 0);
    EXPECT_GT(slabVolume(slab), 0);
    const ContactShape shape = buildContactShape(slab, {});
    for (const double area : shape.area) EXPECT_GT(area, 0);
}

TEST(ColliderSlab, OfAThinPlateDoesNotPassThroughItself) {
    for (const bool dense : {false, true}) {
        const ColliderSurface plate = boxCollider(dense ? 6 : 1, Vec3(1, 1, 1e-3));
        const ColliderSlab slab = buildColliderSlab(plate);
        EXPECT_EQ(slab.report.closedParts, 1u);
        EXPECT_EQ(invertedTets(slab), 0u);
        EXPECT_EQ(slab.report.givenUp.count, 0u);
        EXPECT_GT(slab.report.thinned.count, 0u);
        expectConforming(slab);
        EXPECT_LT(overlapOfSlabWithItself(slab), 1e-12 * slabVolume(slab));
        for (std::size_t c = 0; c < slab.columnCount(); ++c) {
            const double front = slab.vertices[c].z() - 5e-4, back = slab.vertices[c + slab.columnCount()].z() - 5e-4;
            if (std::abs(front) > 4.9e-4) {
                EXPECT_GT(back / front, 0.3);
                EXPECT_LT(back / front, 0.95);
            }
        }
    }
}

TEST(ColliderSlab, OfOpenSheetsNearEachOtherDoNotPassThroughEachOther) {
    ColliderSurface sheets = sheetCollider(4, 1.0);
    const ColliderSurface other = sheetCollider(4, 1.0);
    const auto shift = static_cast<std::int32_t>(sheets.positions.size());
    for (const Vec3& p : other.positions) sheets.positions.push_back(p + Vec3(0, 0, 1e-3));
    for (const Tri& t : other.triangles) sheets.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    const ColliderSlab slab = buildColliderSlab(sheets);
    for (const double reach : slab.reach) EXPECT_NEAR(reach, 2e-3 / 3, 1e-15);
    EXPECT_EQ(invertedTets(slab), 0u);
}

// A coarse spike and a sharp wedge, thick layers asked for: what does not fit is made to.
TEST(ColliderSlab, IsThinnerWhereItWouldFold) {
    ColliderSurface spike = boxCollider(3, Vec3(1, 1, 1));
    for (Vec3& p : spike.positions) {
        const double share = p.z();
        p = Vec3(p.x() * (1 - 0.98 * share), p.y() * (1 - 0.95 * share), 4 * p.z());
    }
    spike.thickness = 0.5;
    const ColliderSlab slab = buildColliderSlab(spike);
    expectConforming(slab);
    EXPECT_EQ(invertedTets(slab), 0u);
    EXPECT_LT(overlapOfSlabWithItself(slab), 1e-12 * slabVolume(slab));
    EXPECT_GT(slab.report.thinned.count + slab.report.shortened.count, 0u);
    EXPECT_LT(slab.report.thinnest, 0.02);
    EXPECT_NE(slab.report.summary(), "");
}

TEST(ColliderSlab, ErrorsNameTheCulprit) {
    const auto messageOf = [](const ColliderSurface& s) -> std::string {
        try {
            buildColliderSlab(s);
        } catch (const Error& e) {
            EXPECT_FALSE(e.remedy().empty());
            return e.what();
        }
        return "";
    };
    ColliderSurface s = sheetCollider(2, 1.0);
    s.triangles[3][1] = 99;
    EXPECT_EQ(messageOf(s), "triangle 3 of the collider names vertex 99, but there are 9");
    s = sheetCollider(2, 1.0);
    s.positions[4].y() = std::nan("");
    EXPECT_NE(messageOf(s).find("vertex 4"), std::string::npos);
    s = sheetCollider(2, 1.0);
    for (Vec3& p : s.positions) p.y() = 0;
    EXPECT_EQ(messageOf(s), "none of the collider's 8 triangles has an area");
    s.triangles.clear();
    EXPECT_NE(messageOf(s), "");
    s = sheetCollider(2, 1.0);
    s.thickness = -1;
    EXPECT_NE(messageOf(s), "");
    ColliderSlab slab = buildColliderSlab(sheetCollider(2, 1.0));
    EXPECT_THROW(updateColliderSlab(slab, std::vector<Vec3>(8, Vec3::Zero())), Error);
    EXPECT_THROW(updateColliderSlab(slab, std::vector<Vec3>(9, Vec3::Constant(std::nan("")))), Error);
}

class ColliderModel : public ::testing::TestWithParam<const char*> {};

TEST_P(ColliderModel, HasNoInvertedTets) {
    const std::string path = testing::modelPath(GetParam());
    if (path.empty()) GTEST_SKIP() << "../shared/models/" << GetParam() << " is not there";
    const TriMesh mesh = triMeshFromGeometry(testing::loadObj(path));
    ColliderSurface surface;
    surface.positions = mesh.positions;
    surface.triangles = mesh.triangles;
    const ColliderSlab slab = buildColliderSlab(surface);
    const ColliderReport& r = slab.report;
    expectConforming(slab);
    std::size_t inverted = 0;
    for (std::size_t t = 0; t < slab.tets.size(); ++t) inverted += slabTetVolume(slab, t) < 0;
    std::cout << GetParam() << ": " << mesh.triangleCount() << " triangles in " << r.parts << " parts, " << r.closedParts << " closed; "
              << r.thickness << " m thick, at least " << r.thinnest << ", and in the mean " << slabVolume(slab) / colliderArea(surface) << "\n"
              << r.summary();
    EXPECT_EQ(inverted, 0u);
    EXPECT_LE(r.givenUp.count * 100, mesh.triangleCount());
}
INSTANTIATE_TEST_SUITE_P(Shared, ColliderModel, ::testing::Values("cow.obj", "rocker-arm.obj", "spot.obj", "stanford-bunny.obj", "suzanne.obj", "teapot.obj"));

// A body over a flat part, across borders of triangles, is as deep in the layer as in a half space, until it comes out at the back.
TEST(ColliderSlab, OverlapsAsAHalfSpaceDoes) {
    ColliderSurface box = boxCollider(6, Vec3(3, 3, 3));
    for (Vec3& p : box.positions) p.z() -= 3;
    box.thickness = 0.2;
    const ColliderSlab slab = buildColliderSlab(box);
    double worst = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        Corners4 corners = testing::randomCorners(11, i, Vec3(randomRange(1, 2, 12, i, 0), randomRange(1, 2, 12, i, 1), 0));
        double lowest = 0;
        for (const Vec3& p : corners) lowest = std::min(lowest, p.z());
        const double depth = randomRange(1e-6, 0.19, 12, i, 2);
        for (Vec3& p : corners) p.z() -= lowest + depth;
        OverlapPolyhedron p;
        const OverlapTet a = makeOverlapTet(corners);
        const double expected = clipTet(a, HalfSpace{Vec3(0, 0, 1), 0}, p) ? computeTetShares(p, a).volume : 0;
        worst = std::max(worst, std::abs(overlapWithSlab(corners, slab) - expected));
    }
    EXPECT_LT(worst, 1e-15);  // of volumes of up to 0.1

    for (const double depth : {1e-7, 1e-3, 0.15}) {
        TetMesh column = testing::makeBox(2, 3, 1, Vec3(0.7, 0.9, 1));
        for (Vec3& p : column.rest) p += Vec3(0.83, 1.11, -depth);
        double volume = 0;
        const std::vector<Vec3>& x = column.rest;
        for (const Tet& t : column.tets) volume += overlapWithSlab({x[t[0]], x[t[1]], x[t[2]], x[t[3]]}, slab);
        EXPECT_NEAR(volume, depth * 0.63, 1e-14);
    }
}

TEST(ColliderSlab, UpdateMovesItAsABuildDoes) {
    ColliderSurface ball = sphereCollider(3, 1.0);
    ball.thickness = 0.05;
    ColliderSlab slab = buildColliderSlab(ball);
    const std::vector<Vec3> start = slab.vertices;
    const auto bend = [&](double amount) {
        std::vector<Vec3> x = ball.positions;
        for (Vec3& p : x) p = Vec3(p.x() * (1 + amount), p.y(), p.z() + amount * p.x() * p.x());
        return x;
    };
    ColliderSurface bent = ball;
    bent.positions = bend(0.4);
    EXPECT_EQ(updateColliderSlab(slab, bend(0.2)).givenUp.count, 0u);
    for (const int threads : {1, 2, 5}) {
        setThreadCount(threads);
        EXPECT_EQ(updateColliderSlab(slab, bent.positions).shortened.count, 0u);
        EXPECT_EQ(slab.vertices, buildColliderSlab(bent).vertices);
    }
    setThreadCount(0);
    updateColliderSlab(slab, ball.positions);
    EXPECT_EQ(slab.vertices, start);
    // squeezed flat it must become thinner, and comes back
    std::vector<Vec3> flat = ball.positions;
    for (Vec3& p : flat) p.y() *= 0.01;
    const ColliderPlacement squeezed = updateColliderSlab(slab, flat);
    EXPECT_GT(squeezed.shortened.count, 0u);
    EXPECT_EQ(squeezed.givenUp.count, 0u);
    EXPECT_EQ(invertedTets(slab), 0u);
    updateColliderSlab(slab, ball.positions);
    EXPECT_EQ(slab.vertices, start);
}

}  // namespace
}  // namespace sunder
