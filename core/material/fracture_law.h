#pragma once

#include <cmath>
#include <cstdint>

#include "core/math/types.h"

namespace sunder {

/// What a node's separation is held against (O'Brien 2000, 4.1.2).
enum class ToughnessKind : std::uint8_t {
    kByForce,   ///< the eigenvalue of the separation tensor itself, N, as in the papers: it goes with the resolution of the mesh
    kByStress,  ///< that over the area A(n) = 1/2 sum vol |grad phi . n| of the node, Pa: uniform tension reads exactly on any mesh
    kByEnergy,  ///< as kByStress; but at crack tips and notches, where stress grows as the mesh shrinks, crackTipStrength
};

/// How a material breaks.
struct Fracture {
    bool enabled = false;
    ToughnessKind kind = ToughnessKind::kByStress;
    double force = 1000;     ///< N, toughness of kByForce; above 0
    double stress = 1e6;     ///< Pa, toughness of kByStress and, away from crack tips, of kByEnergy; above 0
    double energy = 10;      ///< J/m2, to open a crack of unit area, out of the motion: toughness of kByEnergy; above 0
    double residual = 0.5;   ///< alpha of O'Brien 2000, 4.2: share of what is in excess of the toughness that goes on to the new crack tip, 0 to 1; where a
                             ///< step is not solved again after a cut
    double backCrackAngle = 0.5;  ///< rad; a crack makes no smaller angle with a surface that is already there. 0: no avoidance
    Vec3 grain = Vec3::Zero();    ///< rad; rotation about x, y and z of the axes that `weakness` goes by; `orient` of tets goes before it
    Vec3 weakness = Vec3::Ones(); ///< of stress along each of these axes this share counts: (1, 0.5, 0.5) breaks most easily across the first
};

/// What a node at a crack tip stands, Pa. Ahead of a tip stress is K / sqrt(2 pi r); a node reads the force over its own area, about its mean over
/// tets of edge h, so K / sqrt(h) times a number of the mesh alone: 0.70 with h the edge of the regular tet of the mean volume around, 0.65 to 0.74 in
/// jittered plates of 12 to 40 cells with two lengths of crack (single nodes: standard deviation 3 to 9 percent; test_crack_energy). A crack takes `energy`
/// where K^2 = E / (1 - nu^2) energy (Griffith, Irwin; plane strain, as inside a body).
constexpr double kCrackTipFactor = 0.70;
inline double crackTipStrength(double planeModulus, double energy, double h) { return kCrackTipFactor * std::sqrt(planeModulus * energy / h); }
/// E / (1 - nu^2) from Lame's constants.
inline double planeModulus(double lambda, double mu) { return 4 * mu * (lambda + mu) / (lambda + 2 * mu); }

}  // namespace sunder
