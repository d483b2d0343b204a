#include "core/contact/overlap.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/random.h"
#include "core/mesh/tet_mesh.h"
#include "tests/contact/exact_overlap.h"
#include "tests/contact/overlap_cases.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

using testing::Corners4;
using testing::overlapOf;
using testing::Overlapped;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Corners4 transformed(const Corners4& x, double scale, const Vec3& shift) {
    Corners4 y;
    for (int i = 0; i < 4; ++i) y[i] = scale * x[i] + shift;
    return y;
}

const Corners4 kUnitTet{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};

TEST(Overlap, OfATetWithItselfIsTheTet) {
    const Overlapped o = overlapOf(kUnitTet, kUnitTet);
    EXPECT_EQ(o.shares.volume, 1.0 / 6);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(o.shares.a[i], 1.0 / 24, 2 * kEpsilon);
    EXPECT_EQ(o.shares.a, o.shares.b);
}

TEST(Overlap, ACornerInAFace) {
    // b hangs corner 0 into a's face z = 0 from below: a small copy of the corner, volume h^3 of the whole
    Corners4 b{Vec3(0.2, 0.2, 0.1), Vec3(1.2, 0.2, -0.9), Vec3(0.2, 1.2, -0.9), Vec3(-0.8, -0.8, -0.9)};
    if (signedVolume(b[0], b[1], b[2], b[3]) < 0) std::swap(b[1], b[2]);
    const Overlapped o = overlapOf(kUnitTet, b);
    const double whole = signedVolume(b[0], b[1], b[2], b[3]);
    EXPECT_NEAR(o.shares.volume, whole * 1e-3, 1e-16);
    const OverlapMeasure m = computeMeasure(o.p, o.a);
    EXPECT_EQ(m.volume, o.shares.volume);
    EXPECT_NEAR((m.direction - Vec3(0, 0, -1)).norm(), 0, 1e-14);
    EXPECT_NEAR(m.centre.z(), 0.1 / 4, 1e-15);
}

TEST(Overlap, InsideHasNoDirection) {
    const Corners4 inner = transformed(kUnitTet, 0.1, Vec3(0.2, 0.2, 0.2));
    for (const Overlapped& o : {overlapOf(inner, kUnitTet), overlapOf(kUnitTet, inner)}) {
        EXPECT_NEAR(o.shares.volume, 1e-3 / 6, 1e-18);
        const OverlapMeasure m = computeMeasure(o.p, o.a);
        EXPECT_EQ(m.direction, Vec3::Zero());
        EXPECT_NEAR((m.centre - Vec3(0.225, 0.225, 0.225)).norm(), 0, 1e-15);
    }
}

TEST(Overlap, FlatAndInvertedTetsOverlapNothing) {
    const Corners4 flat{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.3, 0.3, 0)};
    const Corners4 point{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)};
    const Corners4 inverted{kUnitTet[1], kUnitTet[0], kUnitTet[2], kUnitTet[3]};
    for (const Corners4& bad :
         {flat, point, inverted, Corners4{Vec3::Constant(NAN), kUnitTet[1], kUnitTet[2], kUnitTet[3]}}) {
        EXPECT_TRUE(overlapOf(bad, kUnitTet).p.empty());
        EXPECT_TRUE(overlapOf(kUnitTet, bad).p.empty());
        OverlapPolyhedron p;
        EXPECT_FALSE(clipTets(makeOverlapTet(bad), makeOverlapTet(kUnitTet), p));
        EXPECT_FALSE(clipTets(makeOverlapTet(kUnitTet), makeOverlapTet(bad), p));
    }
}

TEST(Overlap, TouchingTetsOverlapNothing) {
    const Corners4 across{Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, -1)};
    EXPECT_TRUE(overlapOf(kUnitTet, across).p.empty());
    EXPECT_TRUE(overlapOf(kUnitTet, transformed(kUnitTet, 1, Vec3(1, 0, 0))).p.empty());
}

