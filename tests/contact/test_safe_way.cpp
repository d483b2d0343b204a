#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <memory>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/contact/broad_phase.h"
#include "core/contact/safe_way.h"
#include "core/spatial/triangle.h"
#include "tests/support/builders.h"

namespace sunder {

namespace {
using testing::makeBox;
constexpr double kRounded = 1 + 1e-9;
constexpr double kSpacing = 0.03;  // m, half of the thinnest body of the crowd: what passes through one is seen

/// Bodies with where they are and where they would go.
struct Scene {
    std::vector<std::shared_ptr<const Body>> bodies;
    std::vector<std::unique_ptr<ContactShape>> shapes;
    std::vector<std::vector<Vec3>> start, end;
    SelfContact self = SelfContact::kNone;

    template <class Motion>
    std::size_t add(TetMesh mesh, Motion&& motion) {
        Body body;
        body.name = "solid";
        body.mesh = std::move(mesh);
        body.materials.resize(1);
        body.materials[0].name = "test";
        bodies.push_back(buildBody(std::move(body)));
        shapes.push_back(std::make_unique<ContactShape>(buildContactShape(*bodies.back())));
        start.push_back(bodies.back()->mesh.rest);
        end.emplace_back();
        for (const Vec3& x : start.back()) end.back().push_back(motion(x));
        return bodies.size() - 1;
    }
    std::size_t addMoving(TetMesh mesh, const Vec3& way) {
        return add(std::move(mesh), [&](const Vec3& x) { return Vec3(x + way); });
    }

    PairList pairs() const {
        BroadPhase broad;
        std::vector<BodyMotion> motion;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            ContactBody options;
            options.self = self;
            broad.addBody(options, shapes[b]->corners, shapes[b]->pieces);
            motion.push_back({start[b], end[b], {}, false});
        }
        PairList list;
        broad.update(motion);
        broad.tightPairs(motion, list);
        return list;
    }
    template <class Function>
    auto call(Function&& function) const {
        std::vector<const ContactShape*> shape;
        std::vector<Span<const Vec3>> from, to;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            shape.push_back(shapes[b].get());
            from.emplace_back(start[b]);
            to.emplace_back(end[b]);
        }
        return function(pairs(), shape, from, to);
    }
    std::vector<double> shares() const {
        std::vector<double> share(bodies.size(), -1.0);
        call([&](const PairList& list, const auto& shape, const auto& from, const auto& to) { safeShares(list, shape, from, to, share); });
        return share;
    }
    double commonShare() const {
        return call([](const PairList& list, const auto& shape, const auto& from, const auto& to) { return safeShare(list, shape, from, to); });
    }
    std::vector<Vec3> at(std::size_t b, double t) const {
        std::vector<Vec3> x(start[b].size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = start[b][i] + t * (end[b][i] - start[b][i]);
        return x;
    }
    /// Of the body's tets' smallest heights the largest.
    double height(std::size_t b) const {
        double largest = 0;
        for (const ElementCorners& t : shapes[b]->corners)
            largest = std::max(largest, smallestHeight({start[b][t[0]], start[b][t[1]], start[b][t[2]], start[b][t[3]]}));
        return largest;
    }
};

TetMesh moved(TetMesh mesh, const Vec3& by) {
    for (Vec3& x : mesh.rest) x += by;
    return mesh;
}

/// A box around the origin.
TetMesh centredBox(int n, double size) { return moved(makeBox(n, n, n, Vec3::Constant(size)), Vec3::Constant(-size / 2)); }

TetMesh makeBall(int n, double radius) {
    TetMesh mesh = centredBox(n, 2);
    for (Vec3& x : mesh.rest)
        if (x.norm() > 0) x *= radius * x.cwiseAbs().maxCoeff() / x.norm();
    return mesh;
}

/// Depth of p below the surface of a body, 0 outside.
double depthIn(const ContactShape& shape, const Body& body, const std::vector<Vec3>& x, const Vec3& p) {
    bool inside = false;
    for (const Tet& t : body.mesh.tets) {
        double least = HUGE_VAL;
        for (const auto& f : kTetFaces)
            least = std::min(least, -signedVolume(x[t[f[0]]], x[t[f[1]]], x[t[f[2]]], p));
        inside = inside || least > 0;
        if (inside) break;
    }
    if (!inside) return 0;
    double nearestSq = HUGE_VAL;
    for (std::size_t v = 0; v < shape.trianglesAround.size(); ++v)
        for (const std::int32_t code : shape.trianglesAround[v]) {
            const Tri t = shape.triangle(code);
            nearestSq = std::min(nearestSq, closestPointOnTriangle(p, x[t[0]], x[t[1]], x[t[2]]).distanceSq);
        }
    return std::sqrt(nearestSq);
}

/// How deep any surface vertex is in another body on the way that the shares leave, as a multiple of kSafeDepth times the lower of
/// the two bodies' heights. Seen at moments between which no two vertices go farther than `spacing` against each other.
double deepestOnTheWay(const Scene& scene, const std::vector<double>& share, double spacing) {
    double deepest = 0, longest = 0;
    for (std::size_t b = 0; b < share.size(); ++b)
        for (std::size_t i = 0; i < scene.start[b].size(); ++i)
            longest = std::max(longest, share[b] * (scene.end[b][i] - scene.start[b][i]).norm());
    const int times = 1 + static_cast<int>(2 * longest / spacing);
    for (int k = 0; k <= times; ++k) {
        std::vector<std::vector<Vec3>> x;
        for (std::size_t b = 0; b < share.size(); ++b) x.push_back(scene.at(b, share[b] * k / times));
        for (std::size_t a = 0; a < share.size(); ++a)
            for (std::size_t b = 0; b < share.size(); ++b) {
                if (a == b) continue;
                const double allowed = kSafeDepth * std::min(scene.height(a), scene.height(b));
                for (std::size_t i = 0; i < x[a].size(); ++i)
                    if (!scene.shapes[a]->trianglesAround[i].empty())
                        deepest = std::max(deepest, depthIn(*scene.shapes[b], *scene.bodies[b], x[b], x[a][i]) / allowed);
            }
    }
    return deepest;
}

int bits(unsigned mask) {
    int count = 0;
    for (; mask != 0; mask &= mask - 1) ++count;
    return count;
}
}  // namespace

