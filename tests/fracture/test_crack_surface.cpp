#include "core/fracture/crack_surface.h"

#include <Eigen/Geometry>

#include "core/fracture/cut.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

const Vec3 kAhead = Vec3::UnitX(), kUp = Vec3::UnitY(), kFront = Vec3::UnitZ();

/// A crack behind the origin whose normal is turned by `bend` about the front, and then by `twist` about the way ahead.
CrackTip tipOf(double bend, double twist) {
    const Mat3 turn = (Eigen::AngleAxisd(twist, kAhead) * Eigen::AngleAxisd(bend, kFront)).toRotationMatrix();
    return {turn * kUp, turn * kAhead, {}};
}

TEST(CrackSurface, IsAPlaneWithoutATip) {
    const CrackSurface surface(Vec3(1, 2, 3), kUp, std::nullopt, 1);
    EXPECT_FALSE(surface.bent());
    for (std::uint64_t k = 0; k < 100; ++k) {
        const Vec3 r = randomDirection(1, k, 0);
        EXPECT_NEAR(surface.height(Vec3(1, 2, 3) + r), r.y(), 1e-15);
    }
}

/// The new crack runs on in its plane, and behind the tip there is no second one beside the first, if the angle between the two is below the smallest.
TEST(CrackSurface, MakesNoSmallerAngleThanBackCrackAngle) {
    constexpr double kSmallest = 0.7;
    for (const double bend : {-0.75, -0.65, 0.0, 0.65, 0.75})
        for (const double sign : {-1.0, 1.0}) {
            CrackTip tip = tipOf(bend, 0);
            tip.normal *= sign;  // a crack's normal points either way
            const CrackSurface surface(Vec3::Zero(), kUp, tip, kSmallest);
            EXPECT_EQ(surface.bent(), std::abs(bend) < kSmallest);
            const Vec3 old = surface.bent() ? Vec3(sign * tip.normal) : kUp;
            for (std::uint64_t k = 0; k < 100; ++k) {
                const Vec3 u = randomDirection(2, k, 0);
                if (std::abs(u.x()) < 0.51) continue;
                EXPECT_NEAR(surface.height(u), u.dot(u.x() > 0 ? kUp : old), 1e-14);
            }
            EXPECT_NEAR(surface.height(0.3 * kFront), 0, 1e-15) << "without a twist the front stays where it is";
        }
    EXPECT_FALSE(CrackSurface(Vec3::Zero(), kUp, tipOf(0.1, 0), 0).bent()) << "0: no avoidance";
}

/// Heights have no step, however the crack is turned: neither across the plane through the front nor anywhere else.
TEST(CrackSurface, IsContinuousAtTwistedFronts) {
    constexpr double kWay = 1e-7;
    double worst = 0;
    for (const double bend : {-0.6, 0.0, 0.3})
        for (const double twist : {-0.7, 0.2, 0.5}) {
            const CrackSurface surface(Vec3::Zero(), kUp, tipOf(bend, twist), 1);
            ASSERT_TRUE(surface.bent());
            for (std::uint64_t k = 0; k < 500; ++k) {
                Vec3 r = randomDirection(3, k, 0);
                if (k % 2) r = (r - r.dot(kAhead) * kAhead).normalized();
                const Vec3 step = kWay * (k % 2 ? kAhead : randomDirection(4, k, 0));
                worst = std::max(worst, std::abs(surface.height(r + step) - surface.height(r - step)) / (2 * kWay));
            }
        }
    std::printf("    heights change by at most %.3f a way of 1\n", worst);
    EXPECT_LT(worst, 2.5);
}

/// A box with a slit halfway through it, along faces of its mesh; its tips lie at x = 0.5.
EditedMesh slitBox() {
    EditedMesh m(makeBox(4, 4, 2, Vec3(1, 1, 0.5)));
    MeshEditor editor = m.editor();
    const std::size_t whole = m.mesh.vertexCount();
    for (std::size_t v = 0; v < whole; ++v)
        if (m.mesh.rest[v].x() < 0.3 && std::abs(m.mesh.rest[v].y() - 0.5) < 1e-9) cutAt(editor, static_cast<std::int32_t>(v), kUp, {});
    return m;
}

double openedArea(const EditedMesh& m, double from, double to) {
    double area = 0;
    for (std::size_t t = 0; t < m.mesh.tetCount(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (!(m.insideFaces[t] >> f & 1)) continue;
            const auto at = [&](int k) -> const Vec3& { return m.mesh.rest[static_cast<std::size_t>(m.mesh.tets[t][static_cast<std::size_t>(kTetFaces[f][k])])]; };
            const double x = (at(0).x() + at(1).x() + at(2).x()) / 3;
            if (x > from && x < to) area += 0.25 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
        }
    return area;
}

/// What a cut at the tip of the slit, 25 degrees off it, opens behind and ahead of the tip, m2.
std::pair<double, double> cutAtTip(double backCrackAngle) {
    EditedMesh m = slitBox();
    EXPECT_NEAR(openedArea(m, 0, 0.5), 0.25, 1e-12);
    EXPECT_EQ(openedArea(m, 0.5, 1), 0);
    std::int32_t tip = -1;
    for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v)
        if ((m.mesh.rest[v] - Vec3(0.5, 0.5, 0.25)).norm() < 1e-9) tip = static_cast<std::int32_t>(v);
    CutOptions options;
    options.backCrackAngle = backCrackAngle;
    MeshEditor editor = m.editor();
    EXPECT_TRUE(cutAt(editor, tip, Eigen::AngleAxisd(25 * M_PI / 180, kFront) * kUp, options).opened);
    expectSound(m);
    return {openedArea(m, 0, 0.5) - 0.25, openedArea(m, 0.5, 1)};
}

TEST(CrackSurface, ACutAtATipOpensNothingBesideTheCrackThatIsThere) {
    const auto [besideAvoided, aheadAvoided] = cutAtTip(1.0);
    const auto [besidePlain, aheadPlain] = cutAtTip(0);
    std::printf("    opened beside the slit %.4f m2, without avoidance %.4f; ahead %.4f and %.4f\n", besideAvoided, besidePlain, aheadAvoided, aheadPlain);
    EXPECT_NEAR(besideAvoided, 0, 1e-12);
    EXPECT_GT(aheadAvoided, 0.01);
    EXPECT_GT(besidePlain, 0.01);
}

}  // namespace
}  // namespace sunder