/// Largest error of volume and shares over (size of the smaller tet's box)^3, against rational numbers.
double worstAgainstExact(int count, double scale, const Vec3& shift, bool adversarial) {
    double worst = 0;
    for (int id = 0; id < count; ++id) {
        testing::TetPair pair{testing::randomCorners(5, 2 * id), testing::randomCorners(5, 2 * id + 1)};
        if (adversarial) pair = testing::adversarialPair(6, id);
        const Corners4 a = transformed(pair.a, scale, shift), b = transformed(pair.b, scale, shift);
        const Overlapped o = overlapOf(a, b);
        const testing::ExactOverlap exact = testing::exactOverlap(a, b);
        const double unit = scale * scale * scale;
        double error = std::abs(o.shares.volume - exact.volume) / unit;
        for (int i = 0; i < 4; ++i) error = std::max(error, std::abs(o.shares.a[i] - exact.shares[i]) / unit);
        worst = std::max(worst, error);
    }
    return worst;
}

TEST(Overlap, AgreesWithRationalNumbers) {
    const double worst = worstAgainstExact(600, 1, Vec3::Zero(), false);
    std::printf("random pairs: worst error of volume and shares %.2g (size 1)\n", worst);
    EXPECT_LT(worst, 4 * kEpsilon);
}

TEST(Overlap, AgreesWithRationalNumbersWhereFacesCoincideOrAreThin) {
    const double worst = worstAgainstExact(1500, 1, Vec3::Zero(), true);
    std::printf("adversarial pairs: worst error of volume and shares %.2g (size 1)\n", worst);
    EXPECT_LT(worst, 64 * kEpsilon);  // whole coordinates reach a size of 3
}

TEST(Overlap, AgreesWithRationalNumbersAtAllScalesAndFarAway) {
    for (const double scale : {1e-6, 1e6}) {
        for (const double away : {0.0, 1e3}) {
            const double worst =
                worstAgainstExact(200, scale, Vec3(scale * away, -scale * away, scale * away), true);
            EXPECT_LT(worst, 64 * kEpsilon) << scale << " " << away;
        }
    }
}

TEST(Overlap, OfASmallTetWithALargeOneKeepsItsDigits) {
    for (int id = 0; id < 100; ++id) {
        const Corners4 a = testing::randomCorners(5, 2 * id);
        const Corners4 b = transformed(testing::randomCorners(5, 2 * id + 1), 1e-4, a[0]);
        const double exact = testing::exactOverlap(a, b).volume;
        // coordinates of size 1 carry rounding of 1e-16, which is 1e-12 of the small tet
        EXPECT_NEAR(overlapOf(a, b).shares.volume, exact, 1e-12 * 1e-12);
        EXPECT_NEAR(overlapOf(b, a).shares.volume, exact, 1e-12 * 1e-12);
    }
}

TEST(Overlap, AgreesWithRandomPoints) {
    const int samples = 400000;
    for (int id = 0; id < 5; ++id) {
        const Corners4 a = testing::randomCorners(5, 2 * id), b = testing::randomCorners(5, 2 * id + 1);
        const Overlapped o = overlapOf(a, b);
        int inside = 0;
        for (int s = 0; s < samples; ++s) {
            const Vec3 x(randomRange(-0.5, 0.5, 7, s, 0), randomRange(-0.5, 0.5, 7, s, 1),
                         randomRange(-0.5, 0.5, 7, s, 2));
            bool in = true;
            for (int k = 0; k < 4; ++k) {
                const int* f = kTetFaces[k];
                in = in && signedVolume(a[f[0]], a[f[1]], a[f[2]], x) < 0 &&
                     signedVolume(b[f[0]], b[f[1]], b[f[2]], x) < 0;
            }
            inside += in;
        }
        const double estimate = static_cast<double>(inside) / samples;
        EXPECT_NEAR(o.shares.volume, estimate, 5 * std::sqrt((estimate + 1e-5) / samples));
    }
}

TEST(Overlap, NeverNegativeAndNeverNaN) {
    double worst = 0;
    for (int id = 0; id < 120000; ++id) {
        const testing::TetPair pair = testing::adversarialPair(8, id);
        const Overlapped o = overlapOf(pair.a, pair.b), r = overlapOf(pair.b, pair.a);
        const double volume = o.shares.volume;
        ASSERT_GE(volume, 0) << id;
        ASSERT_LE(volume, std::min(o.a.det, o.b.det) / 6 + 4 * kEpsilon) << id;
        ASSERT_GE(o.shares.a.minCoeff(), 0) << id;
        ASSERT_GE(o.shares.b.minCoeff(), 0) << id;
        ASSERT_NEAR(o.shares.a.sum(), volume, 8 * kEpsilon * volume) << id;
        ASSERT_NEAR(o.shares.b.sum(), volume, 8 * kEpsilon * volume) << id;
        const OverlapMeasure m = computeMeasure(o.p, o.a);
        ASSERT_TRUE(m.centre.allFinite() && m.direction.allFinite()) << id;
        worst = std::max(worst, std::abs(volume - r.shares.volume));
    }
    std::printf("volume of (a, b) against (b, a): worst difference %.2g\n", worst);
    EXPECT_LT(worst, 128 * kEpsilon);
}