TEST(SafeWay, FeaturesOnTheSurfaceAreThoseOfItsTriangles) {
    Scene scene;
    scene.addMoving(makeBox(4, 4, 4, Vec3::Ones()), Vec3::Zero());
    const ContactShape& shape = *scene.shapes[0];
    int faces = 0, ownEdges = 0, ownVertices = 0;
    for (std::size_t s = 0; s < shape.corners.size(); ++s) {
        const SkinFeatures& f = shape.features[s];
        faces += bits(f.faces);
        ownEdges += bits(f.ownEdges);
        ownVertices += bits(f.ownVertices);
        EXPECT_EQ(f.vertices != 0, shape.corners[s][0] >= 0);
        EXPECT_EQ(f.ownVertices & ~f.vertices, 0);
        EXPECT_EQ(f.ownEdges & ~f.edges, 0);
        for (unsigned k = 0; k < 6; ++k)
            EXPECT_TRUE(!(f.edges >> k & 1) || ((f.vertices >> kTetEdges[k][0] & 1) && (f.vertices >> kTetEdges[k][1] & 1)));
        for (unsigned k = 0; k < 4; ++k)
            for (const int c : kTetFaces[k]) EXPECT_TRUE(!(f.faces >> k & 1) || (f.vertices >> c & 1));
    }
    EXPECT_EQ(faces, 6 * 16 * 2);
    EXPECT_EQ(ownVertices, 125 - 27);
    EXPECT_EQ(ownEdges, faces + ownVertices - 2);  // Euler
}

TEST(SafeWay, BallStopsInThinPlate) {
    for (const bool plateMoves : {false, true}) {
        Scene scene;
        const double thick = 0.002, radius = 0.05, way = 60.0 / 24;
        const Vec3 off(0.003, 0.007, 0);
        scene.addMoving(moved(makeBox(60, 60, 1, Vec3(0.2, 0.2, thick)), Vec3(-0.1, -0.1, -thick)), Vec3(0, 0, plateMoves ? 0.3 * way : 0));
        scene.addMoving(moved(makeBall(8, radius), off + Vec3(0, 0, 0.3)), Vec3(0, 0, -way));
        const std::vector<double> share = scene.shares();
        EXPECT_LT(share[1], 0.2);
        if (plateMoves)
            EXPECT_LT(share[0], 1);
        else
            EXPECT_EQ(share[0], 1);
        double middle = HUGE_VAL, lowest = HUGE_VAL;
        for (const Vec3& x : scene.at(0, share[0])) middle = std::min(middle, x.z() + thick / 2);
        for (const Vec3& x : scene.at(1, share[1])) lowest = std::min(lowest, x.z());
        EXPECT_GT(lowest, middle);
        EXPECT_LT(lowest, middle + thick / 2);  // it does arrive
    }
}

