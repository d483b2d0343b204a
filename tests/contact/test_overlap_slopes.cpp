#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>

#include "core/base/random.h"
#include "core/contact/contact_set.h"
#include "core/contact/overlap_wide.h"
#include "tests/contact/overlap_cases.h"

namespace sunder {
namespace {

using testing::Corners4;
using testing::overlapOf;
using testing::Overlapped;
constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon();

double shareOf(const Overlapped& o, int s) { return s < 4 ? o.shares.a[s] : o.shares.b[s - 4]; }

Vec3& cornerOf(Corners4& a, Corners4& b, int z) { return z < 4 ? a[z] : b[z - 4]; }

/// Largest difference between the slopes and central differences with step h, over the largest slope.
double slopeError(const Corners4& a, const Corners4& b, const OverlapSlopes& slopes, double h) {
    double error = 0, largest = 0;
    for (int z = 0; z < 8; ++z) {
        for (int k = 0; k < 3; ++k) {
            Corners4 a1 = a, b1 = b, a0 = a, b0 = b;
            cornerOf(a1, b1, z)[k] += h;
            cornerOf(a0, b0, z)[k] -= h;
            const Overlapped up = overlapOf(a1, b1), down = overlapOf(a0, b0);
            for (int s = 0; s < 8; ++s) {
                const double slope = (shareOf(up, s) - shareOf(down, s)) / (2 * h);
                error = std::max(error, std::abs(slope - slopes[s](k, z)));
                largest = std::max(largest, std::abs(slopes[s](k, z)));
            }
        }
    }
    return error / largest;
}

/// Random pairs that overlap well, so that differences stay in one combinatorial case.
template <class Work>
void forOverlappingPairs(int count, Work&& work) {
    for (int id = 0; count > 0; ++id) {
        const Corners4 a = testing::randomCorners(11, 2 * id), b = testing::randomCorners(11, 2 * id + 1);
        const Overlapped o = overlapOf(a, b);
        if (o.shares.volume < 1e-3) continue;
        --count;
        work(a, b, o);
    }
}

TEST(OverlapSlopes, AreTheDerivativesOfTheShares) {
    std::vector<double> orders;
    double worst = 0;
    forOverlappingPairs(60, [&](const Corners4& a, const Corners4& b, const Overlapped& o) {
        OverlapSlopes slopes;
        computeSlopes(o.p, o.a, o.b, slopes);
        const double coarse = slopeError(a, b, slopes, 2e-4), fine = slopeError(a, b, slopes, 1e-4);
        worst = std::max(worst, slopeError(a, b, slopes, 1e-5));
        orders.push_back(std::log2(coarse / fine));
    });
    std::sort(orders.begin(), orders.end());
    std::printf("differences with step 1e-5: worst relative error %.2g; order %.3f in the middle\n", worst,
                orders[orders.size() / 2]);
    EXPECT_LT(worst, 1e-6);
    // a pair in which a vertex crosses a face within the step has a lower order; most have none
    EXPECT_NEAR(orders[orders.size() / 2], 2, 0.05);
}

TEST(OverlapSlopes, KeepMomentum) {
    double worstForce = 0, worstTorque = 0;
    for (int id = 0; id < 20000; ++id) {
        const testing::TetPair pair =
            id % 2 ? testing::adversarialPair(12, id)
                   : testing::TetPair{testing::randomCorners(12, id), testing::randomCorners(13, id)};
        const Overlapped o = overlapOf(pair.a, pair.b);
        if (o.p.empty()) continue;
        OverlapSlopes slopes;
        computeSlopes(o.p, o.a, o.b, slopes);
        for (const PairVectors& s : slopes) {
            ASSERT_TRUE(s.allFinite()) << id;
            Vec3 torque = Vec3::Zero();
            for (int z = 0; z < 8; ++z) torque += (z < 4 ? pair.a[z] : pair.b[z - 4]).cross(s.col(z));
            const double scale = std::max(1.0, s.cwiseAbs().maxCoeff());
            worstForce = std::max(worstForce, s.rowwise().sum().norm() / scale);
            // of thin tets the barycentric coordinates have errors of rounding over height
            if (id % 2 == 0) worstTorque = std::max(worstTorque, torque.norm() / scale);
        }
    }
    std::printf("sum of slopes %.2g, sum of x cross slope %.2g\n", worstForce, worstTorque);
    EXPECT_LT(worstForce, 64 * kUnitRoundoff);
    EXPECT_LT(worstTorque, 1e-12);
}

/// Also where faces coincide, where nothing is left but rounding, and where one tet is inside the other.
TEST(OverlapSlopes, FourAtATimeHaveTheSameBits) {
    const auto same = [](const auto& a, const auto& b) { return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0; };
    int overlapping = 0;
    for (int id = 0; id < 30000; ++id) {
        testing::TetPair pair = id % 2 ? testing::adversarialPair(21, id) : testing::TetPair{testing::randomCorners(22, id), testing::randomCorners(23, id)};
        if (id % 5 == 0) pair.b = {0.1 * pair.b[0], 0.1 * pair.b[1], 0.1 * pair.b[2], 0.1 * pair.b[3]};
        const Overlapped o = overlapOf(pair.a, pair.b);
        if (o.p.empty()) continue;
        ++overlapping;
        const OverlapFans fans(o.p);
        const OverlapShares shares = computeShares(o.p, fans, o.a);
        ASSERT_TRUE(same(shares.a, o.shares.a) && same(shares.b, o.shares.b) && shares.volume == o.shares.volume) << id;
        ASSERT_TRUE(same(computeFacings(o.p, fans, o.a), computeFacings(o.p, o.a))) << id;
        OverlapSlopes plain, wide;
        computeSlopes(o.p, o.a, o.b, plain);
        computeSlopes(o.p, fans, o.a, o.b, shares, wide);
        for (std::size_t s = 0; s < 8; ++s) ASSERT_TRUE(same(wide[s], plain[s])) << id << " " << s;
    }
    EXPECT_GT(overlapping, 3000);
}

/// Heights at the corners may be anything, also zero.
TEST(OverlapSlopes, CutsByHeightsAreThoseByPlanes) {
    for (int id = 0; id < 20000; ++id) {
        Mat4 heights;
        for (int k = 0; k < 16; ++k) heights.data()[k] = id % 3 ? randomRange(-0.5, 1, 31, id, k) : std::floor(randomRange(-1, 3, 32, id, k));
        heights.array() += 0.0;  // no zero with a sign
        OverlapPolyhedron byPlanes, byHeights;
        resetToTet(byPlanes);
        for (int most = 4; most > 0; --most)  // the planes with most of the corners outside come first
            for (int k = 0; k < 4; ++k)
                if ((heights.col(k).array() <= 0).count() == most) cutPolyhedron(byPlanes, heights.col(k), 4 + k);
        resetToTet(byHeights);
        cutByHeights(byHeights, heights);
        ASSERT_EQ(byHeights.count, byPlanes.count) << id;
        for (int v = 0; v < byPlanes.count; ++v) {
            ASSERT_TRUE(byHeights.phi[v] == byPlanes.phi[v]) << id;
            ASSERT_TRUE(byHeights.psi[v] == Vec4(heights.transpose() * byPlanes.phi[v])) << id;
            for (int h = 4 * v; h < 4 * v + 3; ++h) ASSERT_TRUE(byHeights.twin[h] == byPlanes.twin[h] && byHeights.face[h] == byPlanes.face[h]) << id;
        }
    }
}

TEST(OverlapSlopes, GiveTheForces) {
    forOverlappingPairs(500, [&](const Corners4& a, const Corners4& b, const Overlapped& o) {
        OverlapSlopes slopes;
        computeSlopes(o.p, o.a, o.b, slopes);
        Vec4 p, q;
        for (int i = 0; i < 4; ++i) {
            p[i] = randomRange(-1, 1, 14, i, static_cast<std::uint64_t>(std::abs(a[0].x()) * 1e6));
            q[i] = randomRange(-1, 1, 15, i, static_cast<std::uint64_t>(std::abs(b[0].x()) * 1e6));
        }
        PairVectors force = computeForces(o.p, o.a, o.b, p, q);
        double scale = force.norm();
        for (int i = 0; i < 4; ++i) force += p[i] * slopes[i] + q[i] * slopes[4 + i];
        EXPECT_LT(force.norm(), 1e-13 * scale + 1e-15);
    });
}

TEST(OverlapSlopes, InsideFollowTheInnerTetAlone) {
    const Corners4 outer{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    Corners4 inner;
    for (int i = 0; i < 4; ++i) inner[i] = 0.1 * outer[i] + Vec3::Constant(0.2);
    const Overlapped o = overlapOf(inner, outer);
    const PairVectors force = computeForces(o.p, o.a, o.b, Vec4::Ones(), Vec4::Zero());
    EXPECT_EQ(force.rightCols<4>().norm(), 0);
    for (int i = 0; i < 4; ++i) {  // minus the gradient of the volume det / 6
        EXPECT_NEAR((force.col(i) + o.a.normal.row(i).transpose() / 6).norm(), 0, 1e-17);
    }
}

TEST(OverlapSlopes, PointFromTheOverlapOutwards) {
    // equal pressures on both sides push the tets apart
    forOverlappingPairs(200, [&](const Corners4&, const Corners4&, const Overlapped& o) {
        const OverlapMeasure m = computeMeasure(o.p, o.a);
        if (m.direction == Vec3::Zero()) return;
        const PairVectors force = computeForces(o.p, o.a, o.b, Vec4::Ones(), Vec4::Ones());
        const Vec3 onB = force.rightCols<4>().rowwise().sum();
        EXPECT_NEAR((onB.normalized() - m.direction).norm(), 0, 1e-9);
    });
}

}  // namespace
}  // namespace sunder
