#pragma once

#include "core/sim/stepper.h"

namespace sunder::bench {

/// The beam that all elastic figures are measured on: 4 m long, of nx x ny x nz cubic cells of six tets, clamped at x = 0.
struct BeamSize {
    int nx, ny, nz;
    const char* name;
    int tets() const { return 6 * nx * ny * nz; }
};
inline constexpr BeamSize kBeams[] = {{11, 4, 4, "1k"}, {26, 8, 8, "10k"}, {42, 14, 14, "50k"}, {52, 18, 18, "100k"}};

TetMesh makeBeam(const BeamSize& size);
/// E 1e6 Pa, nu 0.3, density 1000, stiffness damping 0.01 s.
Material beamMaterial(ElasticLawId law);
WorldState makeBeamWorld(const BeamSize& size, ElasticLawId law);
/// How far the middle of the free end has sunk, m.
double tipDrop(const WorldState& world);

}  // namespace sunder::bench