TEST(SafeWay, SlidingIsNotHeldBack) {
    const double h = 0.1;
    for (const double gap : {0.001, 0.0, -0.005}) {  // above, on and below the surface
        for (const bool ball : {false, true}) {
            Scene scene;
            scene.addMoving(moved(makeBox(16, 8, 2, Vec3(1.6, 0.8, 0.2)), Vec3(0, 0, -0.2)), Vec3::Zero());
            TetMesh slider = ball ? makeBall(4, 0.1) : centredBox(2, 0.2);
            scene.addMoving(moved(slider, Vec3(0.413, 0.407, h + gap)), Vec3(0.7, 0.05, 0));
            const std::vector<double> share = scene.shares();
            EXPECT_EQ(share[0], 1) << gap;
            EXPECT_EQ(share[1], 1) << gap << (ball ? " ball" : " box");
        }
    }
}

TEST(SafeWay, SlidingTipIsNotHeldBack) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Scene scene;
        TetMesh floor = moved(makeBox(16, 16, 2, Vec3(1.6, 1.6, 0.2)), Vec3(-0.8, -0.8, -0.2));
        testing::jitter(floor, 0.2, seed);
        for (Vec3& x : floor.rest)
            if (x.z() > -0.05) x.z() = 0;
        TetMesh tip = centredBox(2, 0.2);
        const Vec3 axis(randomRange(-1, 1, seed, 1), randomRange(-1, 1, seed, 2), randomRange(-1, 1, seed, 3));
        const Mat3 turn = Eigen::AngleAxisd(2, axis.normalized()).toRotationMatrix();
        double lowest = HUGE_VAL;
        for (Vec3& x : tip.rest) lowest = std::min(lowest, (x = turn * x).z());
        scene.addMoving(floor, Vec3::Zero());
        scene.addMoving(moved(tip, Vec3(-0.1, 0.02, -lowest - 0.012)), Vec3(0.3, randomRange(-0.3, 0.3, seed, 4), 0));
        const std::vector<double> share = scene.shares();
        EXPECT_EQ(share[0], 1) << seed;
        EXPECT_EQ(share[1], 1) << seed;
    }
}

TEST(SafeWay, PartingIsNotHeldBack) {
    Scene scene;
    scene.addMoving(centredBox(2, 0.2), Vec3(0, 0, -0.5));
    scene.addMoving(moved(centredBox(2, 0.2), Vec3(0.013, 0.021, 0.19)), Vec3(0.02, 0, 0.6));
    for (const double share : scene.shares()) EXPECT_EQ(share, 1);
}

TEST(SafeWay, OverlapDoesNotGrowByMoreThanTheDepth) {
    Scene scene;
    scene.addMoving(moved(makeBox(8, 8, 1, Vec3(0.8, 0.8, 0.1)), Vec3(-0.4, -0.4, -0.1)), Vec3::Zero());
    scene.addMoving(moved(centredBox(2, 0.2), Vec3(0.013, 0.021, 0.09)), Vec3(0.3, 0.1, -0.5));
    const std::vector<double> share = scene.shares();
    EXPECT_EQ(share[0], 1);
    EXPECT_GT(share[1], 0);
    EXPECT_LE(0.5 * share[1], kSafeDepth * scene.height(0));
}

TEST(SafeWay, FastBodyElsewhereHoldsNobody) {
    Scene scene;
    for (int k = 0; k < 3; ++k) scene.addMoving(moved(centredBox(2, 0.2), Vec3(0.01 * k, 0, 0.2005 * k)), Vec3(0, 0, -0.0002 * k));
    scene.addMoving(moved(centredBox(2, 0.2), Vec3(5, 0, 0)), Vec3(0, 0, -3));
    scene.addMoving(moved(makeBox(4, 4, 1, Vec3(1, 1, 0.05)), Vec3(4.5, -0.5, -1)), Vec3::Zero());
    const std::vector<double> share = scene.shares();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(share[k], 1) << k;
    EXPECT_LT(share[3], 0.5);
    EXPECT_EQ(share[4], 1);
    EXPECT_LT(scene.commonShare(), 0.5);
}

