#pragma once

#include <array>
#include <cstdint>

#include "core/math/types.h"

namespace sunder {

/// One tet of the lattice: corners 0 1 and 2 3 are its long edges. Signs and cuts as after warping. Ids are
/// the caller's.
struct StencilInput {
    std::array<std::int8_t, 4> sign;
    std::array<int, 4> parity;
    std::array<std::int32_t, 4> vertex;
    std::array<Vec3, 4> position;
    std::array<std::array<std::int32_t, 4>, 4>
        cut;  ///< by the two corners; valid where one is 1 and the other -1
    std::array<std::array<Vec3, 4>, 4> cutPosition;
};

/// The part of the tet inside the surface, in at most three positive tets.
struct StencilOutput {
    std::array<Tet, 3> tets;
    int count = 0;
};
StencilOutput cutTet(const StencilInput& input);

}  // namespace sunder
