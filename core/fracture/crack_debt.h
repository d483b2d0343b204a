#pragma once

#include "core/body/body.h"

namespace sunder {

/// A crack takes its fracture energy, G times its area, out of the motion. An edit by itself releases nothing: both sides start where they were. What
/// opens the crack afterwards is the elastic energy that Griffith's balance holds against G, and it passes through the motion of the two sides away from
/// each other. So every pair of vertices that was one owes its share of G times the area, and pays it as it parts:
///   u = (x_b - x_a) / |x_b - x_a|,  w = (v_b - v_a) . u > 0,  w' = w exp(-dt / T)  until the debt is paid,
/// with T the time of a wave across a cell, in which a tip opens. The impulse acts along u at both vertices, so linear and angular momentum stay, and takes
/// 1/2 m (w^2 - w'^2), m = m_a m_b / (m_a + m_b): never more than the energy of separation. Pairs that close pay nothing, nor do held vertices; what
/// is left when a crack gapes, by a quarter of a cell, is forgiven.

/// Enters the debts of an edit that has been applied to body and state.
void addDebts(const TopologyEdit& edit, const Body& body, BodyState& state);

/// What pairs pay in a step of dt, J; `held`: for every vertex whether it is, or empty.
double payDebts(const Body& body, Span<const std::uint8_t> held, double dt, BodyState& state);

/// Fracture energy of a tet's material, J/m2, as painted; 0 if its toughness is of another kind.
double fractureEnergyOf(const Body& body, std::size_t tet);

}  // namespace sunder