/// All of a needle that turns in its place goes nowhere, its tip does.
TEST(SafeWay, TurningBodyIsHeldWhereItsTipHits) {
    Scene scene;
    scene.add(moved(makeBox(1, 1, 6, Vec3(0.1, 0.1, 2)), Vec3(-0.05, -0.05, -1)), [](const Vec3& x) { return Vec3(Eigen::AngleAxisd(1.2, Vec3::UnitY()) * x); });
    scene.addMoving(moved(centredBox(1, 0.2), Vec3(0.5, 0, 0.75)), Vec3::Zero());
    const std::vector<double> share = scene.shares();
    EXPECT_LT(share[0], 0.9);
    EXPECT_GT(share[0], 0.1);
    EXPECT_LE(deepestOnTheWay(scene, share, kSpacing), kRounded);
}

TEST(SafeWay, SlowBodyHitByFastOneGoesOn) {
    Scene scene;
    scene.addMoving(centredBox(2, 0.2), Vec3(0.01, 0, 0));
    scene.addMoving(moved(centredBox(2, 0.2), Vec3(-1, 0.01, 0.02)), Vec3(4, 0, 0));
    const std::vector<double> share = scene.shares();
    EXPECT_EQ(share[0], 1);
    EXPECT_LT(share[1], 0.25);
    EXPECT_GT(share[1] * 4, 0.8);  // up to the other one
}

TEST(SafeWay, BothAreHeldWhereTheyMeet) {
    Scene scene;
    scene.addMoving(centredBox(2, 0.2), Vec3(-2, 0, 0));
    scene.addMoving(moved(centredBox(2, 0.2), Vec3(-1, 0.01, 0.02)), Vec3(2, 0, 0));
    const std::vector<double> share = scene.shares();
    for (const double s : share) {
        EXPECT_LT(s, 0.25);
        EXPECT_GT(s, 0.15);
    }
    EXPECT_LE(deepestOnTheWay(scene, share, 0.02), kRounded);
}

/// Two roofs, one upside down and across: ridges meet ridges, no vertex comes near a face.
TEST(SafeWay, CrossingRidgesStop) {
    const auto roof = [](bool down) {
        TetMesh mesh = makeBox(1, 4, 1, Vec3(0.2, 0.8, 0.1));
        for (Vec3& x : mesh.rest) {
            x -= Vec3(0.1, 0.4, 0.1);
            x.x() *= -x.z() / 0.1 + 0.02;  // narrow on top
            if (down) x = Vec3(x.y() + 0.03, x.x() + 0.04, -x.z() + 0.2);
        }
        if (down)
            for (Tet& t : mesh.tets)
                if (signedVolume(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]) < 0) std::swap(t[0], t[1]);
        return mesh;
    };
    Scene scene;
    scene.addMoving(roof(false), Vec3::Zero());
    scene.addMoving(roof(true), Vec3(0, 0, -2));
    const std::vector<double> share = scene.shares();
    EXPECT_EQ(share[0], 1);
    EXPECT_GT(2 * share[1], 0.2);
    EXPECT_LE(2 * share[1], 0.2 + kSafeDepth * scene.height(0));
}

TEST(SafeWay, ChainStaysSafe) {
    for (const int count : {3, 6, 20, 80}) {
        const double way = count == 80 ? 5 : 0.9;  // the last one does not settle and gets a common share
        Scene scene;
        scene.addMoving(moved(centredBox(1, 0.2), Vec3(0, 0.02, 0.01)), Vec3::Zero());
        for (int k = 1; k < count; ++k) scene.addMoving(moved(centredBox(1, 0.2), Vec3(-0.22 * k, 0.003 * k, 0)), Vec3(way, 0, 0));
        const std::vector<double> share = scene.shares();
        EXPECT_LT(share[1], 0.2);
        EXPECT_LE(deepestOnTheWay(scene, share, 0.02), kRounded) << count;
        for (int k = 2; k < count; ++k) EXPECT_LT(share[k], std::max(0.3, 0.06 * k)) << count << " " << k;  // 0.02 m from each to the next
        const bool alike = share == std::vector<double>(share.size(), scene.commonShare());
        EXPECT_EQ(alike, count == 80) << count;
    }
}

