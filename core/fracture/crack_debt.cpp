#include "core/fracture/crack_debt.h"

#include <algorithm>
#include <cmath>

namespace sunder {

namespace {
constexpr double kGape = 0.25;  // of a cell

/// Parting of a pair.
struct Parting {
    Vec3 direction;
    double way, speed;
};

Parting partingOf(const CrackDebt& debt, const BodyState& state) {
    const auto a = static_cast<std::size_t>(debt.a), b = static_cast<std::size_t>(debt.b);
    const Vec3 way = state.x[b] - state.x[a], rate = state.v[b] - state.v[a];
    const double length = way.norm(), speed = rate.norm();
    if (length > 0) return {way / length, length, rate.dot(way) / length};
    return {speed > 0 ? Vec3(rate / speed) : Vec3(Vec3::Zero()), 0, speed};
}

/// What the pair pays, J.
double pay(const Body& body, const Parting& parting, double dt, CrackDebt& debt, BodyState& state) {
    const auto a = static_cast<std::size_t>(debt.a), b = static_cast<std::size_t>(debt.b);
    const double mass = body.mass[a] * body.mass[b] / (body.mass[a] + body.mass[b]), crossing = std::sqrt(body.mass[a] / body.stiffness[a]);
    const double all = 0.5 * mass * parting.speed * parting.speed, paid = std::min(debt.energy, -all * std::expm1(-2 * dt / crossing));
    const Vec3 impulse = mass * (parting.speed - std::sqrt(std::max(0.0, parting.speed * parting.speed - 2 * paid / mass))) * parting.direction;
    state.v[a] += impulse / body.mass[a];
    state.v[b] -= impulse / body.mass[b];
    debt.energy -= paid;
    return paid;
}
}  // namespace

double fractureEnergyOf(const Body& body, std::size_t tet) {
    const Fracture& f = body.materials[static_cast<std::size_t>(body.tetMaterial[tet])].fracture;
    // what multiplies a strength multiplies the energy twice, K^2 = E G
    const double scale = body.toughnessOf(tet);
    return f.kind == ToughnessKind::kByEnergy ? scale * scale * f.energy : 0;
}

void addDebts(const TopologyEdit& edit, const Body& body, BodyState& state) {
    for (const OpenedPair& pair : edit.opened) {
        const double energy = pair.area * fractureEnergyOf(body, static_cast<std::size_t>(pair.tet));
        if (energy > 0) state.debts.push_back({pair.a, pair.b, energy});
    }
}

double payDebts(const Body& body, Span<const std::uint8_t> held, double dt, BodyState& state) {
    double paid = 0;
    const auto isHeld = [&](std::int32_t v) { return !held.empty() && held[static_cast<std::size_t>(v)]; };
    for (CrackDebt& debt : state.debts) {
        const Parting parting = partingOf(debt, state);
        if (parting.way > kGape * body.cellSize[static_cast<std::size_t>(debt.a)])
            debt.energy = 0;
        else if (parting.speed > 0 && !isHeld(debt.a) && !isHeld(debt.b))
            paid += pay(body, parting, dt, debt, state);
    }
    state.debts.erase(std::remove_if(state.debts.begin(), state.debts.end(), [](const CrackDebt& d) { return !(d.energy > 0); }), state.debts.end());
    return paid;
}

}  // namespace sunder
