#include "core/spatial/winding_number.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

// Three moments are kept; what follows is of the order 1 / accuracy^3, a tenth of which remains over a
// sphere.
constexpr double kFarError = 0.1 / (2.0 * 2.0 * 2.0);

Vec3 randomVec(std::uint64_t id) {
    return {randomRange(-2, 2, 5, id, 0), randomRange(-2, 2, 5, id, 1), randomRange(-2, 2, 5, id, 2)};
}

TEST(WindingNumber, OneInsideZeroOutsideAClosedSurface) {
    const TriMesh sphere = testing::makeSphere(4, 1.0);
    const WindingNumber winding(sphere.positions, sphere.triangles);
    for (std::uint64_t q = 0; q < 2000; ++q) {
        const Vec3 p = randomVec(q);
        if (std::abs(p.norm() - 1) < 0.02) continue;
        EXPECT_NEAR(winding.exactAt(p), p.norm() < 1 ? 1 : 0, 1e-12);
        EXPECT_NEAR(winding.at(p), p.norm() < 1 ? 1 : 0, kFarError);
    }
}

TEST(WindingNumber, HierarchyConvergesToTheSumAsAccuracyGrows) {
    TriMesh shell = testing::makeSphere(4, 1.0);
    shell.triangles.resize(shell.triangles.size() * 2 / 3);  // open, so that the field is no step function
    double previous = 1;
    for (const double accuracy : {1.5, 3.0, 6.0}) {
        const WindingNumber winding(shell.positions, shell.triangles, accuracy);
        double worst = 0;
        for (std::uint64_t q = 0; q < 1000; ++q)
            worst = std::max(worst, std::abs(winding.at(randomVec(q)) - winding.exactAt(randomVec(q))));
        // What is left out falls with the cube of the distance over the size: 8 times a doubling.
        EXPECT_LT(worst, previous / 8) << accuracy;
        previous = worst;
    }
}

TEST(WindingNumber, HalfOfAHemisphereAtItsCentreAndMinusOneInsideOut) {
    TriMesh sphere = testing::makeSphere(3, 1.0);
    TriMesh half = sphere;
    half.triangles.clear();
    for (const Tri& t : sphere.triangles) {
        // The icosphere is symmetric under p -> -p: of each pair of opposite triangles one is kept.
        const Vec3 c = sphere.positions[t[0]] + sphere.positions[t[1]] + sphere.positions[t[2]];
        if (c.dot(Vec3(0.31, 0.57, 0.83)) > 0) half.triangles.push_back(t);
    }
    ASSERT_EQ(half.triangles.size() * 2, sphere.triangles.size());
    EXPECT_NEAR(WindingNumber(half.positions, half.triangles).exactAt(Vec3::Zero()), 0.5, 1e-12);
    for (Tri& t : sphere.triangles) std::swap(t[0], t[1]);
    EXPECT_NEAR(WindingNumber(sphere.positions, sphere.triangles).at(Vec3(0.1, 0.2, 0.3)), -1, kFarError);
}

}  // namespace
}  // namespace sunder