TEST(SafeWay, BodyMeetsItself) {
    Scene scene;
    scene.self = SelfContact::kAll;
    TetMesh two = centredBox(2, 0.2), other = moved(centredBox(2, 0.2), Vec3(0.01, 0, 0.3));
    const auto count = static_cast<std::int32_t>(two.vertexCount());
    two.rest.insert(two.rest.end(), other.rest.begin(), other.rest.end());
    for (Tet t : other.tets) {
        for (std::int32_t& v : t) v += count;
        two.tets.push_back(t);
    }
    scene.add(two, [](const Vec3& x) { return Vec3(x - Vec3(0, 0, x.z() > 0.15 ? 1.0 : 0.0)); });
    const std::vector<double> share = scene.shares();
    EXPECT_GT(share[0], 0.1);
    EXPECT_LE(share[0], 0.1 + kSafeDepth * scene.height(0));
}

/// A few plates, needles, wedges and cubes, apart at the start, with motions that lead through each other: turning, stretching, up to
/// several times their size.
Scene makeCrowd(std::uint64_t seed) {
    Scene scene;
    const int count = 2 + static_cast<int>(randomBits(seed, 1) % 4);
    for (int b = 0; b < count; ++b) {
        const std::uint64_t key = 100 * seed + static_cast<std::uint64_t>(b);
        const auto draw = [&](std::uint64_t id) {
            return Vec3(randomRange(-1, 1, key, id, 0), randomRange(-1, 1, key, id, 1), randomRange(-1, 1, key, id, 2));
        };
        const auto kind = randomBits(key, 2) % 4;
        TetMesh mesh = kind == 0   ? moved(makeBox(3, 3, 1, Vec3(1, 1, 0.06)), Vec3(-0.5, -0.5, -0.03))
                       : kind == 1 ? moved(makeBox(1, 1, 4, Vec3(0.12, 0.12, 1.2)), Vec3(-0.06, -0.06, -0.6))
                       : kind == 2 ? moved(makeBox(1, 3, 1, Vec3(0.6, 0.9, 0.3)), Vec3(-0.3, -0.45, -0.3))
                                   : centredBox(2, 0.8);
        if (kind == 2)
            for (Vec3& x : mesh.rest) x.x() *= -x.z() / 0.3 + 0.1;
        testing::jitter(mesh, 0.2, key);
        const Mat3 turned = Eigen::AngleAxisd(3 * draw(3).norm(), draw(3).normalized()).toRotationMatrix();
        const Vec3 at(1.8 * (b % 2), 1.8 * (b / 2 % 2), 1.8 * (b / 4));  // cells that bodies cannot reach out of
        for (Vec3& x : mesh.rest) x = turned * x + at;
        const double fast = randomBits(key, 4) % 3 == 0 ? 0.05 : 1;
        const Vec3 way = fast * (2 * draw(5) + 2.0 * (Vec3(0.9, 0.9, 0) - at));
        const Mat3 turn = Eigen::AngleAxisd(fast * randomRange(0, 1.3, key, 6), draw(7).normalized()).toRotationMatrix();
        const Mat3 stretch = Mat3::Identity() + 0.1 * draw(8) * draw(9).transpose();
        scene.add(std::move(mesh), [&](const Vec3& x) { return Vec3(turn * stretch * (x - at) + at + way); });
    }
    return scene;
}

/// All along the way that shares leave, no surface vertex lies deeper below the surface of another body than kSafeDepth of the
/// lower body's height.
TEST(SafeWay, RandomCrowdStaysSafe) {
    int held = 0, free = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Scene scene = makeCrowd(seed);
        const std::vector<double> share = scene.shares(), common(share.size(), scene.commonShare());
        for (const double s : share) {
            EXPECT_GT(s, 0);
            EXPECT_LE(s, 1);
            (s < 1 ? held : free) += 1;
        }
        EXPECT_LE(deepestOnTheWay(scene, share, kSpacing), kRounded) << seed;
        EXPECT_LE(deepestOnTheWay(scene, common, kSpacing), kRounded) << seed;
    }
    EXPECT_GT(held, 50);
    EXPECT_GT(free, 20);
}

