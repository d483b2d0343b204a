#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/contact/continuous.h"
#include "core/contact/feature_spans.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

namespace {
struct CornersOnTheirWay {
    std::array<Vec3, 4> start, end;

    CornersOnTheirWay(std::uint64_t seed, std::uint64_t which, double reach) {
        const auto random = [&](double most, std::uint64_t k) {
            return Vec3(randomRange(-most, most, seed, which, k), randomRange(-most, most, seed, which, k + 1), randomRange(-most, most, seed, which, k + 2));
        };
        const Vec3 way = random(1, 100);
        for (std::uint64_t k = 0; k < 4; ++k) {
            start[k] = random(1, 10 * k) + Vec3(reach * static_cast<double>(which), 0, 0);
            end[k] = start[k] + way + random(0.2, 10 * k + 5);
        }
    }
    FeatureSpans spans() const { return {start, end}; }
};

/// By the definition: an axis has all of the one above all of the other at the start and at the end, or below.
template <std::size_t N, std::size_t M>
bool partedByAxis(const CornersOnTheirWay& a, const std::array<int, N>& cornersA, const CornersOnTheirWay& b, const std::array<int, M>& cornersB) {
    for (int c = 0; c < 3; ++c)
        for (const double sign : {1.0, -1.0}) {
            bool parted = true;
            for (const int i : cornersA)
                for (const int j : cornersB)
                    parted = parted && sign * a.start[static_cast<std::size_t>(i)][c] > sign * b.start[static_cast<std::size_t>(j)][c] &&
                             sign * a.end[static_cast<std::size_t>(i)][c] > sign * b.end[static_cast<std::size_t>(j)][c];
            if (parted) return true;
        }
    return false;
}
}  // namespace

TEST(FeatureSpans, DismissWhatAnAxisPartsAndNothingThatTouches) {
    int near = 0, dismissed = 0, touching = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        const double reach = randomRange(0, 3, seed, 7);
        const CornersOnTheirWay a(seed, 0, reach), b(seed, 1, reach);
        const FeatureSpans spansA = a.spans(), spansB = b.spans();
        for (int i = 0; i < 4; ++i)
            for (int f = 0; f < 4; ++f) {
                const auto& c = kTetFaces[f];
                const bool isNear = (spansB.facesNear(spansA, i) >> f & 1) != 0;
                const bool parted = partedByAxis<1, 3>(a, {i}, b, {c[0], c[1], c[2]});
                EXPECT_NE(isNear, parted) << seed;
                const auto at = [&](const std::array<Vec3, 4>& x, int k) { return x[static_cast<std::size_t>(k)]; };
                const bool touch = vertexFaceTouch({at(a.start, i), at(b.start, c[0]), at(b.start, c[1]), at(b.start, c[2])},
                                                   {at(a.end, i), at(b.end, c[0]), at(b.end, c[1]), at(b.end, c[2])}, {})
                                       .has_value();
                EXPECT_TRUE(isNear || !touch) << seed;
                ++(isNear ? near : dismissed);
                touching += touch;
            }
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) {
                const auto &e = kTetEdges[i], &g = kTetEdges[j];
                const bool isNear = (spansB.edgesNear(spansA, i) >> j & 1) != 0;
                const bool parted = partedByAxis<2, 2>(a, {e[0], e[1]}, b, {g[0], g[1]});
                EXPECT_NE(isNear, parted) << seed;
                const auto at = [&](const std::array<Vec3, 4>& x, int k) { return x[static_cast<std::size_t>(k)]; };
                const bool touch = edgeEdgeTouch({at(a.start, e[0]), at(a.start, e[1]), at(b.start, g[0]), at(b.start, g[1])},
                                                 {at(a.end, e[0]), at(a.end, e[1]), at(b.end, g[0]), at(b.end, g[1])}, {})
                                       .has_value();
                EXPECT_TRUE(isNear || !touch) << seed;
                ++(isNear ? near : dismissed);
                touching += touch;
            }
    }
    EXPECT_GT(near, 10000);
    EXPECT_GT(dismissed, 10000);
    EXPECT_GT(touching, 1000);
}

}  // namespace sunder
