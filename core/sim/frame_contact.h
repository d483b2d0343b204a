#pragma once

#include <vector>

#include "core/sim/world.h"

namespace sunder {

/// Where contact gave way, as far as sides are kept (core/contact/contact_sides.h): of every vertex of every body how far it is in another body beyond what is free, m, as the spring that brings it
/// back sees it; of a collider's vertex in a body, the corners of the face that it went through. One list a body; no lists if nothing is that deep.
std::vector<std::vector<float>> contactDepths(const WorldState& world);

}  // namespace sunder