/// The crowd goes on from where its shares have led it, some of it overlapping: depths as before, and as much with every step.
TEST(SafeWay, OverlappingCrowdStaysSafe) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Scene scene = makeCrowd(seed);
        for (int step = 1; step <= 2; ++step) {
            const std::vector<double> share = scene.shares();
            EXPECT_LE(deepestOnTheWay(scene, share, kSpacing), step * kRounded) << seed << " step " << step;
            for (std::size_t b = 0; b < share.size(); ++b) {
                const std::vector<Vec3> x = scene.at(b, share[b]);
                const auto draw = [&](std::uint64_t k) { return randomRange(-0.5, 0.5, seed, b, k); };
                const Vec3 aside(draw(5), draw(6), draw(7));
                for (std::size_t i = 0; i < x.size(); ++i) scene.end[b][i] += x[i] - scene.start[b][i] + aside;
                scene.start[b] = x;
            }
        }
    }
}

/// What is kept of tets from pair to pair is that of their present start: every pair on its own, with nothing kept, gives the same.
TEST(SafeWay, CommonShareIsTheLeastOfThePairs) {
    int overlapping = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Scene scene = makeCrowd(seed);
        for (int step = 1; step <= 3; ++step) {
            double least = 1;
            const PairList list = scene.pairs();
            for (const BodyPairRange& range : list.ranges)
                for (const ElementPair& pair : list.of(range)) {
                    const auto way = [&](std::int32_t b) {
                        return BodyWay{scene.shapes[static_cast<std::size_t>(b)].get(), scene.start[static_cast<std::size_t>(b)], scene.end[static_cast<std::size_t>(b)]};
                    };
                    const auto heightOf = [&](const BodyWay& body, std::int32_t tet) {
                        const ElementCorners& c = body.shape->corners[static_cast<std::size_t>(tet)];
                        return smallestHeight({body.at(c[0], 0), body.at(c[1], 0), body.at(c[2], 0), body.at(c[3], 0)});
                    };
                    const BodyWay a = way(range.bodyA), b = way(range.bodyB);
                    PairStart start;
                    const double depth = kSafeDepth * std::min(heightOf(a, pair.i), heightOf(b, pair.j));
                    least = std::min(least, limitWay({&a, static_cast<std::size_t>(pair.i)}, {&b, static_cast<std::size_t>(pair.j)}, depth, start).both);
                    overlapping += start.overlaps ? 1 : 0;
                }
            EXPECT_EQ(scene.commonShare(), least) << seed << " step " << step;
            for (std::size_t b = 0; b < scene.bodies.size(); ++b) scene.start[b] = scene.at(b, 0.5);
        }
    }
    EXPECT_GT(overlapping, 1000);
}

/// Pairs that are said to be apart whatever less of their ways they go are never held.
TEST(SafeWay, WhatIsApartForGoodIsNotHeldOnShorterWays) {
    int apart = 0, onlyNow = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Scene scene = makeCrowd(seed);
        const PairList list = scene.pairs();
        std::uint64_t number = 0;
        for (const BodyPairRange& range : list.ranges)
            for (const ElementPair& pair : list.of(range)) {
                const auto way = [&](std::int32_t body, double share) {
                    const auto b = static_cast<std::size_t>(body);
                    return BodyWay{scene.shapes[b].get(), scene.start[b], scene.end[b], share};
                };
                const auto limit = [&](double shareA, double shareB, PairStart& start) {
                    const BodyWay a = way(range.bodyA, shareA), b = way(range.bodyB, shareB);
                    return limitWay({&a, static_cast<std::size_t>(pair.i)}, {&b, static_cast<std::size_t>(pair.j)}, 0.01, start);
                };
                PairStart start;
                const bool holds = limit(1, 1, start).holds();
                ++number;
                if (!start.apart) {
                    onlyNow += holds ? 0 : 1;
                    continue;
                }
                ++apart;
                ASSERT_FALSE(holds);
                for (std::uint64_t k = 0; k < 6; ++k) {
                    PairStart anew;
                    const double a = k < 4 ? randomRange(0, 1, seed, number, 2 * k) : 0, b = k == 4 ? 0.0 : randomRange(0, 1, seed, number, 2 * k + 1);
                    ASSERT_FALSE(limit(a, b, anew).holds()) << a << " " << b;
                }
            }
    }
    EXPECT_GT(apart, 1000);
    EXPECT_GT(onlyNow, 100);
}

TEST(SafeWay, SameForAnyNumberOfThreads) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Scene scene = makeCrowd(seed);
        setThreadCount(1);
        const std::vector<double> one = scene.shares();
        setThreadCount(2);
        EXPECT_EQ(scene.shares(), one);
    }
    setThreadCount(0);
}

}  // namespace sunder
