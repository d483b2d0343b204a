#pragma once

#include <cstdint>

namespace sunder {

/// What pushes bodies apart that overlap.
enum class ContactResponse : std::uint8_t {
    kOverlap,  ///< the gradient of an energy of the overlap as vertices see it (contact_forces.h, contact_potential.h)
    kThesis,   ///< a force a pair of tets, along the mean normal (response_thesis.h); explicit steps only
    kNodes,    ///< a force a vertex inside another tet (response_nodes.h); explicit steps only
};

}  // namespace sunder
