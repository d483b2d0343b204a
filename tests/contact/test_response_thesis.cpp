#include "core/contact/response_thesis.h"

#include <gtest/gtest.h>

#include "tests/contact/overlap_cases.h"
#include "tests/contact/touching_bodies.h"

namespace sunder {

using namespace testing;

namespace {
Body oneTet(const Corners4& corners, double youngs) {
    TetMesh mesh;
    mesh.rest.assign(corners.begin(), corners.end());
    mesh.tets = {{0, 1, 2, 3}};
    return makeContactBody(std::move(mesh), youngs);
}

bool thick(const Corners4& c) { return signedVolume(c[0], c[1], c[2], c[3]) > 1e-3; }
}  // namespace

// Springs, dampers and friction of pairs at random: no sum of forces, no sum of moments, and the power that is reported is theirs.
TEST(ResponseThesis, PairsKeepBothMomentaToRounding) {
    MomentumErrors errors;
    for (std::uint64_t id = 0; id < 2000; ++id) {
        const Corners4 a = randomCorners(51, id), b = randomCorners(52, id);
        if (!thick(a) || !thick(b)) continue;
        TouchingBodies t(oneTet(a, 1e5), oneTet(b, 3e5));
        t.setRandomVelocities(id);
        const ContactTotals totals = t.pushByPairs({1e-4});
        errors.add(totals, t.sums());
    }
    errors.print();
    EXPECT_GT(errors.touching, 500);
    EXPECT_LT(errors.force, 1e-14);
    EXPECT_LT(errors.moment, 1e-13);
    EXPECT_LT(errors.power, 1e-13);
}

// k_err V along the direction of (5.4), at the centre of (5.5); a small way along it takes volume away.
TEST(ResponseThesis, ForceIsThatOfTheThesis) {
    int touching = 0;
    for (std::uint64_t id = 0; id < 500; ++id) {
        const Corners4 a = randomCorners(53, id), b = randomCorners(54, id);
        if (!thick(a) || !thick(b)) continue;
        TouchingBodies t(oneTet(a, 1e5), oneTet(b, 1e5));
        t.pushByPairs({});
        Vec3 onB = Vec3::Zero();
        for (const Vec3& f : t.force[1]) onB += f;
        const Overlapped o = overlapOf(a, b);
        if (o.p.empty()) {
            EXPECT_EQ(onB, Vec3::Zero());
            continue;
        }
        const OverlapMeasure measure = computeMeasure(o.p, o.a);
        if (measure.direction.isZero() || measure.volume < 1e-6) continue;
        ++touching;
        double k = 0;
        for (int c = 0; c < 4; ++c) {
            const auto i = static_cast<std::size_t>(c);
            k += o.shares.a[c] / o.shares.volume * t.shape[0].stiffness[i] / t.shape[0].area[i];
            k += o.shares.b[c] / o.shares.volume * t.shape[1].stiffness[i] / t.shape[1].area[i];
        }
        EXPECT_LT((onB - k * measure.volume * measure.direction).norm(), 1e-9 * onB.norm()) << id;
        Corners4 moved = b;
        for (Vec3& p : moved) p += 1e-7 * onB.normalized();
        EXPECT_LT(overlapOf(a, moved).shares.volume, measure.volume) << id;
    }
    EXPECT_GT(touching, 100);
}

// Pushed flat into each other by d: about the force of the potential. (A vertex at an edge of a box has the area of the side that shows most of
// it. Where that is not this side, the potential counts the share that touches squared.)
TEST(ResponseThesis, FlatOverlapIsPushedAsByThePotential) {
    for (const double depth : {1e-6, 1e-3}) {
        TetMesh below = makeBox(4, 4, 4, Vec3(1, 1, 1)), above = makeBox(5, 3, 4, Vec3(1, 1, 1));
        for (Vec3& p : above.rest) p += Vec3(0, 1 - depth, 0);
        TouchingBodies t(makeContactBody(below, 1e5), makeContactBody(above, 3e5));
        const auto pushOn = [](const std::vector<Vec3>& force) {
            Vec3 sum = Vec3::Zero();
            for (const Vec3& f : force) sum += f;
            return sum;
        };
        const double energy = t.pushByPairs({}).energy;
        const Vec3 push = pushOn(t.force[1]);
        t.memory[0] = t.memory[1] = {};
        std::vector<ContactBodyState> list = t.states();
        const double potential = computeContactForces(t.overlaps(), list, {}).energy;
        const Vec3 gradient = pushOn(t.force[1]);
        std::cout << "    force over the potential's = " << push.y() / gradient.y() << ", energy " << energy / potential << "\n";
        EXPECT_NEAR(push.y() / gradient.y(), 1, 0.15);
        EXPECT_NEAR(energy / potential, 1, 0.15);
        EXPECT_LT(Vec2(push.x(), push.z()).norm(), 0.01 * push.y());
    }
}

// Restitution 1 damps nothing, 0 pushes harder while bodies close and less while they part, but does not pull.
TEST(ResponseThesis, DamperPushesButDoesNotPull) {
    const auto pushAt = [](double speed) {
        TetMesh below = makeBox(2, 2, 2, Vec3(1, 1, 1)), above = below;
        for (Vec3& p : above.rest) p += Vec3(0.03, 0.999, 0.02);
        TouchingBodies t(makeContactBody(below, 1e5), makeContactBody(above, 1e5));
        for (Vec3& v : t.v[1]) v.y() = -speed;
        const ContactTotals totals = t.pushByPairs({});
        Vec3 up = Vec3::Zero();
        for (const Vec3& f : t.force[1]) up += f;
        EXPECT_NEAR(totals.power, up.y() * speed, 1e-9 * std::abs(up.y()));
        return up.y();
    };
    EXPECT_GT(pushAt(0.1), pushAt(0));
    EXPECT_LT(pushAt(-0.1), pushAt(0));
    EXPECT_GE(pushAt(-10), 0);
}

}  // namespace sunder
