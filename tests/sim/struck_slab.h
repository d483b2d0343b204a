#pragma once

#include "core/sim/small_pieces.h"
#include "tests/sim/contact_fixture.h"

namespace sunder::testing {

inline constexpr double kSmallSize = 0.25;  // m, more than any piece of the slab that comes off

inline Material slabMaterial() {
    Material m = elastic(5e6, 0.0, 1000);
    m.stiffnessDamping = 2e-3;
    m.fracture.enabled = true;
    m.fracture.stress = 2e5;
    return m;
}

/// A slab, held at two sides, that a heavy block falls through.
inline WorldState struckSlab(const Material& material) {
    WorldState world;
    Body slab = makeBody(placed(makeBox(6, 1, 6, Vec3(1, 0.06, 1)), Vec3(-0.5, 0, -0.5)), material);
    pinWhere(slab, [](const Vec3& p) { return std::abs(p.x()) > 0.49; });
    addBody(world, std::move(slab));
    Body block = makeBody(placed(makeBox(2, 2, 2, Vec3(0.2, 0.2, 0.2)), Vec3(-0.08, 0.062, -0.11)), elastic(1e9, 0.3, 8000));
    block.rigid = true;
    addBody(world, std::move(block));
    setMotion(world, 1, Vec3(0, -6, 0), Vec3::Zero());
    return world;
}

inline StepSettings slabSettings(Integrator integrator, SmallPieces smallPieces) {
    StepSettings settings;
    settings.integrator = integrator;
    settings.newtonTolerance = settings.linearTolerance = 1e-4;
    settings.fracture.smallPieces = smallPieces;
    settings.fracture.smallPieceSize = smallPieces == SmallPieces::kKeep ? 0 : kSmallSize;
    return settings;
}

}  // namespace sunder::testing