TEST(Overlap, IsContinuousThroughCoincidentFaces) {
    // b slides along x through a position where three of its faces coincide with a's
    const auto volumeAt = [](double s) {
        return overlapOf(kUnitTet, transformed(kUnitTet, 1, Vec3(s, 0, 0))).shares.volume;
    };
    for (const double step : {1e-3, 1e-7, 1e-12, 1e-15, 1e-16}) {
        for (int k = -20; k < 20; ++k) {
            const double change = volumeAt((k + 1) * step) - volumeAt(k * step);
            EXPECT_LE(std::abs(change), 0.5 * step + 16 * kEpsilon);  // area of the faces that move
        }
    }
    for (double s = 0; s < 1; s += 0.01) EXPECT_NEAR(volumeAt(s), std::pow(1 - s, 3) / 6, 4 * kEpsilon);
}

/// Two boxes of 3 x 3 x 3 and 2 x 4 x 3 cells, the second moved.
struct BoxSum {
    double volume = 0;
    Vec3 gradient = Vec3::Zero();  ///< of the volume by the translation of the second
};
BoxSum sumOverBoxes(const Vec3& shift) {
    TetMesh a = testing::makeBox(3, 3, 3, Vec3(1, 1, 1)), b = testing::makeBox(2, 4, 3, Vec3(1, 1, 1));
    for (Vec3& x : b.rest) x += shift;
    BoxSum sum;
    for (const Tet& s : a.tets) {
        for (const Tet& t : b.tets) {
            const Overlapped o = overlapOf({a.rest[s[0]], a.rest[s[1]], a.rest[s[2]], a.rest[s[3]]},
                                           {b.rest[t[0]], b.rest[t[1]], b.rest[t[2]], b.rest[t[3]]});
            sum.volume += o.shares.volume;
            // minus the force of the pressure 1 in a
            sum.gradient -=
                computeForces(o.p, o.a, o.b, Vec4::Ones(), Vec4::Zero()).rightCols<4>().rowwise().sum();
        }
    }
    return sum;
}

TEST(Overlap, OfBoxesIsTheSumOverTheirTets) {
    const Vec3 shift(0.7, 0.55, 0.8);
    const BoxSum sum = sumOverBoxes(shift);
    const Vec3 left = Vec3::Ones() - shift;
    EXPECT_NEAR(sum.volume, left.prod(), 16 * kEpsilon);
    const Vec3 faces(left.y() * left.z(), left.x() * left.z(), left.x() * left.y());
    EXPECT_NEAR((sum.gradient + faces).norm(), 0, 64 * kEpsilon);
}

TEST(Overlap, OfBoxesWithCoincidentFacesIsTheSumOverTheirTets) {
    // the second stands on the first, sunk in by 0.1 (inside a cell) or by a whole cell, its cells along x
    // and z aligned
    for (const double depth : {0.1, 1.0 / 3}) {
        const BoxSum sum = sumOverBoxes(Vec3(0, 1 - depth, 0));
        EXPECT_NEAR(sum.volume, depth, 64 * kEpsilon);
        EXPECT_NEAR(sum.gradient.y(), -1, 256 * kEpsilon);
    }
}

TEST(Overlap, ScalesAndMovesWithTheTets) {
    for (int id = 0; id < 2000; ++id) {
        const Corners4 a = testing::randomCorners(5, 2 * id), b = testing::randomCorners(5, 2 * id + 1);
        const Overlapped o = overlapOf(a, b);
        for (const double scale : {0x1p-20, 0x1p20}) {  // powers of two: the same bits
            const Overlapped s =
                overlapOf(transformed(a, scale, Vec3::Zero()), transformed(b, scale, Vec3::Zero()));
            ASSERT_EQ(s.shares.volume, o.shares.volume * scale * scale * scale);
        }
    }
}

}  // namespace
}  // namespace sunder
