#include "core/fracture/crack_debt.h"

#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

/// A block whose vertices fly about, some pairs of which owe something.
struct Indebted {
    std::shared_ptr<const Body> body;
    BodyState state;

    explicit Indebted(double energy) {
        Body input;
        input.name = "block";
        input.mesh = makeBox(3, 3, 3, Vec3(1, 1, 1));
        Material m;
        m.fracture.enabled = true;
        input.materials = {m};
        body = buildBody(std::move(input));
        state = makeBodyState(*body);
        for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] = 3 * randomDirection(7, i, 0) + Vec3(0, 5, 0);
        for (std::int32_t k = 0; k < 20; ++k) {
            state.x[static_cast<std::size_t>(2 * k + 1)] = state.x[static_cast<std::size_t>(2 * k)] + 0.01 * randomDirection(8, static_cast<std::size_t>(k), 1);
            state.debts.push_back({2 * k, 2 * k + 1, energy});
        }
        state.x[1] = state.x[0];  // just parted
    }
    double kinetic() const {
        double sum = 0;
        for (std::size_t i = 0; i < state.v.size(); ++i) sum += 0.5 * body->mass[i] * state.v[i].squaredNorm();
        return sum;
    }
    Vec3 momentum() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < state.v.size(); ++i) sum += body->mass[i] * state.v[i];
        return sum;
    }
    Vec3 spin() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < state.v.size(); ++i) sum += body->mass[i] * state.x[i].cross(state.v[i]);
        return sum;
    }
    double owed() const {
        double sum = 0;
        for (const CrackDebt& d : state.debts) sum += d.energy;
        return sum;
    }
    double partingEnergy(std::size_t k) const {
        const auto a = static_cast<std::size_t>(state.debts[k].a), b = static_cast<std::size_t>(state.debts[k].b);
        const Vec3 way = state.x[b] - state.x[a], rate = state.v[b] - state.v[a];
        const double speed = way.norm() > 0 ? rate.dot(way.normalized()) : rate.norm();
        return speed > 0 ? 0.5 * body->mass[a] * body->mass[b] / (body->mass[a] + body->mass[b]) * speed * speed : 0;
    }
};

TEST(CrackDebt, KeepsMomentaAndTakesWhatItSays) {
    Indebted block(1e3);
    const double kinetic = block.kinetic(), owed = block.owed();
    const Vec3 momentum = block.momentum(), spin = block.spin();
    const double paid = payDebts(*block.body, {}, 1e-3, block.state);
    EXPECT_GT(paid, 0);
    EXPECT_NEAR(kinetic - block.kinetic(), paid, 1e-12 * kinetic);
    EXPECT_NEAR(owed - block.owed(), paid, 1e-12 * owed);
    EXPECT_LT((block.momentum() - momentum).norm(), 1e-13 * momentum.norm());
    EXPECT_LT((block.spin() - spin).norm(), 1e-13 * spin.norm());
}

/// However long the step: not more than what parts the pairs, nor than what they owe; and of pairs that close nothing.
TEST(CrackDebt, TakesNoMoreThanThereIsOrIsOwed) {
    Indebted rich(1e9), poor(1e-3);
    double parting = 0, most = 0;
    for (std::size_t k = 0; k < rich.state.debts.size(); ++k) {
        parting += rich.partingEnergy(k);
        most += rich.partingEnergy(k) > 1e-3 ? 1e-3 : rich.partingEnergy(k);
    }
    EXPECT_NEAR(payDebts(*rich.body, {}, 1e6, rich.state), parting, 1e-12 * parting);
    EXPECT_NEAR(payDebts(*poor.body, {}, 1e6, poor.state), most, 1e-12 * most);
    EXPECT_NEAR(payDebts(*rich.body, {}, 1e6, rich.state), 0, 1e-12 * parting) << "nothing parts any more";
}

TEST(CrackDebt, HalvesOfAStepComeToTheSame) {
    Indebted once(1e9), twice(1e9);
    const double whole = payDebts(*once.body, {}, 2e-4, once.state);
    const double first = payDebts(*twice.body, {}, 1e-4, twice.state), second = payDebts(*twice.body, {}, 1e-4, twice.state);
    EXPECT_NEAR(whole, first + second, 1e-12 * whole);
}

TEST(CrackDebt, WhatGapesOrIsHeldPaysNothing) {
    Indebted block(1e3);
    std::vector<std::uint8_t> held(block.state.x.size(), 1);
    EXPECT_EQ(payDebts(*block.body, held, 1e-3, block.state), 0);
    EXPECT_EQ(block.state.debts.size(), 20u);
    for (CrackDebt& d : block.state.debts) block.state.x[static_cast<std::size_t>(d.b)] += Vec3(10, 0, 0);
    EXPECT_EQ(payDebts(*block.body, {}, 1e-3, block.state), 0);
    EXPECT_TRUE(block.state.debts.empty()) << "forgiven";
}

}  // namespace
}  // namespace sunder
